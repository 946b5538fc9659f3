package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

func copyDB(t testing.TB, src string, writes ...sqldata.Write) string {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "new", "copy.sqlite")
	if err := Copy(t.Context(), src, dst, writes...); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(dst)); len(entries) != 1 {
		t.Fatalf("folder holds %v, expected the copy alone", entries)
	}
	return dst
}

func TestCopy(t *testing.T) {
	src := makeDB(t, `CREATE TABLE owner (id INTEGER PRIMARY KEY, "Home Town" TEXT);
		CREATE TABLE pet (rowid TEXT, owner INTEGER REFERENCES owner(id), born DATE, CHECK (born <> ''));
		CREATE INDEX pet_born ON pet (born);
		CREATE VIEW v AS SELECT born FROM pet;
		CREATE TRIGGER tr AFTER INSERT ON pet BEGIN SELECT new.born; END;
		CREATE TRIGGER tu AFTER UPDATE ON pet BEGIN UPDATE pet SET born = 'trigger ran'; END;
		INSERT INTO owner VALUES (7, 'Rome'), (3, 'Oslo');
		INSERT INTO pet VALUES ('x', 3, '2001'), ('y', 7, '2002'), ('z', 7, NULL);`)
	before, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	db := openDB(t, copyDB(t, src,
		sqldata.RenameColumn{Table: "owner", Column: "id", Name: "Owner No"},
		sqldata.AddColumn{Table: "pet", Name: "weight", Type: "REAL", Cells: []sqldata.Value{sqldata.NewInt(1), {}}},
		sqldata.AddColumn{Table: "PET", Name: "note", Type: "", Cells: []sqldata.Value{sqldata.NewText("é"), sqldata.NewText("b"), sqldata.NewBlob("c"), sqldata.NewText("not used")}},
		sqldata.RenameColumn{Table: "pet", Column: "born", Name: `birth "day"`},
		sqldata.RenameColumn{Table: "pet", Column: "weight", Name: "mass"},
		sqldata.AddColumn{Table: "owner", Name: "city", Type: "TEXT", Cells: nil},
	))
	want := [][]sqldata.Value{
		{sqldata.NewText("x"), sqldata.NewInt(3), sqldata.NewInt(2001), sqldata.NewFloat(1), sqldata.NewText("é")},
		{sqldata.NewText("y"), sqldata.NewInt(7), sqldata.NewInt(2002), {}, sqldata.NewText("b")},
		{sqldata.NewText("z"), sqldata.NewInt(7), {}, sqldata.NewFloat(1), sqldata.NewBlob("c")},
	}
	if diff := cmp.Diff(want, query(t, db, `SELECT rowid, owner, "birth ""day""", mass, note FROM pet ORDER BY _rowid_`).Rows, allowValue); diff != "" {
		t.Errorf("pet (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]sqldata.Value{{sqldata.NewInt(3), sqldata.NewText("Oslo"), {}}, {sqldata.NewInt(7), sqldata.NewText("Rome"), {}}},
		query(t, db, `SELECT "Owner No", "Home Town", city FROM owner`).Rows, allowValue); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
	tables, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sqldata.ForeignKey{{Columns: []string{"owner"}, Table: "owner", References: []string{"Owner No"}}}, tables[1].ForeignKeys); diff != "" {
		t.Errorf("foreign keys (-want +got):\n%s", diff)
	}
	query(t, db, "SELECT * FROM v")
	if after, _ := os.ReadFile(src); !bytes.Equal(before, after) {
		t.Error("the source changed")
	}
	if plain, _ := os.ReadFile(copyDB(t, src)); !bytes.Equal(before, plain) {
		t.Error("a copy without writes differs from its source")
	}
}

func TestCopyIsDeterministic(t *testing.T) {
	src := makeDB(t, pets)
	writes := []sqldata.Write{sqldata.RenameColumn{Table: "pet", Column: "name", Name: "called"}, sqldata.AddColumn{Table: "pet", Name: "x", Type: "TEXT", Cells: []sqldata.Value{sqldata.NewText(strings.Repeat("long ", 2000))}}}
	a, _ := os.ReadFile(copyDB(t, src, writes...))
	b, _ := os.ReadFile(copyDB(t, src, writes...))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("two copies with the same writes differ")
	}
}

