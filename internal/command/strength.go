package command

import (
	"context"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/lexicon"
)

// strengthLinkers are the linkers that the strength of a build is measured by: one that looks for the names of columns
// in questions, and one that learned what else a question calls them.
var strengthLinkers = []string{"partial", trainedLinker}

// strength returns the column F1 of the built-in linkers before and after a perturbation, as eval link --build measures it. It
// is a [benchmark.Linkers]. It ignores gold SQL that cannot be read, which was reported when it was verified.
func (a *app) strength(ctx context.Context, name string, pre, post []*dataset.Unit) ([]benchmark.Strength, error) {
	scorers, err := openLinkers(link.Methods(lexicon.Embedded{}), strengthLinkers)
	if err != nil {
		return nil, err
	}
	l, err := linkLexicon()
	if err != nil {
		return nil, err
	}
	silent := func(int) (step, done func()) { return func() {}, func() {} } // the build shows its own progress
	m := &linker.Measure{Scorers: scorers, Lexicon: l, Workers: a.workers, Start: silent, Report: func(error) {}}
	rows, err := m.Perturbed(ctx, name, pre, post)
	return lists.Map(rows, newStrength), err
}

// newStrength returns the column F1 of a row with four digits: after the perturbation, its change, and before as the difference of
// both.
func newStrength(r linker.Row) benchmark.Strength {
	round := func(n stats.Number) stats.Number { return stats.Number(decimal.Round(float64(n))) }
	change := stats.Estimate{Value: round(r.ColumnChange.Value), Interval: stats.Interval{Low: round(r.ColumnChange.Low), High: round(r.ColumnChange.High)}}
	return benchmark.Strength{
		Perturbation: r.Set, Linker: r.Linker, Questions: r.Questions,
		Before: round(r.ColumnF1.Value - r.ColumnChange.Value), After: round(r.ColumnF1.Value), Change: change,
	}
}

// compareBuilds prints the strength of the perturbations that two builds share, side by side.
func (a *app) compareBuilds(pathA, pathB string) error {
	builds, err := mapEach([]string{pathA, pathB}, benchmark.ReadManifest)
	if err != nil {
		return err
	}
	pairs := builds[0].Against(builds[1])
	if len(pairs) == 0 {
		return fmt.Errorf("%s and %s: have no strength of the same perturbation, expected builds that perturb schemas", pathA, pathB)
	}
	t := table.New("change of column F1, in points", "perturbation", "linker", "A", "B", "A before", "B before")
	for _, p := range pairs {
		t.Add(p.A.Perturbation, p.A.Linker, p.A.Change.Points(), p.B.Change.Points(), p.A.Before.Cell(), p.B.Before.Cell())
	}
	return a.print(pairs, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "A %s\nB %s\n%s", pathA, pathB, t)
		return err
	})
}
