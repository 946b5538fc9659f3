//go:build quality

package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/report"
)

// largestReport bounds the page of a build of Spider dev by every perturbation that needs
// no model from outside, in bytes.
const largestReport = 5 << 20

// TestReport builds all of Spider dev and reports it. The counts that the page shows are golden;
// each cell of the JSON's tables must stand in the page.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	out := dir + "/out"
	buckets := shared.File(t, "data", "adveta", "spider-rpl-candidates.json") + "," + shared.File(t, "data", "adveta", "spider-add-candidates.json")
	m := built(t, command(t), "--data", spiderData(t), "--buckets", buckets, "--perturb", "adveta,drspider,mtteql,spidersyn", "--out", out)
	verified, rejected := 0, 0
	for _, r := range m.Perturbations {
		verified, rejected = verified+r.Verified, rejected+r.RejectedTotal()
	}
	doc, err := report.Make([]string{out}, report.Options{Samples: report.DefaultSamples})
	if err != nil {
		t.Fatal(err)
	}
	var page, data bytes.Buffer
	timed(t, "report", func() {
		if err := doc.Write(&page, "html"); err != nil {
			t.Fatal(err)
		}
	})
	if err := doc.Write(&data, "json"); err != nil {
		t.Fatal(err)
	}
	if page.Len() > largestReport {
		t.Errorf("the page has %d bytes, expected at most %d", page.Len(), largestReport)
	}
	for _, outside := range []string{"<script", "src=", "http://", "https://", "@import", "url("} {
		if at := strings.Index(page.String(), outside); at >= 0 && !strings.HasPrefix(page.String()[at:], "http://www.w3.org/2000/svg") {
			t.Errorf("the page refers to something outside: %.60q", page.String()[at:])
		}
	}
	shown := texts(t, &page)
	cells, missing := 0, 0
	for _, cell := range cellTexts(t, data.Bytes()) {
		if cells++; !shown[strings.Join(strings.Fields(cell), " ")] {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d cells of the JSON are not in the page", missing, cells)
	}
	golden(t, "report", fmt.Sprintf("%d perturbations of Spider dev: %d records verified, %d rejected; %d cells of tables, all in the page\n", len(m.Perturbations), verified, rejected, cells))
}

// texts returns the texts of the elements of a page that hold no others but spans.
func texts(t *testing.T, page *bytes.Buffer) map[string]bool {
	root, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	var text func(n *html.Node) string
	text = func(n *html.Node) string {
		if n.Type == html.TextNode {
			return n.Data
		}
		s := ""
		for c := range n.ChildNodes() {
			s += text(c)
		}
		if n.Data == "td" || n.Data == "th" {
			all[strings.Join(strings.Fields(s), " ")] = true
		}
		return s
	}
	text(root)
	return all
}

// cellTexts returns the texts of the cells of all tables of a report in JSON.
func cellTexts(t *testing.T, data []byte) (cells []string) {
	var walk func(v any, inRows bool)
	walk = func(v any, inRows bool) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e, inRows)
			}
		case map[string]any:
			if s, ok := v["text"].(string); ok && inRows {
				cells = append(cells, s)
			}
			for key, e := range v {
				walk(e, inRows || key == "rows")
			}
		}
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	walk(doc, false)
	return cells
}
