package generate

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// school has what schemas have: a key that is text, one that two tables share,
// a composite key, a reference to oneself, and a circle.
func school() []sqldata.Table {
	return []sqldata.Table{
		{
			Name: "Student", Columns: []sqldata.Column{{Name: "id", Type: "NUMERIC"}, {Name: "name", Type: "TEXT"}, {Name: "born", Type: "TIME_TEXT"}, {Name: "grade", Type: "NUMERIC"}, {Name: "buddy", Type: "NUMERIC"}, {Name: "class", Type: "TEXT"}},
			PrimaryKey: []string{"id"},
			ForeignKeys: []sqldata.ForeignKey{
				{Columns: []string{"buddy"}, Table: "student", References: []string{"id"}}, {Columns: []string{"class"}, Table: "Class", References: nil},
			},
		},
		{
			Name: "Class", Columns: []sqldata.Column{{Name: "code", Type: "TEXT"}, {Name: "speaker", Type: "NUMERIC"}, {Name: "year_made", Type: "NUMERIC"}, {Name: "open", Type: "BOOLEAN"}},
			PrimaryKey: []string{"code"}, ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"speaker"}, Table: "Student", References: []string{"ID"}}},
		},
		{
			Name: "Attends", Columns: []sqldata.Column{{Name: "student", Type: "NUMERIC"}, {Name: "class", Type: "TEXT"}, {Name: "term", Type: "NUMERIC"}},
			PrimaryKey: []string{"student", "class", "term"},
			ForeignKeys: []sqldata.ForeignKey{
				{Columns: []string{"student"}, Table: "Student", References: []string{"id"}}, {Columns: []string{"class"}, Table: "Class", References: []string{"code"}},
			},
		},
		{Name: "Badge", Columns: []sqldata.Column{{Name: "student", Type: "NUMERIC"}, {Name: "colour", Type: "TEXT"}}, PrimaryKey: []string{"student"}, ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"student"}, Table: "Student", References: []string{"id"}}}},
		{Name: "Circle", Columns: []sqldata.Column{{Name: "a", Type: "NUMERIC"}, {Name: "b", Type: "NUMERIC"}}, ForeignKeys: []sqldata.ForeignKey{
			{Columns: []string{"a"}, Table: "Circle", References: []string{"b"}}, {Columns: []string{"b"}, Table: "Circle", References: []string{"a"}},
		}},
		{Name: "Nothing"},
	}
}

func schoolLiterals() []Literal {
	return []Literal{
		{"student", "NAME", sqldata.NewText("Ann"), 4}, {"Student", "grade", sqldata.NewInt(77), 4}, {"Class", "open", sqldata.NewText("T"), 4},
		{"Attends", "class", sqldata.NewText("7b"), 9}, {"Attends", "term", sqldata.NewInt(3), 9}, {"Student", "name", sqldata.NewText("%Bo_b%"), 9},
		{"Student", "id", sqldata.NewInt(5), 10}, {"Badge", "colour", sqldata.NewText("red"), 10},
		{"Student", "born", sqldata.NewText("1999-12-31"), 11}, {"Student", "missing", sqldata.NewInt(1), 12}, {"Student", "name", sqldata.Value{}, 12},
	}
}

