package evaluate

import (
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestExtractionOfNamed checks that a db_id before SQL is dropped where it is the question's.
func TestExtractionOfNamed(t *testing.T) {
	for prediction, want := range map[string]string{
		"pets | select 1":            "select 1",
		"pets | select 1\nselect 2":  "select 1",
		"singer | select 1":          "singer | select 1",
		"select 1 | 2":               "select 1 | 2",
		"pets | ```\nSELECT 1\n```":  "SELECT 1",
		"pets | I cannot answer it.": "I cannot answer it.",
	} {
		e := Extract(true, true)
		p := &dataset.Pair{Example: &dataset.Example{DB: "pets"}, Prediction: prediction}
		if e.extractSQL(p); p.Prediction != want || (e.Taken == 1) != (prediction != want) {
			t.Errorf("%q: %q, taken %d, want %q", prediction, p.Prediction, e.Taken, want)
		}
	}
}
