package doctor_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/doctor"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// TestSample looks for nothing but notes and what the official parser refuses:
// the sample has names in back quotes on purpose.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	_, found := audit(t, doctor.Config{Data: dir, Split: "dev"})
	for _, f := range found {
		if f.Severity != doctor.Note && f.Check != "official-parser" {
			t.Errorf("%+v", f)
		}
	}
}