func TestCopyFails(t *testing.T) {
	src := makeDB(t, pets+"CREATE TABLE w (a PRIMARY KEY, b) WITHOUT ROWID; CREATE TABLE k (a INTEGER PRIMARY KEY AUTOINCREMENT)")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		src   string
		write sqldata.Write
		want  string
	}{
		{"no such column", t.Context(), src, sqldata.RenameColumn{Table: "pet", Column: "x", Name: "y"}, "no such column"},
		{"no such table", t.Context(), src, sqldata.RenameColumn{Table: "x", Column: "x", Name: "y"}, "no such table"},
		{"name is taken", t.Context(), src, sqldata.RenameColumn{Table: "pet", Column: "id", Name: "NAME"}, "duplicate column name"},
		{"added twice", t.Context(), src, sqldata.AddColumn{Table: "pet", Name: "Name", Type: "", Cells: nil}, "duplicate column name"},
		{"computed by SQLite", t.Context(), src, sqldata.DeriveColumn{Table: "w", Column: "x", Name: "c", Type: "", Cell: nil}, "no such column"},
		{"SQLite's own", t.Context(), src, sqldata.RenameColumn{Table: "sqlite_sequence", Column: "name", Name: "n"}, "may not be altered"},
		{"no source", t.Context(), src + "x", sqldata.RenameColumn{}, "no such file"},
		{"no database", t.Context(), "copy_test.go", sqldata.RenameColumn{}, "not a SQLite database"},
		{"cancelled", cancelled, src, sqldata.AddColumn{Table: "pet", Name: "x", Type: "", Cells: []sqldata.Value{{}}}, "canceled"},
	} {
		dir := t.TempDir()
		dst := filepath.Join(dir, "x.sqlite")
		if err := os.WriteFile(dst, []byte("older"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Copy(c.ctx, c.src, dst, c.write); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, expected %q", c.name, err, c.want)
		}
		entries, _ := os.ReadDir(dir)
		if got, _ := os.ReadFile(dst); string(got) != "older" || len(entries) != 1 {
			t.Errorf("%s: what was there is gone, or more came: %v", c.name, entries)
		}
	}
}

// spiderFiles returns the database files of an archive, small ones first.
func spiderFiles(t testing.TB, archive string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared.Untar(t, "data", "spider", archive), "database", "*", "*.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	slices.SortStableFunc(files, func(a, b string) int { return int(size(a) - size(b)) })
	return files
}

// TestCopySpider renames every column of Spider's databases, and adds one to
// every table, and finds all rows as they were. Of the train databases it takes
// those below a megabyte; the larger ones differ in their rows alone.
func TestCopySpider(t *testing.T) {
	files := spiderFiles(t, "databases_dev.tar.gz")
	if !testing.Short() {
		files = append(files, spiderFiles(t, "databases_train.tar.gz")[:120/shared.Every(6)]...)
	}
	for _, src := range files {
		t.Run(filepath.Base(src), func(t *testing.T) {
			before := openDB(t, src)
			tables, err := before.Schema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var writes []sqldata.Write
			for _, table := range tables {
				if reserved(table.Name) {
					continue
				}
				for i, c := range table.Columns {
					writes = append(writes, sqldata.RenameColumn{Table: table.Name, Column: c.Name, Name: fmt.Sprintf("new name %d", i)})
				}
				writes = append(writes, sqldata.AddColumn{Table: table.Name, Name: "one more", Type: "TEXT", Cells: []sqldata.Value{sqldata.NewText("a"), sqldata.NewText("b")}})
			}
			after := openDB(t, copyDB(t, src, writes...))
			for _, table := range tables {
				if reserved(table.Name) {
					continue
				}
				var names []string
				for i := range table.Columns {
					names = append(names, fmt.Sprintf(`"new name %d"`, i))
				}
				// Without an order, an index that holds all columns may give another.
				from := " FROM " + sqldata.QuoteName(table.Name) + " ORDER BY rowid"
				a, b := query(t, before, "SELECT *"+from), query(t, after, "SELECT "+strings.Join(names, ", ")+from)
				if !sqldata.EqualList(a, b) {
					t.Errorf("%s: rows differ", table.Name)
				}
				if res := query(t, after, `SELECT total("one more" = 'a') - total("one more" = 'b'), count("one more")`+from); res.Rows[0][0] != sqldata.NewFloat(float64(len(a.Rows)%2)) || res.Rows[0][1] != sqldata.NewInt(int64(len(a.Rows))) {
					t.Errorf("%s: of %d rows the new cells are %v", table.Name, len(a.Rows), res.Rows)
				}
			}
		})
	}
}

