package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
	"github.com/tabperturb/tabperturb/internal/study/attack"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

type attackFlags struct {
	data, split   string
	buckets       []string
	goal, search  string
	moves         string
	budget, edits int
	minValidity   float64
	transfer      []string
	out           string
	resume        bool
	victimFlags
	sharded
}

// The goals of an attack.
const (
	goalLink = "link"
	goalExec = "exec"
)

const defaultBudget = 50

func (a *app) attackCmd() *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:   "attack",
		Short: "Search the perturbation of each question's schema that a model falls for",
		Long: `attack asks a model about each question of --data, and of those that it has right searches
names for the columns that the gold SQL mentions, within --budget queries a question, that
it falls for: names of the file --buckets that replace a column (--moves replace), stand
beside one (add), or of both kinds. Victims are those of predict. The goal is

  link   a linker no longer links an item that the gold SQL uses (linkers only)
  exec   the SQL of a model answers otherwise than the gold SQL on the perturbed database

` + searchDocs() + `
A name is asked only where the gold SQL with it is the original but for names and, where its
validity was predicted, that is at least --min-validity. It prints what TextAttack does,
and writes what the victim fell for as a build, which executes each: eval, review, mix and
report take it. --transfer asks other linkers about the same. What an endpoint or a command
answered is recorded, so that the same command repeats the attack without asking.`,
		Example: "  tabperturb attack --data spider --buckets buckets.json --victim linker --out fooled\n" +
			"  tabperturb attack --data spider --buckets buckets.json --victim linker --search random --transfer linker:mine.bin\n" +
			"  tabperturb attack --data spider --buckets buckets.json --victim openai:http://localhost:8080 --model qwen --budget 10 --out fooled",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runAttack(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	f.victimFlags.flags(cmd)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of candidate names: buckets.json or ADVETA's own; repeatable or comma-separated")
	fl.StringVar(&f.goal, "goal", "", "link or exec (default: link of a linker, else exec)")
	fl.StringVar(&f.search, "search", "greedy", "random, greedy or beam")
	fl.StringVar(&f.moves, "moves", string(attack.Replace), "replace, add or both: names that replace mentioned columns, that stand beside columns of their tables, or of either kind")
	fl.IntVar(&f.budget, "budget", defaultBudget, "queries of a question at most")
	fl.IntVar(&f.edits, "max-edits", 0, "edits at once at most (default: as many as the gold SQL mentions columns)")
	fl.Float64Var(&f.minValidity, "min-validity", augment.DefaultMinValidity, "least predicted validity of a name, 0 to 1")
	fl.StringSliceVar(&f.transfer, "transfer", nil, "other victims, linker or linker:FILE, to ask about what the first fell for; repeatable or comma-separated")
	fl.StringVar(&f.out, "out", "", "folder to write the build to")
	writes(cmd, "out") // and the record of its victim
	f.sharded.flag(cmd)
	fl.BoolVar(&f.resume, "resume", false, "with --shard: go on where an interrupted share stopped")
	a.jsonFlag(cmd, "print as JSON")
	require(cmd, "buckets", "victim")
	return cmd
}

func searchDocs() string {
	var b strings.Builder
	b.WriteString("Searches are\n\n")
	for _, s := range attack.Searches() {
		fmt.Fprintf(&b, "  %-7s %s\n", s.Name, s.Doc)
	}
	return b.String()
}

func (f *attackFlags) config(seed uint64) (attack.Config, error) {
	c := attack.Config{Budget: f.budget, Moves: attack.Moves(f.moves), MaxEdits: f.edits, MinValidity: f.minValidity, Seed: seed}
	i := slices.IndexFunc(attack.Searches(), func(s attack.Search) bool { return s.Name == f.search })
	if f.goal == "" {
		if f.goal = goalExec; f.isLinker() {
			f.goal = goalLink
		}
	}
	switch {
	case i < 0:
		return c, fmt.Errorf("--search %q: expected random, greedy or beam", f.search)
	case !slices.Contains([]attack.Moves{attack.Replace, attack.Add, attack.Both}, c.Moves):
		return c, fmt.Errorf("--moves %q: expected replace, add or both", f.moves)
	case f.budget < 1:
		return c, fmt.Errorf("--budget %d: expected 1 or more", f.budget)
	case f.edits < 0:
		return c, fmt.Errorf("--max-edits %d: expected 0 or more", f.edits)
	case !(f.minValidity >= 0 && f.minValidity <= 1):
		return c, fmt.Errorf("--min-validity %v: expected 0 to 1", f.minValidity)
	case f.goal != goalLink && f.goal != goalExec:
		return c, fmt.Errorf("--goal %q: expected link or exec", f.goal)
	case (f.goal == goalLink) != f.isLinker():
		return c, fmt.Errorf("--goal %s: expected link with a linker, and exec with a model that writes SQL", f.goal)
	case f.dryRun:
		return c, errors.New("--dry-run: what is asked depends on the answers, expected predict for that")
	}
	c.Search = attack.Searches()[i]
	return c, nil
}

