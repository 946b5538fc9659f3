package rerank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/decimal"
)

// Selector picks the names that retrieved tables propose for a column: some by similarity, the
// others by the tables that have them.
//
// The paper takes the 20 names of highest cosine in Numberbatch, whose vectors measure
// relatedness. Vectors that measure similarity, as the embedded ones do, find names that
// replace a column, but few to add beside it: a place goes with a date, but is not similar to
// it. Those are the names on which the best tables agree.
type Selector struct {
	*Reranker
	TopK       int // names for a target; a negative number for all
	Associated int // names of the TopK that are picked by weight and similarity

	// InOrder is set where [Selector.Select] keeps the order of the items and picks the first ones.
	InOrder bool
}

// Values chosen on the 81 tables of ADVETA-Spider: the default of Associated, and the weight of
// similarity against ln(weight) for associated names.
const (
	defaultAssociated = 15
	similarityPull    = 3.0
)

// maxNameWords is the number of words up to which a header counts as a name, not a sentence.
const maxNameWords = 5

// NewSelector returns a Selector with the default.
func NewSelector(r *Reranker) *Selector {
	return &Selector{Reranker: r, TopK: DefaultTopK, Associated: defaultAssociated}
}

// Item is a proposed name.
type Item struct {
	Name   string
	Weight float64 // of the table that has it, above 0
}

// Select returns at most TopK names: first those most similar to target, then those of the
// highest ln(weight) + 3 × similarity, where the weights of equal names add up. It leaves
// out the names that [Reranker.Rank] leaves out. It also leaves out names with a number unless
// target has one: such a name, as "population 2010", belongs to one table.
func (s *Selector) Select(target string, items []Item, exclude []string) []Ranked {
	all := s.distinct(target, items, exclude)
	k := s.TopK
	if k < 0 {
		k = len(all)
	}
	if !s.InOrder {
		s.order(all, k)
	}
	return slices.Clip(all[:min(k, len(all))])
}

// order moves the k names to be selected to the front.
func (s *Selector) order(all []Ranked, k int) {
	nearest := min(len(all), max(k-s.Associated, 0))
	slices.SortFunc(all, Ranked.compare)
	slices.SortFunc(all[nearest:], func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.association(), a.association()), cmp.Compare(a.Index, b.Index))
	})
}

// association returns the value by which an associated name is picked: ln(weight) + 3 × similarity.
func (r Ranked) association() float64 {
	return decimal.Round(math.Log(r.Weight) + similarityPull*r.Similarity)
}

// distinct returns the names that may be selected, with the weights of equal names added up.
func (s *Selector) distinct(target string, items []Item, exclude []string) []Ranked {
	t := s.entry(target)
	const excluded = -1
	position := map[string]int{t.normal: excluded} // index in all, by normal form of the name
	for _, name := range exclude {
		position[s.entry(name).normal] = excluded
	}
	var all []Ranked
	for i, item := range items {
		e := s.entry(item.Name)
		if !selectable(e, t) {
			continue
		}
		j, seen := position[e.normal]
		switch {
		case !seen:
			position[e.normal] = len(all)
			all = append(all, Ranked{Name: item.Name, Similarity: t.similarity(e), Index: i, Weight: item.Weight})
		case j != excluded:
			all[j].Weight += item.Weight
		}
	}
	return all
}

// selectable reports whether a name is known, short, and without a number that target lacks.
func selectable(e, target entry) bool {
	if e.vec == nil || strings.Count(e.normal, " ") >= maxNameWords {
		return false
	}
	const digits = "0123456789"
	return !strings.ContainsAny(e.normal, digits) || strings.ContainsAny(target.normal, digits)
}

// Lower returns a header in lower case with single blanks.
func Lower(header string) string { return strings.ToLower(strings.Join(strings.Fields(header), " ")) }
