package benchmark

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// ReadResults returns the split of the build in dir and its perturbations that have records. The
// names of perturbations or families select some; no name selects all.
func ReadResults(dir string, names []string) (split string, results []Result, err error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return "", nil, err
	}
	known := make([]bool, len(names))
	for _, r := range m.Perturbations {
		family, _, _ := strings.Cut(r.Name, "/")
		chosen := len(names) == 0
		for i, n := range names {
			if n == r.Name || n == family {
				chosen, known[i] = true, true
			}
		}
		if chosen && r.Verified > 0 {
			results = append(results, r)
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return "", nil, fmt.Errorf("--perturb %q: expected a perturbation or family of %s", names[i], filepath.Join(dir, manifestFile))
	}
	if len(results) == 0 {
		return "", nil, fmt.Errorf("%s: has no records, expected some", dir)
	}
	return m.Split, results, nil
}

// CheckDatabases returns an error where a perturbation of the build in dir has no SQLite files, so
// that no SQL can be run on it.
func CheckDatabases(dir string, results []Result) error {
	for _, r := range results {
		if !dataset.IsDir(filepath.Join(dir, filepath.FromSlash(r.Name), "pre", "database")) {
			return fmt.Errorf("%s: was written without databases, expected those that \"tabperturb materialize %s --data DIR\" makes", filepath.Join(dir, filepath.FromSlash(r.Name)), dir)
		}
	}
	return nil
}