// assault is an attack with all that it needs.
type assault struct {
	attack.Config
	units  []*dataset.Unit
	victim attacked
	others []attacked // by --transfer
	close  func() error
}

func (a *app) openAttack(f *attackFlags, c attack.Config, recordBeside string) (t *assault, err error) {
	t = &assault{Config: c}
	if t.units, err = a.readUnits(f.data, f.split); err != nil {
		return nil, err
	}
	if t.Buckets, _, err = a.readBuckets(f.buckets, t.units); err != nil {
		return nil, err
	}
	if t.Likeness, err = attackLikeness(); err != nil {
		return nil, err
	}
	if t.victim, t.close, err = a.openAttacked(f, recordBeside); err != nil {
		return nil, err
	}
	if t.others, err = f.openTransfers(); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (a *app) runAttack(ctx context.Context, f *attackFlags) (err error) {
	c, err := f.config(a.seed)
	if err != nil {
		return err
	}
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !share.All() {
		return a.attackPart(ctx, f, c, share)
	}
	t, err := a.openAttack(f, c, f.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	found := make([]*fallen, len(t.units))
	step, done := a.start("attack", examplesOf(t.units))
	err = outdir.Run(ctx, a.workers, t.units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		found[i], err = t.unit(ctx, u, step)
		return err
	})
	done()
	if err != nil {
		return err
	}
	return a.tellAttack(ctx, f, f.summary(), found)
}

func examplesOf(units []*dataset.Unit) (n int) {
	for _, u := range units {
		n += len(u.Examples)
	}
	return n
}

// summary is that of an attack of which nothing is counted yet.
func (f *attackFlags) summary() *attack.Summary {
	s := &attack.Summary{Victim: f.victim, Goal: f.goal, Search: f.search, Budget: f.budget}
	if !f.isLinker() {
		s.Victim = f.shownVictim()
	}
	for _, name := range f.transfer {
		s.Transfers = append(s.Transfers, attack.Transfer{Victim: name})
	}
	return s
}

// tellAttack prints what became of all questions, and builds what the victim fell for.
func (a *app) tellAttack(ctx context.Context, f *attackFlags, s *attack.Summary, found []*fallen) error {
	path, err := dataset.SplitFile(f.data, f.split)
	if err != nil {
		return err
	}
	for _, unit := range found {
		for _, r := range unit.results {
			s.Add(r)
			if r.Failed != nil {
				a.skip(&dataset.RecordError{File: path, Record: r.Example.Index + 1, Err: fmt.Errorf("%w; it is not attacked", r.Failed)})
			}
		}
		for i := range s.Transfers {
			s.Transfers[i].Asked += unit.transfers[i].Asked
			s.Transfers[i].Fooled += unit.transfers[i].Fooled
		}
	}
	s.Close()
	if err := a.print(s, s.Write); err != nil || f.out == "" {
		return err
	}
	return a.buildFooled(ctx, f, found)
}

// attackLikeness compares words by forms, synonyms and vectors.
func attackLikeness() (func(question, name string) float64, error) {
	l, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	return func(question, name string) float64 {
		x := l.Likeness(question, name)
		return float64(max(x.Lemma, .9*x.Stem, .8*x.Synonym, x.Cosine))
	}, nil
}

// attacked makes the victim of a database.
type attacked func(ctx context.Context, u *dataset.Unit) (attack.Victim, error)

// openAttacked opens the victim, whose record lies beside a path unless --record names it.
func (a *app) openAttacked(f *attackFlags, beside string) (attacked, func() error, error) {
	nothing := func() error { return nil }
	if f.isLinker() {
		m, err := openLinker(f.linkerName())
		if err != nil {
			return nil, nothing, err
		}
		v, err := linkerVictim(m)
		return v, nothing, err
	}
	if f.out == "" && f.record == "" {
		return nil, nothing, errors.New("--record: what the victim answers is recorded, expected a file, or --out, beside which it lies")
	}
	if record := resolved(f.recordPath(f.out)); f.out != "" && (record == resolved(f.out) || strings.HasPrefix(record, resolved(f.out)+string(filepath.Separator))) {
		return nil, nothing, fmt.Errorf("--record %s: is in the folder of --out, expected a file elsewhere", f.record)
	}
	text := victim.DefaultTemplate
	if f.template != "" {
		data, err := os.ReadFile(f.template)
		if err != nil {
			return nil, nothing, err
		}
		text = string(data)
	}
	t, err := victim.ParseTemplate("prompt", text)
	if err != nil {
		return nil, nothing, fmt.Errorf("--template: %w", err)
	}
	return a.writerVictim(f, beside, t)
}

func (a *app) writerVictim(f *attackFlags, beside string, t *template.Template) (attacked, func() error, error) {
	asked, err := f.victimFlags.open(a, beside)
	if err != nil {
		return nil, nil, err
	}
	scratch, err := os.MkdirTemp("", "tabperturb-attack-")
	if err != nil {
		return nil, nil, errors.Join(err, asked.close())
	}
	closer := func() error {
		a.tellVictim(asked)
		return errors.Join(asked.close(), os.RemoveAll(scratch))
	}
	return func(_ context.Context, u *dataset.Unit) (attack.Victim, error) {
		return &attack.Writer{Asking: &asked.Asking, Template: t, DB: u.DB, Scratch: scratch}, nil
	}, closer, nil
}

func linkerVictim(m *linker.Model) (attacked, error) {
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, u *dataset.Unit) (attack.Victim, error) {
		cells, err := linker.ReadCells(ctx, u.DB)
		if err != nil {
			return nil, err
		}
		return &attack.Linker{Model: m, Schema: linker.NewSchema(u.DB, cells, lexicon)}, nil
	}, nil
}

