package sqlast_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// readPostgres returns the gold SQL of a file of PostgreSQL's questions, with its database.
func readPostgres(t testing.TB, elem ...string) (golds []gold) {
	for _, line := range readLines(t, append([]string{"data", "postgres"}, elem...)...) {
		var record struct {
			DB        string `json:"db_id"`
			Gold, SQL string
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		for _, query := range alternatives(cmp.Or(record.Gold, record.SQL)) {
			golds = append(golds, gold{record.DB, query})
		}
	}
	return golds
}

// alternatives returns the queries of a gold of defog: those between semicolons, each with every non-empty subset of the
// columns in braces; {} repeats the choice.
func alternatives(gold string) (list []string) {
	for sql := range strings.SplitSeq(gold, ";") {
		if sql = strings.TrimSpace(sql); sql == "" {
			continue
		}
		before, rest, ok := strings.Cut(sql, "{")
		if !ok {
			list = append(list, sql)
			continue
		}
		inside, after, _ := strings.Cut(rest, "}")
		columns := strings.Split(inside, ",")
		for bits := 1; bits < 1<<len(columns); bits++ {
			var chosen []string
			for i, c := range columns {
				if bits&(1<<i) != 0 {
					chosen = append(chosen, strings.TrimSpace(c))
				}
			}
			subset := strings.Join(chosen, ", ")
			list = append(list, before+subset+strings.ReplaceAll(after, "{}", subset))
		}
	}
	return list
}

// A pgServer compiles queries within a transaction that is rolled back at the end.
type pgServer struct {
	*testing.T
	tx pgx.Tx
}

// beginPG begins a transaction on the server, which the end of the test rolls back, and executes a script.
func beginPG(t *testing.T, conn *pgx.Conn, script string) *pgServer {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback(context.WithoutCancel(t.Context())) })
	if _, err := tx.Conn().PgConn().Exec(t.Context(), script).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return &pgServer{t, tx}
}

// view compiles a query as a view and returns its definition by the server, and the names of its columns. Where between
// is not nil, it is called before the definition is read; what it changes is undone.
func (s *pgServer) view(query string, between func(pgx.Tx) error) (definition string, err error) {
	tx, err := s.tx.Begin(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	defer tx.Rollback(s.Context())
	prepared, err := tx.Prepare(s.Context(), "", query)
	if err != nil {
		return "", err
	}
	var columns, names []string
	for i, f := range prepared.Fields {
		columns, names = append(columns, fmt.Sprintf("c%d", i)), append(names, f.Name)
	}
	if _, err := tx.Exec(s.Context(), fmt.Sprintf("CREATE TEMP VIEW v (%s) AS %s", strings.Join(columns, ", "), query)); err != nil {
		return "", err
	}
	if between != nil {
		if err := between(tx); err != nil {
			return "", err
		}
		names = nil // the server keeps those of the view
	}
	err = tx.QueryRow(s.Context(), "SELECT pg_get_viewdef('v'::regclass)").Scan(&definition)
	return definition + strings.Join(names, ", "), err
}

// catalog returns the tables of the schema public.
func (s *pgServer) catalog() (c schemaCatalog) {
	rows, err := s.tx.Query(s.Context(), `SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position)
		FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1 ORDER BY 1`)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var t schemaTable
		if err := rows.Scan(&t.name, &t.columns); err != nil {
			s.Fatal(err)
		}
		c = append(c, t)
	}
	return c
}

// renamePG returns a renaming of every table and column of a schema, and the statements by which the server makes it.
func renamePG(c schemaCatalog) (r sqlast.Renaming, statements []string) {
	r = sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}}
	for i, t := range c {
		r.Tables[t.name] = fmt.Sprintf("Table %d", i)
		for j, column := range t.columns {
			after := fmt.Sprintf("c%d_%s", j, column)
			r.Columns[sqlast.BaseColumn{Table: t.name, Column: column}] = after
			statements = append(statements, fmt.Sprintf("ALTER TABLE %q RENAME COLUMN %q TO %q", t.name, column, after))
		}
		statements = append(statements, fmt.Sprintf("ALTER TABLE %q RENAME TO %q", t.name, r.Tables[t.name]))
	}
	return r, statements
}

