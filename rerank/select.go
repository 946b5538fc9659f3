package rerank

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Selector picks the names that retrieved tables propose for a column.
//
// The paper keeps the 20 nearest by cosine in Numberbatch, a table of
// relatedness. Among the nearest in a table of similarity, as the embedded one
// is, are the names that may replace a column, but few of those that may be
// added beside it: what goes with a date is a place, not a day. That is read off
// the tables instead: the names on which the best of them agree.
type Selector struct {
	*Reranker
	Associated int     // of the TopK, how many go by weight, not by similarity alone
	Pull       float64 // what a similarity of 1 counts among these, in units of ln(weight)
}

// Defaults of [NewSelector], chosen on the 81 tables of ADVETA-Spider.
const (
	DefaultAssociated = 15
	DefaultPull       = 3.0
)

// maxNameWords bounds what counts as a name; longer headers are sentences.
const maxNameWords = 5

// NewSelector returns a Selector with the defaults.
func NewSelector(r *Reranker) *Selector { return &Selector{r, DefaultAssociated, DefaultPull} }

// Item is a proposed name. Weight, above 0, says how much speaks for it; the
// weights of repeated names add up.
type Item struct {
	Name   string
	Weight float64
}

// Select returns at most TopK names: the most similar to target first, then
// the ones with the highest ln(weight) + Pull × similarity. Like
// [Reranker.Rank] it leaves out names that target's table has and repeats.
// Names with a number are left out unless target has one: they belong to one
// table, as the populations of its years do.
func (s *Selector) Select(target string, items []Item, exclude []string) []Ranked {
	all := s.distinct(target, items, exclude)
	k := cmp.Or(s.TopK, DefaultTopK)
	if k < 0 {
		k = len(all)
	}
	nearest := min(len(all), max(k-s.Associated, 0))
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Index, b.Index))
	})
	slices.SortFunc(all[nearest:], func(a, b weighed) int {
		return cmp.Or(cmp.Compare(s.value(b), s.value(a)), cmp.Compare(a.Index, b.Index))
	})
	var out []Ranked
	for _, w := range all[:min(k, len(all))] {
		w.Ranked.Weight = w.weight
		out = append(out, w.Ranked)
	}
	return out
}

// weighed is a distinct name with the weights of all items that are this name.
type weighed struct {
	Ranked
	weight float64
}

func (s *Selector) value(w weighed) float64 { return math.Log(w.weight) + s.Pull*w.Similarity }

func (s *Selector) distinct(target string, items []Item, exclude []string) []weighed {
	t := s.entry(target)
	at := map[string]int{t.normal: -1}
	for _, name := range exclude {
		at[s.entry(name).normal] = -1
	}
	var all []weighed
	for i, item := range items {
		e := s.entry(item.Name)
		if e.vec == nil || strings.Count(e.normal, " ") >= maxNameWords || hasNumber(e.normal) && !hasNumber(t.normal) {
			continue
		}
		j, seen := at[e.normal]
		switch {
		case !seen:
			at[e.normal] = len(all)
			all = append(all, weighed{Ranked{Name: item.Name, Similarity: t.similarity(e), Index: i}, item.Weight})
		case j >= 0:
			all[j].weight += item.Weight
		}
	}
	return all
}

func hasNumber(normal string) bool { return strings.ContainsAny(normal, "0123456789") }

// Lower returns a header as names are written: lower case, single blanks.
func Lower(header string) string { return strings.ToLower(strings.Join(strings.Fields(header), " ")) }