func (f *attackFlags) openTransfers() (all []attacked, err error) {
	for _, name := range f.transfer {
		other := victimFlags{victim: name}
		if !other.isLinker() || f.goal != goalLink {
			return nil, fmt.Errorf("--transfer %q: expected linker or linker:FILE, with a linker as --victim", name)
		}
		m, err := openLinker(other.linkerName())
		if err != nil {
			return nil, err
		}
		v, err := linkerVictim(m)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// fallen is what became of the questions of a unit, and of what its victim fell for where others
// are asked about it.
type fallen struct {
	results   []*attack.Result
	transfers []attack.Transfer
}

// unit attacks the questions of a unit, and asks the other victims.
func (t *assault) unit(ctx context.Context, u *dataset.Unit, step func()) (*fallen, error) {
	who, err := t.victim(ctx, u)
	if err != nil {
		return nil, err
	}
	found := &fallen{transfers: make([]attack.Transfer, len(t.others))}
	at := &attack.Attacker{Config: t.Config, DB: u.DB, Victim: who}
	for _, ex := range u.Examples {
		r, err := at.Attack(ctx, ex)
		if err != nil {
			return nil, fmt.Errorf("example %d of %s: %w", ex.Index+1, u.DB.ID, err)
		}
		found.results = append(found.results, r)
		step()
	}
	for i, other := range t.others {
		if err := transfer(ctx, u, found.results, other, &found.transfers[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// transfer asks another victim about what the first fell for.
func transfer(ctx context.Context, u *dataset.Unit, results []*attack.Result, v attacked, t *attack.Transfer) error {
	who, err := v(ctx, u)
	if err != nil {
		return err
	}
	for _, r := range results {
		if !r.Fooled {
			continue
		}
		asked, fooled, err := fools(ctx, who, u.DB, r)
		if err != nil {
			return err
		}
		if asked {
			t.Asked++
		}
		if fooled {
			t.Fooled++
		}
	}
	return nil
}

// fools tells whether a victim has a question right, and falls for what another fell for.
func fools(ctx context.Context, who attack.Victim, db *dataset.Database, r *attack.Result) (asked, fooled bool, err error) {
	ex, err := perturb.NewExample(db, r.Example)
	if err != nil {
		return false, false, err
	}
	before, err := who.Ask(ctx, &verify.Draft{Before: ex, Schema: db, After: r.Example})
	if err != nil || !before.Right {
		return false, false, err
	}
	d, err := verify.Prove(ex, db, r.Edits)
	if err != nil {
		return false, false, err
	}
	after, err := who.Ask(ctx, d)
	return true, !after.Right, err
}

// buildFooled writes what the victim fell for as recorded edits, and builds them: each is
// executed.
func (a *app) buildFooled(ctx context.Context, f *attackFlags, found []*fallen) error {
	scratch, err := os.MkdirTemp("", "tabperturb-attack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, f.search+".jsonl")
	n := 0
	err = outdir.WriteFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		head := perturb.ReplayHead{Name: "attack/" + f.search, Doc: "What a " + f.search + " attack found that the victim falls for.", Paper: "TextAttack (Morris et al., 2020)", Relation: perturb.Renamed}
		if err := enc.Encode(head); err != nil {
			return err
		}
		for _, unit := range found {
			for _, r := range unit.results {
				if !r.Fooled {
					continue
				}
				n++
				if err := encodeFooled(enc, r); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n == 0 {
		a.warn(errors.New("the victim fell for nothing: there is no build to write"))
		return nil
	}
	bf := defaultBuild()
	bf.replay, bf.perturb, bf.samples, bf.databases = []string{path}, nil, 1, "full"
	bf.data, bf.split, bf.out = f.data, f.split, f.out
	m, err := a.build(ctx, &bf)
	if err != nil || a.json {
		return err
	}
	fmt.Fprintln(a.stdout)
	return printManifest(a.stdout, m, f.out)
}

func encodeFooled(enc *json.Encoder, r *attack.Result) error {
	edits, err := perturb.MarshalEdits(r.Edits)
	if err != nil {
		return err
	}
	return enc.Encode(struct {
		DB       string          `json:"db_id"`
		Example  int             `json:"example"`
		Question string          `json:"question"`
		Query    string          `json:"query"`
		Sample   int             `json:"sample"`
		Edits    json.RawMessage `json:"edits"`
	}{r.Example.DB, r.Example.Index, r.Example.Question, r.Example.Query, 0, edits})
}
