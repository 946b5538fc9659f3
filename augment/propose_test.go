package augment

import (
	"context"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// No source names a column as the table already does, be it by a SQL name, also where the source chooses by the whole table.
func TestProposeDropsTakenNames(t *testing.T) {
	source := Source{Name: "given", KnowsTable: true, Propose: func(context.Context, *Resources, *Asked) ([][]Proposal, error) {
		var list []Proposal
		for _, name := range []string{"cust id", "Customer IDs", "client id", "order date"} {
			list = append(list, Proposal{Candidate: dataset.Candidate{Name: name}})
		}
		weight := dataset.Candidate{Name: "weight"}
		return [][]Proposal{append(list, Proposal{Side: dataset.Add, Candidate: weight}), {{Side: dataset.Replace, Candidate: weight}}}, nil
	}}
	table := dataset.Table{Columns: []dataset.Column{{Name: "customer id", Original: "cust_id"}, {Name: "date of order", Original: "order_date"}, {Name: "weight in kg", Original: "weight_kg"}}}
	a := &Augmenter{Sources: []Source{source}}
	names, err := a.Propose(t.Context(), &dataset.Unit{DB: &dataset.Database{Tables: []dataset.Table{table}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range names {
		got = append(got, n.Name)
	}
	if want := []string{"client id", "weight"}; !slices.Equal(got, want) {
		t.Errorf("names %q, expected %q", got, want)
	}
}
