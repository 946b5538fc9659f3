package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestFixed checks that exactly the columns that are told cannot be dropped.
func TestFixed(t *testing.T) {
	path := makeDB(t, `
		CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE, price REAL CHECK (price > 0), low REAL, high REAL, note TEXT,
			shelf TEXT, twice AS (high * 2), CHECK (low < high));
		CREATE INDEX by_note ON item (note);
		CREATE INDEX by_shelf ON item (lower(shelf));
		CREATE TABLE sale (item_id INTEGER REFERENCES item (id), day TEXT, buyer TEXT);
		CREATE VIEW buyers AS SELECT buyer FROM sale`)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fixed, err := db.Fixed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want []sqldata.DropColumn // by trial on the file itself
	for _, table := range tables {
		for _, c := range table.Columns {
			d := sqldata.DropColumn{Table: table.Name, Column: c.Name}
			if Copy(t.Context(), path, filepath.Join(t.TempDir(), "copy.sqlite"), d) != nil {
				want = append(want, d)
			}
		}
	}
	if diff := cmp.Diff(want, fixed); diff != "" || len(want) < 6 {
		t.Errorf("%d columns are fixed (-want +got):\n%s", len(want), diff)
	}
}