// newColumn matches what a new name of a column has before the old one, and label a label that repeats its column.
var (
	newColumn = regexp.MustCompile(`\bc[0-9]+_`)
	label     = regexp.MustCompile(`("[^"]+"|\b\w+)(\)?(::\w+)?) AS ("[^"]+"|\w+)`)
)

// unlabelled returns a definition of a view under the old names of columns and without labels that repeat a name: the
// server keeps the old name of a column as its label within the view.
func unlabelled(definition string) string {
	return label.ReplaceAllStringFunc(newColumn.ReplaceAllString(definition, ""), func(text string) string {
		if m := label.FindStringSubmatch(text); m[1] == m[4] {
			return m[1] + m[2]
		}
		return text
	})
}

// pgTally counts what became of the golds of a data set.
type pgTally struct{ queries, parsed, compiled, accepted, resolved, same, renamed int }

// count parses a gold and has the server judge its print, and its rewriting for a schema with other names.
func (n *pgTally) count(s *pgServer, c schemaCatalog, query string) {
	n.queries++
	q, err := sqlast.PostgreSQL.Parse(query)
	if err != nil {
		s.Errorf("%s: %v", query, err)
		return
	}
	n.parsed++
	if again, err := sqlast.PostgreSQL.Parse(q.String()); err != nil || again.String() != q.String() {
		s.Errorf("%s\nprints %s\nwhich prints %v (%v)", query, q, again, err)
	}
	if s.tx != nil && n.queries%shared.Every(12) == 0 {
		n.judge(s, c, query)
	}
}

// judge has the server judge the print of a query, and its rewriting for a schema with other names.
func (n *pgTally) judge(s *pgServer, c schemaCatalog, query string) {
	n.compiled++
	q, err := sqlast.PostgreSQL.Parse(query)
	if err != nil {
		s.Errorf("%s: %v", query, err)
		return
	}
	want, err := s.view(query, nil)
	if err != nil {
		s.Logf("the server refuses %s: %v", query, err)
		return
	}
	n.accepted++
	b, err := sqlast.Resolve(q, c)
	if err != nil || len(b.Problems) > 0 {
		s.Errorf("%s: %v %v", query, err, b.Problems)
		return
	}
	n.resolved++
	if got, err := s.view(q.String(), nil); got != want {
		s.Errorf("%s\nprints %s\nwhich is another view (%v):\n%s\nwant\n%s", query, q, err, got, want)
		return
	}
	n.same++
	if !differsByRule.MatchString(query) {
		n.judgeRenamed(s, c, query, q, b)
	}
}

// differsByRule matches what is not renamed as the server does: it gives the columns of USING their old names as aliases,
// and a whole row has its old names, so that we refuse it.
var differsByRule = regexp.MustCompile(`USING \(|row_to_json`)

// judgeRenamed has the server judge the rewriting of a query for a schema with other names.
func (n *pgTally) judgeRenamed(s *pgServer, c schemaCatalog, query string, q *sqlast.Query, b *sqlast.Binding) {
	renaming, statements := renamePG(c)
	rename := func(tx pgx.Tx) error {
		_, err := tx.Exec(s.Context(), strings.Join(statements, ";"))
		return err
	}
	want, err := s.view(query, rename)
	if err != nil {
		s.Fatal(err)
	}
	renamed, err := sqlast.Rename(q, b, renaming)
	if err != nil {
		s.Errorf("%s: %v", query, err)
		return
	}
	got := ""
	if tx, err := s.tx.Begin(s.Context()); err != nil || rename(tx) != nil {
		s.Fatal(err)
	} else {
		got, err = (&pgServer{s.T, tx}).view(renamed.String(), func(pgx.Tx) error { return nil })
		tx.Rollback(s.Context())
		if err != nil {
			s.Errorf("%s\nrenamed %s: %v", query, renamed, err)
			return
		}
	}
	if unlabelled(got) != unlabelled(want) {
		s.Errorf("%s\nrenamed %s\nwhich is another view:\n%s\nwant\n%s", query, renamed, got, want)
		return
	}
	n.renamed++
}

