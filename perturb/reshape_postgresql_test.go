package perturb_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

const kennelTables = `CREATE TABLE dog (id int PRIMARY KEY, name text, "homeTown" varchar(20), year bigint, month int, day smallint, weight numeric(5,2), born date);
INSERT INTO dog VALUES (1, 'Rex', 'Bonn am Rhein', 2019, 2, 3, 20.50, '2019-02-03'), (2, 'Ada', 'Ulm', 2021, 11, 30, 7.25, '2021-11-30'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

// TestReshapePostgreSQL merges columns of a server's database, and takes them out of the merged one.
func TestReshapePostgreSQL(t *testing.T) {
	dsn := postgres.CreateDatabase(t, postgres.Start(t), "kennel")
	if _, err := postgres.Connect(t, dsn).Exec(t.Context(), kennelTables); err != nil {
		t.Fatal(err)
	}
	file, _, err := engine.WriteAddress(t.TempDir(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := folder.Schema(t.Context(), "kennel", file, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		template   perturb.Template
		columns    []string
		gold, want string // "" where cells would not come back
	}{
		{"%s, %s", []string{"name", "homeTown"}, `SELECT "homeTown" FROM dog WHERE name = 'Rex'`,
			`SELECT substr("Merged", strpos("Merged", ', ') + 2) FROM dog WHERE substr("Merged", 1, strpos("Merged", ', ') - 1) = 'Rex'`},
		{"%04d-%02d-%02d", []string{"year", "month", "day"}, "SELECT max(day) FROM dog WHERE month > 5", `SELECT max(CAST(substr("Merged", 9, 2) AS INTEGER)) FROM dog WHERE CAST(substr("Merged", 6, 2) AS INTEGER) > 5`},
		{"%f kg %d", []string{"weight", "id"}, "", ""}, // a part of a key
		{"%f kg %d", []string{"weight", "year"}, "SELECT weight * 2 FROM dog ORDER BY year", `SELECT CAST(substr("Merged", 1, strpos("Merged", ' kg ') - 1) AS numeric) * 2 FROM dog ORDER BY CAST(substr("Merged", strpos("Merged", ' kg ') + 4) AS INTEGER)`},
		{"%s %s", []string{"homeTown", "name"}, "SELECT name FROM dog", ""}, // towns have blanks
		{"%s %s", []string{"name", "born"}, "SELECT born FROM dog", ""},     // a date is no text
	} {
		edits := []perturb.Edit{perturb.MergeColumns{Table: "dog", Columns: test.columns, Template: test.template, Name: "Merged", Natural: "merged", Type: dataset.Text}}
		after, err := perturb.ApplySchema(db, edits)
		if test.gold == "" {
			if err == nil {
				t.Errorf("%v are merged, expected a refusal", test.columns)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		draft, err := perturb.DraftContent(t.Context(), file, edits)
		if err != nil {
			if test.want != "" {
				t.Errorf("%v: %v", test.columns, err)
			}
			continue
		}
		defer draft.Close()
		ex := example(t, db, test.gold)
		got, err := perturb.RewriteGold(ex, edits, after)
		if got != test.want || err != nil {
			t.Errorf("%s\n got %s, %v\nwant %s", test.gold, got, err, test.want)
		}
		is, err := draft.Query(t.Context(), got, sqldata.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if was := perturbtest.Query(t, file, test.gold); !perturb.Holds(ex.Gold, was, is) {
			t.Errorf("%s answers %v, expected %v", got, is.Rows, was.Rows)
		}
	}
}
