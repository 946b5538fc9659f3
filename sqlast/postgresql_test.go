package sqlast_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// readPostgres returns the gold SQL of a file of PostgreSQL's questions, with its database.
func readPostgres(t testing.TB, elem ...string) (golds []gold) {
	f, err := os.Open(shared.File(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var record struct {
			DB   string `json:"db_id"`
			Gold string
			SQL  string
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		golds = append(golds, gold{record.DB, cmp.Or(record.Gold, record.SQL)})
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

func TestParsePostgreSQLGolds(t *testing.T) {
	for _, file := range [][]string{{"defog", "questions_postgres.jsonl.gz"}, {"bird", "mini_dev_postgres.jsonl.gz"}} {
		parsed, total := 0, 0
		for _, g := range readPostgres(t, append([]string{"data", "postgres"}, file...)...) {
			for _, query := range alternatives(g.query) {
				total++
				q, err := sqlast.PostgreSQL.Parse(query)
				if err != nil {
					t.Logf("%s: %s: %v", g.db, query, err)
					continue
				}
				parsed++
				again, err := sqlast.PostgreSQL.Parse(q.String())
				if err != nil || again.String() != q.String() {
					t.Errorf("%s\nprints %s\nthat   %v %v", query, q, again, err)
				}
			}
		}
		t.Logf("%s: %d of %d parse", file[0], parsed, total)
	}
}
