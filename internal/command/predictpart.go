package command

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// predictKind is the kind of parts that a divided predict leaves. Its units are the distinct
// prompts, so that none is asked twice, in whatever many sides of a build it is.
const predictKind = "predict"

// sheet is a file of predictions: which prompt each of its lines is the answer to.
type sheet struct {
	Out     string `json:"out"`     // below the output; "" for the output itself
	File    string `json:"file"`    // the gold SQL, for messages
	Prompts []int  `json:"prompts"` // numbers of prompts by line, -1 for a record that is not asked about
}

// sheets are what a merge of predict needs beside the answers.
type sheets struct {
	Victim string  `json:"victim"`
	Repeat int     `json:"repeat"`
	Sheets []sheet `json:"sheets"`
}

// solved is what a prompt was answered each time: SQL, or why there is none.
type solved struct {
	SQL    []string `json:"sql"`
	Failed []string `json:"failed"`
}

// failed is how many times there was no answer.
func (s *solved) failed() (n int) {
	for _, why := range s.Failed {
		if why != "" {
			n++
		}
	}
	return n
}

func (f *predictFlags) checkPart() error {
	switch {
	case f.victim == "" || f.isLinker():
		return errors.New("--shard: divides what a model is asked, expected --victim openai:URL or exec:COMMAND with it")
	case f.dryRun || f.limit > 0:
		return errors.New("--shard: a share asks all of its prompts, expected no --dry-run and --limit")
	case f.record != "":
		return errors.New("--shard: each share records beside its part, expected no --record")
	}
	return nil
}

// predictPart asks about one share of the prompts.
func (a *app) predictPart(ctx context.Context, f *predictFlags, sides []questioned, t *template.Template, share outdir.Share) (err error) {
	numbers, sizes := map[string]int{}, []int64(nil)
	all := sheets{Victim: f.shownVictim(), Repeat: f.repeat}
	for _, s := range sides {
		one, err := a.sheetOf(ctx, s, f.out, t, numbers, &sizes)
		if err != nil {
			return err
		}
		all.Sheets = append(all.Sheets, *one)
	}
	asked, err := f.victimFlags.open(a, share.Path(f.out))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, asked.close()) }()
	h := sha256.New()
	fmt.Fprintf(h, "%s %v %d %d %v\n", asked.Client.Model, f.api, f.maxTokens, a.seed, f.temperature)
	for _, id := range slices.SortedFunc(maps.Keys(numbers), func(x, y string) int { return numbers[x] - numbers[y] }) {
		fmt.Fprintln(h, id)
	}
	work := outdir.Division{Kind: predictKind, Fingerprint: fmt.Sprintf("%x", h.Sum(nil)), Sizes: sizes, Assembly: all, Resume: f.resume, Note: a.warn}
	failed := 0
	work.Failed = func() int { return failed }
	part, err := work.Part(f.out, share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		answers := make(map[int]*solved, len(mine))
		for _, n := range mine {
			answers[n] = &solved{make([]string, f.repeat), make([]string, f.repeat)}
		}
		for k := range f.repeat {
			asked.Seed = int32(a.seed) + int32(k)
			if err := a.solve(ctx, sides, t, numbers, &asked.Asking, k, answers); err != nil {
				return err
			}
		}
		for _, s := range answers {
			failed += s.failed()
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		return shards.Write("answers", share.I, data)
	})
	a.tellVictim(asked)
	if err != nil {
		return err
	}
	return a.printPart(part, f.out, "prompt")
}

// sheetOf returns the sheet of a side, and numbers the prompts that were in none before.
func (a *app) sheetOf(ctx context.Context, s questioned, out string, t *template.Template, numbers map[string]int, sizes *[]int64) (*sheet, error) {
	units, err := a.readUnits(s.dir, s.split)
	if err != nil {
		return nil, err
	}
	path, records, err := recordsOf(s, units)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(out, s.out)
	if err != nil {
		return nil, err
	}
	if rel == "." {
		rel = ""
	}
	which, name, _ := strings.Cut(s.perturbed, "/")
	// The folder of data or build need not be everywhere the same.
	file := filepath.ToSlash(filepath.Join(name, which, filepath.Base(path)))
	one := &sheet{Out: filepath.ToSlash(rel), File: file, Prompts: slices.Repeat([]int{-1}, records)}
	prompts, broken := promptsOf(ctx, units, t)
	for p := range prompts {
		if _, ok := numbers[p.ID]; !ok {
			numbers[p.ID] = len(numbers)
			*sizes = append(*sizes, int64(len(p.Text)))
		}
		one.Prompts[p.Index] = numbers[p.ID]
	}
	return one, *broken
}

