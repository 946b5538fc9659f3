package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All {
		switch {
		case f == nil:
			t.Fatal("the list has a nil format")
		case seen[f.Name] || f.Name == "" || f.Name != strings.ToLower(f.Name) || strings.ContainsAny(f.Name, ": ,/"):
			t.Errorf("name %q, expected a lower-case word that is there once", f.Name)
		case f.Read == nil || f.Write == nil:
			t.Errorf("%s: has no reader or no writer", f.Name)
		case !strings.HasSuffix(f.Doc, ".") || f.Files == "" || !strings.Contains(f.Files, "SPLIT"):
			t.Errorf("%s: doc %q, files %q; expected a sentence, and the names of files with SPLIT in them", f.Name, f.Doc, f.Files)
		}
		seen[f.Name] = true
		for i, feature := range f.Keeps {
			if !slices.Contains(dataset.AllFeatures, feature) || slices.Contains(f.Keeps[:i], feature) {
				t.Errorf("%s: keeps %q, expected features of the list, each once", f.Name, feature)
			}
		}
		if got, err := Find(f.Name); err != nil || got != f {
			t.Errorf("Find(%q) is another format; error %v", f.Name, err)
		}
	}
	if All[0] != Spider {
		t.Error("the first format is not the data directory")
	}
	for _, feature := range dataset.AllFeatures {
		if !slices.Contains(Spider.Keeps, feature) {
			t.Errorf("the data directory keeps no %s, expected all there is", feature)
		}
	}
	if _, err := Find("spyder"); err == nil || !strings.Contains(err.Error(), "spider") {
		t.Errorf("error for an unknown format is %v, expected the list of formats", err)
	}
}

func TestCarrier(t *testing.T) {
	for _, c := range []struct{ from, to, source, want string }{
		{"wikisql", "wikisql", `{"a":1}`, `{"a":1}`},
		{"wikisql", "spider", `{"a":1.0}`, `{"format":"wikisql","record":{"a":1.0}}`},
		{"spider", "wikisql", `{"format":"wikisql","record":{"a":1.0}}`, `{"a":1.0}`},
		{"spider", "wikisql", "{\"format\": \"wikisql\",\n \"record\": {\n\"a\": [1.0,\n2]}}", `{"a":[1.0,2]}`},
		{"spider", "squall", `{"format":"wikisql","record":{"a":1}}`, ``},
		{"spider", "spider", `{"format":"wikisql","record":{"a":1}}`, `{"format":"wikisql","record":{"a":1}}`},
		{"spider", "wikisql", `{"a":1}`, ``},
		{"spider", "wikisql", `[3]`, ``},
		{"squall", "wikisql", `{"a":1}`, ``},
		{"wikisql", "spider", ``, ``},
	} {
		got, err := sourceConversion(c.from, c.to)([]byte(c.source))
		if err != nil || string(got) != c.want {
			t.Errorf("%s to %s: %s becomes %q, error %v; expected %q", c.from, c.to, c.source, got, err, c.want)
		}
	}
	if _, err := sourceConversion("wikisql", "spider")([]byte("{")); err == nil {
		t.Error("a source that is no JSON is carried without an error")
	}
}
