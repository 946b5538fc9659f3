package sqlast_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

func TestResolveSpider(t *testing.T) {
	schemas := readSchemas(t, "data", "spider", "tables.json")
	// One gold of train joins a table that its database lacks.
	for file, problems := range map[string]int{"dev_gold.sql": 0, "train_gold.sql.gz": 1} {
		t.Run(file, func(t *testing.T) {
			total, found := 0, 0
			for _, g := range readGold(t, "data", "spider", file) {
				q, err := sqlast.Parse(g.query)
				if err != nil {
					continue
				}
				total++
				b, err := sqlast.Resolve(q, schemas[g.db])
				if err != nil {
					t.Fatal(err)
				}
				if len(b.Problems) > 0 {
					found++
					t.Logf("%s: %s: %v", g.db, g.query, b.Problems)
				}
			}
			t.Logf("%d of %d golds resolve", total-found, total)
			if found != problems {
				t.Errorf("%d golds have problems, expected %d", found, problems)
			}
		})
	}
}

// A live database is a catalog that asks SQLite.
type live struct {
	db      *sql.DB
	names   []string
	columns map[string][]string // by folded name
}

func newLive(t *testing.T, c *sql.DB) *live {
	t.Helper()
	l := &live{db: c, columns: map[string][]string{}}
	tables, err := rows(c, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		table = strings.TrimSuffix(table, "|")
		l.names = append(l.names, table)
		columns, err := rows(c, fmt.Sprintf("SELECT name FROM pragma_table_info('%s') ORDER BY cid", table))
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			key := strings.ToLower(table)
			l.columns[key] = append(l.columns[key], strings.TrimSuffix(column, "|"))
		}
	}
	return l
}

func (l *live) Columns(table string) ([]string, bool) {
	columns, ok := l.columns[strings.ToLower(table)]
	return columns, ok
}

func (l *live) exec(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := l.db.Exec(fmt.Sprintf(format, args...)); err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
}

// copyDB opens a copy of a database that may be written.
func copyDB(t *testing.T, dir, db string) *sql.DB {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "database", db, db+".sqlite"))
	if err != nil {
		return nil
	}
	path := filepath.Join(t.TempDir(), db+".sqlite")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	c := openFile(t, "file:"+path+"?_pragma=foreign_keys(0)&_pragma=synchronous(0)&_pragma=legacy_alter_table(1)")
	return c
}

// devDBs calls f for each dev database that has rows, with its golds.
func devDBs(t *testing.T, f func(t *testing.T, before, after *live, golds []string)) {
	dir := shared.Untar(t, "data", "spider", "databases_dev.tar.gz")
	queries := byDB(readGold(t, "data", "spider", "dev_gold.sql"))
	for i, db := range slices.Sorted(maps.Keys(queries)) {
		if i%shared.Every(4) != 0 {
			continue
		}
		t.Run(db, func(t *testing.T) {
			before := openDB(t, dir, db)
			if before == nil {
				t.Skip("no rows")
			}
			f(t, newLive(t, before), newLive(t, copyDB(t, dir, db)), queries[db])
		})
	}
}

func byDB(list []gold) map[string][]string {
	m := map[string][]string{}
	for _, g := range list {
		m[g.db] = append(m[g.db], g.query)
	}
	return m
}

// rename renames columns and tables of l. Interim names let names be swapped.
func (l *live) rename(t *testing.T, r sqlast.Renaming) {
	t.Helper()
	for _, interim := range []bool{true, false} {
		for i, table := range l.names {
			for j, column := range l.columns[strings.ToLower(table)] {
				from, to := fmt.Sprintf("interim %d %d", i, j), r.Columns[sqlast.BaseColumn{Table: table, Column: column}]
				if interim {
					from, to = column, from
				}
				l.exec(t, `ALTER TABLE "%s" RENAME COLUMN "%s" TO "%s"`, table, from, to)
			}
		}
	}
	for i, table := range l.names {
		l.exec(t, `ALTER TABLE "%s" RENAME TO "interim %d"`, table, i)
	}
	for i, table := range l.names {
		l.exec(t, `ALTER TABLE "interim %d" RENAME TO "%s"`, i, r.Tables[table])
	}
}

