package sqlast_test

import (
	"archive/tar"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A corpus is queries by database, with the databases to compile them on.
type corpus struct {
	queries map[string][]string
	open    func(db string) *sql.DB // nil where there is none
}

func (c *corpus) add(db, query string) {
	if c.queries == nil {
		c.queries = map[string][]string{}
	}
	c.queries[db] = append(c.queries[db], query)
}

// tally counts what became of the queries of a corpus.
type tally struct{ total, parsed, accepted, refused, compiled int }

func (n tally) String() string {
	return fmt.Sprintf("%d of %d parse; SQLite accepts %d, of which %d do not parse; %d print to the same program",
		n.parsed, n.total, n.accepted, n.refused, n.compiled)
}

// check parses and prints every query and has SQLite compile both texts. What
// SQLite accepts must parse, print to a fixed point, and compile to the same
// program.
func (c *corpus) check(t *testing.T) (n tally) {
	t.Helper()
	for _, db := range slices.Sorted(maps.Keys(c.queries)) {
		conn := c.open(db)
		for _, query := range c.queries[db] {
			n.total++
			want, accepted := "", false
			if conn != nil {
				var err error
				want, err = program(conn, query)
				// The driver runs what follows a semicolon too.
				accepted = err == nil && !strings.Contains(strings.TrimRight(query, "; \n"), ";")
			}
			if accepted {
				n.accepted++
			}
			q, err := sqlast.Parse(query)
			if err == nil {
				n.parsed++
				err = parses(sqlast.SQLite, query)
			}
			switch {
			case err != nil && accepted:
				n.refused++
				t.Errorf("SQLite accepts %s: %q: %v", db, query, err)
			case err != nil:
				t.Logf("%s: %s: %v", db, query, err)
			case accepted:
				if got, err := program(conn, q.String()); got != want {
					t.Errorf("%s: %s\nprints as %s\nwith another program (%v)", db, query, q, err)
					continue
				}
				n.compiled++
			}
		}
	}
	t.Log(n)
	return n
}

// spiderDBs opens the databases of Spider's dev or train set.
func spiderDBs(t *testing.T, split string) func(string) *sql.DB {
	dir := shared.Untar(t, "data", "spider", "databases_"+split+".tar.gz")
	return func(db string) *sql.DB { return openDB(t, dir, db) }
}

func TestParseSpider(t *testing.T) {
	for _, test := range []struct {
		split, file string
		parsed      int
	}{
		{"dev", "dev_gold.sql", 1034},
		// Two golds have ORDER BY before INTERSECT.
		{"train", "train_gold.sql.gz", 8657},
	} {
		t.Run(test.split, func(t *testing.T) {
			if test.split == "train" {
				shared.Quality(t)
			}
			c := &corpus{open: spiderDBs(t, test.split)}
			for _, g := range readGold(t, "data", "spider", test.file) {
				c.add(g.db, g.query)
			}
			if n := c.check(t); n.parsed != test.parsed {
				t.Errorf("%d queries parse, expected %d", n.parsed, test.parsed)
			}
		})
	}
}

func TestParseMultiTurn(t *testing.T) {
	for _, set := range []string{"sparc", "cosql"} {
		t.Run(set, func(t *testing.T) {
			c := &corpus{open: spiderDBs(t, "dev")}
			for _, g := range readGold(t, "data", set, "dev_gold.txt") {
				c.add(g.db, g.query)
			}
			n := c.check(t)
			if n.parsed*100 < n.total*99 {
				t.Errorf("less than 99 %% parse")
			}
		})
	}
}

// TestParsePredictions parses what models wrote for Spider's dev set. Much of
// it is not SQL: only what SQLite accepts must parse.
func TestParsePredictions(t *testing.T) {
	golds := readGold(t, "data", "spider", "dev_gold.sql")
	open := spiderDBs(t, "dev")
	for _, file := range predictionFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c := &corpus{open: open}
			for i, query := range predictions(t, file) {
				if i%shared.Every(10) == 0 {
					c.add(golds[i].db, query)
				}
			}
			c.check(t)
		})
	}
}

func predictionFiles(t *testing.T) []string {
	t.Helper()
	base := shared.File(t, "data", "predictions", "spider-dev")
	var files []string
	for _, pattern := range []string{"*.txt", "leaderboard/*.txt"} {
		list, err := filepath.Glob(filepath.Join(base, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	return files
}

// predictions returns the queries of a file with one on each line, in the order
// of Spider's dev set; a database may follow after a tab.
func predictions(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(strings.TrimSpace(line), "\t")
	}
	return lines
}

// birdDBs returns empty databases with the tables and columns of BIRD's dev
// set.
func birdDBs(t *testing.T) func(string) *sql.DB {
	open := map[string]*sql.DB{}
	untar(t, func(name string, data []byte) {
		var tables map[string][]struct {
			Column string `json:"column_name"`
		}
		if err := json.Unmarshal(data, &tables); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		c := openFile(t, ":memory:")
		for table, columns := range tables {
			var names []string
			for _, c := range columns {
				names = append(names, fmt.Sprintf("`%s`", strings.TrimSpace(c.Column)))
			}
			if _, err := c.Exec(fmt.Sprintf("CREATE TABLE `%s` (%s)", table, strings.Join(names, ", "))); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		open[strings.TrimSuffix(path.Base(name), "_schema.json")] = c
	}, "data", "bird", "schema_descriptions.tar.gz")
	return func(db string) *sql.DB { return open[db] }
}

func untar(t *testing.T, each func(name string, data []byte), elem ...string) {
	t.Helper()
	f, err := os.Open(shared.File(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".json") {
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		each(h.Name, data)
	}
}

func TestParseBIRD(t *testing.T) {
	shared.Quality(t)
	open := birdDBs(t)
	for _, file := range []string{"dev.json.gz", "mini_dev.json.gz"} {
		t.Run(file, func(t *testing.T) {
			var examples []struct {
				DB  string `json:"db_id"`
				SQL string
			}
			readJSON(t, &examples, "data", "bird", file)
			c := &corpus{open: open}
			for _, e := range examples {
				c.add(e.DB, e.SQL)
			}
			if n := c.check(t); n.parsed != n.total {
				t.Errorf("%d of %d parse", n.parsed, n.total)
			}
		})
	}
	t.Run("predictions", func(t *testing.T) {
		c := &corpus{open: open}
		untar(t, func(name string, data []byte) {
			var predictions map[string]string
			if json.Unmarshal(data, &predictions) != nil {
				return
			}
			for _, i := range slices.Sorted(maps.Keys(predictions)) {
				query, db, _ := strings.Cut(predictions[i], "\t----- bird -----\t")
				c.add(db, query)
			}
		}, "data", "predictions", "bird-mini-dev", "exp_result_sqlite.tar.gz")
		c.check(t)
	})
}
