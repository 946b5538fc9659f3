package benchmark_test

import (
	"cmp"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// fts4 makes a table of a module that the engine lacks, as SQLite programs that have it do.
const fts4 = `CREATE TABLE 'notes_content'(docid INTEGER PRIMARY KEY, 'c0title'); CREATE TABLE 'notes_segments'(blockid INTEGER PRIMARY KEY, block BLOB);
	CREATE TABLE 'notes_segdir'(level INTEGER, idx INTEGER, start_block INTEGER, leaves_end_block INTEGER, end_block INTEGER, root BLOB, PRIMARY KEY(level, idx));
	CREATE TABLE 'notes_docsize'(docid INTEGER PRIMARY KEY, size BLOB); CREATE TABLE 'notes_stat'(id INTEGER PRIMARY KEY, value BLOB);
	PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES ('table', 'notes', 'notes', 0, 'CREATE VIRTUAL TABLE notes USING fts4(title)'); PRAGMA writable_schema=OFF;`

// featureSchemas are small schemas that each have one feature of SQLite. A part that is empty is the one of
// TestDraftsAsCopies.
var featureSchemas = []struct{ name, person, pet, more, query string }{
	{name: "plain"},
	{name: "view", more: "CREATE VIEW old AS SELECT name, age FROM person WHERE age > 20", query: "SELECT name FROM old"},
	{name: "view of a star", more: "CREATE VIEW everyone AS SELECT * FROM person", query: "SELECT name FROM everyone"},
	{name: "view with names", more: "CREATE VIEW cities(place, people) AS SELECT city, count(*) FROM person GROUP BY city", query: "SELECT people FROM cities"},
	{name: "trigger", more: "CREATE TABLE log (entry TEXT); CREATE TRIGGER logged AFTER INSERT ON person BEGIN INSERT INTO log VALUES (new.name); END"},
	{name: "trigger of a column", more: "CREATE TRIGGER aged BEFORE UPDATE OF age ON person WHEN new.age < old.age BEGIN SELECT RAISE(ABORT, 'younger'); END"},
	{name: "trigger of a view", more: "CREATE VIEW old AS SELECT name, age FROM person; CREATE TRIGGER into_old INSTEAD OF INSERT ON old BEGIN INSERT INTO person (name, age) VALUES (new.name, new.age); END"},
	{name: "generated, virtual", pet: "pet_id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT, weight REAL, grams REAL GENERATED ALWAYS AS (weight * 1000) VIRTUAL", query: "SELECT kind FROM pet WHERE grams > 4000"},
	{name: "generated, stored", pet: "pet_id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT, weight REAL, loud TEXT AS (upper(kind)) STORED", query: "SELECT loud FROM pet"},
	{name: "WITHOUT ROWID", person: "person_id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER) WITHOUT ROWID --"},
	{name: "STRICT", person: "person_id INTEGER PRIMARY KEY, name TEXT, city ANY, age INT) STRICT --"},
	{name: "FTS5", more: "CREATE VIRTUAL TABLE notes USING fts5(title); INSERT INTO notes VALUES ('first')"},
	{name: "FTS5 kept by a trigger", more: "CREATE VIRTUAL TABLE notes USING fts5(title); CREATE TRIGGER kept AFTER INSERT ON person BEGIN INSERT INTO notes VALUES (new.name); END"},
	{name: "FTS5 of a table's content", more: "CREATE VIRTUAL TABLE notes USING fts5(name, content='person', content_rowid='person_id')"},
	{name: "FTS4", more: fts4},
	{name: "FTS4 kept by a trigger", more: fts4 + "CREATE TRIGGER kept AFTER INSERT ON person BEGIN INSERT INTO notes VALUES (new.name); END"},
	{name: "unknown module", more: strings.Replace(fts4, "fts4(title)", "spellfix1", 1)},
	{name: "view of FTS4", more: fts4 + "CREATE VIEW titles AS SELECT title FROM notes"},
	{name: "R*Tree", more: "CREATE VIRTUAL TABLE areas USING rtree(id, minx, maxx); INSERT INTO areas VALUES (1, 0, 1)"},
	{name: "partial index", more: "CREATE INDEX dogs ON pet(owner) WHERE kind = 'dog'"},
	{name: "index of an expression", more: "CREATE INDEX lower_name ON person(lower(name))"},
	{name: "unique index", more: "CREATE UNIQUE INDEX names ON person(name, city)"},
	{name: "CHECK", person: "person_id INTEGER PRIMARY KEY, name TEXT CHECK (length(name) > 1), city TEXT, age INTEGER CHECK (age BETWEEN 0 AND 130), CHECK (city <> name)"},
	{name: "composite key", pet: "pet_id INTEGER, owner INTEGER, kind TEXT, weight REAL, PRIMARY KEY (pet_id, owner)"},
	{name: "composite foreign key", pet: "pet_id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT, weight REAL, UNIQUE (kind, weight)",
		more: "CREATE TABLE visit (kind TEXT, weight REAL, day TEXT, FOREIGN KEY (kind, weight) REFERENCES pet(kind, weight)); INSERT INTO visit VALUES ('dog', 9.5, '2020-01-02')", query: "SELECT day FROM visit"},
	{name: "collation", person: "person_id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT COLLATE RTRIM, age INTEGER", query: "SELECT age FROM person WHERE name = 'ANN'"},
	{name: "odd names", more: `CREATE TABLE "order of ""x""" ("größe cm" REAL, "select" TEXT, [a.b] TEXT); INSERT INTO "order of ""x""" VALUES (1.5, 'a', 'b')`, query: `SELECT "select" FROM "order of ""x""" WHERE "größe cm" > 1`},
	{name: "reference to itself", pet: "pet_id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT, weight REAL REFERENCES pet(pet_id)"},
	{name: "AUTOINCREMENT", person: "person_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL DEFAULT 'x', city TEXT, age INTEGER"},
	{name: "no types and no key", pet: "pet_id, owner, kind, weight"},
	{name: "cascades", pet: "pet_id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, kind TEXT, weight REAL"},
	{name: "empty tables", more: "DELETE FROM pet; DELETE FROM person"},
}

// TestDraftsAsCopies builds each schema with copies of its perturbed databases and without, and compares what
// both write beside the databases.
func TestDraftsAsCopies(t *testing.T) {
	list, err := benchmark.Select([]string{"adveta", "mtteql/flattening", "mtteql/column-removal", "drspider/schema-synonym"})
	if err != nil {
		t.Fatal(err)
	}
	spider, err := formats.Find("spider")
	if err != nil {
		t.Fatal(err)
	}
	some := shared.Every(3) // of the schemas: each is built twice
	for i, s := range featureSchemas {
		if i%some != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			file, questions := filepath.Join(dir, "shop.sqlite"), filepath.Join(dir, "questions.csv")
			raw(t, file, func(db *sql.DB) {
				db.SetMaxOpenConns(1)
				for _, statement := range []string{
					"CREATE TABLE person (" + cmp.Or(s.person, "person_id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER") + "\n)",
					"CREATE TABLE pet (" + cmp.Or(s.pet, "pet_id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person(person_id), kind TEXT, weight REAL") + "\n)",
					"INSERT INTO person VALUES (1, 'Ann', 'Rome', 31), (2, 'Bob', 'Oslo', 19), (3, 'Cy', 'Rome', 44), (4, 'Dan', 'Bonn', 25)",
					"INSERT INTO pet (pet_id, owner, kind, weight) VALUES (1, 1, 'dog', 9.5), (2, 1, 'cat', 4.5), (3, 3, 'dog', 12.5)",
					s.more,
				} {
					if _, err := db.Exec(strings.Replace(statement, "--\n)", "", 1)); err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
				}
			})
			text := "question,sql\nWhat are the names of people older than 20?,SELECT name FROM person WHERE age > 20\n" +
				"How many pets are of the kind dog?,SELECT count(*) FROM pet WHERE kind = 'dog'\n" +
				"List names and weights of pets and owners.,\"SELECT name, weight FROM person JOIN pet ON owner = person_id\"\n" +
				"What else is there?,\"" + strings.ReplaceAll(cmp.Or(s.query, "SELECT city FROM person"), `"`, `""`) + "\"\n"
			if err := os.WriteFile(questions, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			set, err := folder.Files(t.Context(), file, questions, "dev")
			if err != nil {
				t.Fatal(err)
			}
			data := filepath.Join(dir, "data")
			told := func(err error) {
				if !dataset.IsNote(err) {
					t.Error(err)
				}
			}
			if _, err := formats.Convert(t.Context(), set, spider, data, formats.Options{Report: told}); err != nil {
				t.Fatal(err)
			}
			c := benchmark.Config{Perturbations: list, Resources: perturbtest.Resources(), Buckets: namesOf(perturbtest.Units(t, data)[0].DB),
				Samples: 1, Seed: 1, Workers: 1, Split: "dev", Inputs: []benchmark.Input{{Name: "dev.json", SHA256: "0"}}, Report: told}
			c.Databases = benchmark.DatabasesFull
			full, m := mustBuild(t, data, c)
			c.Databases = benchmark.DatabasesNone
			none, _ := mustBuild(t, data, c)
			want, got := tree(t, full), tree(t, none)
			for path, hash := range want {
				switch {
				case got[path] == hash, strings.HasSuffix(path, ".sqlite"), strings.HasSuffix(path, "manifest.json"):
				case !strings.HasSuffix(path, "rejected.jsonl") || rejections(t, full+path) != rejections(t, none+path):
					t.Errorf("%s differs", path)
				}
			}
			if strings.Contains(s.more, "fts4") {
				c.Databases, c.Rows = benchmark.DatabasesRows, 2
				mustBuild(t, data, c)
			}
			verified := 0
			for _, p := range m.Perturbations {
				verified += p.Verified
			}
			if verified == 0 && s.name != "empty tables" {
				t.Error("no records")
			}
		})
	}
}

// rejections returns a file of rejections, with one name for a table of a module that the engine lacks. What SQLite
// says of a trigger or view that needs the table depends on whether there is an entry in the schema.
func rejections(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(string(text), "no such table: main.notes", "no such module: fts4")
}
