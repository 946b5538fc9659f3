//go:build quality

package quality

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestEvoSchema repairs EvoSchema's seven types of changes of BIRD dev. What is written compiles.
func TestEvoSchema(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.File(t, "data", "evoschema"), "*.jsonl.gz"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%d files, %v; expected 7", len(files), err)
	}
	slices.Sort(files)
	tabperturb, out := command(t), filepath.Join(t.TempDir(), "evolved")
	var report, audit bytes.Buffer
	tabperturb(&report, append(append([]string{"convert", "evoschema"}, files...), "--out", out)...)
	tabperturb(&audit, "doctor", "--data", out, "--json")
	for _, check := range []string{"gold-names", "gold-syntax", "odd-record", "unusable-record"} {
		if strings.Contains(audit.String(), `"`+check+`"`) {
			t.Errorf("doctor has findings of %s", check)
		}
	}
	golden(t, "evoschema", strings.ReplaceAll(report.String(), out, "OUT"))
}
