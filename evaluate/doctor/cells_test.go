package doctor

import (
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// TestAffinity asks SQLite what becomes of the text 5 and the number 5 in a
// column of each type.
func TestAffinity(t *testing.T) {
	became := map[string][2]sqldata.Kind{
		"INTEGER": {sqldata.Integer, sqldata.Integer},
		"NUMERIC": {sqldata.Integer, sqldata.Integer},
		"REAL":    {sqldata.Real, sqldata.Real},
		"TEXT":    {sqldata.Text, sqldata.Text},
		"BLOB":    {sqldata.Text, sqldata.Integer},
	}
	types := []string{"", "INT", "integer", "bigint(20)", "VARCHAR(20)", "text", "clob", "BLOB", "real", "double precision", "float",
		"decimal(4,0)", "NUMERIC", "date", "datetime", "year", "bool", "BOOLEAN", "charint", "STRING", "point"}
	table := sqldata.Table{Name: "t"}
	var texts, numbers []sqldata.Value
	for i, typ := range types {
		table.Columns = append(table.Columns, sqldata.Column{Name: string(rune('a' + i)), Type: typ})
		texts, numbers = append(texts, sqldata.NewText("5")), append(numbers, sqldata.NewInt(5))
	}
	path := filepath.Join(t.TempDir(), "t.sqlite")
	if err := sqlite.Create(t.Context(), path, []sqldata.Table{table}, [][][]sqldata.Value{{texts, numbers}}); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	res, err := db.Query(t.Context(), "SELECT * FROM t", sqldata.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i, typ := range types {
		got := [2]sqldata.Kind{res.Rows[0][i].Kind(), res.Rows[1][i].Kind()}
		if want := became[string(sqlite.AffinityOf(typ))]; got != want {
			t.Errorf("type %q has affinity %s, which makes of text and number %v; SQLite makes %v", typ, string(sqlite.AffinityOf(typ)), want, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, s := range []string{"0", "-3", "+4.5", " 12 ", "1e3", ".5", "007"} {
		if _, ok := parseDecimal(s); !ok {
			t.Errorf("%q is no number", s)
		}
	}
	for _, s := range []string{"", "n/a", "NaN", "inf", "0x1F", "1_000", "1,000", "2018-03-01", "12 km"} {
		if v, ok := parseDecimal(s); ok {
			t.Errorf("%q is the number %v", s, v)
		}
	}
}
