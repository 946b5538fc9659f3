package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/study/attack"
	"github.com/tabperturb/tabperturb/perturb"
)

type attackFlags struct {
	data, split   string
	buckets       []string
	goal, search  string
	moves, words  string
	masked        string
	budget, edits int
	worst         bool
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

// attackCmd returns the command attack.
func (a *app) attackCmd() *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:     "attack",
		Short:   "Search the perturbation of each question or its schema that a model falls for",
		Long:    help("attack", searchDocs()),
		Example: examples("attack"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runAttack(cmd.Context(), &f) },
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	f.victimFlags.flags(cmd)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of candidate names: buckets.json or ADVETA's own; repeatable or comma-separated")
	fl.StringVar(&f.goal, "goal", "", "link or exec (default: link of a linker, else exec)")
	fl.StringVar(&f.search, "search", "greedy", "random, greedy or beam")
	fl.StringVar(&f.moves, "moves", string(attack.Replace), "what is perturbed: replace, add, both, question or all")
	fl.StringVar(&f.words, "words", spidersyn.Attackers()[0].Name, "where words of questions come from: glove or bert")
	maskedFlag(cmd, &f.masked)
	fl.IntVar(&f.budget, "budget", 50, "queries of a question at most")
	fl.IntVar(&f.edits, "max-edits", 0, "edits at once at most (default: as many as the gold SQL mentions columns)")
	fl.Float64Var(&f.minValidity, "min-validity", augment.DefaultMinValidity, "least predicted validity of a name, 0 to 1")
	fl.BoolVar(&f.worst, "worst", false, "write the worst perturbation of each question, though the victim does not fall for it or was wrong before")
	fl.StringSliceVar(&f.transfer, "transfer", nil, "other victims, linker or linker:FILE, to ask about what the first fell for; repeatable or comma-separated")
	fl.StringVar(&f.out, "out", "", "folder to write the build to")
	markInputs(cmd, "buckets", "transfer")
	markOutputs(cmd, "out") // and the record of its victim
	f.sharded.flag(cmd)
	fl.BoolVar(&f.resume, "resume", false, "with --shard: go on where an interrupted share stopped")
	a.jsonFlag(cmd, "print as JSON")
	require(cmd, "victim")
	return cmd
}

// searchDocs returns a line of help for each search.
func searchDocs() string {
	var b strings.Builder
	b.WriteString("Searches are\n\n")
	for _, s := range attack.Searches() {
		fmt.Fprintf(&b, "  %-7s %s\n", s.Name, s.Doc)
	}
	return b.String()
}

// config returns the configuration that the flags choose, or an error if they do not fit together. Without --goal it sets the
// goal that fits the victim.
func (f *attackFlags) config(seed uint64) (attack.Config, error) {
	c := attack.Config{Budget: f.budget, Moves: attack.Moves(f.moves), MaxEdits: f.edits, MinValidity: f.minValidity, Worst: f.worst, Seed: seed}
	fitting := goalExec
	if f.isLinker() {
		fitting = goalLink
	}
	f.goal = cmp.Or(f.goal, fitting)
	err := cmp.Or(
		oneOf("moves", f.moves, string(attack.Replace), string(attack.Add), string(attack.Both), string(attack.Question), string(attack.All)),
		atLeast("budget", f.budget, 1), atLeast("max-edits", f.edits, 0), probability("min-validity", f.minValidity), oneOf("goal", f.goal, goalLink, goalExec),
	)
	search := slices.IndexFunc(attack.Searches(), func(s attack.Search) bool { return s.Name == f.search })
	words := slices.IndexFunc(spidersyn.Attackers(), func(a *spidersyn.Attacker) bool { return a.Name == f.words })
	switch {
	case err != nil:
		return c, err
	case search < 0:
		return c, fmt.Errorf("--search %q: expected random, greedy or beam", f.search)
	case words < 0:
		return c, fmt.Errorf("--words %q: expected glove or bert", f.words)
	case c.Moves.Schema() && len(f.buckets) == 0:
		return c, fmt.Errorf("--moves %s: expected --buckets, names for columns", f.moves)
	case c.Moves.Words() && spidersyn.Attackers()[words].Needs == perturb.NeedsMasked && f.masked == "":
		return c, fmt.Errorf("--words %s: expected --masked, a masked language model", f.words)
	case f.goal != fitting:
		return c, fmt.Errorf("--goal %s: expected link with a linker, and exec with a model that writes SQL", f.goal)
	case f.dryRun:
		return c, errors.New("--dry-run: what is asked depends on the answers, expected predict for that")
	}
	c.Search, c.Words = attack.Searches()[search], spidersyn.Attackers()[words]
	return c, nil
}

