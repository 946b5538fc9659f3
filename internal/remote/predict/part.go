package predict

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

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// PartKind is the kind of parts that [MakePart] leaves. Its units are the distinct prompts, so
// that no prompt is asked by two shares, however many sides of a build have it.
const PartKind = "predict"

// sheet holds the number of the prompt for each line of a file of predictions.
type sheet struct {
	Out     string `json:"out"`     // below the output; "" for the output itself
	File    string `json:"file"`    // the gold SQL, for messages
	Prompts []int  `json:"prompts"` // number of the prompt by line, -1 for a record that is not asked about
}

// assembly is what a merge needs besides the answers.
type assembly struct {
	Victim string  `json:"victim"`
	Rounds int     `json:"repeat"`
	Sheets []sheet `json:"sheets"`
}

// solved holds the answers to a prompt by round: the SQL, or why there is none.
type solved struct {
	SQL    []string `json:"sql"`
	Failed []string `json:"failed"`
}

// PartOptions identifies a part and its work.
type PartOptions struct {
	Out    string // the output of the whole work, next to which the part lies
	Share  outdir.Share
	Victim string // for the summary
	Model  string // identifies the model and how it is asked
	Resume bool   // keep a part that is whole
}

// division numbers the distinct prompts of all sides.
type division struct {
	*Config
	numbers map[string]int // by id
	sizes   []int64        // bytes of the prompts, by number
}

// MakePart asks about one share of the prompts and writes the answers to a part next to o.Out, for [Merge].
func MakePart(ctx context.Context, c *Config, o PartOptions) (*outdir.Part, error) {
	d := &division{Config: c, numbers: map[string]int{}}
	all := assembly{Victim: o.Victim, Rounds: c.Rounds}
	for _, side := range c.Sides {
		s, err := d.sheet(ctx, side, o.Out)
		if err != nil {
			return nil, err
		}
		all.Sheets = append(all.Sheets, *s)
	}
	h := sha256.New() // identifies the work: the model, and all prompts in their order
	fmt.Fprintln(h, o.Model)
	for _, id := range slices.SortedFunc(maps.Keys(d.numbers), func(x, y string) int { return d.numbers[x] - d.numbers[y] }) {
		fmt.Fprintln(h, id)
	}
	failed := 0
	work := outdir.Division{
		Kind: PartKind, Fingerprint: fmt.Sprintf("%x", h.Sum(nil)), Sizes: d.sizes, Assembly: all, Resume: o.Resume, Note: c.Note,
		Failed: func() int { return failed },
	}
	return work.Part(o.Out, o.Share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		answers, err := d.solve(ctx, mine)
		if err != nil {
			return err
		}
		for _, s := range answers {
			failed += lists.Count(s.Failed, func(why string) bool { return why != "" })
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		return shards.Write("answers", o.Share.I, data)
	})
}

// sheet returns the sheet of a side, and numbers the prompts that no side before it has.
func (d *division) sheet(ctx context.Context, side Side, out string) (*sheet, error) {
	units, err := d.Units(side.Dir, side.Split)
	if err != nil {
		return nil, err
	}
	path, records, err := countRecords(side, units)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(out, side.Out)
	if err != nil {
		return nil, err
	}
	if rel == "." {
		rel = ""
	}
	which, name, _ := strings.Cut(side.Name, "/") // "pre" and "adveta/replace"
	// Without the folder of the data or build, which may differ between the machines of a divided run.
	file := filepath.ToSlash(filepath.Join(name, which, filepath.Base(path)))
	s := &sheet{Out: filepath.ToSlash(rel), File: file, Prompts: slices.Repeat([]int{-1}, records)} // -1: not asked about
	prompts, failed := promptsOf(ctx, units, d.Template)
	for p := range prompts {
		if _, ok := d.numbers[p.ID]; !ok {
			d.numbers[p.ID] = len(d.numbers)
			d.sizes = append(d.sizes, int64(len(p.Text)))
		}
		s.Prompts[p.Index] = d.numbers[p.ID]
	}
	return s, *failed
}

