package suite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// knots is a schema whose keys are hard to keep: a circle of tables, a table that
// refers to itself, composite keys, a column with two references, a NOT NULL one,
// and types that differ from those referred to.
func knots() sqlite.Layout {
	table := func(name, ddl string) sqlite.LayoutTable {
		return sqlite.LayoutTable{Table: sqldata.Table{Name: name}, SQL: ddl}
	}
	return sqlite.Layout{Tables: []sqlite.LayoutTable{
		table("head", `CREATE TABLE head (id INTEGER PRIMARY KEY, dept TEXT REFERENCES dept (code), boss INT REFERENCES head (id))`),
		table("dept", `CREATE TABLE dept (code TEXT PRIMARY KEY, head INTEGER NOT NULL UNIQUE REFERENCES head (id))`),
		table("slot", `CREATE TABLE slot (day TEXT, hour INT, room REAL UNIQUE, PRIMARY KEY (day, hour))`),
		table("plan", `CREATE TABLE plan (day TEXT NOT NULL, hour INT NOT NULL, head TEXT REFERENCES head (id), dept TEXT, note TEXT,
			FOREIGN KEY (day, hour) REFERENCES slot (day, hour), FOREIGN KEY (dept) REFERENCES dept (code), PRIMARY KEY (head, day))`),
		table("both", `CREATE TABLE both (x INTEGER NOT NULL REFERENCES head (id) REFERENCES dept (head), y INTEGER)`),
	}}
}

// violations opens a database with enforced keys and returns what is against them.
func violations(tb testing.TB, path string) []string {
	tb.Helper()
	if err := sqlite.Configure(); err != nil {
		tb.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	var found []string
	for _, check := range []string{"PRAGMA foreign_key_check", "PRAGMA integrity_check"} {
		rows, err := db.Query(check)
		if err != nil {
			tb.Fatalf("%s: %v", check, err)
		}
		for rows.Next() {
			columns, _ := rows.Columns()
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = new(any)
			}
			if err := rows.Scan(cells...); err != nil {
				tb.Fatal(err)
			}
			if text := fmt.Sprint(*cells[0].(*any)); text != "ok" {
				found = append(found, check+": "+text)
			}
		}
		if err := rows.Err(); err != nil {
			tb.Fatal(err)
		}
		rows.Close()
	}
	return found
}

// TestKeysHold draws contents of a schema of many keys and of the sample's, and
// checks all keys with the engine; no row may be lost on the way.
func TestKeysHold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "knots.sqlite")
	if err := sqlite.CreateCompact(t.Context(), path, knots(), nil); err != nil {
		t.Fatal(err)
	}
	units := []*dataset.Unit{{DB: &dataset.Database{ID: "knots", SQLite: path}, Examples: []*dataset.Example{
		{Query: "SELECT head FROM plan WHERE dept = 'toys' AND hour > 9 AND day = 'Monday'"},
		{Query: "SELECT code FROM dept JOIN both ON dept.head = both.y WHERE x = 7"},
	}}}
	sampled, _ := smallSample(t)
	for _, u := range append(units, sampled...) {
		s := schemaOf(t, u.DB)
		var materials []*hints
		for _, g := range readGolds(s, u, 1) {
			if g.problem != "" {
				t.Fatalf("%s: %s: %s", u.DB.ID, g.sql, g.problem)
			}
			materials = append(materials, g.hints)
		}
		sampler := newSampler(s, materials, NullsAllowed)
		filled := make([]int, len(s.tables))
		for n := range 60 {
			rng := seededRand(1, u.DB.ID, n)
			rows := sampler.drawRows(rng, materials[rng.IntN(len(materials)):][:1])
			out := filepath.Join(dir, fmt.Sprintf("%s_%d.sqlite", u.DB.ID, n))
			if err := sqlite.CreateCompact(t.Context(), out, s.layout, rows); err != nil {
				t.Fatal(err)
			}
			for _, v := range violations(t, out) {
				t.Errorf("%s, content %d: %s", u.DB.ID, n, v)
			}
			checkStored(t, s, out, rows)
			for i := range rows {
				if len(rows[i]) > 0 {
					filled[i]++
				}
			}
		}
		for i, n := range filled {
			if n < 50 {
				t.Errorf("%s: table %s has rows in %d of 60 contents, want 50 or more", u.DB.ID, s.tables[i].name, n)
			}
		}
	}
}

// checkStored reads a database and compares it with the rows that were drawn: the
// sampler is to hold what the database stores.
func checkStored(t *testing.T, s *schema, path string, rows [][][]sqldata.Value) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, tab := range s.tables {
		res, err := db.Query(t.Context(), "SELECT * FROM "+sqldata.QuoteName(tab.name), sqldata.Limits{})
		if err != nil || len(res.Rows) != len(rows[i]) {
			t.Fatalf("%s, table %s: %d rows drawn, read %v, %v", path, tab.name, len(rows[i]), res, err)
		}
		for r, row := range rows[i] {
			if !slices.ContainsFunc(res.Rows, func(got []sqldata.Value) bool { return slices.Equal(got, row) }) {
				t.Fatalf("%s, table %s: row %d %v is stored as something else", path, tab.name, r, row)
			}
		}
	}
}

// TestContentsDiffer looks for what contents are to have: constants and near
// misses, ties, NULL where allowed.
func TestContentsDiffer(t *testing.T) {
	s := schemaOf(t, farm())
	g := newGold(s, "farm", "SELECT name FROM farm JOIN animal ON farm.id = animal.farm_id WHERE acres > 40 AND kind = 'cow' AND name LIKE '%green%'", 1)
	for _, nulls := range []Nulls{NullsNone, NullsAllowed} {
		sampler := newSampler(s, []*hints{g.hints}, nulls)
		seen := map[string]int{}
		for n := range 100 {
			for t, rows := range sampler.drawRows(seededRand(1, n), []*hints{g.hints}) {
				distinct := map[sqldata.Value]bool{}
				for _, row := range rows {
					for c, v := range row {
						seen[s.tables[t].columns[c].name+" "+v.String()]++
						if v.IsNull() {
							seen["NULL"]++
						}
					}
					distinct[row[1]] = true
				}
				if len(distinct) < len(rows) {
					seen["ties"]++
				}
			}
		}
		for _, want := range []string{"acres 40", "acres 39", "acres 41", "kind cow", "kind cox", "kind cov", "name green", "name ", "ties"} {
			if seen[want] == 0 {
				t.Errorf("nulls %s: no %q", nulls, want)
			}
		}
		if (seen["NULL"] > 0) != (nulls == NullsAllowed) {
			t.Errorf("nulls %s: %d cells are NULL", nulls, seen["NULL"])
		}
	}
}