// openAttack opens all that an attack needs. By default the record of the victim's answers is next to the path recordBeside.
// The caller must call closer.
func (a *app) openAttack(ctx context.Context, f *attackFlags, c attack.Config, recordBeside string) (_ *attack.Campaign, closer func() error, err error) {
	t := &attack.Campaign{Config: c, Workers: a.workers}
	if t.Units, err = a.readUnits(f.data, f.split); err != nil {
		return nil, nil, err
	}
	if t.Buckets, _, err = benchmark.ReadBuckets(f.buckets, t.Units, a.report); err != nil {
		return nil, nil, err
	}
	lexicon, err := linkLexicon()
	if err != nil {
		return nil, nil, err
	}
	t.Likeness = attack.Likeness(lexicon)
	if c.Moves.Words() {
		res := defaultResources()
		res.masked = f.masked
		// Opens all resources. Only a record of drafts would have to be closed, and res has none.
		if t.Resources, _, err = res.open(ctx, a, t.Units, true, true); err != nil {
			return nil, nil, err
		}
	}
	if t.Victim, closer, err = a.openAttacked(f, recordBeside, lexicon); err != nil {
		return nil, nil, err
	}
	if t.Others, err = f.openTransfers(lexicon); err != nil {
		return nil, nil, errors.Join(err, closer())
	}
	return t, closer, nil
}

// runAttack attacks all questions, or those of the share that --shard names.
func (a *app) runAttack(ctx context.Context, f *attackFlags) (err error) {
	c, err := f.config(a.seed)
	if err != nil {
		return err
	}
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	recordBeside := f.out
	if !share.All() {
		if err := f.checkShare(); err != nil {
			return err
		}
		recordBeside = share.Path(f.out)
	}
	t, closer, err := a.openAttack(ctx, f, c, recordBeside)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	if !share.All() {
		return a.attackPart(ctx, f, t, share)
	}
	step, done := a.start("attack", lists.Sum(t.Units, func(u *dataset.Unit) int { return len(u.Examples) }))
	t.Step = step
	found, err := t.Run(ctx)
	done()
	if err != nil {
		return err
	}
	return a.finishAttack(ctx, f, f.summary(), found)
}

// summary returns the summary of an attack before it is run: its settings, with all counts 0.
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

// checkShare returns an error if a flag cannot be combined with --shard.
func (f *attackFlags) checkShare() error {
	switch {
	case f.out == "":
		return errors.New("--shard: leaves a part beside the output, expected --out")
	case f.limit > 0:
		return errors.New("--shard: a share attacks all of its questions, expected no --limit")
	case f.record != "":
		return errors.New("--shard: each share records beside its part, expected no --record")
	}
	return nil
}

// attackPart attacks the questions of one share of the databases, writes the part and prints a summary of it.
func (a *app) attackPart(ctx context.Context, f *attackFlags, t *attack.Campaign, share outdir.Share) error {
	inputs, err := attackInputs(f.data, f.split, t.Units)
	if err != nil {
		return err
	}
	fingerprint, err := f.fingerprint()
	if err != nil {
		return err
	}
	step, done := a.start("attack", unknownTotal)
	defer done()
	t.Step = step
	part, err := attack.MakePart(ctx, t, attack.PartOptions{
		Out: f.out, Share: share, Fingerprint: fingerprint, Resume: f.resume, Note: a.warn, Unchanged: databaseStamps(t.Units).Check,
		Assembly: attack.Assembly{Summary: *f.summary(), Split: f.split, Seed: a.seed, Inputs: inputs},
	})
	return a.printPart(part, err, f.out, f.data, "database")
}

// attackInputs returns the hashes of the inputs that an attack, and the build of its results,
// depend on.
func attackInputs(data, split string, units []*dataset.Unit) (string, error) {
	inputs, err := dataInputs(data, split)
	if err != nil {
		return "", err
	}
	databases, err := benchmark.HashDatabases(units)
	return fmt.Sprint(append(inputs, databases)), err
}

// fingerprint identifies the names and the victims: the hashes of their files, and the flags that change a model's answers. It
// leaves out the command line of a victim, which may hold keys and may differ for the same model.
func (f *attackFlags) fingerprint() (string, error) {
	files := slices.Clone(f.buckets)
	for _, file := range []string{f.template, f.masked} {
		if file != "" {
			files = append(files, file)
		}
	}
	for _, name := range append([]string{f.victim}, f.transfer...) {
		other := victimFlags{victim: name}
		if file := other.linkerName(); other.isLinker() && file != trainedLinker { // the trained one has no file
			files = append(files, file)
		}
	}
	hashed, err := benchmark.HashFiles(files...)
	return fmt.Sprint(hashed, f.words, f.model, f.api, f.temperature, f.maxTokens), err
}