// solve asks those prompts of all sides once that answers are wanted of.
func (a *app) solve(ctx context.Context, sides []questioned, t *template.Template, numbers map[string]int, who answerer, k int, answers map[int]*solved) error {
	var gone error
	begun := map[int]bool{}
	for _, s := range sides {
		units, err := a.readUnits(s.dir, s.split)
		if err != nil {
			return err
		}
		prompts, broken := promptsOf(ctx, units, t)
		err = who.All(ctx, wanted(prompts, numbers, answers, begun), func(p *victim.Prompt, answer string, err error) error {
			to := answers[numbers[p.ID]]
			switch {
			case errors.Is(err, chat.ErrGivenUp):
				gone = err
			case err != nil:
				to.Failed[k] = err.Error()
			default:
				to.SQL[k] = victim.SQL(answer)
			}
			return nil
		})
		if err = errors.Join(err, *broken); err != nil {
			return err
		}
		if gone != nil {
			return fmt.Errorf("--victim: %w; the same command goes on behind what was answered", gone)
		}
	}
	return nil
}

// wanted are those prompts that answers are wanted of and that were not begun before.
func wanted(prompts iter.Seq[*victim.Prompt], numbers map[string]int, answers map[int]*solved, begun map[int]bool) iter.Seq[*victim.Prompt] {
	return func(yield func(*victim.Prompt) bool) {
		for p := range prompts {
			n := numbers[p.ID]
			if answers[n] == nil || begun[n] {
				continue
			}
			begun[n] = true
			if !yield(p) {
				return
			}
		}
	}
}

// mergePredictions writes the files of predictions from the answers of all parts.
func (a *app) mergePredictions(_ context.Context, f *merging, parts []*outdir.Part) error {
	var all sheets
	if err := json.Unmarshal(parts[0].Assembly, &all); err != nil {
		return fmt.Errorf("%s: %w, expected the parts of predict", f.out, err)
	}
	answers := make([]*solved, parts[0].Units)
	for _, part := range parts {
		if err := readSolved(part, all.Repeat, answers); err != nil {
			return err
		}
	}
	p := &prediction{Victim: all.Victim, distinct: len(answers), answers: map[askedAbout]*answered{}}
	var sides []questioned
	for i, s := range all.Sheets {
		if s.Out != "" && !filepath.IsLocal(filepath.FromSlash(s.Out)) {
			return fmt.Errorf("%s: a part names the file %q, expected one below it", f.out, s.Out)
		}
		sides = append(sides, questioned{dir: fmt.Sprint(i), out: filepath.Join(f.out, filepath.FromSlash(s.Out))})
	}
	for k := range all.Repeat {
		for i, s := range repeatedSides(sides, k) {
			if err := a.mergeSide(s, &all.Sheets[i], answers, k, p); err != nil {
				return err
			}
		}
	}
	if p.count(all.Repeat); p.Answered == 0 {
		return fmt.Errorf("none of %d questions is answered; nothing is written to %s", p.Questions, f.out)
	}
	return a.print(p, p.write)
}

// mergeSide writes the file of a side, of the time k that it was asked about.
func (a *app) mergeSide(s questioned, sheet *sheet, answers []*solved, k int, p *prediction) error {
	lines, any, failed := make([]string, len(sheet.Prompts)), false, map[int]error{}
	for at, n := range sheet.Prompts {
		switch {
		case n < 0:
			continue
		case n >= len(answers):
			return fmt.Errorf("%s: a part names prompt %d, expected one of %d", s.out, n, len(answers))
		case answers[n].Failed[k] != "":
			failed[at] = errors.New(answers[n].Failed[k])
		default:
			lines[at], any = answers[n].SQL[k], true
		}
		p.answer(askedAbout{s.dir, at}, lines[at], failed[at])
	}
	_ = a.tellUnanswered(sheet.File, failed) // no victim is given up here
	return a.writeSide(s, lines, any, p)
}

// readSolved reads the answers of a part.
func readSolved(part *outdir.Part, repeat int, answers []*solved) error {
	data, err := part.Read("answers", part.Share.I)
	if err != nil {
		return err
	}
	var some map[int]*solved
	if err := json.Unmarshal(data, &some); err != nil {
		return fmt.Errorf("share %s: %w", part.Share, err)
	}
	for _, n := range part.Mine {
		one := some[n]
		if one == nil || len(one.SQL) != repeat || len(one.Failed) != repeat {
			return fmt.Errorf("share %s: has no answer to prompt %d, expected %d; run its command again with --shard %s", part.Share, n, repeat, part.Share)
		}
		answers[n] = one
	}
	return nil
}

// recordsOf returns the file of a side's gold SQL, and how many records it has: of a file that
// breaks off, which was reported, those before.
func recordsOf(s questioned, units []*dataset.Unit) (path string, records int, err error) {
	if path, err = dataset.SplitFile(s.dir, s.split); err != nil {
		return "", 0, err
	}
	records, _ = dataset.CountGold(path)
	for _, u := range units {
		for _, ex := range u.Examples {
			records = max(records, ex.Index+1)
		}
	}
	return path, records, nil
}