func TestCreate(t *testing.T) {
	tables := []sqldata.Table{
		{Name: "Owner", Columns: []sqldata.Column{{Name: "Owner ID", Type: "INTEGER"}, {Name: `a "b"`, Type: ""}}, PrimaryKey: []string{"Owner ID"}},
		{Name: "sqlite_sequence", Columns: []sqldata.Column{{Name: "name", Type: "TEXT"}}},
		{Name: "Pet", Columns: []sqldata.Column{{Name: "id", Type: "INTEGER"}, {Name: "owner", Type: "INTEGER"}}, PrimaryKey: []string{"owner", "id"}, ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"owner"}, Table: "Owner", References: []string{"Owner ID"}}}},
	}
	rows := [][][]sqldata.Value{{{sqldata.NewInt(1), sqldata.NewText("x")}, {sqldata.NewInt(2), {}}}}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a", "a.sqlite"), filepath.Join(dir, "b.sqlite")
	for _, dst := range []string{a, b, b} {
		if err := Create(t.Context(), dst, tables, rows); err != nil {
			t.Fatal(err)
		}
	}
	bytesA, _ := os.ReadFile(a)
	bytesB, _ := os.ReadFile(b)
	if !bytes.Equal(bytesA, bytesB) {
		t.Error("two databases with the same content differ")
	}
	db := openDB(t, a)
	got, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sqldata.Table{tables[0], tables[2]}, got); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(rows[0], query(t, db, "SELECT * FROM owner").Rows, allowValue); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for want, rows := range map[string][][][]sqldata.Value{
		"row 1 has 1 cells, expected 2":   {{{sqldata.NewInt(1), {}}, {sqldata.NewInt(2)}}},
		"UNIQUE constraint failed: Owner": {{{sqldata.NewInt(1), {}}, {sqldata.NewInt(1), {}}}},
	} {
		if err := Create(t.Context(), a, tables, rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, expected %q", err, want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Create(cancelled, a, tables, rows); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, expected that the context was cancelled", err)
	}
}

// BenchmarkCopy copies a database of about 100 kB, as a build does for each
// variant.
func BenchmarkCopy(b *testing.B) {
	for _, bench := range []struct {
		name   string
		writes []sqldata.Write
	}{
		{"rename", []sqldata.Write{sqldata.RenameColumn{Table: "pet", Column: "name", Name: "called"}, sqldata.RenameColumn{Table: "pet", Column: "born", Name: "birthday"}}},
		{"add", []sqldata.Write{sqldata.AddColumn{Table: "pet", Name: "x", Type: "TEXT", Cells: []sqldata.Value{sqldata.NewText("one"), sqldata.NewText("two")}}, sqldata.AddColumn{Table: "pet", Name: "y", Type: "NUMERIC", Cells: []sqldata.Value{sqldata.NewInt(1)}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			src := makeDB(b, pets+`WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n LIMIT 1500)
				INSERT INTO pet SELECT i, 'the name of pet ' || i, date('2000-01-01', i || ' days'), i / 7.0 FROM n`)
			info, err := os.Stat(src)
			if err != nil {
				b.Fatal(err)
			}
			dst := filepath.Join(b.TempDir(), "copy.sqlite")
			for b.Loop() {
				if err := Copy(b.Context(), src, dst, bench.writes...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(info.Size())/1024, "KiB")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "copies/s")
		})
	}
}

// A table without row ids has its cells in the order of its primary key.
func TestCopyWithoutRowID(t *testing.T) {
	src := makeDB(t, `CREATE TABLE w (b TEXT COLLATE NOCASE, a INT, n INT, PRIMARY KEY (a DESC, b)) WITHOUT ROWID;
		WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 9999) INSERT INTO w SELECT 'B' || n, n % 7, n FROM i`)
	double := func(v sqldata.Value) (sqldata.Value, error) { return sqldata.NewInt(2 * v.Int()), nil }
	db := openDB(t, copyDB(t, src, sqldata.AddColumn{Table: "w", Name: "c", Type: "INT", Cells: []sqldata.Value{sqldata.NewInt(1), sqldata.NewInt(2)}}, sqldata.DeriveColumn{Table: "w", Column: "n", Name: "d", Type: "INT", Cell: double}))
	got := query(t, db, "SELECT count(*), sum(c), sum(d) - 2 * sum(n), sum(c IS NULL) FROM w").Rows
	want := [][]sqldata.Value{{sqldata.NewInt(10000), sqldata.NewInt(15000), sqldata.NewInt(0), sqldata.NewInt(0)}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sqldata.Value{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCopyEndless: the root of a table has its two leaves in the wrong order, so that behind its
// last row the first is found again, and again.
func TestCopyEndless(t *testing.T) {
	src := makeDB(t, `CREATE TABLE t (x TEXT);
		WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) INSERT INTO t SELECT printf('%01000d', i) FROM n;`)
	data, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	size := int(data[16])<<8 | int(data[17])
	root := data[size : 2*size] // kind 5, one cell; of it the left child, the right child
	cell := root[int(root[12])<<8|int(root[13]):]
	if root[0] != 5 || root[4] != 1 {
		t.Fatalf("the root is of kind %d with %d cells, expected an inner page with one", root[0], root[4])
	}
	left, right := bytes.Clone(cell[:4]), bytes.Clone(root[8:12])
	copy(cell, right)
	copy(root[8:], left)
	if err := os.WriteFile(src, data, 0o666); err != nil {
		t.Fatal(err)
	}
	err = Copy(t.Context(), src, filepath.Join(t.TempDir(), "copy.sqlite"), sqldata.AddColumn{Table: "t", Name: "y", Cells: []sqldata.Value{sqldata.NewInt(1)}})
	if !errors.Is(err, errEndless) {
		t.Errorf("error is %v, expected %v", err, errEndless)
	}
}
