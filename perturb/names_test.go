package perturb_test

import (
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
)

// TestNamesAfter asks what is called what: one answer for gold SQL, evidence, links and reports.
func TestNamesAfter(t *testing.T) {
	n := perturb.NamesAfter([]perturb.Edit{
		perturb.RenameColumn{Table: "Singer", Column: "Name", Name: "full_name"},
		perturb.RenameTable{Table: "singer", Name: "artist"},
		perturb.SplitTable{Table: "song", Column: "title", NewTable: "title_of", Key: "title_id"},
		perturb.MergeTables{Table: "album", Column: "label_id", Reference: "label", Target: "id", Columns: []perturb.MergedColumn{{Column: "city", Name: "label_city"}}},
	})
	for _, test := range []struct{ table, column, toTable, toColumn string }{
		{"singer", "", "artist", ""}, {"SINGER", "name", "artist", "full_name"}, {"singer", "age", "artist", "age"},
		{"song", "title", "title_of", "title"}, {"song", "id", "song", "id"},
		{"label", "", "album", ""}, {"label", "id", "album", "label_id"}, {"label", "city", "album", "label_city"},
	} {
		if table, column := n.After(test.table, test.column); table != test.toTable || column != test.toColumn {
			t.Errorf("%s.%s is %s.%s after, want %s.%s", test.table, test.column, table, column, test.toTable, test.toColumn)
		}
	}
	for after, before := range map[string]string{"artist": "singer", "album": "album", "song": "song", "title_of": "title_of"} {
		if got := n.TableBefore(after); got != before {
			t.Errorf("%s was %s, want %s", after, got, before)
		}
	}
	if got := n.ColumnBefore("artist", "FULL_NAME"); got != "Name" {
		t.Errorf("artist.full_name was %s, want Name", got)
	}
	if n.Same() || !perturb.NamesAfter([]perturb.Edit{perturb.AddColumn{Table: "song", Name: "x"}}).Same() {
		t.Error("Same is wrong about whether a name changes")
	}
}
