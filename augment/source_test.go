package augment

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// sourceNamed returns the source of a name.
func sourceNamed(t *testing.T, name string) *Source {
	t.Helper()
	sources := Sources()
	i := slices.IndexFunc(sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no source %q", name)
	}
	return &sources[i]
}

// unlistedSources returns the package-level values of type [Source], as `var x = Source{` or
// `x = Source{` in a block, that the list in [Sources] lacks.
func unlistedSources(t *testing.T) (missing []string) {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^(?:var |\t)(\w+) += Source\{`)
	list := regexp.MustCompile(`return \[\]Source\{([^}]*)\}`)
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte // the package without its tests
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			all = append(all, data...)
		}
	}
	listed := list.FindSubmatch(all)
	if listed == nil {
		t.Fatal("Sources has no list of sources")
	}
	for _, source := range declared.FindAllSubmatch(all, -1) {
		if !regexp.MustCompile(`\b` + string(source[1]) + `\b`).Match(listed[1]) {
			missing = append(missing, string(source[1]))
		}
	}
	return missing
}

// TestSources checks that every source is listed and complete, and that the embedded model
// of validity was trained with its names or is declared not to have been.
func TestSources(t *testing.T) {
	for _, name := range unlistedSources(t) {
		t.Errorf("%s is not in the list of Sources, expected every source there", name)
	}
	seen := map[string]bool{composedGroup: true} // a group of features, which no source may be named as
	sides := dataset.Sides()
	for i, s := range Sources() {
		if s.Name == "" || s.Name != strings.ToLower(s.Name) || seen[s.Name] {
			t.Errorf("source %d: Name is %q, expected another name than the other sources have, in lower case", i, s.Name)
		}
		seen[s.Name] = true
		if len(s.Doc) < 20 || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("source %s: Doc is %q, expected a sentence", s.Name, s.Doc)
		}
		if s.Propose == nil {
			t.Errorf("source %s: Propose is nil, expected a function that proposes names", s.Name)
		}
		trained := slices.ContainsFunc(sides[:], func(side dataset.Side) bool {
			_, ok := DefaultValidity()[side][SourceFeature+s.Name]
			return ok
		})
		switch {
		case !trained && !s.Untrained:
			t.Errorf("source %s: validity.json has no weight of %q, expected one, or Untrained", s.Name, SourceFeature+s.Name)
		case trained && s.Untrained:
			t.Errorf("source %s: Untrained is set, but validity.json has a weight of %q", s.Name, SourceFeature+s.Name)
		case s.Untrained && s.Features != nil:
			t.Errorf("source %s: has Features that the untrained model has no weights for", s.Name)
		}
		for side, most := range s.Caps {
			if !slices.Contains(sides[:], side) || most < 1 {
				t.Errorf("source %s: Caps has %d for %q, expected 1 or more for replace or add", s.Name, most, side)
			}
		}
	}
}
