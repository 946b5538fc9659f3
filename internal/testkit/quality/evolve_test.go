//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/evolve"
	"github.com/tabperturb/tabperturb/evaluate/doctor"
)

// leastEvolved is the share of the examples that a change concerns which it must cover.
const leastEvolved = 0.25

// TestEvolve builds EvoSchema's ten changes of Spider dev and of every third database of its training set, in the order of the
// alphabet, and audits what was written. An example whose gold SQL reads a table that a change concerns, and that it cannot follow, is
// rejected; examples of databases without rows are counted apart.
func TestEvolve(t *testing.T) {
	tabperturb := command(t)
	var report bytes.Buffer
	fmt.Fprintf(&report, "%-14s %-22s %8s %9s %8s %8s %9s %8s  %s\n", "data", "change", "examples", "no rows", "applies", "covered", "databases", "rejected", "doctor finds")
	for _, set := range []struct{ name, data, split, only string }{
		{"dev", spiderData(t), "dev", ""},
		{"train, a third", trainData(t), "train", strings.Join(thirdOf(t), ",")},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := []string{"--data", set.data, "--split", set.split, "--perturb", "evolve", "--out", out}
		if set.only != "" {
			args = append(args, "--only", set.only)
		}
		m := built(t, tabperturb, args...)
		for _, r := range m.Perturbations {
			// The build counts examples of a database that it cannot use, or without rows, as rejected.
			unusable := r.Rejected["database-unusable"] + r.Rejected["no-rows"] + r.Rejected["gold-fails"] + r.Rejected["gold-unresolved"]
			covered := float64(r.Covered) / float64(r.Applicable-r.Rejected["no-rows"])
			if covered < leastEvolved {
				t.Errorf("%s: %s covers %.0f%% of the examples that it concerns, want at least %.0f%%", set.name, r.Name, 100*covered, 100*leastEvolved)
			}
			fmt.Fprintf(&report, "%-14s %-22s %8d %9d %8d %7.1f%% %9d %8d  %s\n", set.name, r.Name, r.Examples, unusable, r.Applicable, 100*covered, r.Variants,
				r.RejectedTotal()-unusable, audited(t, tabperturb, filepath.Join(out, r.Name), set.split))
		}
		if len(m.Perturbations) != len(evolve.All) {
			t.Errorf("%s: %d perturbations, want %d", set.name, len(m.Perturbations), len(evolve.All))
		}
		fmt.Fprintf(&report, "%-14s %s\n", set.name, rejections(m))
	}
	golden(t, "evolve", report.String())
}

// rejections returns the reasons for which a build rejected examples, with their numbers.
func rejections(m *benchmark.Manifest) string {
	all := map[string]int{}
	for _, r := range m.Perturbations {
		for reason, n := range r.Rejected {
			all[string(reason)] += n
		}
	}
	return fmt.Sprint(all)
}

// thirdOf returns every third database of Spider's training set, in the order of the alphabet.
func thirdOf(t *testing.T) (third []string) {
	for i, db := range slices.Sorted(maps.Keys(trainGolds(t))) {
		if i%3 == 2 {
			third = append(third, db)
		}
	}
	return third
}

// audited returns what doctor finds in a perturbation's folder after the edits that is not there before, by check. Gold SQL that computes
// with split or merged columns is outside of Spider's grammar.
func audited(t *testing.T, tabperturb func(io.Writer, ...string), dir, split string) string {
	var printed bytes.Buffer
	tabperturb(&printed, "doctor", "--data", filepath.Join(dir, "post"), "--against", filepath.Join(dir, "pre"), "--split", split, "--json")
	var audit struct{ Findings []doctor.Finding }
	if err := json.Unmarshal(printed.Bytes(), &audit.Findings); err != nil {
		if err := json.Unmarshal(printed.Bytes(), &audit); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]int{}
	for _, f := range audit.Findings {
		found[f.Check]++
	}
	return strings.TrimPrefix(fmt.Sprint(found), "map")
}
