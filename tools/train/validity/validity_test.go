package validity

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
)

// judged returns the names that the embedded model learned from.
func judged(t *testing.T) []Name {
	t.Helper()
	f, err := os.Open("judged.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := packed.Plain(f)
	if err != nil {
		t.Fatal(err)
	}
	names, err := Read(plain)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestEmbedded holds that the embedded weights are those of the judged names.
func TestEmbedded(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "..", "augment", "validity.json"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := Fit(judged(t))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("augment/validity.json (-file +fitted):\n%s", diff)
	}
}

// TestFit learns that one source is right and the other wrong.
func TestFit(t *testing.T) {
	var names []Name
	for i := range 60 {
		good := Name{DB: string(rune('a' + i%20)), Side: dataset.Replace, Source: "thesaurus", Grade: "y", Features: map[string]float64{"source thesaurus": 1}}
		bad := Name{DB: good.DB, Side: dataset.Replace, Source: "dictionary", Grade: "s", Features: map[string]float64{"source dictionary": 1}}
		names = append(names, good, bad)
	}
	predicted, err := CrossValidate(names)
	if err != nil {
		t.Fatal(err)
	}
	if len(predicted) != len(names) {
		t.Fatalf("%d predicted, want %d", len(predicted), len(names))
	}
	for _, p := range predicted {
		if p.Valid() != (p.Validity > 0.5) {
			t.Errorf("%s predicted %.2f, graded %s", p.Source, p.Validity, p.Grade)
		}
	}
	var b strings.Builder
	Report(&b, predicted)
	if !strings.Contains(b.String(), "replace: 120 judged, 0.50 valid") || !strings.Contains(b.String(), "thesaurus 60 (1.00)") {
		t.Errorf("report:\n%s", &b)
	}
}

func TestReadErrors(t *testing.T) {
	_, err := Read(strings.NewReader("{\"name\":\"a\"}\n{"))
	if err == nil || !strings.HasPrefix(err.Error(), "name 2: ") {
		t.Errorf("error %v, want one of name 2", err)
	}
}
