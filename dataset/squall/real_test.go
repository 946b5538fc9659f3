package squall

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// realSet opens Squall's tables with the questions of WikiTableQuestions.
func realSet(t testing.TB, split string) (set *dataset.Set, dir string) {
	t.Helper()
	dir = t.TempDir()
	for link, target := range map[string]string{
		"tables":          filepath.Join(shared.Untar(t, "data", "squall", "tables_json.tar.gz"), "tables"),
		"data":            filepath.Join(shared.Untar(t, "data", "squall", "dev_fold_ids.tar.gz"), "data"),
		"training.tsv.gz": shared.File(t, "data", "wtq", "training.tsv.gz"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Format.Read(t.Context(), dir, split)
	if err != nil {
		t.Fatal(err)
	}
	return set, dir
}

// TestTables reads all 2,108 tables, compares their headers with those of the CSV
// files, and writes some of them back (all where the environment asks for it):
// JSON byte by byte, SQLite with the same schema and rows as Squall's own.
func TestTables(t *testing.T) {
	shared.Quality(t)
	set, dir := realSet(t, "all")
	tables := shared.Untar(t, "data", "wtq", "csv.tar.gz")
	step := 40
	if os.Getenv("SQUALL_ALL") != "" {
		step = 1
	}
	total, warnings := 0, 0
	var headers headerCount
	var some []*dataset.Database
	for db, err := range streamtest.All(set.Databases) {
		if err != nil {
			warnings++
			continue
		}
		checkSchema(t, db)
		headers.add(t, tables, db)
		if total++; total%step == 0 || db.ID == "204_776" {
			some = append(some, db)
		}
	}
	if total != 2108 || warnings != 1 {
		t.Errorf("%d tables and %d warnings, want 2108 and 1, of a column of 204_776 that is cut short", total, warnings)
	}
	headers.check(t)
	subset := *set
	subset.Databases = streamtest.Of(func(yield func(*dataset.Database, error) bool) {
		for _, db := range some {
			if !yield(db, nil) {
				return
			}
		}
	})
	subset.Examples = streamtest.Of(func(func(*dataset.Example, error) bool) {})
	out := t.TempDir()
	if err := Format.Write(t.Context(), &subset, out, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	original := shared.Untar(t, "data", "squall", "tables_db.tar.gz")
	for _, db := range some {
		want, err := os.ReadFile(filepath.Join(dir, "tables", "json", db.ID+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(out, "tables", "json", db.ID+".json")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s.json is written otherwise than it was read, %v", db.ID, err)
		}
		sameDatabase(t, filepath.Join(out, "tables", "db", db.ID+".db"), filepath.Join(original, "tables", "db", db.ID+".db"))
	}
}

var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkSchema checks what other packages count on.
func checkSchema(t *testing.T, db *dataset.Database) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range db.Tables[0].Columns {
		if seen[c.Original] || !plainName.MatchString(c.Original) || c.Name == "" {
			t.Errorf("%s: column %+v has no plain name of its own", db.ID, c)
		}
		seen[c.Original] = true
		if c.Base != "" && (!strings.HasPrefix(c.Original, c.Base+"_") || !seen[c.Base]) {
			t.Errorf("%s: column %q is not named after its base %q", db.ID, c.Original, c.Base)
		}
	}
}

func sameDatabase(t *testing.T, got, want string) {
	t.Helper()
	type contents struct {
		Tables []sqldata.Table
		Rows   [][][]sqldata.Value
	}
	read := func(path string) contents {
		db, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		tables, err := db.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := contents{Tables: tables}
		for _, table := range tables {
			res, err := db.Query(t.Context(), "SELECT * FROM "+sqldata.QuoteName(table.Name), sqldata.Limits{Rows: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			c.Rows = append(c.Rows, res.Rows)
		}
		return c
	}
	if g, w := read(got), read(want); !reflect.DeepEqual(g, w) {
		for i := range w.Tables {
			if i >= len(g.Tables) || !reflect.DeepEqual(g.Tables[i], w.Tables[i]) || !reflect.DeepEqual(g.Rows[i], w.Rows[i]) {
				t.Errorf("%s: table %v differs from Squall's %v", got, g.Tables[min(i, len(g.Tables)-1)], w.Tables[i])
				for r := range w.Rows[i] {
					if i < len(g.Rows) && r < len(g.Rows[i]) && !reflect.DeepEqual(g.Rows[i][r], w.Rows[i][r]) {
						t.Errorf("row %d is %v, want %v", r, g.Rows[i][r], w.Rows[i][r])
						break
					}
				}
				return
			}
		}
	}
}

// headerCount compares headers with those of WikiTableQuestions' CSV files, both
// normalised as WikiTableQuestions normalises text.
type headerCount struct {
	same     int
	reshaped int      // tables with other columns
	differ   []string // tables with as many columns but other headers
}

func (n *headerCount) add(t *testing.T, tables string, db *dataset.Database) {
	t.Helper()
	csv, err := wtq.ReadTable(tables, db.ID, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	var theirs, ours []string
	for i := range csv.Tables[0].Columns {
		theirs = append(theirs, normalise(wtq.Header(&csv.Tables[0].Columns[i])))
	}
	for i := range db.Tables[0].Columns {
		if c := &db.Tables[0].Columns[i]; c.Base == "" && c.Original != "id" && c.Original != "agg" {
			ours = append(ours, normalise(wtq.Header(c)))
		}
	}
	switch {
	case len(ours) != len(theirs):
		n.reshaped++
	case slices.Equal(ours, theirs):
		n.same++
	default:
		n.differ = append(n.differ, fmt.Sprintf("%s: %q, in the CSV file %q", db.ID, ours, theirs))
	}
}

// check holds the figures. Squall changed the shape of 40 tables: it put the halves of
// tables that repeat their columns side by side below each other, and made columns of
// rows that are captions or notes ("category", "bye"). Twelve with as many columns
// have other headers: none, where the first row of the CSV file holds cells; more
// words, where Squall reads two rows as headers; numbers (2.20 as 2.2).
func (n *headerCount) check(t *testing.T) {
	t.Helper()
	t.Logf("%d tables have equal headers, %d other columns, %d others:\n%s", n.same, n.reshaped, len(n.differ), strings.Join(n.differ, "\n"))
	if n.same != 2056 || n.reshaped != 40 || len(n.differ) != 12 {
		t.Errorf("%d tables have equal headers, %d other columns and %d other headers, want 2056, 40 and 12", n.same, n.reshaped, len(n.differ))
	}
}

var (
	quotes    = strings.NewReplacer("‘", "'", "’", "'", "´", "'", "`", "'", "“", `"`, "”", `"`)
	dashes    = regexp.MustCompile(`[‐‑‒–—−]`)
	citations = regexp.MustCompile(`(\[[^\]]*\]|[•♦†‡*#+:])+$`)
)

// normalise is WikiTableQuestions' normalisation of text: without accents, in lower case, with
// plain quotes and dashes, without citations and marks of footnotes at the end; and
// without the colons that Squall dropped too.
func normalise(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	s = dashes.ReplaceAllString(quotes.Replace(strings.ToLower(s)), "-")
	if cut := strings.TrimSpace(citations.ReplaceAllString(strings.TrimSpace(s), "")); cut != "" {
		s = cut
	}
	return strings.Join(strings.Fields(s), " ")
}

// TestFold reads the questions of fold 0, on whose tables ADVETA is built.
func TestFold(t *testing.T) {
	set, _ := realSet(t, "dev-0")
	databases, examples := 0, 0
	for _, err := range streamtest.All(set.Databases) {
		if err == nil {
			databases++
		}
	}
	for ex, err := range streamtest.All(set.Examples) {
		if err != nil {
			t.Error(err)
			continue
		}
		if ex.Index != examples {
			t.Fatalf("%s has index %d, want %d", ex.ID, ex.Index, examples)
		}
		examples++
	}
	if databases != 336 || examples != 2817 {
		t.Errorf("%d tables and %d questions, want 336 and 2817", databases, examples)
	}
}

// TestADVETA gives the names of ADVETA's excerpts to columns of Squall's and of
// WikiTableQuestions' tables.
func TestADVETA(t *testing.T) {
	set, _ := realSet(t, "dev-0")
	var ours, theirs []*dataset.Database
	for db, err := range streamtest.All(set.Databases) {
		if err != nil {
			t.Fatal(err)
		}
		csv, err := wtq.ReadTable(shared.Untar(t, "data", "wtq", "csv.tar.gz"), db.ID, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs = append(ours, db), append(theirs, csv)
	}
	for _, file := range []string{"wtq-rpl-excerpt.json", "wtq-add-excerpt.json"} {
		path := shared.File(t, "data", "adveta", file)
		alone, err := dataset.ReadAnyBuckets(path, nil, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		for name, dbs := range map[string][]*dataset.Database{"squall": ours, "wtq": theirs} {
			var warnings []error
			buckets, err := dataset.ReadAnyBuckets(path, dbs, func(err error) { warnings = append(warnings, err) })
			if err != nil || len(buckets) < len(alone) {
				t.Errorf("%s, %s: %d columns have names, %v, want the %d of the file or, where headers are repeated, more", file, name, len(buckets), err, len(alone))
			}
			for _, w := range warnings {
				if !strings.Contains(w.Error(), "left out") && !strings.Contains(w.Error(), "taken as") {
					t.Errorf("%s: %v", name, w)
				}
			}
			for id := range buckets {
				if id.Table != "w" {
					t.Errorf("%s, %s: %v is no column of the data set", file, name, id)
				}
			}
		}
	}
}
