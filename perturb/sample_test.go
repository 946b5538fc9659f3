package perturb_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// renameAll returns edits that rename every column of a database, and those
// that take this back.
func renameAll(db *dataset.Database) (edits, inverse []perturb.Edit) {
	names := perturb.NewFreeNames(db)
	for t, table := range db.Tables {
		for c, col := range table.Columns {
			natural := fmt.Sprintf("new %s %d", col.Name, c)
			name, ok := names.Take(t, natural)
			if !ok {
				continue
			}
			edits = append(edits, perturb.RenameColumn{Table: table.Original, Column: col.Original, Name: name, Natural: natural})
			inverse = append(inverse, perturb.RenameColumn{Table: table.Original, Column: name, Name: col.Original, Natural: col.Name})
		}
	}
	return edits, inverse
}

// apply makes edits in a unit with content. The one query of the sample that
// uses an alias for two tables may be refused, and is left out then.
func apply(t *testing.T, u *dataset.Unit, edits []perturb.Edit) *dataset.Unit {
	t.Helper()
	a := perturbtest.Apply(t, u.DB, perturb.Variant{Examples: perturbtest.Examples(t, u), Edits: edits})
	for i, r := range a.Refused {
		if r.Reason != "alias-of-two-tables" {
			t.Errorf("%s:%d: refused: %s", u.DB.ID, i, r.Reason)
		}
	}
	if len(a.Refused) > 1 {
		t.Errorf("%s: %d refused, want at most one", u.DB.ID, len(a.Refused))
	}
	a.DB.SQLite = filepath.Join(t.TempDir(), a.DB.ID+".sqlite")
	if err := perturb.ApplyContent(t.Context(), u.DB.SQLite, a.DB.SQLite, edits); err != nil {
		t.Fatal(err)
	}
	return &dataset.Unit{DB: a.DB, Examples: a.Examples}
}

// TestRenameInverse renames every column of the sample and back: each step
// keeps all answers, and both together keep schema and gold SQL.
func TestRenameInverse(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		edits, inverse := renameAll(u.DB)
		there := apply(t, u, edits)
		back := apply(t, there, inverse)
		schema := back.DB.Clone()
		schema.ID, schema.SQLite = u.DB.ID, u.DB.SQLite
		if diff := cmp.Diff(u.DB, schema); diff != "" {
			t.Errorf("%s: schema (-before +after):\n%s", u.DB.ID, diff)
		}
		kept := map[int]*perturb.Example{}
		for _, ex := range perturbtest.Examples(t, u) {
			kept[ex.Index] = ex
		}
		for i, renamed := range there.Examples {
			ex := kept[renamed.Index]
			// Names that need quotes get SQL's own.
			want := strings.ReplaceAll(ex.Gold.String(), "`", `"`)
			if got := back.Examples[i].Query; got != want {
				t.Errorf("%s:%d: gold SQL\n%s, want\n%s", u.DB.ID, i, got, want)
			}
			if len(ex.Columns) > 0 && there.Examples[i].Query == ex.Gold.String() {
				t.Errorf("%s:%d: gold SQL is as before the renaming: %s", u.DB.ID, i, ex.Query)
			}
			before := perturbtest.Query(t, u.DB.SQLite, ex.Query)
			for _, step := range []*dataset.Unit{there, back} {
				if !perturb.Holds(ex.Gold, before, perturbtest.Query(t, step.DB.SQLite, step.Examples[i].Query)) {
					t.Errorf("%s:%d: the answer changed: %s", step.DB.ID, i, step.Examples[i].Query)
				}
			}
		}
	}
}

func TestApplyContent(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	original := read(t, u.DB.SQLite)
	edits := []perturb.Edit{
		rename("books", "title", "name_of_book"),
		perturb.AddColumn{Table: "books", Name: "weight", Type: dataset.Number, Cells: []string{"7", "2.5", "NaN"}},
		perturb.AddColumn{Table: "members", Name: "nick_name", Type: dataset.Text, Cells: []string{"7"}},
	}
	var files [][]byte
	dst := filepath.Join(t.TempDir(), "a", "after.sqlite")
	for range 2 {
		if err := perturb.ApplyContent(t.Context(), u.DB.SQLite, dst, edits); err != nil {
			t.Fatal(err)
		}
		files = append(files, read(t, dst))
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same edits give other bytes")
	}
	if !bytes.Equal(original, read(t, u.DB.SQLite)) {
		t.Error("the source changed")
	}
	for _, test := range []struct{ query, want string }{
		{"SELECT name_of_book, weight FROM books ORDER BY rowid LIMIT 0", ""},
		{"SELECT DISTINCT typeof(weight) FROM books ORDER BY 1", "integer real text"},
		{"SELECT weight FROM books ORDER BY rowid LIMIT 4", "7 2.5 NaN 7"},
		{"SELECT DISTINCT typeof(nick_name) FROM members", "text"},
	} {
		var got []string
		for _, row := range perturbtest.Query(t, dst, test.query).Rows {
			got = append(got, row[0].String())
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.query, diff)
		}
	}
}

func TestApplyContentErrors(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	noDatabase := filepath.Join(t.TempDir(), "text.sqlite")
	if err := os.WriteFile(noDatabase, []byte("no database"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		src   string
		edits []perturb.Edit
		want  string
	}{
		{u.DB.SQLite, []perturb.Edit{rename("books", "nothing", "x")}, "no such column"},
		{u.DB.SQLite, []perturb.Edit{add("books", "title")}, "duplicate column name"},
		{noDatabase, nil, "not a SQLite database"},
	} {
		dst := filepath.Join(t.TempDir(), "after.sqlite")
		if err := perturb.ApplyContent(t.Context(), test.src, dst, test.edits); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.edits, err, test.want)
		}
		left, err := os.ReadDir(filepath.Dir(dst))
		if err != nil || len(left) > 0 {
			t.Errorf("%+v: left %v behind, %v", test.edits, left, err)
		}
	}
}

// TestNewNamesFree checks that a sample's own names are never handed out.
func TestNewNamesFree(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		names := perturb.NewFreeNames(u.DB)
		for i, table := range u.DB.Tables {
			for _, c := range table.Columns {
				for _, natural := range slices.Compact([]string{c.Name, c.Original}) {
					if name, ok := names.Take(i, natural); ok {
						t.Errorf("%s.%s: %q is to be had as %s", u.DB.ID, table.Original, natural, name)
					}
				}
			}
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
