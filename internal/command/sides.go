package command

import (
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/evaluate/sides"
)

// builtSides is a build whose sides are evaluated.
type builtSides struct {
	sides.Build
	built []benchmark.Result
}

// openSides reads which perturbations of a build are, or are of a family, among the names; all
// where there is no name.
func openSides(dir string, names []string) (*builtSides, error) {
	split, built, err := benchmark.ReadResults(dir, names)
	if err != nil {
		return nil, err
	}
	b := &builtSides{sides.Build{Dir: dir, Split: split}, built}
	for _, r := range built {
		b.Perturbations = append(b.Perturbations, sides.Perturbation{Name: r.Name, Group: string(r.Group), Records: r.Records(), Unchanged: r.Unchanged})
	}
	return b, nil
}

// needDatabases returns an error where the build has no SQLite files to run SQL on.
func (b *builtSides) needDatabases() error { return benchmark.CheckDatabases(b.Dir, b.built) }
