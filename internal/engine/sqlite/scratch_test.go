package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// people is a layout of two tables, one row of which refers to the other.
func people() sqlite.Layout {
	return sqlite.NewLayout([]sqldata.Table{
		{Name: "city", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}}, PrimaryKey: []string{"id"}},
		{Name: "person", Columns: []sqldata.Column{{Name: "name", Type: "TEXT"}, {Name: "age", Type: "INTEGER"}, {Name: "city", Type: "INTEGER"}},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"city"}, Table: "city", References: []string{"id"}}}},
	})
}

// peopleRows returns n cities with a person in each.
func peopleRows(n int) [][][]sqldata.Value {
	rows := make([][][]sqldata.Value, 2)
	for i := range n {
		id := sqldata.NewInt(int64(i + 1))
		rows[0] = append(rows[0], []sqldata.Value{id, sqldata.NewText("city " + id.String())})
		rows[1] = append(rows[1], []sqldata.Value{sqldata.NewText("person " + id.String()), sqldata.NewInt(int64(20 + i)), id})
	}
	return rows
}

func newScratch(tb testing.TB, l sqlite.Layout) *sqlite.Scratch {
	tb.Helper()
	s, err := sqlite.NewScratch(l)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func prepare(tb testing.TB, s *sqlite.Scratch, sql string) *sqlite.Prepared {
	tb.Helper()
	p, err := s.Prepare(sql)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	tb.Cleanup(p.Close)
	return p
}

var enough = sqlite.Budget{Steps: 1_000_000, Rows: 1000}

// TestScratch runs one prepared query on contents that follow each other.
func TestScratch(t *testing.T) {
	s := newScratch(t, people())
	p := prepare(t, s, "SELECT c.name, count(*), max(p.age) / 2.0, NULL FROM person AS p JOIN city AS c ON p.city = c.id GROUP BY c.id ORDER BY c.id DESC")
	var like *sqldata.Result
	for _, n := range []int{3, 0, 1, 30, 3} {
		if err := s.Load(peopleRows(n)); err != nil {
			t.Fatal(err)
		}
		alone, err := p.Run(enough, nil)
		if err != nil || len(alone.Rows) != n || len(alone.Columns) != 4 {
			t.Fatalf("%d rows: got %v, %v", n, alone, err)
		}
		shared, err := p.Run(enough, like)
		if err != nil || !slices.EqualFunc(alone.Rows, shared.Rows, slices.Equal) {
			t.Errorf("%d rows, compared with an earlier answer: got %v, want %v, %v", n, shared, alone, err)
		}
		like = alone
	}
}

func TestScratchShares(t *testing.T) {
	s := newScratch(t, people())
	if err := s.Load(peopleRows(3)); err != nil {
		t.Fatal(err)
	}
	all, err := prepare(t, s, "SELECT name, age, age * 1.5, NULL, x'00' FROM person").Run(enough, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := prepare(t, s, "SELECT name, CASE age WHEN 21 THEN 'old' ELSE age END, age * 1.5, NULL, x'00' FROM person").Run(enough, all)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, true} {
		if same := &got.Rows[i][0] == &all.Rows[i][0]; same != want {
			t.Errorf("row %d is shared: %v, want %v", i, same, want)
		}
	}
	if got.Rows[1][1] != sqldata.NewText("old") {
		t.Errorf("row 1 is %v", got.Rows[1])
	}
}

// TestBudget runs past each bound, and then a query that keeps them.
func TestBudget(t *testing.T) {
	s := newScratch(t, people())
	if err := s.Load(peopleRows(50)); err != nil {
		t.Fatal(err)
	}
	small := sqlite.Budget{Steps: 10_000, Rows: 10}
	for sql, want := range map[string]error{
		"SELECT count(*) FROM person a, person b, person c":                                    sqldata.ErrSteps,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n": sqldata.ErrSteps,
		"SELECT * FROM person":                               sqldata.ErrTooLarge,
		"SELECT hex(zeroblob(900000)) || hex(zeroblob(9e5))": sqldata.ErrTooLarge,
	} {
		if _, err := prepare(t, s, sql).Run(small, nil); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", sql, err, want)
		}
	}
	if res, err := prepare(t, s, "SELECT name FROM person LIMIT 10").Run(small, nil); err != nil || len(res.Rows) != 10 {
		t.Errorf("got %v, %v", res, err)
	}
	if err := s.Load(peopleRows(1)); err != nil {
		t.Errorf("loading behind a query past its budget: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	s := newScratch(t, people())
	for _, sql := range []string{"DELETE FROM person", "SELECT 1; SELECT 2", "PRAGMA foreign_keys", "ATTACH 'x.db' AS x", "", "WITH t AS (SELECT 1) INSERT INTO city SELECT 1, 'x'"} {
		if _, err := s.Prepare(sql); !errors.Is(err, sqldata.ErrRefused) {
			t.Errorf("%q: error %v, want %v", sql, err, sqldata.ErrRefused)
		}
	}
	var e *sqldata.Error
	if _, err := s.Prepare("SELECT nothing FROM person"); !errors.As(err, &e) {
		t.Errorf("a column that is not there: error %v, want one of the engine", err)
	}
}

// TestLayout writes a schema with most of what a declaration can hold, reads it
// back, and makes the same database of it again.
func TestLayout(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.sqlite"), filepath.Join(dir, "second.sqlite")
	declared := sqlite.Layout{
		Tables: []sqlite.LayoutTable{
			{Table: sqldata.Table{Name: "a b", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "code", Type: "VARCHAR(3)"}, {Name: "n", Type: "REAL"}}},
				SQL: `CREATE TABLE "a b" (id INTEGER PRIMARY KEY AUTOINCREMENT, code VARCHAR(3) NOT NULL COLLATE NOCASE UNIQUE, n REAL, twice AS (n * 2), CHECK (n < 100))`},
			{Table: sqldata.Table{Name: "pair", Columns: []sqldata.Column{{Name: "x", Type: ""}, {Name: "y", Type: "TEXT"}}},
				SQL: `CREATE TABLE pair (x, y TEXT REFERENCES "a b" (code), PRIMARY KEY (x, y), UNIQUE (y, x)) WITHOUT ROWID`},
		},
		Views: []string{`CREATE VIEW v AS SELECT code, twice FROM "a b"`},
	}
	rows := [][][]sqldata.Value{
		{{sqldata.NewInt(1), sqldata.NewText("x"), sqldata.NewFloat(1.5)}, {sqldata.NewInt(2), sqldata.NewText("y"), sqldata.NewInt(200)}, {sqldata.NewInt(3), sqldata.NewText("X"), {}}},
		{{sqldata.NewText("k"), sqldata.NewText("x")}},
	}
	if err := sqlite.CreateCompact(t.Context(), first, declared, rows); err != nil {
		t.Fatal(err)
	}
	got, err := sqlite.ReadLayout(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	want := sqlite.Layout{Tables: slices.Clone(declared.Tables), Views: declared.Views}
	want.Tables[0].PrimaryKey, want.Tables[0].NotNull, want.Tables[0].Unique = []string{"id"}, []bool{false, true, false}, [][]string{{"code"}}
	want.Tables[1].PrimaryKey, want.Tables[1].NotNull, want.Tables[1].Unique = []string{"x", "y"}, []bool{true, true}, [][]string{{"y", "x"}}
	want.Tables[1].ForeignKeys = []sqldata.ForeignKey{{Columns: []string{"y"}, Table: "a b", References: []string{"code"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
	if err := sqlite.CreateCompact(t.Context(), second, got, rows); err != nil {
		t.Fatal(err)
	}
	x, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) || len(x) > 512*12 {
		t.Errorf("%d and %d bytes, want equal ones, of few pages", len(x), len(y))
	}
	// Rows that break a CHECK, or a key under its collation, are left out.
	db, err := sqlite.Open(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), "SELECT code, twice FROM v", sqldata.Limits{})
	if err != nil || len(res.Rows) != 1 || res.Rows[0][1] != sqldata.NewFloat(3) {
		t.Errorf("rows of the view: %v, %v", res, err)
	}
}

// BenchmarkScratch loads a database of 60 rows and runs four queries on it, and
// reports how many times as long it takes to write a file, open it, and compile
// and run the same.
func BenchmarkScratch(b *testing.B) {
	queries := []string{
		"SELECT name FROM person WHERE age > 30",
		"SELECT count(*) FROM person AS p JOIN city AS c ON p.city = c.id WHERE c.name = 'city 7'",
		"SELECT city, avg(age) FROM person GROUP BY city HAVING count(*) > 0",
		"SELECT name FROM person ORDER BY age DESC LIMIT 1",
	}
	layout, rows := people(), peopleRows(30)
	s := newScratch(b, layout)
	var prepared []*sqlite.Prepared
	for _, q := range queries {
		prepared = append(prepared, prepare(b, s, q))
	}
	for b.Loop() {
		if err := s.Load(rows); err != nil {
			b.Fatal(err)
		}
		for _, p := range prepared {
			if _, err := p.Run(enough, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	perLoad := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(afresh(b, layout, rows, queries)/perLoad, "x-afresh")
}

// afresh returns the seconds that writing a file, opening it and running queries
// takes.
func afresh(b *testing.B, layout sqlite.Layout, rows [][][]sqldata.Value, queries []string) float64 {
	const times = 50
	path := filepath.Join(b.TempDir(), "x.sqlite")
	start := time.Now()
	for range times {
		if err := sqlite.CreateCompact(b.Context(), path, layout, rows); err != nil {
			b.Fatal(err)
		}
		db, err := sqlite.Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		for _, q := range queries {
			if _, err := db.Query(b.Context(), q, sqldata.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
		db.Close()
	}
	return time.Since(start).Seconds() / times
}
