package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		RenameColumn{"owner", "name", "full name"},
		RenameTable{"owner", `keeper "of" dogs`},
		RenameTable{"Dog", "order"},
		AddColumn{"order", "weight", "REAL", []Value{NewInt(3)}},
	))
	tables, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Table{
		{
			Name: `keeper "of" dogs`, Columns: []Column{{"id", "INTEGER"}, {"full name", "TEXT"}, {"boss", "INTEGER"}}, PrimaryKey: []string{"id"},
			ForeignKeys: []ForeignKey{{[]string{"boss"}, `keeper "of" dogs`, []string{"id"}}},
		},
		{
			Name: "order", Columns: []Column{{"id", "INTEGER"}, {"owner", "INTEGER"}, {"name", "TEXT"}, {"weight", "REAL"}}, PrimaryKey: []string{"id"},
			ForeignKeys: []ForeignKey{{[]string{"owner"}, `keeper "of" dogs`, []string{"id"}}},
		},
	}
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		sql  string
		want [][]Value
	}{
		{`SELECT pet FROM owned WHERE keeper = 'Bob' ORDER BY 1`, [][]Value{{NewText("Max")}, {NewText("Rex")}}},
		{`SELECT DISTINCT keeper FROM owners ORDER BY 1`, [][]Value{{NewText("Ann")}, {NewText("Bob")}}},
		{`SELECT "full name" FROM "keeper ""of"" dogs" ORDER BY id`, [][]Value{{NewText("Ann")}, {NewText("Bob")}}},
		{`SELECT name, weight FROM "order" WHERE owner = 1`, [][]Value{{NewText("Ada"), NewFloat(3)}}},
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
		write RenameTable
		want  string
	}{
		{RenameTable{"cat", "x"}, "no such table"},
		{RenameTable{"dog", "OWNER"}, "already another table"},
		{RenameTable{"dog", "dog_name"}, "already another table or index"},
		{RenameTable{"dog", "owned"}, "already another table"},
		{RenameTable{"dog", "sqlite_dog"}, "reserved for internal use"},
		{RenameTable{"sqlite_sequence", "x"}, "may not be altered"},
		{RenameTable{"owned", "x"}, "view owned may not be altered"},
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
			var there, back []Write
			for _, table := range tables {
				if !reserved(table.Name) {
					there = append(there, RenameTable{table.Name, "new " + table.Name})
					back = append(back, RenameTable{"new " + table.Name, table.Name})
				}
			}
			renamed := copyDB(t, src, there...)
			between := openDB(t, renamed)
			for _, table := range tables {
				if reserved(table.Name) {
					continue
				}
				a := query(t, before, "SELECT * FROM "+QuoteName(table.Name)+" ORDER BY rowid")
				if b := query(t, between, "SELECT * FROM "+QuoteName("new "+table.Name)+" ORDER BY rowid"); !EqualList(a, b) {
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
