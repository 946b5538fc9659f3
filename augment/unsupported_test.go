package augment

import (
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/retriever/statistics"
)

// TestRejectUnsupported rejects names to add that neither the table nor public tables bear out.
func TestRejectUnsupported(t *testing.T) {
	links := &dataset.Table{Name: "writes", Columns: []dataset.Column{{Name: "aid"}, {Name: "paper id"}, {Name: "written at", Type: dataset.Time}}}
	lake := &dataset.Table{Name: "lake", Columns: []dataset.Column{{Name: "country name"}, {Name: "lake id"}, {Name: "area"}, {Name: "depth"}, {Name: "lake name"}}}
	add := nli.Decision{Side: dataset.Add}
	name := func(column int, source, name string, p Proposal) Judged {
		p.Candidate, p.Side = dataset.Candidate{Name: name, Source: source}, dataset.Add
		return Judged{Proposal: p, Column: column, Decision: add}
	}
	seen := func(j Judged, together, columns int) Judged {
		j.together, j.fit = together, statistics.Fit{Columns: columns}
		return j
	}
	for _, test := range []struct {
		table *dataset.Table
		name  Judged
		want  string // reason; "" where the name is kept
	}{
		{links, name(0, dataset.ThesaurusSource, "reviewer id", Proposal{Votes: 8}), "is one more key of a table with 0 other columns"},
		{lake, name(1, dataset.ThesaurusSource, "river id", Proposal{Votes: 8}), ""},
		{lake, name(0, dataset.ThesaurusSource, "language", Proposal{Default: true}), "no public table has it beside the column"},
		{lake, seen(name(0, dataset.ThesaurusSource, "continent", Proposal{Default: true}), 3, 1), ""},
		{lake, name(0, dataset.ThesaurusSource, "basin country", Proposal{Votes: 4}), ""},
		{lake, name(2, dataset.AttributesSource, "opening hours", Proposal{}), "no public table has it beside the column"},
		{lake, seen(name(2, dataset.AttributesSource, "volume", Proposal{}), 0, 2), ""},
	} {
		names := []Judged{test.name}
		a := &Augmenter{Sources: Sources()}
		a.rejectUnsupported(test.table, names)
		if got := names[0].Decision.Reason; got != test.want {
			t.Errorf("%s for %s: reason %q, want %q", test.name.Name, test.table.Columns[test.name.Column].Name, got, test.want)
		}
	}
	without := []Judged{name(0, dataset.ThesaurusSource, "language", Proposal{Default: true})}
	(&Augmenter{Sources: []Source{thesaurusSource}}).rejectUnsupported(lake, without)
	if without[0].Decision.Side != dataset.Add {
		t.Errorf("rejected without retrieval: %s", without[0].Decision.Reason)
	}
}
