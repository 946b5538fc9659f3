package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// school has what schemas have: a key that is text, one that two tables share,
// a composite key, a reference to oneself, and a circle.
func school() []Table {
	return []Table{
		{
			Name: "Student", Columns: []Column{{"id", "NUMERIC"}, {"name", "TEXT"}, {"born", "TIME_TEXT"}, {"grade", "NUMERIC"}, {"buddy", "NUMERIC"}, {"class", "TEXT"}},
			PrimaryKey: []string{"id"},
			ForeignKeys: []ForeignKey{
				{[]string{"buddy"}, "student", []string{"id"}}, {[]string{"class"}, "Class", nil},
			},
		},
		{
			Name: "Class", Columns: []Column{{"code", "TEXT"}, {"speaker", "NUMERIC"}, {"year_made", "NUMERIC"}, {"open", "BOOLEAN"}},
			PrimaryKey: []string{"code"}, ForeignKeys: []ForeignKey{{[]string{"speaker"}, "Student", []string{"ID"}}},
		},
		{
			Name: "Attends", Columns: []Column{{"student", "NUMERIC"}, {"class", "TEXT"}, {"term", "NUMERIC"}},
			PrimaryKey: []string{"student", "class", "term"},
			ForeignKeys: []ForeignKey{
				{[]string{"student"}, "Student", []string{"id"}}, {[]string{"class"}, "Class", []string{"code"}},
			},
		},
		{Name: "Badge", Columns: []Column{{"student", "NUMERIC"}, {"colour", "TEXT"}}, PrimaryKey: []string{"student"}, ForeignKeys: []ForeignKey{{[]string{"student"}, "Student", []string{"id"}}}},
		{Name: "Circle", Columns: []Column{{"a", "NUMERIC"}, {"b", "NUMERIC"}}, ForeignKeys: []ForeignKey{
			{[]string{"a"}, "Circle", []string{"b"}}, {[]string{"b"}, "Circle", []string{"a"}},
		}},
		{Name: "Nothing"},
	}
}

func schoolLiterals() []Literal {
	return []Literal{
		{"student", "NAME", NewText("Ann"), 4}, {"Student", "grade", NewInt(77), 4}, {"Class", "open", NewText("T"), 4},
		{"Attends", "class", NewText("7b"), 9}, {"Attends", "term", NewInt(3), 9}, {"Student", "name", NewText("%Bo_b%"), 9},
		{"Student", "id", NewInt(5), 10}, {"Badge", "colour", NewText("red"), 10},
		{"Student", "born", NewText("1999-12-31"), 11}, {"Student", "missing", NewInt(1), 12}, {"Student", "name", Value{}, 12},
	}
}

func generated(t *testing.T, tables []Table, g Generation) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "school.sqlite")
	if err := Create(t.Context(), path, tables, Generate(tables, g)); err != nil {
		t.Fatal(err)
	}
	return openDB(t, path)
}

// TestGenerateKeys creates databases of several sizes and seeds; SQLite itself
// checks the keys.
func TestGenerateKeys(t *testing.T) {
	tables := school()
	for _, g := range []Generation{{}, {Seed: 1}, {Rows: 3}, {Rows: 100, Literals: schoolLiterals()}, {Seed: 2, Literals: schoolLiterals()}} {
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

// TestGenerateFindsRows runs queries as gold SQL has them, each with the
// literals of a group: each must find rows, and not all rows.
func TestGenerateFindsRows(t *testing.T) {
	db := generated(t, school(), Generation{Seed: 3, Literals: schoolLiterals()})
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

func TestGenerateIsDeterministic(t *testing.T) {
	g := Generation{Seed: 5, Literals: schoolLiterals()}
	a, b := Generate(school(), g), Generate(school(), g)
	if diff := cmp.Diff(a, b, allowValue); diff != "" {
		t.Errorf("the same arguments give other rows:\n%s", diff)
	}
	g.Seed++
	if c := Generate(school(), g); slices.EqualFunc(a[0], c[0], equalRows) {
		t.Error("another seed gives the same rows")
	}
}

// TestGenerateManyLiterals: more literals make more rows, up to a bound.
func TestGenerateManyLiterals(t *testing.T) {
	var literals []Literal
	for i := range 1000 {
		literals = append(literals, Literal{"Student", "grade", NewInt(int64(1000 + 10*i)), i})
	}
	for n, want := range map[int]int{10: defaultRows, 50: 100, 1000: maxRows} {
		rows := Generate(school(), Generation{Literals: literals[:n]})[0]
		if len(rows) != want {
			t.Errorf("%d groups of literals make %d rows, expected %d", n, len(rows), want)
		}
		found := map[Value]bool{}
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
