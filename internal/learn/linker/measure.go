package linker

import (
	"cmp"
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Named is a scorer with its name.
type Named struct {
	Name string
	Scorer
}

// Measure is the linkers that are scored, and how.
type Measure struct {
	Scorers []Named
	Lexicon Lexicon
	Workers int
	Start   func(units int) (step, done func()) // shows progress
	Report  func(error)                         // receives examples whose gold SQL cannot be read
}

// Split scores the linkers on all examples of units, which are a split of that name, and returns a row for
// each linker.
func (m *Measure) Split(ctx context.Context, name string, units []*dataset.Unit) ([]Row, error) {
	tallies, err := m.tally(ctx, units, func(u *dataset.Unit, _ *Example) string { return u.DB.ID })
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, t := range tallies {
		rows = append(rows, t.Row(m.Scorers[i].Name, name, nil)) // nil: compared with no other tally
	}
	return rows, nil
}

// Perturbed scores the linkers on the units before and after a perturbation, whose examples have the same
// indexes, and returns a row for each linker. Each example counts for its database before.
func (m *Measure) Perturbed(ctx context.Context, name string, pre, post []*dataset.Unit) ([]Row, error) {
	original := map[int]string{} // db_id by the index of the example
	for _, u := range pre {
		for _, ex := range u.Examples {
			original[ex.Index] = u.DB.ID
		}
	}
	database := func(_ *dataset.Unit, ex *Example) string { return original[ex.Source.Index] }
	before, err := m.tally(ctx, pre, database)
	if err != nil {
		return nil, err
	}
	after, err := m.tally(ctx, post, database)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, s := range m.Scorers {
		rows = append(rows, after[i].Row(s.Name, name, before[i]))
	}
	return rows, nil
}

// tally scores each linker on units. database names the database that an example counts for.
func (m *Measure) tally(ctx context.Context, units []*dataset.Unit, database func(*dataset.Unit, *Example) string) ([]*Tally, error) {
	step, done := m.Start(len(units))
	defer done()
	parts := make([][]*Tally, len(units)) // by unit and linker
	problems := make([][]error, len(units))
	err := outdir.Run(ctx, m.Workers, units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		defer step()
		var examples []*Example
		if examples, problems[i], err = PrepareUnit(ctx, u, m.Lexicon); err != nil {
			return err
		}
		for _, s := range m.Scorers {
			t := &Tally{}
			for _, ex := range examples {
				t.Add(database(u, ex), ex, s.Score(ex), linking.Score{})
			}
			parts[i] = append(parts[i], t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sums := make([]*Tally, len(m.Scorers))
	for k := range sums {
		sums[k] = &Tally{}
		for i := range parts {
			sums[k].Merge(parts[i][k])
		}
	}
	for _, p := range slices.Concat(problems...) {
		m.Report(p)
	}
	return sums, nil
}

// ScoreLines scores the lines of a file of items, by the index of the example, on the examples of units.
// used counts the examples with a line, missing those without, which are scored as if no item was linked.
func ScoreLines(ctx context.Context, lines map[int]Line, units []*dataset.Unit, l Lexicon, report func(error)) (_ *Tally, used, missing int, err error) {
	tally := &Tally{}
	for _, u := range units {
		examples, problems, err := PrepareUnit(ctx, u, l)
		if err != nil {
			return nil, 0, 0, err
		}
		for _, p := range problems {
			report(p)
		}
		for _, ex := range examples {
			line, ok := lines[ex.Source.Index]
			if ok && line.DB == u.DB.ID {
				used++
			} else { // no line, or one for another database
				missing++
				line.Items = nil
			}
			p, wrong := ex.Schema.Find(line.Items)
			tally.Add(u.DB.ID, ex, p, wrong)
		}
	}
	return tally, used, missing, nil
}

// Scored is a question with the probabilities of the items of its schema.
type Scored struct {
	Example *Example
	P       []float32
}

// ScoreQuestions returns the questions of units, in the order of the split, as a linker scores
// them. It calls step after each unit.
func ScoreQuestions(ctx context.Context, s Scorer, units []*dataset.Unit, l Lexicon, workers int, step func()) ([]Scored, error) {
	parts := make([][]Scored, len(units))
	err := outdir.Run(ctx, workers, units, func(ctx context.Context, i int, u *dataset.Unit) error {
		defer step()
		examples, err := PrepareQuestions(ctx, u, l)
		for _, ex := range examples {
			parts[i] = append(parts[i], Scored{ex, s.Score(ex)})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(x, y Scored) int { return cmp.Compare(x.Example.Source.Index, y.Example.Source.Index) })
	return all, nil
}

// Linked counts the columns and tables whose probability reaches [Threshold]. Probabilities are rounded as a file of items has them.
func (s Scored) Linked() (columns, tables int) {
	for _, it := range s.Example.Schema.Items(s.P) {
		switch {
		case it.P < Threshold:
		case it.Column == "":
			tables++
		default:
			columns++
		}
	}
	return columns, tables
}
