package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
)

// readBuild returns the split and the perturbations of a build that have records
// and are, or are of a family, among the names; all where there is no name.
func readBuild(dir string, names []string) (split string, built []benchmark.Result, err error) {
	m, err := benchmark.ReadManifest(dir)
	if err != nil {
		return "", nil, err
	}
	known := make([]bool, len(names))
	for _, r := range m.Perturbations {
		family, _, _ := strings.Cut(r.Name, "/")
		chosen := len(names) == 0
		for i, n := range names {
			if slices.Contains([]string{r.Name, family}, n) {
				chosen, known[i] = true, true
			}
		}
		if chosen && r.Verified > 0 {
			built = append(built, r)
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return "", nil, fmt.Errorf("--perturb %q: expected a perturbation or family of %s", names[i], filepath.Join(dir, "manifest.json"))
	}
	if len(built) == 0 {
		return "", nil, fmt.Errorf("%s: has no records, expected some", dir)
	}
	return m.Split, built, nil
}

// needDatabases tells whether a build has SQLite files: one that was written without them
// cannot be run on.
func needDatabases(dir string, built []benchmark.Result) error {
	for _, r := range built {
		if !dataset.IsDir(filepath.Join(dir, filepath.FromSlash(r.Name), "pre", "database")) {
			return fmt.Errorf("%s: was written without databases, expected those that \"tabperturb materialize %s --data DIR\" makes", filepath.Join(dir, filepath.FromSlash(r.Name)), dir)
		}
	}
	return nil
}

func countRecords(built []benchmark.Result) int {
	n := 0
	for _, r := range built {
		n += r.Records()
	}
	return n
}

// buildRecords reads the records of a build, in their order.
type buildRecords struct {
	path string
	next func() (dataset.Record, error, bool)
	stop func()
}

func openRecords(build string) *buildRecords {
	r := &buildRecords{path: filepath.Join(build, benchmark.RecordsFile)}
	r.next, r.stop = dataset.Pull(func(_ func(error), each func(dataset.Record) error) error { return dataset.ReadRecords(r.path, each) }, nil)
	return r
}

// of returns a perturbation's next record, passing over those of others, which come
// before it.
func (b *buildRecords) of(result *benchmark.Result) (dataset.Record, error) {
	for {
		switch r, err, ok := b.next(); {
		case !ok:
			return r, fmt.Errorf("%s: ends early, expected %d records of %s after those of the perturbations that manifest.json has before it", b.path, result.Records(), result.Name)
		case err != nil:
			return r, err
		case r.Perturbation == result.Name:
			return r, nil
		}
	}
}

// unchanged tells which of a perturbation's records are turns that stand as they were, by
// position.
func (b *buildRecords) unchanged(result *benchmark.Result) (map[int]bool, error) {
	if result.Unchanged == 0 {
		return nil, nil
	}
	at := map[int]bool{}
	for i := range result.Records() {
		r, err := b.of(result)
		if err != nil {
			return nil, err
		}
		if r.Unchanged() {
			at[i] = true
		}
	}
	return at, nil
}
