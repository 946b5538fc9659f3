package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// manyTables returns layouts with keys and UNIQUE constraints, of which SQLite makes
// indexes, and their rows; every third table has none.
func manyTables(n int) (l Layout, rows [][][]sqldata.Value) {
	for i := range n {
		name := fmt.Sprintf("t%d", i)
		l.Tables = append(l.Tables, LayoutTable{
			Table:   sqldata.Table{Name: name, Columns: []sqldata.Column{{Name: "a", Type: "text"}, {Name: "b", Type: "real"}}},
			SQL:     "CREATE TABLE " + name + " (a text PRIMARY KEY, b real UNIQUE)",
			NotNull: make([]bool, 2),
		})
		var list [][]sqldata.Value
		for r := range (i % 3) * 40 {
			list = append(list, []sqldata.Value{sqldata.NewText(strings.Repeat("x", r)), sqldata.NewInt(int64(i + r))})
		}
		rows = append(rows, list)
	}
	return l, rows
}

func createMany(t *testing.T, path string, l Layout, rows [][][]sqldata.Value) error {
	t.Helper()
	return CreateMany(t.Context(), path, func(add func(LayoutTable, [][]sqldata.Value) error) error {
		for i, table := range l.Tables {
			if err := add(table, rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// dump returns schema and rows of a file, and what SQLite's own check says of it.
func dump(t *testing.T, path string, l Layout) (all [][][]sqldata.Value) {
	t.Helper()
	c, err := openConn(path, "mode=ro", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	queries := []string{"PRAGMA integrity_check", "PRAGMA freelist_count", "SELECT type, name, tbl_name, sql FROM sqlite_schema"}
	for _, table := range l.Tables {
		queries = append(queries, "SELECT rowid, * FROM "+table.Name)
	}
	for _, q := range queries {
		res, err := c.query(t.Context(), q, sqldata.DefaultLimits)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		all = append(all, res.Rows)
	}
	return all
}

// TestCreateMany holds CreateMany against CreateCompact, which leaves SQLite its schema.
func TestCreateMany(t *testing.T) {
	for _, n := range []int{0, 1, 300} {
		l, rows := manyTables(n)
		dir := t.TempDir()
		plain, path, again := filepath.Join(dir, "plain"), filepath.Join(dir, "many"), filepath.Join(dir, "again")
		if err := CreateCompact(t.Context(), plain, l, rows); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, again} {
			if err := createMany(t, p, l, rows); err != nil {
				t.Fatal(err)
			}
		}
		if n == 0 {
			continue // an empty file is a database without tables
		}
		if diff := cmp.Diff(dump(t, plain, l), dump(t, path, l), cmp.AllowUnexported(sqldata.Value{})); diff != "" {
			t.Errorf("%d tables: the file (-CreateCompact +CreateMany):\n%s", n, diff)
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := os.ReadFile(again); err != nil || string(first) != string(second) {
			t.Errorf("%d tables: two files of the same tables differ (error %v)", n, err)
		}
	}
}

func TestCreateManyRefuses(t *testing.T) {
	l, rows := manyTables(2)
	twice, own, short := l, l, l
	twice.Tables = []LayoutTable{l.Tables[0], l.Tables[1], l.Tables[0]}
	own.Tables = []LayoutTable{{Table: sqldata.Table{Name: "sqlite_stat1"}, SQL: "CREATE TABLE sqlite_stat1 (a)"}}
	for _, c := range []struct {
		layout Layout
		rows   [][][]sqldata.Value
		want   string
	}{
		{twice, append(rows, nil), "already exists"},
		{own, [][][]sqldata.Value{nil}, "reserved for internal use"},
		{short, [][][]sqldata.Value{{{sqldata.NewText("one cell")}}, nil}, "row 0 has 1 cells, expected 2"},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := createMany(t, path, c.layout, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, expected %q", err, c.want)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is there, expected none", c.want)
		}
	}
}
