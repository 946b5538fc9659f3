package review

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// PersonSource is the [dataset.Candidate.Source] of names that annotators added.
const PersonSource = "person"

// Merged is what [Merge] made of the decisions.
type Merged struct {
	Buckets   dataset.Buckets `json:"-"`
	Accepted  int             `json:"accepted"`  // names that stay where they were
	Moved     int             `json:"moved"`     // names that changed their bucket
	Rejected  int             `json:"rejected"`  // names that went
	Added     int             `json:"added"`     // names of annotators' own
	Undecided int             `json:"undecided"` // names that nobody decided on; left out
	Asked     int             `json:"asked"`     // names that anybody decided on, annotators' own aside
	Lacking   int             `json:"lacking"`   // of Asked, names that the buckets lack: they are of other buckets; left out
	Disputed  []Dispute       `json:"dispute"`   // names without a majority, and without a word of the second reader; left out
}

// Merge makes curated buckets. A name follows the answer of more than half of the annotators who
// decided on it. Without such a majority the second reader decides, if there is one (annotate, then
// review). A name that an annotator added counts as accepted by its author, and the second reader
// can reject it. Undecided names are left out.
func Merge(buckets dataset.Buckets, annotators []*Verdicts, second *Verdicts) *Merged {
	own := addedItems(annotators, second)
	m := &Merged{Buckets: dataset.Buckets{}, Disputed: []Dispute{}}
	for _, item := range decidedItems(withSecond(annotators, second)) {
		if _, found := slices.BinarySearchFunc(own, item, Item.compare); found {
			continue // decisions of others on a name that an annotator added do not concern the buckets
		}
		m.Asked++
		if !hasName(buckets, item) {
			m.Lacking++
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(buckets), func(a, b dataset.ColumnID) int {
		return cmp.Or(cmp.Compare(a.DB, b.DB), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	}) {
		b := buckets[id]
		for _, side := range dataset.Sides() {
			for _, c := range *side.Of(&b) {
				m.decide(Item{id.Key(), side, c.Name}, c, annotators, second)
			}
		}
	}
	for _, item := range own {
		m.addItem(item, annotators, second)
	}
	return m
}

// hasName reports whether an item is a name of the buckets.
func hasName(buckets dataset.Buckets, item Item) bool {
	b := buckets[item.Column]
	return slices.ContainsFunc(*item.Side.Of(&b), func(c dataset.Candidate) bool { return c.Name == item.Name })
}

// decide puts a candidate of the buckets into the bucket that the decisions choose, or into none, and counts it.
func (m *Merged) decide(item Item, c dataset.Candidate, annotators []*Verdicts, second *Verdicts) {
	answer, votes, ok := majority(item, annotators)
	if !ok && second != nil {
		answer, ok = second.answer(item)
	}
	switch {
	case !ok && votes == 0:
		m.Undecided++
	case !ok:
		m.dispute(item, annotators)
	case answer == Accept:
		m.Accepted++
		m.put(item.Column, item.Side, c)
	case answer == Move:
		m.Moved++
		m.put(item.Column, item.Side.Other(), c)
	default:
		m.Rejected++
	}
}

// majority returns the answer of more than half of the annotators who decided on an item, and how many decided. ok is false if no
// answer has such a majority.
func majority(item Item, annotators []*Verdicts) (answer Action, votes int, ok bool) {
	counts := map[Action]int{}
	for _, v := range annotators {
		if a, given := v.answer(item); given {
			counts[a]++
			votes++
		}
	}
	for _, a := range answers {
		if 2*counts[a] > votes {
			return a, votes, true
		}
	}
	return "", votes, false
}

// dispute lists an item as disputed, with the answer of each annotator, "" for none.
func (m *Merged) dispute(item Item, annotators []*Verdicts) {
	d := Dispute{DB: item.Column.DB, Table: item.Column.Table, Column: item.Column.Column, Side: item.Side, Name: item.Name}
	for _, v := range annotators {
		answer, _ := v.answer(item)
		d.Answers = append(d.Answers, answer)
	}
	m.Disputed = append(m.Disputed, d)
}

// addedItems returns the names that annotators added, sorted by column, bucket and name.
func addedItems(annotators []*Verdicts, second *Verdicts) []Item {
	items := map[Item]bool{}
	for _, v := range withSecond(annotators, second) {
		maps.Copy(items, v.Added)
	}
	return slices.SortedFunc(maps.Keys(items), Item.compare)
}

// withSecond returns the annotators and the second reader, if not nil.
func withSecond(annotators []*Verdicts, second *Verdicts) []*Verdicts {
	if second == nil {
		return annotators
	}
	return append(slices.Clone(annotators), second)
}

// addItem puts a name that annotators added into a bucket. The second reader's answer decides. Without one, the answer of the first author
// who did not reject the name later does. A name that all its authors rejected is left out.
func (m *Merged) addItem(item Item, annotators []*Verdicts, second *Verdicts) {
	answer := Reject
	for _, v := range annotators {
		if a, ok := v.Items[item]; ok && v.Added[item] && a != Reject {
			answer = a
			break
		}
	}
	if second != nil {
		if a, ok := second.Items[item]; ok {
			answer = a
		}
	}
	side := item.Side
	switch answer {
	case Reject:
		return
	case Move:
		side = side.Other()
	}
	if m.put(item.Column, side, dataset.Candidate{Name: item.Name, Source: PersonSource}) {
		m.Added++
	}
}

// put adds a candidate to a bucket and reports whether the bucket lacked its name.
func (m *Merged) put(column dataset.ColumnID, side dataset.Side, c dataset.Candidate) bool {
	b := m.Buckets[column]
	list := side.Of(&b)
	if slices.ContainsFunc(*list, func(other dataset.Candidate) bool { return other.Name == c.Name }) {
		return false
	}
	*list = append(*list, c)
	m.Buckets[column] = b
	return true
}

// annotatorNames returns the names of annotators.
func annotatorNames(all []*Verdicts) []string {
	return lists.Map(all, func(v *Verdicts) string { return v.Annotator })
}

// WriteText prints for people what was merged, with at most shown names without a
// majority; -1 is all. The annotators are those of [Merge].
func (m *Merged) WriteText(w io.Writer, annotators []*Verdicts, shown int) error {
	names := annotatorNames(annotators)
	fmt.Fprintf(w, "%d names accepted, %d moved, %d rejected, %d added; left out: %d undecided, %d without a majority\n",
		m.Accepted, m.Moved, m.Rejected, m.Added, m.Undecided, len(m.Disputed))
	return writeDisputes(w, names, m.Disputed, shown)
}
