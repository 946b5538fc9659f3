package command

import (
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// openSides returns a build with the perturbations that names selects, by name or by family, or with all if there are no names.
// It also returns the options by which predictions are judged. It is an error if their metrics run SQL and the build has no
// SQLite files.
func (a *app) openSides(dir string, names []string, judge *judgeFlags) (*sides.Build, evaluate.Options, error) {
	split, built, err := benchmark.ReadResults(dir, names)
	if err != nil {
		return nil, evaluate.Options{}, err
	}
	b := &sides.Build{Dir: dir, Split: split, Perturbations: lists.Map(built, func(r benchmark.Result) sides.Perturbation {
		return sides.Perturbation{Name: r.Name, Group: string(r.Group), Samples: r.Samples, Records: r.Records(), Unchanged: r.Unchanged}
	})}
	o, err := judge.options(a)
	if err == nil && o.Runs() {
		err = benchmark.CheckDatabases(dir, built)
	}
	return b, o, err
}
