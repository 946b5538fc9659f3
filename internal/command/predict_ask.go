package command

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
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// answerer answers prompts: a model, or a file.
type answerer interface {
	All(ctx context.Context, prompts iter.Seq[*victim.Prompt], each func(p *victim.Prompt, answer string, err error) error) error
}

// filed are answers of a file.
type filed map[string]string

func (f filed) All(ctx context.Context, prompts iter.Seq[*victim.Prompt], each func(*victim.Prompt, string, error) error) error {
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

// noting notes the prompts that an answerer is asked, by id.
type noting struct {
	answerer
	ids map[string]bool
}

func (n *noting) All(ctx context.Context, prompts iter.Seq[*victim.Prompt], each func(*victim.Prompt, string, error) error) error {
	return n.answerer.All(ctx, func(yield func(*victim.Prompt) bool) {
		for p := range prompts {
			n.ids[p.ID] = true
			if !yield(p) {
				return
			}
		}
	}, each)
}

// predict asks about all sides, as often as wanted.
func (a *app) predict(ctx context.Context, f *predictFlags, sides []questioned, t *template.Template) (_ *prediction, err error) {
	p, ids := &prediction{Victim: f.shownVictim(), answers: map[askedAbout]*answered{}}, map[string]bool{}
	if f.answers != "" {
		answers, err := victim.ReadAnswers(f.answers, a.skip)
		if err != nil {
			return nil, err
		}
		if err := a.predictOnce(ctx, f, sides, &noting{filed(answers), ids}, t, p); err != nil {
			return nil, err
		}
	} else {
		var asked *askedVictim
		if asked, err = f.victimFlags.open(a, f.out); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, asked.close()) }()
		for k := range f.repeat {
			asked.Seed = int32(a.seed) + int32(k)
			if err := a.predictOnce(ctx, f, repeatedSides(sides, k), &noting{&asked.Asking, ids}, t, p); err != nil {
				return nil, err
			}
		}
		counts := asked.Client.Record.Counts()
		p.Asked, p.Cost = &counts, f.cost(counts)
		a.tellVictim(asked)
	}
	p.distinct = len(ids)
	p.count(f.repeat)
	if p.Answered == 0 && !f.dryRun {
		return nil, fmt.Errorf("none of %d questions is answered; nothing is written to %s", p.Questions, f.out)
	}
	return p, nil
}

// predictOnce asks about all sides, and writes those that have answers.
func (a *app) predictOnce(ctx context.Context, f *predictFlags, sides []questioned, who answerer, t *template.Template, p *prediction) error {
	for _, s := range sides {
		lines, any, err := a.predictSide(ctx, s, who, t, p)
		switch {
		case errors.Is(err, chat.ErrGivenUp):
			return fmt.Errorf("--victim: %w; %s is left as it is, and the same command goes on behind what was answered", err, s.out)
		case err != nil:
			return err
		case f.dryRun:
			continue
		}
		if err := a.writeSide(s, lines, any, p); err != nil {
			return err
		}
	}
	return nil
}

// writeSide writes the lines of a side, unless none is an answer.
func (a *app) writeSide(s questioned, lines []string, any bool, p *prediction) error {
	if !any {
		a.warn(fmt.Errorf("%s: none of its questions is answered, it is left as it is", s.out))
		return nil
	}
	p.Out = append(p.Out, s.out)
	return writeLines(s.out, lines)
}

// repeatedSides are sides asked about for the time k, from 0, each with a file of its own.
func repeatedSides(sides []questioned, k int) []questioned {
	if k == 0 {
		return sides
	}
	sides = slices.Clone(sides)
	for i, s := range sides {
		ext := filepath.Ext(s.out)
		sides[i].out = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(s.out, ext), k+1, ext)
	}
	return sides
}

// askedAbout is a question of a side.
type askedAbout struct {
	dir   string
	index int
}

// answered is what a question was answered, over all times that it was asked.
type answered struct {
	times  int
	first  string // SQL
	varies bool
}

func (p *prediction) answer(q askedAbout, sql string, err error) {
	a := p.answers[q]
	if a == nil {
		a = &answered{}
		p.answers[q] = a
	}
	switch {
	case err != nil:
		return
	case a.times == 0:
		a.first = sql
	}
	a.varies = a.varies || sql != a.first
	a.times++
}

// count sums up: a question counts once, and as answered where it was each time.
func (p *prediction) count(repeats int) {
	p.Prompts, p.Questions = p.distinct, len(p.answers)
	agreeing := 0
	for _, a := range p.answers {
		if a.times < repeats {
			p.Unanswered++
			continue
		}
		p.Answered++
		if !a.varies {
			agreeing++
		}
	}
	if repeats > 1 {
		share := float64(agreeing) / float64(max(1, p.Answered))
		p.Repeats, p.Agreeing = repeats, &share
	}
}

// predictSide asks about the questions of a side and returns the lines of its file, one for
// each record of the split, and whether there is any answer. What is not answered is an
// empty line and is reported. The error is [chat.ErrGivenUp] where the victim was given up.
func (a *app) predictSide(ctx context.Context, s questioned, who answerer, t *template.Template, p *prediction) (lines []string, any bool, err error) {
	units, err := a.readUnits(s.dir, s.split)
	if err != nil {
		return nil, false, err
	}
	path, records, err := recordsOf(s, units)
	if err != nil {
		return nil, false, err
	}
	n := 0
	for _, u := range units {
		n += len(u.Examples)
	}
	step, done := a.start("predict "+s.perturbed, n)
	defer done()
	lines, failed := make([]string, records), map[int]error{}
	prompts, broken := promptsOf(ctx, units, t)
	err = who.All(ctx, prompts, func(prompt *victim.Prompt, answer string, err error) error {
		step()
		sql := ""
		if err == nil {
			any, sql = true, victim.SQL(answer)
		} else {
			failed[prompt.Index] = err
		}
		lines[prompt.Index] = sql
		p.answer(askedAbout{s.dir, prompt.Index}, sql, err)
		return nil
	})
	if err = errors.Join(err, *broken); err != nil {
		return nil, false, err
	}
	return lines, any, a.tellUnanswered(path, failed)
}

// promptsOf makes the prompts of units one unit after the other. The error is good once all were
// taken.
func promptsOf(ctx context.Context, units []*dataset.Unit, t *template.Template) (iter.Seq[*victim.Prompt], *error) {
	failed := new(error)
	return func(yield func(*victim.Prompt) bool) {
		for _, u := range units {
			prompts, err := victim.Prompts(ctx, u, t)
			if err != nil {
				*failed = fmt.Errorf("%s: %w", u.DB.ID, err)
				return
			}
			for _, prompt := range prompts {
				if !yield(prompt) {
					return
				}
			}
		}
	}, failed
}

// tellUnanswered reports questions without an answer, and returns the error of a victim that was
// given up.
func (a *app) tellUnanswered(path string, failed map[int]error) (gone error) {
	for _, i := range slices.Sorted(maps.Keys(failed)) {
		switch err := failed[i]; {
		case errors.Is(err, chat.ErrGivenUp):
			gone = cmp.Or(gone, err)
		case !chat.NotAsked(err):
			a.skip(&dataset.RecordError{File: path, Record: i + 1, Err: fmt.Errorf("%w; its line is empty", err)})
		}
	}
	return gone
}

func writeLines(path string, lines []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return outdir.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(append(lines, ""), "\n"))
		return err
	})
}
