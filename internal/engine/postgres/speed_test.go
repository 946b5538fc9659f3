package postgres

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	testserver "github.com/tabperturb/tabperturb/internal/testkit/postgres"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// leastSpeed is how many golds a second are verified, as a share of those whose statements psql runs.
const leastSpeed = 0.7

// TestSpeed runs the golds of BIRD's superhero before and after each table has got a column, and compares the answers, beside psql that
// runs the same statements in the same transactions.
func TestSpeed(t *testing.T) {
	shared.Quality(t)
	dsn := testserver.CreateDatabase(t, testserver.Start(t), "superhero")
	testserver.Load(t, dsn, shared.File(t, "data", "postgres", "bird", "superhero.sql"))
	path := filepath.Join(t.TempDir(), "superhero"+Ext)
	if _, _, err := WriteAddress(func(string) string { return path }, dsn); err != nil {
		t.Fatal(err)
	}
	before, err := Draft(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := before.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var writes []sqldata.Write
	for _, table := range tables {
		writes = append(writes, sqldata.AddColumn{Table: table.Name, Name: "added", Cells: []sqldata.Value{sqldata.NewText("x"), sqldata.NewText("y")}})
	}
	after, err := Draft(t.Context(), path, writes...)
	if err != nil {
		t.Fatal(err)
	}
	golds := goldsOf(t, "superhero")
	var script strings.Builder
	for _, gold := range golds {
		printed, err := Allow(gold)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{printed, after.tables.Before(printed)} {
			fmt.Fprintf(&script, "BEGIN READ ONLY; SET LOCAL statement_timeout = 10000; SET LOCAL lock_timeout = 5000;\n%s;\nROLLBACK;\n", sql)
		}
	}
	file := filepath.Join(t.TempDir(), "golds.sql")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	own, psql := time.Hour, time.Hour
	for range 7 { // in turn, so that both meet the same load
		begun := time.Now()
		for _, gold := range golds {
			a, err := before.Query(t.Context(), gold, sqldata.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := after.Query(t.Context(), gold, sqldata.Limits{})
			if err != nil || !sqldata.EqualBag(a, b) {
				t.Fatalf("%s: another answer after the change, %v", gold, err)
			}
		}
		own = min(own, time.Since(begun))
		begun = time.Now()
		if out, err := exec.Command(testserver.Program(t, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull, "-f", file, dsn).CombinedOutput(); err != nil {
			t.Fatalf("psql: %v\n%s", err, out)
		}
		psql = min(psql, time.Since(begun))
	}
	perSecond := func(d time.Duration) float64 { return float64(len(golds)) / d.Seconds() }
	t.Logf("%d golds before and after: %.0f a second, by psql %.0f, %.2f times", len(golds), perSecond(own), perSecond(psql), psql.Seconds()/own.Seconds())
	if perSecond(own) < leastSpeed*perSecond(psql) {
		t.Errorf("want at least %.1f times psql's", leastSpeed)
	}
}

// goldsOf returns BIRD's gold SQL of a database.
func goldsOf(t *testing.T, db string) (golds []string) {
	f, err := os.Open(shared.File(t, "data", "postgres", "bird", "mini_dev_postgres.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	questions, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(questions)
	for decoder.More() {
		var r struct {
			DB  string `json:"db_id"`
			SQL string
		}
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.DB == db {
			golds = append(golds, r.SQL)
		}
	}
	return golds
}
