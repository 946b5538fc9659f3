package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// A sample has the rows that were taken and the first of each table, with those that they
// refer to, and the schema of the original.
func TestSampler(t *testing.T) {
	src := scriptFile(t, `CREATE TABLE town (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
		CREATE TABLE person (id INTEGER PRIMARY KEY, town TEXT REFERENCES town, boss INTEGER REFERENCES person (id), twice AS (2 * id));
		CREATE INDEX by_town ON person (town); CREATE VIEW bosses AS SELECT * FROM person WHERE id IN (SELECT boss FROM person);
		CREATE TRIGGER moved AFTER UPDATE ON person BEGIN SELECT 1; END;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) INSERT INTO town SELECT printf('%03d', i), 'Town ' || i FROM n;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO person SELECT i, printf('%03d', i % 100), nullif(i / 2, 0) FROM n;`)
	var files []string
	for range 2 {
		s, err := NewSampler(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.Take("Person", []sqldata.Value{sqldata.NewInt(499)})
		s.Take("person", []sqldata.Value{{}})
		if err := s.First(3); err != nil {
			t.Fatal(err)
		}
		dst := filepath.Join(t.TempDir(), "sample.sqlite")
		if err := s.Write(t.Context(), dst); err != nil {
			t.Fatal(err)
		}
		files = append(files, dst)
	}
	if fileHash(t, files[0]) != fileHash(t, files[1]) {
		t.Error("two samples differ")
	}
	db := openDB(t, files[0])
	for sql, want := range map[string]int64{
		"SELECT count(*) FROM person":                                           10, // 1 to 3, and 499 with its bosses 249, 124, 62, 31, 15, 7
		"SELECT twice FROM person WHERE id = 499":                               998,
		"SELECT count(*) FROM person WHERE town NOT IN (SELECT code FROM town)": 0,
		"SELECT count(*) FROM person WHERE boss NOT IN (SELECT id FROM person)": 0,
		"SELECT count(*) FROM bosses":                                           8,
		"SELECT count(*) FROM sqlite_schema WHERE name IN ('by_town', 'moved')": 2,
	} {
		if got := query(t, db, sql).Rows[0][0]; got != sqldata.NewInt(want) {
			t.Errorf("%s: %v, want %d", sql, got, want)
		}
	}
}

// BenchmarkDraft compares a draft with the copy that it stands for, of a table of 50,000
// rows that takes a column.
func BenchmarkDraft(b *testing.B) {
	src := filepath.Join(b.TempDir(), "large.sqlite")
	err := edit(b.Context(), src, func(c *conn) error {
		return c.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO t SELECT i, 'The name of number ' || i FROM n`)
	})
	if err != nil {
		b.Fatal(err)
	}
	add := sqldata.AddColumn{Table: "t", Name: "town", Type: "TEXT", Cells: []sqldata.Value{sqldata.NewText("here"), sqldata.NewText("there")}}
	b.Run("draft", func(b *testing.B) {
		for b.Loop() {
			db, err := Draft(b.Context(), src, add)
			if err != nil {
				b.Fatal(err)
			}
			db.Close()
		}
	})
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			if err := Copy(b.Context(), src, filepath.Join(b.TempDir(), "copy.sqlite"), add); err != nil {
				b.Fatal(err)
			}
		}
	})
}
