package rerank

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/lexicon"
)

func selector(k, associated int) *Selector {
	s := NewSelector(&Reranker{Vectors: lexicon.Default()})
	s.TopK, s.Associated = k, associated
	return s
}

func TestSelect(t *testing.T) {
	items := []Item{
		{"Wage", 0.1}, {"pay", 0.1}, {"tree", 0.1}, {"department", 5}, {"hire date", 3}, {"Salary", 9},
		{"salary 2010", 9}, {"remuneration", 0.01}, {"department", 5}, {"manager", 8}, {"qqqzzz", 99},
		{"the pay that a person takes home every month", 50},
	}
	for _, tt := range []struct {
		name          string
		k, associated int
		exclude, want []string
	}{
		{"by similarity alone", 3, 0, nil, []string{"remuneration", "Wage", "pay"}},
		{"by agreement: weights of repeats add up", 3, 3, nil, []string{"department", "manager", "hire date"}},
		{"both", 3, 2, nil, []string{"remuneration", "department", "manager"}},
		{"names of the table are left out", 2, 2, []string{"Departments"}, []string{"manager", "hire date"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := names(selector(tt.k, tt.associated).Select("salary", items, tt.exclude))
			if tt.associated == 0 {
				slices.Sort(got)
				slices.Sort(tt.want)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSelectNumbers(t *testing.T) {
	items := []Item{{"line 2", 1}, {"line color", 1}}
	if got := names(selector(5, 3).Select("line 1", items, nil)); len(got) != 2 {
		t.Errorf("target with a number: %q, want both", got)
	}
	if got := names(selector(5, 3).Select("route", items, nil)); !slices.Equal(got, []string{"line color"}) {
		t.Errorf("target without: %q, want the one without", got)
	}
}