// TestRenameSpider renames every table and column of the dev databases, in
// ways that provoke clashes, and runs the golds before and after.
func TestRenameSpider(t *testing.T) {
	for name, column := range map[string]func(columns []string, table, i int) string{
		"fresh":   func(columns []string, table, i int) string { return fmt.Sprintf("New %s %d", columns[i], table) },
		"rotated": func(columns []string, _, i int) string { return columns[(i+1)%len(columns)] },
		"clash":   func(_ []string, _, i int) string { return fmt.Sprintf("c%d", i) },
		"keyword": func(_ []string, _, i int) string {
			return []string{"order", "Group", "key", "2nd", `a"b`, "true"}[i%6] + strings.Repeat(" ", i/6)
		},
	} {
		t.Run(name, func(t *testing.T) {
			total := 0
			devDBs(t, func(t *testing.T, before, after *live, golds []string) {
				r := sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}}
				for i, table := range before.names {
					r.Tables[table] = before.names[(i+1)%len(before.names)]
					columns := before.columns[strings.ToLower(table)]
					for j, c := range columns {
						r.Columns[sqlast.BaseColumn{Table: table, Column: c}] = strings.ReplaceAll(column(columns, i, j), `"`, "''")
					}
				}
				after.rename(t, r)
				for _, query := range golds {
					if edit(t, before, after, query, func(q *sqlast.Query, b *sqlast.Binding) (*sqlast.Query, error) {
						return sqlast.Rename(q, b, r)
					}) {
						total++
					}
				}
			})
			t.Logf("%d golds keep their answers", total)
		})
	}
}

// TestQualifySpider gives every table the columns of all others, and runs the
// golds before and after.
func TestQualifySpider(t *testing.T) {
	total := 0
	devDBs(t, func(t *testing.T, before, after *live, golds []string) {
		for _, table := range before.names {
			var added []string
			for _, other := range before.names {
				added = append(added, before.columns[strings.ToLower(other)]...)
			}
			added = append(added, "USA", "France", "name", "id")
			have := map[string]bool{}
			for _, c := range before.columns[strings.ToLower(table)] {
				have[strings.ToLower(c)] = true
			}
			for _, c := range added {
				if !have[strings.ToLower(c)] {
					have[strings.ToLower(c)] = true
					after.exec(t, `ALTER TABLE "%s" ADD COLUMN "%s" DEFAULT 'added'`, table, c)
				}
			}
		}
		after = newLive(t, after.db)
		for _, query := range golds {
			if edit(t, before, after, query, func(q *sqlast.Query, b *sqlast.Binding) (*sqlast.Query, error) {
				return sqlast.Qualify(q, b, after)
			}) {
				total++
			}
		}
	})
	t.Logf("%d golds keep their answers", total)
}

// edit compares the answers to a query and to the edited one; it reports
// whether there was an answer to compare.
func edit(t *testing.T, before, after *live, query string, f func(*sqlast.Query, *sqlast.Binding) (*sqlast.Query, error)) bool {
	t.Helper()
	want, err := rows(before.db, query)
	if err != nil {
		return false
	}
	q, err := sqlast.Parse(query)
	if err != nil {
		t.Error(err)
		return false
	}
	text := q.String()
	b, err := sqlast.Resolve(q, before)
	if err != nil || len(b.Problems) > 0 {
		t.Errorf("%s: %v %v", query, err, b.Problems)
		return false
	}
	edited, err := f(q, b)
	if err != nil {
		var refusal *sqlast.RefusalError
		t.Errorf("%s: %v (refusal: %v)", query, err, errors.As(err, &refusal))
		return false
	}
	if got := q.String(); got != text {
		t.Errorf("the input changed from %s to %s", text, got)
	}
	got, err := rows(after.db, edited.String())
	if err != nil || !slices.Equal(got, want) && (!equalBags(got, want)) {
		t.Errorf("%s\nbecame %s\nwith other rows (%v): %v\nwant %v", query, edited, err, got, want)
	}
	return true
}

func equalBags(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestResolveAgainstSQLite resolves golds and predictions on the databases
// themselves: there are problems just where SQLite finds a name wrong.
func TestResolveAgainstSQLite(t *testing.T) {
	dir := shared.Untar(t, "data", "spider", "databases_dev.tar.gz")
	golds := readGold(t, "data", "spider", "dev_gold.sql")
	catalogs := map[string]*live{}
	good, bad := 0, 0
	for _, elem := range append(predictionFiles(t), shared.File(t, "data", "spider", "dev_gold.sql")) {
		for i, query := range predictions(t, elem) {
			if i%shared.Every(5) != 0 {
				continue
			}
			q, err := sqlast.Parse(query)
			if err != nil || strings.Contains(query, "sqlite_") {
				continue
			}
			db := golds[i].db
			if catalogs[db] == nil {
				c := openDB(t, dir, db)
				if c == nil {
					continue
				}
				catalogs[db] = newLive(t, c)
			}
			b, err := sqlast.Resolve(q, catalogs[db])
			if err != nil {
				t.Fatal(err)
			}
			_, err = program(catalogs[db].db, query)
			switch problems := len(b.Problems) > 0; {
			case err == nil && problems:
				t.Errorf("%s: %s: %v, but SQLite accepts it", db, query, b.Problems)
			case err != nil && nameError.MatchString(err.Error()) && !problems:
				t.Errorf("%s: %s: no problem, but SQLite says %v", db, query, err)
			case problems:
				bad++
			default:
				good++
			}
		}
	}
	t.Logf("agreed on %d right and %d wrong queries", good, bad)
}

var nameError = regexp.MustCompile(`no such column|no such table|ambiguous column|does not match any column in the result set`)
