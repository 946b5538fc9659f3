package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// kennel has all that may speak of a table: keys, an index, views, triggers.
const kennel = `CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER REFERENCES owner(id));
	CREATE TABLE dog (id INTEGER PRIMARY KEY, owner INTEGER, name TEXT, CHECK (dog.name <> ''), FOREIGN KEY (owner) REFERENCES owner(id));
	CREATE INDEX dog_name ON dog (name);
	CREATE VIEW owned AS SELECT owner.name AS keeper, d.name AS pet FROM owner JOIN dog AS d ON owner.id = d.owner;
	CREATE VIEW owners AS SELECT keeper FROM owned WHERE keeper IN (SELECT owner.name FROM owner);
	CREATE TRIGGER named AFTER UPDATE ON dog BEGIN UPDATE owner SET name = new.name WHERE owner.id = new.owner; END;
	INSERT INTO owner VALUES (1, 'Ann', NULL), (2, 'Bob', 1);
	INSERT INTO dog VALUES (7, 2, 'Rex'), (8, 1, 'Ada'), (9, 2, 'Max');`

func TestRenameTable(t *testing.T) {
	db := openDB(t, copyDB(t, makeDB(t, kennel),
		sqldata.RenameColumn{Table: "owner", Column: "name", Name: "full name"},
		sqldata.RenameTable{Table: "owner", Name: `keeper "of" dogs`},
		sqldata.RenameTable{Table: "Dog", Name: "order"},
		sqldata.AddColumn{Table: "order", Name: "weight", Type: "REAL", Cells: []sqldata.Value{sqldata.NewInt(3)}},
	))
	tables, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []sqldata.Table{
		{
			Name: `keeper "of" dogs`, Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "full name", Type: "TEXT"}, {Name: "boss", Type: "INTEGER"}}, PrimaryKey: []string{"id"},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"boss"}, Table: `keeper "of" dogs`, References: []string{"id"}}},
		},
		{
			Name: "order", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "owner", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}, {Name: "weight", Type: "REAL"}}, PrimaryKey: []string{"id"},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"owner"}, Table: `keeper "of" dogs`, References: []string{"id"}}},
		},
	}
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		sql  string
		want [][]sqldata.Value
	}{
		{`SELECT pet FROM owned WHERE keeper = 'Bob' ORDER BY 1`, [][]sqldata.Value{{sqldata.NewText("Max")}, {sqldata.NewText("Rex")}}},
		{`SELECT DISTINCT keeper FROM owners ORDER BY 1`, [][]sqldata.Value{{sqldata.NewText("Ann")}, {sqldata.NewText("Bob")}}},
		{`SELECT "full name" FROM "keeper ""of"" dogs" ORDER BY id`, [][]sqldata.Value{{sqldata.NewText("Ann")}, {sqldata.NewText("Bob")}}},
		{`SELECT name, weight FROM "order" WHERE owner = 1`, [][]sqldata.Value{{sqldata.NewText("Ada"), sqldata.NewFloat(3)}}},
	} {
		if diff := cmp.Diff(test.want, query(t, db, test.sql).Rows, allowValue); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.sql, diff)
		}
	}
	res := query(t, db, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
	if sql := res.Rows[0][0].String(); !strings.Contains(sql, `ON "order"`) || !strings.Contains(sql, `UPDATE "keeper ""of"" dogs"`) {
		t.Errorf("the trigger is %s, want one on the tables under their new names", sql)
	}
}

func TestRenameTableFails(t *testing.T) {
	src := makeDB(t, kennel+"CREATE TABLE k (a INTEGER PRIMARY KEY AUTOINCREMENT)")
	for _, test := range []struct {
		write sqldata.RenameTable
		want  string
	}{
		{sqldata.RenameTable{Table: "cat", Name: "x"}, "no such table"},
		{sqldata.RenameTable{Table: "dog", Name: "OWNER"}, "already another table"},
		{sqldata.RenameTable{Table: "dog", Name: "dog_name"}, "already another table or index"},
		{sqldata.RenameTable{Table: "dog", Name: "owned"}, "already another table"},
		{sqldata.RenameTable{Table: "dog", Name: "sqlite_dog"}, "reserved for internal use"},
		{sqldata.RenameTable{Table: "sqlite_sequence", Name: "x"}, "may not be altered"},
		{sqldata.RenameTable{Table: "owned", Name: "x"}, "view owned may not be altered"},
	} {
		err := Copy(t.Context(), src, filepath.Join(t.TempDir(), "x.sqlite"), test.write)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.write, err, test.want)
		}
	}
}

// TestRenameTableSpider renames every table of Spider's dev databases, and back:
// first the rows are as before, then the schema is as well.
func TestRenameTableSpider(t *testing.T) {
	for _, src := range spiderFiles(t, "databases_dev.tar.gz") {
		t.Run(filepath.Base(src), func(t *testing.T) {
			before := openDB(t, src)
			tables, err := before.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var there, back []sqldata.Write
			for _, table := range tables {
				if !reserved(table.Name) {
					there = append(there, sqldata.RenameTable{Table: table.Name, Name: "new " + table.Name})
					back = append(back, sqldata.RenameTable{Table: "new " + table.Name, Name: table.Name})
				}
			}
			renamed := copyDB(t, src, there...)
			between := openDB(t, renamed)
			for _, table := range tables {
				if reserved(table.Name) {
					continue
				}
				a := query(t, before, "SELECT * FROM "+sqldata.QuoteName(table.Name)+" ORDER BY rowid")
				if b := query(t, between, "SELECT * FROM "+sqldata.QuoteName("new "+table.Name)+" ORDER BY rowid"); !sqldata.EqualList(a, b) {
					t.Errorf("%s: rows differ", table.Name)
				}
			}
			after, err := openDB(t, copyDB(t, renamed, back...)).Schema(t.Context())
			if diff := cmp.Diff(tables, after); err != nil || diff != "" {
				t.Errorf("schema (-before +after), %v:\n%s", err, diff)
			}
		})
	}
}
