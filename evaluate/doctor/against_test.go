package doctor_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// faulty is a fixture with faults of every kind of place.
func faulty() *fixture {
	f := newFixture()
	f.gold("SELECT name FROM singer ORDER BY fee")
	f.gold("SELECT name FROM singer")
	f.rows[1] = append(f.rows[1], row(4, 7, "Rain"))
	f.stored = append(f.stored, sqldata.Table{Name: "fan", Columns: []sqldata.Column{{Name: "name"}}})
	return f
}

// renamed is the fixture as a perturbation could write it: under another id,
// with a column renamed and one added.
func renamed(f *fixture) *fixture {
	f.listed.ID = "shows__1"
	f.listed.Tables[1].Columns[1].Original = "artist_id"
	f.stored[1].Columns[1].Name = "artist_id"
	f.stored[1].ForeignKeys[0].Columns[0] = "artist_id"
	f.listed.Tables[0].Columns = append(f.listed.Tables[0].Columns, dataset.Column{Name: "rank", Original: "rank", Type: dataset.Number})
	f.stored[0].Columns = append(f.stored[0].Columns, sqldata.Column{Name: "rank", Type: "INTEGER"})
	for i := range f.rows[0] {
		f.rows[0][i] = append(f.rows[0][i], row(i)...)
	}
	for i := range f.examples {
		f.examples[i].DB = f.listed.ID
	}
	return f
}

func TestAgainst(t *testing.T) {
	before := faulty().write(t)
	after := renamed(faulty())
	c := after.write(t)
	_, all := audit(t, c)
	if len(all) != 3 {
		t.Errorf("%d findings without a baseline, want 3: %+v", len(all), all)
	}
	c.Against = before.Data
	if _, found := audit(t, c); len(found) > 0 {
		t.Errorf("found though the baseline has it: %+v", found)
	}

	// What the change broke is told, beside what was broken before.
	after.examples[2].Query = "SELECT name FROM singer WHERE rank > 5"
	after.rows[0][0][4] = sqldata.NewText("first")
	after.rows[0][1][4] = sqldata.NewText("second")
	after.rows[0][2][4] = sqldata.NewText("third")
	after.rows[1][0] = row(1, 9, "\xff")
	after.stored[0].Name = "Singer"
	c = after.write(t)
	c.Against = before.Data
	_, found := audit(t, c)
	var got []string
	for _, f := range found {
		got = append(got, f.Check+" "+f.Place())
	}
	want := []string{"other-type shows__1.singer.rank", "not-utf8 shows__1.show.title"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAgainstShuffled: a fault of a column is the same one where the column moved.
func TestAgainstShuffled(t *testing.T) {
	before := faulty().write(t)
	after := faulty()
	show := &after.listed.Tables[1]
	show.Columns[1], show.Columns[2] = show.Columns[2], show.Columns[1]
	for i, key := range after.listed.ForeignKeys {
		if key.Column == (dataset.ColumnRef{Table: 1, Column: 1}) {
			after.listed.ForeignKeys[i].Column.Column = 2
		}
	}
	c := after.write(t)
	c.Against = before.Data
	if _, found := audit(t, c); len(found) > 0 {
		t.Errorf("found though the baseline has it: %+v", found)
	}
}

func TestAgainstOther(t *testing.T) {
	after := renamed(faulty()).write(t)
	after.Against = newFixture().write(t).Data
	if _, err := run(t, after); err == nil || !strings.Contains(err.Error(), "dev.json: has 1 records, expected 3") {
		t.Errorf("baseline with fewer examples: %v", err)
	}
	other := faulty()
	other.examples[1].DB = "films"
	after.Against = other.write(t).Data
	if _, err := run(t, after); err == nil || !strings.Contains(err.Error(), "dev.json:2: does not go with that record") {
		t.Errorf("baseline with an example that cannot be used: %v", err)
	}
	after.Against = t.TempDir()
	if _, err := run(t, after); err == nil || !strings.Contains(err.Error(), "baseline: ") {
		t.Errorf("empty baseline: %v", err)
	}
}
