package dataset

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/engine/generate"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

func TestAddSamples(t *testing.T) {
	text, num := sqldata.NewText, sqldata.NewInt
	path := filepath.Join(t.TempDir(), "pets.sqlite")
	err := sqlite.Create(t.Context(), path, []sqldata.Table{
		{Name: "OWNER", Columns: []sqldata.Column{{Name: "owner_id"}, {Name: "HOME TOWN"}}},
		{Name: "pet", Columns: []sqldata.Column{{Name: "pet_id"}, {Name: "born"}, {Name: "tame"}}},
	}, [][][]sqldata.Value{{
		{num(1), text(" Rome ")}, {num(2), text("M\xfcnchen")}, {num(3), text("Rome")}, {num(4), {}}, {num(5), text("")},
		{num(6), text(strings.Repeat("x", 41))}, {num(7), sqldata.NewBlob("x")}, {num(8), text("Oslo")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	db := petsDB()
	db.SQLite = path
	var warnings []error
	note := func(err error) { warnings = append(warnings, err) }
	err = AddSamples(t.Context(), db, note)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), `table "Pet" has no column "Owner_ID"`) {
		t.Errorf("warnings are %v", warnings)
	}
	for _, c := range []struct {
		ref  ColumnRef
		want []string
	}{
		{ColumnRef{0, 0}, []string{"1", "2", "3", "4", "5"}},
		{ColumnRef{0, 1}, []string{"Rome", "München", "Oslo"}},
		{ColumnRef{1, 0}, nil},
		{ColumnRef{1, 1}, nil},
	} {
		if diff := cmp.Diff(c.want, db.Column(c.ref).Samples); diff != "" {
			t.Errorf("%s (-want +got):\n%s", db.ColumnID(c.ref), diff)
		}
	}
	db.SQLite = filepath.Join(t.TempDir(), "none.sqlite")
	if err := AddSamples(t.Context(), db, note); err == nil {
		t.Error("a file that is not there gives no error")
	}
	db.SQLite = ""
	if err := AddSamples(t.Context(), db, func(err error) { t.Error(err) }); err != nil {
		t.Errorf("a database without content gives %v", err)
	}
}

func TestSQLiteTables(t *testing.T) {
	var got []string
	for _, table := range SQLiteTables(petsDB()) {
		got = append(got, strings.Join(strings.Fields(sqlite.DDL(table)), " "))
	}
	if diff := cmp.Diff([]string{
		`CREATE TABLE "Owner" ( "Owner_ID" NUMERIC, "Home Town" TEXT, PRIMARY KEY ("Owner_ID") )`,
		`CREATE TABLE "Pet" ( "Pet_ID" NUMERIC, "Owner_ID" NUMERIC, "Born" TIME_TEXT, "Tame" BOOLEAN, PRIMARY KEY ("Pet_ID"),` +
			` FOREIGN KEY ("Owner_ID") REFERENCES "Owner" ("Owner_ID") )`,
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSamplesOfSpider reads samples of all dev databases, and creates those
// databases anew from the schema alone.
func TestSamplesOfSpider(t *testing.T) {
	dir := shared.Untar(t, "data", "spider", "databases_dev.tar.gz")
	files, columns, sampled := 0, 0, 0
	for _, db := range spiderTables(t) {
		db.SQLite = FindContent(dir, db.ID)
		if db.SQLite == "" {
			continue
		}
		files++
		if err := AddSamples(t.Context(), db, func(err error) { t.Error(err) }); err != nil {
			t.Errorf("%s: %v", db.ID, err)
		}
		for _, table := range db.Tables {
			for _, c := range table.Columns {
				columns++
				if len(c.Samples) > 0 {
					sampled++
				}
			}
		}
		tables := SQLiteTables(db)
		path := filepath.Join(t.TempDir(), db.ID+".sqlite")
		if err := sqlite.Create(t.Context(), path, tables, generate.Rows(tables, generate.Options{Seed: 1})); err != nil {
			t.Error(err)
		}
	}
	if files != 19 || sampled < columns*9/10 {
		t.Errorf("%d files, %d of %d columns have samples, expected 19 files and nearly all columns", files, sampled, columns)
	}
	t.Logf("%d of %d columns have samples", sampled, columns)
}
