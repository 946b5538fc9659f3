package squall_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/squall"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestThroughDataDirectory takes some tables with their questions to a data directory
// and back, as convert does: every file comes back byte by byte.
func TestThroughDataDirectory(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{
		"tables": filepath.Join(shared.Untar(t, "data", "squall", "tables_json.tar.gz"), "tables"),
		"csv":    filepath.Join(shared.Untar(t, "data", "wtq", "csv.tar.gz"), "csv"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{"200_0", "201_2", "202_80", "203_104", "203_828", "204_18", "204_776", "204_984", "203_133", "204_207", "204_475"} // the last has a header agg
	questions, err := os.ReadFile(writeQuestions(t, dir, ids))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*dataset.Format{squall.Format, wtq.Format} {
		pivot, back, other := filepath.Join(t.TempDir(), "pivot"), filepath.Join(t.TempDir(), "back"), filepath.Join(t.TempDir(), "other")
		convert(t, f, dir, formats.Spider, pivot)
		if f == squall.Format {
			convert(t, formats.Spider, pivot, wtq.Format, other)
			checkHeaders(t, dir, other, "203_133", "204_475", "200_0")
		}
		convert(t, formats.Spider, pivot, f, back)
		same(t, filepath.Join(back, "data", "dev.tsv"), questions)
		for _, id := range ids {
			path := filepath.Join("tables", "json", id+".json")
			if f == wtq.Format {
				batch, table, _ := strings.Cut(id, "_")
				path = filepath.Join("csv", batch+"-csv", table+".csv")
			}
			want, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			same(t, filepath.Join(back, path), want)
		}
	}
}

// checkHeaders compares the headers of Squall's tables, written as WikiTableQuestions has
// them, with its own files but for case: neither Squall's id and agg nor what it derives is there.
func checkHeaders(t *testing.T, dir, out string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		want, err := wtq.ReadTable(dir, id, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		got, err := wtq.ReadTable(out, id, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(headers(want), headers(got)); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", id, diff)
		}
	}
}

func headers(db *dataset.Database) (list []string) {
	for c := range db.Tables[0].Columns {
		list = append(list, strings.ToLower(wtq.Header(&db.Tables[0].Columns[c])))
	}
	return list
}

func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s, %v, is %.80q, want %.80q", path, err, got[at:], want[at:])
	}
}

// writeQuestions writes the questions about some tables as the split dev, and which
// tables they are.
func writeQuestions(t *testing.T, dir string, ids []string) string {
	var lines []string
	for line, err := range streamtest.AllOfFile(dataset.TextLines, shared.File(t, "data", "wtq", "training.tsv.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		keep := line.Number == 1
		for _, id := range ids {
			batch, table, _ := strings.Cut(id, "_")
			keep = keep || strings.Contains(line.Text, "\tcsv/"+batch+"-csv/"+table+".csv\t")
		}
		if keep {
			lines = append(lines, line.Text)
		}
	}
	lines = append(lines, "nt-x\twho | what?\tcsv/203-csv/133.csv\ta\\pb|c\\nd")
	for _, id := range ids { // tables that the training questions do not ask about
		batch, table, _ := strings.Cut(id, "_")
		lines = append(lines, "more-"+id+"\tis it?\tcsv/"+batch+"-csv/"+table+".csv\tyes")
	}
	path := filepath.Join(dir, "dev.tsv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dev.ids"), []byte(`["`+strings.Join(ids, `", "`)+`"]`), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func convert(t *testing.T, from *dataset.Format, dir string, to *dataset.Format, out string) {
	t.Helper()
	set, err := from.Read(t.Context(), dir, "dev")
	if err != nil {
		t.Fatal(err)
	}
	_, err = formats.Convert(t.Context(), set, to, out, formats.Options{Lossy: to == wtq.Format, Report: func(err error) {
		if !strings.Contains(err.Error(), "204_776.json:1: column c2_list_first_sec has 1 cells") {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
}