// mergeAttack prints the results of all parts, and builds the successful ones. It reads the data directory of --data, which must be the
// one that the parts attacked.
func (a *app) mergeAttack(ctx context.Context, m *merging, parts []*outdir.Part) error {
	all, found, err := attack.Merged(parts, m.out, func(all *attack.Assembly) ([]*dataset.Unit, error) {
		if m.data == "" {
			return nil, errors.New("--data: what a victim fell for is built from its data directory, expected that of the attack")
		}
		units, err := a.readUnits(m.data, all.Split)
		if err != nil {
			return nil, err
		}
		inputs, err := attackInputs(m.data, all.Split, units)
		if err == nil && (inputs != all.Inputs || len(units) != parts[0].Units) {
			err = fmt.Errorf("--data %s: is not the data directory of the attack, expected that", m.data)
		}
		return units, err
	})
	if err != nil {
		return err
	}
	a.seed = all.Seed // the build has the seed of the attack
	return a.finishAttack(ctx, &attackFlags{data: m.data, split: all.Split, search: all.Summary.Search, out: m.out}, &all.Summary, found)
}

// finishAttack prints the summary of all results and, with --out, builds the successful ones.
func (a *app) finishAttack(ctx context.Context, f *attackFlags, s *attack.Summary, found []*attack.UnitResult) error {
	path, err := dataset.SplitFile(f.data, f.split)
	if err != nil {
		return err
	}
	s.AddUnits(found, path, a.skip)
	if err := a.print(s, s.Write); err != nil || f.out == "" {
		return err
	}
	return a.buildFooled(ctx, f, found)
}

// openAttacked returns a function that opens the victim for a unit, and a function that closes it after the last unit. A model's
// answers are recorded in the file of --record, by default next to the path beside.
func (a *app) openAttacked(f *attackFlags, beside string, lexicon linker.Lexicon) (attack.Open, func() error, error) {
	if f.isLinker() {
		m, err := openLinker(f.linkerName())
		if err != nil {
			return nil, nil, err
		}
		return attack.OpenLinker(m, lexicon), func() error { return nil }, nil
	}
	if f.out == "" && f.record == "" {
		return nil, nil, errors.New("--record: what the victim answers is recorded, expected a file, or --out, beside which it lies")
	}
	record, out := filecheck.Resolve(f.recordPath(f.out)), filecheck.Resolve(f.out)
	isWithin := record == out || strings.HasPrefix(record, out+string(filepath.Separator))
	if f.out != "" && isWithin { // the build replaces the folder
		return nil, nil, fmt.Errorf("--record %s: is in the folder of --out, expected a file elsewhere", f.record)
	}
	t, err := f.readTemplate("prompt")
	if err != nil {
		return nil, nil, err
	}
	asked, err := f.victimFlags.open(a, beside)
	if err != nil {
		return nil, nil, err
	}
	scratch, err := os.MkdirTemp("", "tabperturb-attack-")
	if err != nil {
		return nil, nil, errors.Join(err, asked.close())
	}
	return attack.OpenWriter(&asked.Asking, t, scratch), func() error {
		a.reportVictim(asked)
		return errors.Join(asked.close(), os.RemoveAll(scratch))
	}, nil
}

// openTransfers opens the linkers of --transfer.
func (f *attackFlags) openTransfers(lexicon linker.Lexicon) ([]attack.Open, error) {
	return mapEach(f.transfer, func(name string) (attack.Open, error) {
		other := victimFlags{victim: name}
		if !other.isLinker() || f.goal != goalLink {
			return nil, fmt.Errorf("--transfer %q: expected linker or linker:FILE, with a linker as --victim", name)
		}
		m, err := openLinker(other.linkerName())
		if err != nil {
			return nil, err
		}
		return attack.OpenLinker(m, lexicon), nil
	})
}

// buildFooled builds a benchmark of the perturbations by which attacks succeeded; the build also runs their SQL. It passes their edits to
// the build as a temporary file of recorded edits.
func (a *app) buildFooled(ctx context.Context, f *attackFlags, found []*attack.UnitResult) error {
	scratch, err := os.MkdirTemp("", "tabperturb-attack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	path := filepath.Join(scratch, f.search+".jsonl")
	n := 0
	err = outdir.WriteFile(path, func(w io.Writer) (err error) {
		n, err = attack.WriteReplay(w, f.search, found)
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		a.warn(errors.New("the victim fell for nothing: there is no build to write"))
		return nil
	}
	bf := defaultBuild()
	bf.replay, bf.perturb, bf.samples, bf.databases = []string{path}, nil, 1, string(benchmark.DatabasesFull)
	bf.data, bf.split, bf.out = f.data, f.split, f.out
	m, err := a.build(ctx, &bf)
	if err != nil || a.json { // with --json the summary of the attack is all that is printed
		return err
	}
	fmt.Fprintln(a.stdout)
	return a.printBuild(a.stdout, m, f.out, f.data)
}
