package migration

import (
	"bytes"
	"database/sql"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/junit"
)

// made makes a SQLite file by a script and returns its schema.
func made(t *testing.T, id, script string) *dataset.Database {
	t.Helper()
	if err := sqlite.Configure(); err != nil { // before any other use of the engine
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), id+".sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	schema, err := folder.Schema(t.Context(), id, path, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// checked checks questions about a database by a migration file, and returns the report and the problems without the folder of the file.
func checked(t *testing.T, db *dataset.Database, migration string, queries, predictions []string) (*Report, []string) {
	t.Helper()
	script, err := given.ReadScript(migration)
	if err != nil {
		t.Fatal(err)
	}
	u := &dataset.Unit{DB: db}
	for i, query := range queries {
		u.Examples = append(u.Examples, &dataset.Example{Index: i, DB: db.ID, Question: fmt.Sprint("question ", i), Query: query})
	}
	c := &Config{Units: []*dataset.Unit{u}, Scripts: map[string]*given.Script{db.ID: script}, Scratch: t.TempDir(), Workers: 2, Step: func() {}}
	var problems []string
	c.Report = func(err error) {
		problems = append(problems, strings.TrimPrefix(err.Error(), filepath.Dir(migration)+string(filepath.Separator)))
	}
	if predictions != nil {
		c.Predictions = map[int]string{}
		for i, query := range predictions {
			c.Predictions[i] = query
		}
	}
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r, problems
}

// lines returns the lines of a file, none if it is not there.
func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		all = append(all, strings.TrimSuffix(line, "\n"))
	}
	return all
}

// Ten migrations between releases of applications that everybody can get, in the words of their tools. The databases and their
// rows were made for this test, and the verdict of each question was found by hand.
func TestReleases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) < 10 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			schema, err := os.ReadFile(filepath.Join(dir, "schema.sql"))
			if err != nil {
				t.Fatal(err)
			}
			var queries []string
			questions := lines(t, filepath.Join(dir, "questions.tsv"))
			for _, line := range questions {
				queries = append(queries, strings.Split(line, "\t")[1])
			}
			r, problems := checked(t, made(t, filepath.Base(dir), string(schema)), filepath.Join(dir, "migration.sql"), queries, nil)
			for i, line := range questions {
				fields, q := strings.Split(line, "\t"), r.Questions[i]
				right := string(q.Verdict) == fields[0]
				if q.Verdict == Repaired {
					right = right && q.Now == fields[2]
				} else {
					right = right && strings.Contains(q.Reason+" ", fields[2])
				}
				if !right {
					t.Errorf("%s\n%s: %s %s, want %s: %s", q.Query, q.Verdict, q.Reason, q.Now, fields[0], fields[2])
				}
			}
			hasPrefix := cmp.Comparer(func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })
			if diff := cmp.Diff(lines(t, filepath.Join(dir, "problems.txt")), problems, hasPrefix); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// shop is a database of one table.
const shop = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, age INTEGER); INSERT INTO item VALUES (1, 'cup', 3, 7), (2, 'pot', 9, 8), (3, 'lid', 3, 9);"

