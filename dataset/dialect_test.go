package dataset_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// TestDialect writes a schema of PostgreSQL and reads it back. Without a dialect a schema is SQLite's, and an unknown
// one is an error.
func TestDialect(t *testing.T) {
	db := &dataset.Database{ID: "shop", Dialect: "postgresql", Tables: []dataset.Table{{Name: "item", Original: "item"}}}
	var out bytes.Buffer
	w := dataset.NewTablesWriter(&out)
	if err := w.Write(db); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (dbs []*dataset.Database, problems []string) {
		err := dataset.DecodeTables(strings.NewReader(text), "tables.json", func(err error) { problems = append(problems, err.Error()) },
			func(db *dataset.Database) error {
				dbs = append(dbs, db)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return dbs, problems
	}
	if dbs, _ := read(out.String()); len(dbs) != 1 || dbs[0].SQL() != sqlast.PostgreSQL {
		t.Errorf("%s reads as %+v, expected the dialect postgresql", &out, dbs)
	}
	if dbs, _ := read(strings.Replace(out.String(), `"dialect": "postgresql"`, `"source": {}`, 1)); len(dbs) != 1 || dbs[0].SQL() != sqlast.SQLite {
		t.Errorf("without a dialect: %+v, expected SQLite's", dbs)
	}
	_, problems := read(strings.Replace(out.String(), "postgresql", "mysql", 1))
	if want := `tables.json:1: dialect is "mysql", expected sqlite or postgresql`; len(problems) != 1 || problems[0] != want {
		t.Errorf("an unknown dialect: %q, expected %q", problems, want)
	}
}
