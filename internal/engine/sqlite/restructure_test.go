package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

const dogs = `CREATE TABLE owner (no INTEGER PRIMARY KEY, name VARCHAR(20) COLLATE NOCASE, "home town" "odd type; x");
	CREATE TABLE dog (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owner (no), color, weight REAL NOT NULL DEFAULT 1);
	CREATE INDEX dog_color ON dog (weight, Color);
	CREATE TABLE tag (dog INTEGER, "unique" TEXT UNIQUE, PRIMARY KEY (dog)) WITHOUT ROWID;
	INSERT INTO owner VALUES (3, 'Ann', 'Oslo'), (5, 'ann', NULL), (8, 'Bob', 'Rome');
	INSERT INTO dog VALUES (10, 5, 'red', 1), (7, 3, 'Red', 2), (9, NULL, 1, 3), (4, 4, NULL, 4), (6, 3, 'red', 5), (2, 3, 1.0, 6);`

// TestSplitColumn moves a column and joins it back.
func TestSplitColumn(t *testing.T) {
	src := makeDB(t, dogs)
	for _, test := range []struct{ table, column, declared string }{
		{"dog", "color", ""}, {"DOG", "Color", ""}, {"dog", "weight", "REAL"}, {"owner", "name", "VARCHAR(20)"}, {"owner", "home town", "odd type; x"},
	} {
		before := openDB(t, src)
		after := openDB(t, copyDB(t, src, sqldata.AddColumn{Table: "dog", Name: "note", Type: "", Cells: []sqldata.Value{sqldata.NewInt(1)}}, sqldata.SplitColumn{Table: test.table, Column: test.column, Into: `a "new" table`, Key: "the key"}))
		want := query(t, before, "SELECT "+sqldata.QuoteName(test.column)+" FROM "+test.table+" ORDER BY rowid").Rows
		got := query(t, after, "SELECT n."+sqldata.QuoteName(test.column)+" FROM "+test.table+` AS o LEFT JOIN "a ""new"" table" AS n ON n."the key" = o."the key" ORDER BY o.rowid`).Rows
		if diff := cmp.Diff(want, got, allowValue); diff != "" {
			t.Errorf("%v joined back (-want +got):\n%s", test, diff)
		}
		tables, err := after.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		made := tables[len(tables)-1]
		if diff := cmp.Diff(sqldata.Table{
			Name: `a "new" table`, Columns: []sqldata.Column{{Name: "the key", Type: "INTEGER"}, {Name: test.column, Type: test.declared}}, PrimaryKey: []string{"the key"},
		}, made); diff != "" {
			t.Errorf("%v new table (-want +got):\n%s", test, diff)
		}
		for _, table := range tables[:len(tables)-1] {
			if !strings.EqualFold(table.Name, test.table) {
				continue
			}
			if key := table.ForeignKeys[len(table.ForeignKeys)-1]; key.Table != made.Name || key.Columns[0] != "the key" {
				t.Errorf("%v: foreign key %v", test, key)
			}
			for _, c := range table.Columns {
				if strings.EqualFold(c.Name, test.column) {
					t.Errorf("%v is still there", test)
				}
			}
		}
	}
	db := openDB(t, copyDB(t, src, sqldata.SplitColumn{Table: "dog", Column: "color", Into: "colors", Key: "color_id"}))
	// 1 and 1.0 are equal, but not the same.
	want := [][]sqldata.Value{{sqldata.NewInt(1), sqldata.NewFloat(1)}, {sqldata.NewInt(2), sqldata.NewText("red")}, {sqldata.NewInt(3), sqldata.NewText("Red")}, {sqldata.NewInt(4), sqldata.NewInt(1)}}
	if diff := cmp.Diff(want, query(t, db, "SELECT * FROM colors ORDER BY color_id").Rows, allowValue); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// TestMergeTable merges owners into their dogs.
func TestMergeTable(t *testing.T) {
	src := makeDB(t, dogs)
	want := query(t, openDB(t, src), `SELECT d.*, o."home town", o.name FROM dog AS d LEFT JOIN owner AS o ON o.no = d.owner ORDER BY d.rowid`).Rows
	after := openDB(t, copyDB(t, src, sqldata.MergeTable{Table: "dog", Column: "owner", Reference: "owner", Target: "no", Columns: []sqldata.MergedColumn{{Column: "home town", Name: "town"}, {Column: "Name", Name: "owner name"}}}))
	if diff := cmp.Diff(want, query(t, after, "SELECT * FROM dog ORDER BY rowid").Rows, allowValue); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	tables, err := after.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != 2 || tables[0].Name != "dog" || tables[0].Columns[5] != (sqldata.Column{Name: "owner name", Type: "VARCHAR(20)"}) {
		t.Errorf("tables are %v", tables)
	}
	bare := openDB(t, copyDB(t, src, sqldata.MergeTable{Table: "dog", Column: "owner", Reference: "owner", Target: "no", Columns: nil}))
	if n := query(t, bare, "SELECT count(*) FROM dog").Rows[0][0]; n != sqldata.NewInt(6) {
		t.Errorf("%v rows are left of 6", n)
	}
}

func TestRestructureErrors(t *testing.T) {
	src := makeDB(t, dogs)
	for _, test := range []struct {
		write sqldata.Write
		want  string
	}{
		{sqldata.SplitColumn{Table: "dog", Column: "nothing", Into: "n", Key: "k"}, "table dog has no column nothing"},
		{sqldata.SplitColumn{Table: "nowhere", Column: "nothing", Into: "n", Key: "k"}, "table nowhere has no column nothing"},
		{sqldata.SplitColumn{Table: "dog", Column: "color", Into: "owner", Key: "k"}, "already"},
		{sqldata.SplitColumn{Table: "dog", Column: "color", Into: "n", Key: "weight"}, "duplicate column"},
		{sqldata.SplitColumn{Table: "dog", Column: "id", Into: "n", Key: "k"}, "PRIMARY KEY"},
		{sqldata.SplitColumn{Table: "tag", Column: "unique", Into: "n", Key: "k"}, "UNIQUE"},
		{sqldata.DropColumn{Table: "tag", Column: "unique"}, "UNIQUE"},
		{sqldata.MergeTable{Table: "owner", Column: "no", Reference: "dog", Target: "owner", Columns: []sqldata.MergedColumn{{Column: "color", Name: "color"}}}, "a row of owner has several rows of dog"},
		{sqldata.MergeTable{Table: "dog", Column: "owner", Reference: "owner", Target: "no", Columns: []sqldata.MergedColumn{{Column: "nothing", Name: "x"}}}, "table owner has no column nothing"},
		{sqldata.MergeTable{Table: "dog", Column: "owner", Reference: "owner", Target: "no", Columns: []sqldata.MergedColumn{{Column: "name", Name: "color"}}}, "duplicate column"},
		{sqldata.MergeTable{Table: "dog", Column: "nothing", Reference: "owner", Target: "no", Columns: nil}, "no such column"},
	} {
		dst := filepath.Join(t.TempDir(), "copy.sqlite")
		if err := Copy(t.Context(), src, dst, test.write); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.write, err, test.want)
		}
	}
	if db := openDB(t, copyDB(t, src, sqldata.DropColumn{Table: "Dog", Column: "COLOR"})); len(query(t, db, "SELECT * FROM dog").Columns) != 3 {
		t.Error("a column with an index is still there")
	}
}
