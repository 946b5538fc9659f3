package augment

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

func TestHeads(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"", []string{""}},
		{"player", []string{"player"}},
		{"gamer tag", []string{"tag"}},
		{"date of birth", []string{"date"}},
		{"reason for visit", []string{"reason"}},
		{"airport name", []string{"name", "airport"}},
		{"total", []string{"total"}},
		{"written by", []string{"written by"}},
		{"of", []string{"of"}},
		{"number of players", []string{"number of players", "number"}},
		{"miles per gallon", []string{"miles per gallon", "miles"}},
	} {
		if diff := cmp.Diff(c.want, heads(lexicon.Words(c.name))); diff != "" {
			t.Errorf("heads of %q (-want +got):\n%s", c.name, diff)
		}
	}
}

// A model that takes any two names for equal, but not all heads: only names that a
// dictionary made replace on its word alone.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		column, name string
		of, is       dataset.Type
		source       string
		entailment   float64
		heads        float64 // entailment of "tag" and "score"
		doubt        string  // part of it; empty where the name may replace
	}{
		{"score", "gamer tag", dataset.Text, dataset.Text, "retrieval", 0.8, 0.1, "tag is no score: lower entailment 0.10"},
		{"score", "gamer tag", dataset.Text, dataset.Text, "retrieval", 0.8, 0.7, ""},
		{"score", "gamer tag", dataset.Text, dataset.Text, "dictionary", 0.8, 0.1, ""},
		{"score", "gamer tag", dataset.Text, dataset.Text, "retrieval", 0.5, 0.1, ""}, // the policy rejects it
		{"player", "number of players", dataset.Text, dataset.Number, "retrieval", 0.95, 0, "counts"},
		{"player", "games", dataset.Text, dataset.Number, "retrieval", 0.95, 0, "counts"},
		{"player", "games", dataset.Text, dataset.Number, "attributes", 0.95, 0, "counts"},
		{"players", "games", dataset.Text, dataset.Number, "retrieval", 0.95, 0, ""},
		{"goal", "games", dataset.Number, dataset.Number, "retrieval", 0.8, 0, ""},
		{"mpg", "miles per gallon", dataset.Text, dataset.Number, "retrieval", 0.95, 0, ""},
		{"year", "season", dataset.Number, dataset.Text, "retrieval", 0.89, 0, "has type text, not number: lower entailment 0.89 < 0.90"},
		{"year", "season", dataset.Number, dataset.Text, "retrieval", 0.95, 0, ""},
		{"year", "season", dataset.Number, "", "retrieval", 0.7, 0, ""},
		{"name", "surname", dataset.Text, dataset.Text, "retrieval", 0.8, 0, "is one kind of name"},
		{"name", "baptised on", dataset.Text, dataset.Time, "retrieval", 0.92, 0, "says when"},
		{"released", "published on", dataset.Time, dataset.Time, "retrieval", 0.8, 0, ""},
		{"written by", "made by", dataset.Text, dataset.Text, "retrieval", 0.8, 0, ""},
		{"state", "estate", dataset.Text, dataset.Text, "retrieval", 0.8, 0, ""},
	} {
		m := all(c.entailment)
		m.both("score (text)", "tag (text)", c.heads, c.heads)
		a := &Augmenter{Classifier: m, Policy: nli.Paper()}
		table := &dataset.Table{Columns: []dataset.Column{{Name: c.column, Type: c.of}}}
		decided := a.Policy.Decide(nli.Entailments{Forward: c.entailment, Backward: c.entailment})
		candidate := dataset.Candidate{Name: c.name, Type: c.is, Source: c.source, Forward: c.entailment, Backward: c.entailment}
		names := []Judged{{Proposal: Proposal{Candidate: candidate}, Decision: decided, source: sourceNamed(t, c.source)}}
		if err := a.rejectDoubtful(t.Context(), "", table, names); err != nil {
			t.Fatal(err)
		}
		got := ""
		if names[0].Decision != decided {
			got = names[0].Decision.Reason
		}
		if (got == "") != (c.doubt == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s -> %s by %s: doubt %q, expected %q", c.column, c.name, c.source, got, c.doubt)
		}
		column := a.columns(&dataset.Database{Tables: []dataset.Table{*table}}, 0, names)[0]
		if c.doubt != "" && (len(column.Bucket.Replace) > 0 || len(column.Rejected) != 1 || column.Rejected[0].Reason != got) {
			t.Errorf("%s -> %s: %+v, expected it rejected for %q", c.column, c.name, column, got)
		}
	}
}

// overrides is a model that gives all pairs one entailment but those that it knows.
type overrides struct {
	table
	entailment float64
}

func all(entailment float64) overrides { return overrides{table{}, entailment} }

func (m overrides) Classify(_ context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	out := make([]nli.Scores, len(pairs))
	for i, p := range pairs {
		e, known := m.table[sentences(p)]
		if !known {
			e = m.entailment
		}
		out[i] = nli.Scores{Entailment: e, Neutral: 1 - e}
	}
	return out, nil
}
