//go:build quality

package quality

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/evidence"
)

// TestBIRD parses the gold SQL of mini-dev, links its evidence and perturbs both. Forty
// pieces of perturbed evidence for people to read, and how well links agree with
// those that people marked, stand with the tests of package evidence.
func TestBIRD(t *testing.T) {
	var report bytes.Buffer
	dir := shared.File(t, "data", "bird")
	data := converted(t, bird.Format, dir, "mini_dev", formats.Spider)
	examples := evidenceLinks(t, &report, data)

	out := filepath.Join(t.TempDir(), "out")
	m := built(t, command(t), "--data", data, "--split", "mini_dev", "--perturb", "drspider/schema-synonym", "--samples", "1", "--out", out)
	r := m.Perturbations[0]
	fmt.Fprintln(&report, builtLine(t, r))
	evidenceAfter(t, &report, filepath.Join(out, r.Name), examples)

	archive := shared.Untar(t, "data", "predictions", "bird-mini-dev", "exp_result_sqlite.tar.gz")
	files, err := filepath.Glob(filepath.Join(archive, "llm", "exp_result", "*", "*.json"))
	if err != nil || len(files) != 13 {
		t.Errorf("%d files of predictions, %v; want 13", len(files), err)
	}
	slices.Sort(files)
	for _, file := range files {
		pairs, problems, empty := 0, 0, 0
		for p, err := range streamtest.All(dataset.Pairs(filepath.Join(dir, "mini_dev.json.gz"), file)) {
			if err != nil {
				t.Fatal(err)
			}
			pairs++
			if p.Problem != nil {
				problems++
			}
			if p.Prediction == "" {
				empty++
			}
		}
		name := strings.TrimPrefix(file, filepath.Join(archive, "llm", "exp_result")+string(filepath.Separator))
		fmt.Fprintf(&report, "%-76s %d of 500 join, %d cannot be read, %d empty\n", name, pairs, problems, empty)
		if pairs != 500 {
			t.Errorf("%s: %d predictions join, want 500", name, pairs)
		}
	}
	golden(t, "bird", report.String())
}

// linkedText is the evidence of an example with its links.
type linkedText struct {
	text  string
	links []evidence.Link
}

// evidenceLinks parses and links all examples of mini-dev.
func evidenceLinks(t *testing.T, report io.Writer, data string) map[int]linkedText {
	t.Helper()
	examples, all, texts, linked, links := map[int]linkedText{}, 0, 0, 0, 0
	for _, u := range readUnits(t, data, "mini_dev") {
		for _, ex := range u.Examples {
			all++
			parsed, err := perturb.NewExample(u.DB, ex)
			if err != nil {
				t.Error(err)
				continue
			}
			e := linkedText{ex.Evidence, evidence.Links(parsed, u.DB)}
			examples[ex.Index] = e
			n := len(e.links)
			links += n
			if ex.Evidence != "" {
				texts++
			}
			if n > 0 {
				linked++
			}
		}
	}
	fmt.Fprintf(report, "mini-dev: %d of %d gold SQL parse and resolve; %d questions have evidence, %d with links, %d links\n", len(examples), all, texts, linked, links)
	if len(examples) != 500 {
		t.Errorf("%d gold SQL parse, want 500", len(examples))
	}
	return examples
}

// evidenceAfter counts the records whose evidence changed, and holds what is no link of it
// to the original.
func evidenceAfter(t *testing.T, report io.Writer, built string, examples map[int]linkedText) {
	t.Helper()
	index := indices(t, filepath.Join(built, "index.jsonl"))
	set, err := bird.Format.Read(t.Context(), converted(t, formats.Spider, filepath.Join(built, "post"), "mini_dev", bird.Format), "mini_dev")
	if err != nil {
		t.Fatal(err)
	}
	n, changed, linked, other := 0, 0, 0, 0
	for ex, err := range streamtest.All(set.Examples) {
		if err != nil {
			t.Fatal(err)
		}
		before := examples[index[n]]
		n++
		if len(before.links) > 0 {
			linked++
		}
		if ex.Evidence != before.text {
			changed++
		}
		if !keepsRest(before.text, before.links, ex.Evidence) {
			other++
			t.Errorf("%s: %q became %q, which is more than its links", ex.ID, before.text, ex.Evidence)
		}
	}
	fmt.Fprintf(report, "  %d come back as BIRD, %d of them with links in their evidence, %d with other evidence (%.1f%%), %d in which more than links changed\n",
		n, linked, changed, 100*float64(changed)/float64(n), other)
}

// keepsRest reports whether what stands between the links of a text stands in another one
// in the same order, and nothing before the first and behind the last.
func keepsRest(before string, links []evidence.Link, after string) bool {
	at := 0
	for i, l := range links {
		part := before[at:l.Start]
		found := strings.Index(after, part)
		if found < 0 || i == 0 && found > 0 {
			return false
		}
		after, at = after[found+len(part):], l.End
	}
	if len(links) == 0 {
		return before == after
	}
	return strings.HasSuffix(after, before[at:])
}