// solve asks the prompts with the numbers mine in each round and returns the answers by number: for each round the SQL,
// or why there is none.
func (d *division) solve(ctx context.Context, mine []int) (map[int]*solved, error) {
	answers := make(map[int]*solved, len(mine))
	for _, n := range mine {
		answers[n] = &solved{make([]string, d.Rounds), make([]string, d.Rounds)}
	}
	for round := range d.Rounds {
		who := d.answerer(round)
		begun := map[int]bool{} // the prompts asked in this round, which sides may share
		for _, side := range d.Sides {
			if err := d.solveSide(ctx, side, who, round, answers, begun); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
}

// solveSide asks the prompts of a side that are in answers and were not begun in this round.
func (d *division) solveSide(ctx context.Context, side Side, who answerer, round int, answers map[int]*solved, begun map[int]bool) error {
	units, err := d.Units(side.Dir, side.Split)
	if err != nil {
		return err
	}
	var givenUp error
	prompts, failed := promptsOf(ctx, units, d.Template)
	err = who.All(ctx, d.wanted(prompts, answers, begun), func(p *victim.Prompt, answer string, err error) error {
		to := answers[d.numbers[p.ID]]
		switch {
		case errors.Is(err, chat.ErrGivenUp):
			givenUp = err
		case err != nil:
			to.Failed[round] = err.Error()
		default:
			to.SQL[round] = victim.SQL(answer)
		}
		return nil
	})
	if err = errors.Join(err, *failed); err != nil {
		return err
	}
	if givenUp != nil {
		return fmt.Errorf("%w; the same command goes on behind what was answered", givenUp)
	}
	return nil
}

// wanted returns the prompts whose numbers are in answers, each once, and marks them as begun.
func (d *division) wanted(prompts iter.Seq[*victim.Prompt], answers map[int]*solved, begun map[int]bool) iter.Seq[*victim.Prompt] {
	return func(yield func(*victim.Prompt) bool) {
		for p := range prompts {
			n := d.numbers[p.ID]
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

// Merge writes the files of predictions from the answers of all parts. Questions without an
// answer are passed to skip, files without any to note.
func Merge(out string, parts []*outdir.Part, skip, note func(error)) (*Summary, error) {
	var all assembly
	if err := json.Unmarshal(parts[0].Assembly, &all); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the parts of predict", out, err)
	}
	answers := make([]*solved, parts[0].Units)
	for _, part := range parts {
		if err := readSolved(part, all.Rounds, answers); err != nil {
			return nil, err
		}
	}
	var sides []Side
	for i, s := range all.Sheets {
		if s.Out != "" && !filepath.IsLocal(filepath.FromSlash(s.Out)) {
			return nil, fmt.Errorf("%s: a part names the file %q, expected one below it", out, s.Out)
		}
		// The number identifies the side's questions in the summary: a part has no data directories.
		sides = append(sides, Side{Dir: fmt.Sprint(i), Out: filepath.Join(out, filepath.FromSlash(s.Out))})
	}
	s := newSummary()
	s.Victim, s.Prompts = all.Victim, len(answers)
	for round := range all.Rounds {
		for i, side := range inRound(sides, round) {
			lines, err := all.Sheets[i].lines(side, answers, round, s)
			if err != nil {
				return nil, err
			}
			_ = lines.report(all.Sheets[i].File, skip) // returns nil: no part is written once the model is given up
			if err := s.write(side.Out, lines, note); err != nil {
				return nil, err
			}
		}
	}
	s.count(all.Rounds)
	return s, s.CheckAnswered(out)
}

// lines returns the lines of a side's file in a round, from the answers by the number of their prompt, and
// counts them in s.
func (t *sheet) lines(side Side, answers []*solved, round int, s *Summary) (*fileLines, error) {
	lines := newFileLines(len(t.Prompts))
	for line, n := range t.Prompts {
		if n < 0 { // a record that is not asked about
			continue
		}
		if n >= len(answers) {
			return nil, fmt.Errorf("%s: a part names prompt %d, expected one of %d", side.Out, n, len(answers))
		}
		var err error
		if why := answers[n].Failed[round]; why != "" {
			err = errors.New(why)
		}
		lines.set(line, answers[n].SQL[round], err)
		s.answer(question{side.Dir, line}, lines.sql[line], err)
	}
	return lines, nil
}

// readSolved reads the answers of a part and stores each in answers, at the index of its prompt.
func readSolved(part *outdir.Part, rounds int, answers []*solved) error {
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
		if one == nil || len(one.SQL) != rounds || len(one.Failed) != rounds {
			return fmt.Errorf("share %s: has no answer to prompt %d, expected %d; run its command again with --shard %s", part.Share, n, rounds, part.Share)
		}
		answers[n] = one
	}
	return nil
}