func generated(t *testing.T, tables []sqldata.Table, g Options) *sqlite.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "school.sqlite")
	if err := sqlite.Create(t.Context(), path, tables, Rows(tables, g)); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func query(t *testing.T, db *sqlite.DB, sql string) *sqldata.Result {
	t.Helper()
	res, err := db.Query(t.Context(), sql, sqldata.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return res
}

// TestRowsKeepKeys creates databases of several sizes and seeds; SQLite itself
// checks the keys.
func TestRowsKeepKeys(t *testing.T) {
	tables := school()
	for _, g := range []Options{{}, {Seed: 1}, {Rows: 3}, {Rows: 100, Literals: schoolLiterals()}, {Seed: 2, Literals: schoolLiterals()}} {
		db := generated(t, tables, g)
		for _, table := range tables[:5] {
			rows := query(t, db, "SELECT * FROM "+table.Name).Rows
			want := g.Rows
			if want == 0 {
				want = defaultRows
			}
			if table.Name != "Circle" { // refers to no key, which SQLite does not check
				if res := query(t, db, "SELECT * FROM pragma_foreign_key_check('"+table.Name+"')"); len(res.Rows) > 0 {
					t.Errorf("%+v: %s has rows that refer to none: %v", g, table.Name, res.Rows)
				}
			}
			if len(rows) != want {
				t.Errorf("%+v: %s has %d rows, expected %d", g, table.Name, len(rows), want)
			}
		}
	}
}

// TestRowsAreFound runs queries as gold SQL has them, each with the
// literals of a group: each must find rows, and not all rows.
func TestRowsAreFound(t *testing.T) {
	db := generated(t, school(), Options{Seed: 3, Literals: schoolLiterals()})
	for _, where := range []string{
		"Student WHERE name = 'Ann' AND grade = 77",
		"Student WHERE grade > 77", "Student WHERE grade < 77",
		"Student AS s JOIN Class AS c ON s.class = c.code WHERE s.name = 'Ann' AND c.open = 'T'",
		"Attends AS a JOIN Student AS s ON a.student = s.id WHERE a.class = '7b' AND a.term = 3 AND s.name LIKE '%Bo_b%'",
		"Attends AS a JOIN Class AS c ON a.class = c.code WHERE c.code = '7b'",
		"Student AS s JOIN Badge AS b ON s.id = b.student WHERE s.id = 5 AND b.colour = 'red'",
		"Student WHERE born > '1999-12-31'", "Student WHERE born = '1999-12-31'",
		"Class WHERE open = 'F'", "Class WHERE year_made > 2000",
		"Student AS a JOIN Student AS b ON a.buddy = b.id WHERE a.class <> b.class",
		"(SELECT class FROM Student GROUP BY class HAVING count(*) > 1)",
		"Student WHERE id NOT IN (SELECT speaker FROM Class)",
	} {
		if n := query(t, db, "SELECT count(*) FROM "+where).Rows[0][0].Int(); n == 0 || n == defaultRows {
			t.Errorf("%s: finds %d rows, expected some and not all", where, n)
		}
	}
}

func TestRowsAreDeterministic(t *testing.T) {
	g := Options{Seed: 5, Literals: schoolLiterals()}
	a, b := Rows(school(), g), Rows(school(), g)
	if diff := cmp.Diff(a, b, cmp.AllowUnexported(sqldata.Value{})); diff != "" {
		t.Errorf("the same arguments give other rows:\n%s", diff)
	}
	g.Seed++
	if c := Rows(school(), g); slices.EqualFunc(a[0], c[0], slices.Equal[[]sqldata.Value]) {
		t.Error("another seed gives the same rows")
	}
}

// TestRowsOfManyLiterals: more literals make more rows, up to a bound.
func TestRowsOfManyLiterals(t *testing.T) {
	var literals []Literal
	for i := range 1000 {
		literals = append(literals, Literal{"Student", "grade", sqldata.NewInt(int64(1000 + 10*i)), i})
	}
	for n, want := range map[int]int{10: defaultRows, 50: 100, 1000: maxRows} {
		rows := Rows(school(), Options{Literals: literals[:n]})[0]
		if len(rows) != want {
			t.Errorf("%d groups of literals make %d rows, expected %d", n, len(rows), want)
		}
		found := map[sqldata.Value]bool{}
		for _, row := range rows {
			found[row[3]] = true
		}
		for _, l := range literals[:min(n, maxRows/2)] {
			if !found[l.Value] {
				t.Errorf("%d groups: literal %v is in no row", n, l.Value)
			}
		}
	}
}
