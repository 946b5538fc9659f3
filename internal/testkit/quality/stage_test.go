//go:build quality

package quality

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	tabperturb "github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	server "github.com/tabperturb/tabperturb/internal/testkit/postgres"
)

// gigabyte makes a database of a gigabyte.
const gigabyte = `CREATE TABLE customer (id int PRIMARY KEY, name text, city text);
CREATE TABLE product (id int PRIMARY KEY, title text, price numeric(8,2));
CREATE TABLE purchase (id int PRIMARY KEY, customer_id int REFERENCES customer, product_id int REFERENCES product, ordered_on date, amount numeric(8,2), note text);
INSERT INTO customer SELECT i, 'name ' || i, 'city ' || i % 97 FROM generate_series(1, 50000) i;
INSERT INTO product SELECT i, 'title ' || i, i % 500 FROM generate_series(1, 10000) i;
` + purchases + `generate_series(1, 6400000) i;
CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
ANALYZE`

// purchases begins the statement that fills the large table.
const purchases = `INSERT INTO purchase SELECT i, 1 + i % 50000, 1 + i % 10000, date '2020-01-01' + i % 1500, i % 977, repeat(md5(i::text), 3) FROM `

const gigabyteQuestions = `question,sql
How many customers are there?,SELECT count(*) FROM customer
What are the names of customers from city 5?,SELECT name FROM customer WHERE city = 'city 5' ORDER BY name
What did customer 77 order?,"SELECT T2.title, T1.amount FROM purchase AS T1 JOIN product AS T2 ON T1.product_id = T2.id WHERE T1.id = 77"
How many customers are in each city?,"SELECT city, count(*) FROM customer GROUP BY city"
What is the total amount?,SELECT sum(amount) FROM purchase
When were the first orders?,SELECT min(ordered_on) FROM purchase
Which products cost more than 490?,SELECT title FROM product WHERE price > 490
`

// TestStage stages the perturbed schemas of a build on a database of a gigabyte, within 5 seconds and a megabyte. Views answer every question as
// copies of their rows with the declared keys do, for which the large table is shortened.
func TestStage(t *testing.T) {
	dsn := server.CreateDatabase(t, server.Start(t), "shop")
	conn := server.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), gigabyte, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	questions, out := filepath.Join(dir, "questions.csv"), filepath.Join(dir, "shop")
	if err := os.WriteFile(questions, []byte(gigabyteQuestions), 0o600); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) time.Duration {
		start := time.Now()
		if err := tabperturb.Do(t.Context(), io.Discard, os.Stderr, args); err != nil {
			t.Fatal(args, err)
		}
		return time.Since(start)
	}
	took := do("init", strings.Replace(dsn, "postgres@", "reader@", 1), questions, "--perturb", "adveta,evolve,mtteql/column-shuffle", "--samples", "1", "--out", out)
	before := size(t, conn)
	fmt.Printf("a database of %.2f GB, init %v\n", float64(before)/1e9, took.Round(time.Second))
	took = do("stage", dsn, "--build", filepath.Join(out, "benchmark"), "--role", "product")
	added := size(t, conn) - before
	if _, err := conn.Exec(t.Context(), "TRUNCATE purchase; "+purchases+"generate_series(1, 20000) i", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	asked, schemas := compareStaged(t, conn, filepath.Join(out, "benchmark"))
	fmt.Printf("%d schemas staged in %v, %.2f MB; %d questions answered as by copies\n", schemas, took.Round(time.Millisecond), float64(added)/1e6, asked)
	if before < 1e9 || added > 1e6 || took > 5*time.Second || asked == 0 {
		t.Errorf("a database of %d bytes: %d added in %v, expected at most 1 MB in 5 s", before, added, took)
	}
}

// size returns the bytes of the database.
func size(t *testing.T, conn *pgx.Conn) (n int64) {
	if err := conn.QueryRow(t.Context(), "SELECT pg_database_size(current_database())").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// compareStaged asks the gold SQL of each record on the views of its schema and on copies of them with keys.
func compareStaged(t *testing.T, conn *pgx.Conn, build string) (asked, schemas int) {
	golds := map[string][]string{}
	databases := map[string]*dataset.Database{}
	err := recordfile.Read(filepath.Join(build, benchmark.RecordsFile), func(r dataset.Record) error {
		if r.DBPost != r.DBPre && !slices.Contains(golds[r.DBPost], r.QueryPost) {
			golds[r.DBPost] = append(golds[r.DBPost], r.QueryPost)
		}
		all, err := dataset.DirSchemas(filepath.Join(build, r.Perturbation, "post"), func(error) {})
		if err == nil {
			databases[r.DBPost] = all[r.DBPost]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, list := range golds {
		schemas++
		copyViews(t, conn, databases[id])
		for _, gold := range list {
			asked++
			views, copies := answerIn(t, conn, id, gold), answerIn(t, conn, "copies", gold)
			if len(views) == 0 || !slices.Equal(views, copies) {
				t.Errorf("%s: %s\nviews  %.300v\ncopies %.300v", id, gold, views, copies)
			}
		}
	}
	return asked, schemas
}

// copyViews makes the schema copies anew, of tables with the rows of a staged schema and the keys of its database.
func copyViews(t *testing.T, conn *pgx.Conn, db *dataset.Database) {
	var script strings.Builder
	script.WriteString("SET client_min_messages = error; DROP SCHEMA IF EXISTS copies CASCADE; CREATE SCHEMA copies;\n")
	for i, table := range db.Tables {
		name := sqldata.QuoteName(table.Original)
		fmt.Fprintf(&script, "CREATE UNLOGGED TABLE copies.%[1]s AS TABLE %[2]s.%[1]s;\n", name, sqldata.QuoteName(db.ID))
		for _, key := range db.PrimaryKeys {
			if key.Table == i {
				fmt.Fprintf(&script, "ALTER TABLE copies.%s ADD PRIMARY KEY (%s);\n", name, sqldata.QuoteName(db.Column(key).Original))
			}
		}
	}
	if _, err := conn.Exec(t.Context(), script.String(), pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// answerIn returns the rows of a query on the tables of a schema as text, in the order of their text.
func answerIn(t *testing.T, conn *pgx.Conn, schema, query string) (rows []string) {
	ctx := context.Background()
	if _, err := conn.Exec(ctx, "SET search_path = "+sqldata.QuoteName(schema)); err != nil {
		t.Fatal(err)
	}
	result, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	for result.Next() {
		var row []string
		for _, cell := range result.RawValues() {
			row = append(row, string(cell))
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	if err := result.Err(); err != nil {
		t.Errorf("%s: %s: %v", schema, query, err)
	}
	slices.Sort(rows)
	return rows
}