// verdicts returns the verdicts of a report, on a line.
func verdicts(r *Report) string {
	var all []string
	for _, q := range r.Questions {
		all = append(all, string(q.Verdict))
	}
	return strings.Join(all, " ")
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name, schema, migration string
		queries                 []string
		want, reason, problem   string // of the first question
	}{
		{"nothing", shop, "", []string{"SELECT name FROM item", "SELECT nothing FROM item"}, "untouched not judged", "", ""},
		{"a name that is given anew, unseen", shop, "ALTER TABLE item DROP COLUMN age; ALTER TABLE item RENAME COLUMN price TO age;", []string{"SELECT count(*) FROM item WHERE age > 1"}, "changed", "item.age now names something else", ""},
		{"columns swapped, unseen", shop, "ALTER TABLE item RENAME COLUMN price TO t; ALTER TABLE item RENAME COLUMN age TO price; ALTER TABLE item RENAME COLUMN t TO age;", []string{"SELECT count(*) FROM item WHERE age > 1"}, "repaired", "", ""},
		{"no rows to see it by", shop, "UPDATE item SET price = price + 1;", []string{"SELECT name FROM item WHERE price = 1000"}, "changed", "on made-up rows", ""},
		{"no rows at all", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER)", "ALTER TABLE item RENAME COLUMN name TO label", []string{"SELECT name FROM item WHERE price > 3"}, "repaired", "item.name (SELECT) is label now", ""},
		{"a view in the place of a table", shop, "ALTER TABLE item RENAME TO goods; CREATE VIEW item AS SELECT * FROM goods;", []string{"SELECT name FROM item WHERE price = 9"}, "untouched", "", ""},
		{"a view with another column", shop, "ALTER TABLE item RENAME TO goods; CREATE VIEW item AS SELECT id, name, age AS price FROM goods;", []string{"SELECT name FROM item WHERE price = 9"}, "repaired", "as it was, changed: row (pot) is (lid) now", ""},
		{"ties", shop, "UPDATE item SET name = 'lad' WHERE id = 3; CREATE INDEX i ON item (price, name DESC);", []string{"SELECT name FROM item ORDER BY price LIMIT 1", "SELECT name FROM item WHERE price > 3"}, "not judged untouched", "leaves the answer open", ""},
		{"SQL that we cannot read", shop, "ALTER TABLE item RENAME COLUMN name TO label", []string{"SELECT item.name FROM item, sqlite_schema AS s WHERE s.name = 'item'", "SELECT count(*) FROM item INDEXED BY none"}, "broken not judged", "no such column: item.name", ""},
		{"a failing statement changes nothing", shop, "ALTER TABLE item RENAME COLUMN title TO label;\nUPDATE item SET id = 1;\nDROP TABLE items", []string{"SELECT id FROM item"}, "untouched", "", "a.sql:1: ALTER TABLE item RENAME COLUMN title TO label: no such column"},
		{"everything goes", shop, "DROP TABLE item", []string{"SELECT name FROM item"}, "not judged", "could not be migrated", "shop: the migrated database has no table"},
		{"numbered rows", shop, "CREATE TABLE tag (id serial NOT NULL PRIMARY KEY, name text); INSERT INTO tag (name) SELECT name FROM item; ALTER TABLE item ADD COLUMN no bigserial;\n# MySQL's\nUPDATE item SET price = no + (SELECT id FROM tag WHERE tag.name = item.name);", []string{"SELECT price FROM item WHERE name = 'pot'"}, "changed", "row (9) is (4) now", ""},
		{"a trigger", shop, "CREATE TRIGGER x AFTER INSERT ON item BEGIN UPDATE item SET price = 0 WHERE id = new.id; END; INSERT INTO item VALUES (4, 'jug', 5, 1);", []string{"SELECT sum(price) FROM item"}, "untouched", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.sql")
			if err := os.WriteFile(path, []byte(test.migration), 0o666); err != nil {
				t.Fatal(err)
			}
			r, problems := checked(t, made(t, "shop", test.schema), path, test.queries, nil)
			if got := verdicts(r); got != test.want || !strings.Contains(r.Questions[0].Reason, test.reason) {
				t.Errorf("%s: %q, want %s: %q", got, r.Questions[0].Reason, test.want, test.reason)
			}
			if got := strings.Join(problems, "\n"); !strings.HasPrefix(got, test.problem) || got != "" && test.problem == "" {
				t.Errorf("problems %q, want %q", got, test.problem)
			}
		})
	}
}

func TestPredictions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sql")
	if err := os.WriteFile(path, []byte("ALTER TABLE item RENAME COLUMN name TO label; ALTER TABLE item DROP age"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, _ := checked(t, made(t, "shop", shop), path, []string{"SELECT name FROM item", "SELECT price FROM item WHERE id = 1", "SELECT max(price) FROM item", "SELECT id FROM item WHERE id = 2"},
		[]string{"SELECT T1.name FROM item AS T1", "SELECT price FROM item WHERE age = 7", "SELECT min(price) FROM item", "SELECT id FROM item WHERE id = 2"})
	want := Counts{Repaired: 1, Broken: 1, Untouched: 1, Changed: 0, NotJudged: 0}
	if diff := cmp.Diff(want, r.Predictions); diff != "" || r.Wrong != 1 || !r.Failed() || r.Counts[Broken] != 0 {
		t.Errorf("%d wrong, golds %v, predictions (-want +got):\n%s", r.Wrong, r.Counts, diff)
	}
	var b bytes.Buffer
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var read junit.Suites
	if err := xml.Unmarshal(b.Bytes(), &read); err != nil || read.Tests != 7 || read.Failures != 1 || !strings.Contains(b.String(), "item.age (WHERE) is gone") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