// TestPostgreSQL has a server judge what is parsed and printed.
func TestPostgreSQL(t *testing.T) {
	conn := postgres.Connect(t, postgres.Start(t))
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pgx.Conn)
	}{{"syntax", testPGSyntax}, {"operators", testPGOperators}, {"golds", testPGGolds}, {"predictions", testPGPredictions}} {
		t.Run(test.name, func(t *testing.T) { test.run(t, conn) })
	}
}

// testPGGolds parses the golds of defog and BIRD in PostgreSQL's dialect. The server judges those of the databases
// that are there: the print compiles to the same view, and a rewriting for other names to what the server makes of the
// view when it renames tables and columns.
func testPGGolds(t *testing.T, conn *pgx.Conn) {
	var report strings.Builder
	for _, set := range []string{"defog/questions_postgres.jsonl.gz", "bird/mini_dev_postgres.jsonl.gz"} {
		n, queries := &pgTally{}, map[string][]string{}
		dir, file := path.Split(set)
		for _, g := range readPostgres(t, path.Clean(dir), file) {
			queries[g.db] = append(queries[g.db], g.query)
		}
		for _, db := range slices.Sorted(maps.Keys(queries)) {
			s, c := &pgServer{T: t}, schemaCatalog(nil)
			if dump, err := os.ReadFile(filepath.Join(shared.Dir(t), "data", "postgres", dir, db+".sql")); err == nil {
				s = beginPG(t, conn, string(dump))
				c = s.catalog()
			}
			for _, query := range queries[db] {
				n.count(s, c, query)
			}
			if s.tx != nil {
				s.tx.Rollback(t.Context())
			}
		}
		fmt.Fprintf(&report, "%s: %d queries, %d parse; on the databases that are there %d, of which the server accepts %d; %d resolve, %d print to the same view, %d are renamed as the server does\n",
			path.Clean(dir), n.queries, n.parsed, n.compiled, n.accepted, n.resolved, n.same, n.renamed)
	}
	t.Log(report.String())
	if shared.Whole() && report.String() != pgReport {
		t.Errorf("expected\n%s", pgReport)
	}
}

// pgReport is what the whole data sets give.
const pgReport = `defog: 342 queries, 342 parse; on the databases that are there 342, of which the server accepts 342; 342 resolve, 342 print to the same view, 342 are renamed as the server does
bird: 460 queries, 460 parse; on the databases that are there 52, of which the server accepts 52; 52 resolve, 52 print to the same view, 52 are renamed as the server does
`

// testPGPredictions compares what is no SQL of PostgreSQL to the server's own parser, on what three models wrote.
func testPGPredictions(t *testing.T, conn *pgx.Conn) {
	parsed, total := 0, 0
	for _, model := range []string{"gpt-35-turbo", "gpt-4", "meta-llama-3-70b-instruct-2"} {
		var answers map[string]string
		readJSON(t, &answers, "data", "postgres", "bird", "predict_"+model+"_postgresql.json.gz")
		for i := range len(answers) {
			if i%shared.Every(10) != 0 {
				continue
			}
			query, _, _ := strings.Cut(answers[strconv.Itoa(i)], "\t----- bird -----\t")
			q, err := sqlast.PostgreSQL.Parse(query)
			_, refused := conn.Prepare(t.Context(), "", query)
			syntax, _ := errors.AsType[*pgconn.PgError](refused)
			if isSyntax := syntax != nil && syntax.Code == "42601"; isSyntax != (err != nil) {
				t.Errorf("%s\nparses to %v (%v), the server: %v", query, q, err, refused)
			}
			if total++; err == nil {
				parsed++
			}
		}
	}
	t.Logf("%d of %d parse, those that the server's parser takes", parsed, total)
}
