// Package predict asks a model about the questions of data directories and writes its SQL as
// files of predictions, one line per record. The work can be divided into shares ([MakePart]) whose
// answers [Merge] joins.
package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// Side is a data directory, and the file for its predictions.
type Side struct {
	Dir, Split string
	Out        string
	Name       string // of a build: pre or post and the perturbation, "pre/adveta/replace"; else empty
}

// Config holds what is asked, and of whom.
type Config struct {
	Sides    []Side
	Template *template.Template // of prompts
	Asking   *victim.Asking     // asks the model; nil to take Answers
	Answers  map[string]string  // by the id of the prompt; only where Asking is nil
	Seed     uint64             // of the first round; each further round adds 1
	Rounds   int                // how often each prompt is asked, 1 or more
	DryRun   bool               // write no file

	Units func(dir, split string) ([]*dataset.Unit, error) // reads a data directory
	Skip  func(error)                                      // receives questions without an answer
	Note  func(error)                                      // receives what does no harm
	Start func(what string, total int) (step, done func()) // shows progress
}

// answerer answers prompts: a model, or a file of answers.
type answerer interface {
	All(ctx context.Context, prompts iter.Seq[*victim.Prompt], each func(p *victim.Prompt, answer string, err error) error) error
}

// fileAnswers are the answers of a file, by the id of the prompt.
type fileAnswers map[string]string

// All passes each prompt to each with its answer, or with an error if the file has none.
func (f fileAnswers) All(ctx context.Context, prompts iter.Seq[*victim.Prompt], each func(*victim.Prompt, string, error) error) error {
	for p := range prompts {
		answer, ok := f[p.ID]
		var err error
		if !ok {
			err = fmt.Errorf("no answer to the prompt %s", p.ID)
		}
		if err := each(p, answer, err); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Run asks about all sides in each round and writes a file for each side and round. It returns an
// error that wraps [chat.ErrGivenUp] if the model was given up; the files before are written.
func Run(ctx context.Context, c *Config) (*Summary, error) {
	s := newSummary()
	for round := range c.Rounds {
		who := c.answerer(round)
		for _, side := range inRound(c.Sides, round) {
			lines, err := c.ask(ctx, side, who, s)
			switch {
			case errors.Is(err, chat.ErrGivenUp):
				return nil, fmt.Errorf("%w; %s is left as it is, and the same command goes on behind what was answered", err, side.Out)
			case err != nil:
				return nil, err
			case c.DryRun:
				continue
			}
			if err := s.write(side.Out, lines, c.Note); err != nil {
				return nil, err
			}
		}
	}
	s.Prompts = len(s.ids)
	s.count(c.Rounds)
	return s, nil
}

// answerer returns what answers the prompts of a round, numbered from 0: the model with the seed of the
// round, or the file of answers.
func (c *Config) answerer(round int) answerer {
	if c.Asking == nil {
		return fileAnswers(c.Answers)
	}
	c.Asking.Seed = int32(c.Seed) + int32(round)
	return c.Asking
}

// inRound returns sides with the files of a round, from 0: pred.sql, pred.2.sql, pred.3.sql.
func inRound(sides []Side, round int) []Side {
	if round == 0 {
		return sides
	}
	sides = slices.Clone(sides)
	for i, s := range sides {
		ext := filepath.Ext(s.Out)
		sides[i].Out = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(s.Out, ext), round+1, ext)
	}
	return sides
}

// fileLines are the lines of a file of predictions: the SQL for each record of a split, empty
// if there is no answer.
type fileLines struct {
	sql      []string
	failed   map[int]error // by line: why there is no answer
	answered bool          // some line has an answer
}

// newFileLines returns empty lines for a number of records.
func newFileLines(records int) *fileLines {
	return &fileLines{sql: make([]string, records), failed: map[int]error{}}
}

// set stores the SQL of a line, or why there is none.
func (l *fileLines) set(line int, sql string, err error) {
	if err != nil {
		l.failed[line] = err
		return
	}
	l.sql[line], l.answered = sql, true
}

// report passes each line without an answer to skip as a record of path, unless its prompt was
// not asked at all. It returns the error of a model that was given up, nil for none.
func (l *fileLines) report(path string, skip func(error)) (givenUp error) {
	for _, i := range slices.Sorted(maps.Keys(l.failed)) {
		switch err := l.failed[i]; {
		case errors.Is(err, chat.ErrGivenUp):
			givenUp = cmp.Or(givenUp, err)
		case !chat.NotAsked(err):
			skip(&dataset.RecordError{File: path, Record: i + 1, Err: fmt.Errorf("%w; its line is empty", err)})
		}
	}
	return givenUp
}

// ask asks about the questions of a side, reports those without an answer and returns the lines
// of its file. It returns [chat.ErrGivenUp] if the model was given up.
func (c *Config) ask(ctx context.Context, side Side, who answerer, s *Summary) (*fileLines, error) {
	units, err := c.Units(side.Dir, side.Split)
	if err != nil {
		return nil, err
	}
	path, records, err := countRecords(side, units)
	if err != nil {
		return nil, err
	}
	questions := lists.Sum(units, func(u *dataset.Unit) int { return len(u.Examples) })
	step, done := c.Start("predict "+side.Name, questions)
	defer done()
	lines := newFileLines(records)
	prompts, failed := promptsOf(ctx, units, c.Template)
	err = who.All(ctx, prompts, func(p *victim.Prompt, answer string, err error) error {
		step()
		sql := ""
		if err == nil {
			sql = victim.SQL(answer)
		}
		lines.set(p.Index, sql, err)
		s.ids[p.ID] = true
		s.answer(question{side.Dir, p.Index}, sql, err)
		return nil
	})
	if err = errors.Join(err, *failed); err != nil {
		return nil, err
	}
	return lines, lines.report(path, c.Skip)
}

// countRecords returns the path of the gold SQL of a side, and its number of records: at least those with an example in units. If the
// file breaks off, which was reported when it was read, it counts the records before that.
func countRecords(side Side, units []*dataset.Unit) (path string, records int, err error) {
	if path, err = dataset.SplitFile(side.Dir, side.Split); err != nil {
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

// writeLines writes a file of lines, and makes its folder.
func writeLines(path string, lines []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return outdir.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(append(lines, ""), "\n")) // "" ends the last line
		return err
	})
}
