package augment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/rerank"
)

func TestParseParts(t *testing.T) {
	got, err := ParseParts([]string{"nli", "retrieval", "nli"})
	if err != nil || !slices.Equal(got, []string{"retrieval", "nli"}) {
		t.Errorf("got %q, %v, expected the parts once, in their order", got, err)
	}
	if _, err := ParseParts([]string{"nli", "books"}); err == nil || !strings.HasSuffix(err.Error(), strings.Join(Parts(), ", ")) {
		t.Errorf("got the error %v, expected the list of parts", err)
	}
}

// TestWithout: without nli, names have the bucket of their source or that of their similarity,
// whatever their entailments and validity; a source that is left out proposes nothing.
func TestWithout(t *testing.T) {
	m := table{}
	m.both("book author (text)", "book writer (text)", 0.9, 0.9)
	synonyms := fixed("synonyms", "scribe")
	synonyms.Synonyms = true
	augmenter := func(v *Validity) *Augmenter {
		return &Augmenter{
			Sources:   []Source{synonyms, fixed("mixed", "writer", "editor", "season"), fixed("other", "title")},
			Resources: Resources{Selector: &rerank.Selector{}}, Classifier: m, Policy: nli.Paper(),
			Entities: &nli.EntityPredictor{Classifier: m}, Validity: v,
		}
	}
	for _, v := range []*Validity{nil, {Min: 1}} {
		a := augmenter(v)
		if err := a.Without([]string{"other", partNLI}); err != nil {
			t.Fatal(err)
		}
		columns, err := a.Unit(t.Context(), books())
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{names(columns[0].Bucket.Replace), names(columns[0].Bucket.Add)}
		if diff := cmp.Diff([][]string{{"scribe", "writer", "editor"}, {"season"}}, got); diff != "" {
			t.Errorf("validity %v: REPLACE and ADD names (-want +got):\n%s", v, diff)
		}
		if a.Resources.Selector.InOrder {
			t.Error("the retrieval order is kept, expected it without rerank alone")
		}
	}
	a := augmenter(nil)
	if err := a.Without([]string{partRerank}); err != nil || !a.Resources.Selector.InOrder {
		t.Errorf("without rerank: error %v, expected the retrieval order", err)
	}
	if err := a.Without([]string{"synonyms", "mixed", "other"}); err == nil {
		t.Error("no source is left, expected an error")
	}
	list := []Proposal{{Side: dataset.Add, Candidate: dataset.Candidate{Similarity: 1}}, {Candidate: dataset.Candidate{Similarity: .1}}, {Candidate: dataset.Candidate{Similarity: .2}}}
	setSides(list, false)
	if list[0].Side != dataset.Add || list[1].Side != dataset.Add || list[2].Side != dataset.Replace {
		t.Errorf("%v, expected the source's bucket, and of the others the more similar one to replace", list)
	}
}
