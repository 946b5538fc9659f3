package sqlast_test

import (
	"bufio"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A gold is a query of a data set.
type gold struct{ db, query string }

// open opens a shared file, unpacking .gz.
func open(tb testing.TB, elem ...string) io.Reader {
	tb.Helper()
	f, err := os.Open(shared.File(tb, elem...))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(f.Name(), ".gz") {
		return f
	}
	zr, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	return zr
}

func readJSON(tb testing.TB, v any, elem ...string) {
	tb.Helper()
	if err := json.NewDecoder(open(tb, elem...)).Decode(v); err != nil {
		tb.Fatalf("%s: %v", filepath.Join(elem...), err)
	}
}

func readLines(tb testing.TB, elem ...string) []string {
	tb.Helper()
	var lines []string
	sc := bufio.NewScanner(open(tb, elem...))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	if err := sc.Err(); err != nil {
		tb.Fatal(err)
	}
	return lines
}

// readGold reads lines of SQL TAB db_id.
func readGold(tb testing.TB, elem ...string) []gold {
	tb.Helper()
	var list []gold
	for _, line := range readLines(tb, elem...) {
		if query, db, ok := strings.Cut(line, "\t"); ok {
			list = append(list, gold{strings.TrimSpace(db), query})
		}
	}
	return list
}

// A schema is a catalog from tables.json.
type schema struct {
	DBID    string   `json:"db_id"`
	Tables  []string `json:"table_names_original"`
	Columns [][]any  `json:"column_names_original"`
}

func (s *schema) TableName(table string) (string, bool) {
	for _, t := range s.Tables {
		if strings.EqualFold(t, table) {
			return t, true
		}
	}
	return "", false
}

func (s *schema) table(name string) ([]string, int) {
	for i, t := range s.Tables {
		if strings.EqualFold(t, name) {
			var columns []string
			for _, c := range s.Columns {
				if int(c[0].(float64)) == i {
					columns = append(columns, c[1].(string))
				}
			}
			return columns, i
		}
	}
	return nil, -1
}

func (s *schema) columns(name string) ([]string, bool) {
	columns, i := s.table(name)
	return columns, i >= 0
}

// A spiderCatalog is a schema as a sqlast.Catalog.
type spiderCatalog struct{ *schema }

func (c spiderCatalog) Columns(table string) ([]string, bool) { return c.columns(table) }

func readSchemas(tb testing.TB, elem ...string) map[string]spiderCatalog {
	tb.Helper()
	var list []*schema
	readJSON(tb, &list, elem...)
	m := map[string]spiderCatalog{}
	for _, s := range list {
		m[s.DBID] = spiderCatalog{s}
	}
	return m
}

// openDB opens the SQLite file of a database, or returns nil where it is absent
// or has no table.
func openDB(tb testing.TB, dir, db string) *sql.DB {
	tb.Helper()
	path := filepath.Join(dir, "database", db, db+".sqlite")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return openFile(tb, "file:"+path+"?mode=ro&immutable=1")
}

func openFile(tb testing.TB, dsn string) *sql.DB {
	tb.Helper()
	c, err := sql.Open("sqlite", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	c.SetMaxOpenConns(1)
	tb.Cleanup(func() { c.Close() })
	return c
}

// rows runs a query and returns its rows as text.
func rows(c *sql.DB, query string) ([]string, error) {
	rs, err := c.Query(query)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	names, err := rs.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(any)
	}
	var list []string
	for rs.Next() {
		if err := rs.Scan(values...); err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, v := range values {
			fmt.Fprintf(&b, "%v|", *v.(*any))
		}
		list = append(list, b.String())
	}
	return list, rs.Err()
}

// program returns what SQLite compiles a query to, less what the spelling of
// constants leaves behind in comments.
func program(c *sql.DB, query string) (string, error) {
	list, err := rows(c, "EXPLAIN "+query)
	return strings.Join(list, "\n"), err
}

func parses(d *sqlast.Dialect, query string) error {
	q, err := d.Parse(query)
	if err != nil {
		return err
	}
	printed := q.String()
	again, err := d.Parse(printed)
	if err != nil {
		return fmt.Errorf("printed %q: %w", printed, err)
	}
	if got := again.String(); got != printed {
		return fmt.Errorf("printed %q, then %q", printed, got)
	}
	return nil
}
