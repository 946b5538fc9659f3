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
