package augment

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// A name is refused that a joined table has, but for the column that a key ties to the name's own.
func TestRejectJoined(t *testing.T) {
	table := func(name string, columns ...string) dataset.Table {
		out := dataset.Table{Name: name, Original: name}
		for _, c := range columns {
			out.Columns = append(out.Columns, dataset.Column{Name: c, Original: c})
		}
		return out
	}
	db := &dataset.Database{Tables: []dataset.Table{
		table("detail", "product", "price"), table("product", "product id", "product number"), table("other", "serial number"),
	}, ForeignKeys: []dataset.ForeignKey{{Column: dataset.ColumnRef{}, Target: dataset.ColumnRef{Table: 1}}}}
	for _, test := range []struct {
		table, column int
		name          string
		isRejected    bool
	}{
		{0, 0, "product number", true}, {0, 0, "number of products", true}, {0, 0, "product id", false}, {0, 1, "product id", true},
		{0, 0, "serial number", false}, {1, 1, "price", true}, {2, 0, "price", false},
	} {
		names := []Judged{{Proposal: Proposal{Candidate: dataset.Candidate{Name: test.name}}, Column: test.column, Decision: nli.Decision{Side: dataset.Replace}}}
		rejectJoined(db, test.table, names)
		if got := names[0].Decision; (got.Side == "") != test.isRejected || test.isRejected && !strings.HasSuffix(got.Reason, ", which a key joins") {
			t.Errorf("%s for column %d of table %d: %+v, expected rejected %t", test.name, test.column, test.table, got, test.isRejected)
		}
	}
}
