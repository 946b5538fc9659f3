package counts

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// OfADVETA counts the names of one of ADVETA's files as they stand there, with its
// dirt: lists that are empty, candidates that are empty or doubled. Columns with
// equal headers share a list, and it counts once.
func OfADVETA(path string, report func(error)) (Names, error) {
	var c namesCounter
	err := dataset.RawMembers(path, report, func(raw dataset.Raw) error {
		var t struct {
			Header []string            `json:"header"`
			Dict   map[string][]string `json:"dict"`
		}
		err := dataset.Decode(raw.JSON, &t)
		switch {
		case err != nil:
		case t.Header == nil:
			err = dataset.Missing("header")
		case t.Dict == nil:
			err = dataset.Missing("dict")
		}
		if err != nil {
			report(raw.Problem(err))
			return nil
		}
		c.n.Tables++
		c.n.Columns += len(t.Header)
		for _, name := range slices.Sorted(maps.Keys(t.Dict)) {
			c.column(name, t.Dict[name])
		}
		return nil
	})
	return c.names(), err
}

func TestOfADVETA(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wtq-rpl.json")
	file := `{"WTQ_0": {"header": ["year", "title", "year"], "id": "200_0", "dict": {"title": ["name", ""], "year": []}},
		"WTQ_1": {"header": ["x"], "dict": {}}, "WTQ_2": {"dict": {}}, "WTQ_3": {"header": ["x"]}, "WTQ_4": 7}`
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	var problems []string
	got, err := OfADVETA(path, func(err error) { problems = append(problems, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	want := Names{
		Tables: 2, Columns: 4, Perturbed: 2, Candidates: 2, PerTable: 1, PerColumn: 1,
		Originals: 2, OriginalWords: 2, UniqueColumns: 4, UniqueWords: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if all := strings.Join(problems, "\n"); len(problems) != 3 || !strings.Contains(all, `:3: lacks "header"`) || !strings.Contains(all, `:4: lacks "dict"`) {
		t.Errorf("problems %s", all)
	}
	if err := os.WriteFile(path, []byte(`["WTQ"]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OfADVETA(path, func(error) {}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("of an array: error %v", err)
	}
}

// TestPaper holds the readings to the paper's figures for Spider (ADVETA, table 1):
// 911 and 1,061 different names, 598 and 782 words.
func TestPaper(t *testing.T) {
	for file, want := range map[string]Names{
		"spider-rpl-candidates.json": {Tables: 81, Columns: 441, Perturbed: 213, Candidates: 890, Originals: 174, OriginalWords: 180, UniqueColumns: 911, UniqueWords: 599},
		"spider-add-candidates.json": {Tables: 81, Columns: 441, Perturbed: 295, Candidates: 1371, Originals: 204, OriginalWords: 199, UniqueColumns: 1061, UniqueWords: 783},
	} {
		got, err := OfADVETA(shared.File(t, "data", "adveta", file), func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		got.PerTable, got.PerColumn = 0, 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

// TestStatistics prints the counts of ADVETA's table 1 beside the paper's.
func TestStatistics(t *testing.T) {
	var report bytes.Buffer
	fmt.Fprintln(&report, "ADVETA's files (table 1): ours / the paper's, - where the paper has none for this part")
	w := tabwriter.NewWriter(&report, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "file\ttables\tcolumns a table\tperturbed a table\tnames a column\tdifferent\twords\tperturbed columns alone\twords\tnote")
	for _, row := range []struct{ file, perTable, perturbed, perColumn, unique, words, originals, originalWords, note string }{
		{"spider-rpl-candidates", "5.45", "2.62", "3.33", "911", "598", "211", "199", "the paper's names a column are WikiSQL's (33433/10053, README of the data)"},
		{"spider-add-candidates", "5.45", "3.64", "3.97", "1061", "782", "211", "199", "likewise (47854/12066); 199 words are those of these columns, 211 names of no reading"},
		{"wtq-rpl-excerpt", "-", "-", "-", "-", "-", "-", "-", "15 of 327 tables; all: 6.41, 2.65, 2.90 (the paper's 6.31 and 6.41 are swapped in table 1, not in table 11)"},
		{"wtq-add-excerpt", "-", "-", "-", "-", "-", "-", "-", "15 of 327 tables; all: 6.41, 3.27, 3.56"},
		{"wikisql-rpl-excerpt", "-", "-", "-", "-", "-", "-", "-", "15 of 2716 tables; all: 6.31, 3.70, 3.33"},
		{"wikisql-add-excerpt", "-", "-", "-", "-", "-", "-", "-", "15 of 2716 tables; all: 6.31, 4.44, 3.97"},
	} {
		n, err := OfADVETA(shared.File(t, "data", "adveta", row.file+".json"), func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f / %s\t%.2f / %s\t%.2f / %s\t%d / %s\t%d / %s\t%d / %s\t%d / %s\t%s\n", row.file, n.Tables,
			float64(n.Columns)/float64(n.Tables), row.perTable, n.PerTable, row.perturbed, n.PerColumn, row.perColumn,
			n.UniqueColumns, row.unique, n.UniqueWords, row.words, n.Originals, row.originals, n.OriginalWords, row.originalWords, row.note)
	}
	w.Flush()
	perturbtest.Compare(t, "testdata/adveta.golden", report.Bytes())
}
