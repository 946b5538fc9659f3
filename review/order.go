package review

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/nli"
)

// noDoubt is the doubt of names without scores, which come last.
const noDoubt = math.MaxFloat64

// doubtOfName returns the distance of a candidate's validity from one half or, if no validity was predicted, of its entailment from
// the threshold of its bucket. Less is more doubtful. Names without scores, by a person or of ADVETA's files, have noDoubt.
func doubtOfName(policy nli.Policy, side dataset.Side, c *dataset.Candidate) float64 {
	if !scored(c) {
		return noDoubt
	}
	if c.Validity > 0 {
		return math.Abs(c.Validity - 0.5)
	}
	rule := policy.Replace
	if side == dataset.Add {
		rule = policy.Add
	}
	e := nli.Entailments{Forward: c.Forward, Backward: c.Backward}
	return math.Abs(rule.Combine.Of(e) - rule.Threshold)
}

// scored reports whether a model scored a candidate: otherwise all scores are 0.
func scored(c *dataset.Candidate) bool {
	return [3]float64{c.Similarity, c.Forward, c.Backward} != [3]float64{}
}

// doubtOf returns the least doubt of the names of a column.
func (d *Data) doubtOf(c *column) float64 {
	least := noDoubt
	for _, side := range c.sides() {
		for i := range c.list(side) {
			least = min(least, doubtOfName(d.policy, side, &c.list(side)[i]))
		}
	}
	return least
}

// orderByDoubt returns the numbers of the columns, the most doubtful first, ties in the order of the data. Decisions do not change
// the order, so that a person can work through the list.
func (d *Data) orderByDoubt() []int {
	order := lists.Numbers(len(d.columns))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.columns[a].doubt, d.columns[b].doubt) })
	return order
}

// doubtValue returns a doubt for an answer in JSON, nil for noDoubt or NaN.
func doubtValue(doubt float64) *float64 {
	if doubt == noDoubt || math.IsNaN(doubt) {
		return nil
	}
	return &doubt
}

// query is the query of a list.
type query struct {
	page  int
	order string
	db    string
	words []string // in lower case
	open  bool
	at    int // the column to show; -1 for none
}

// matches reports whether a column passes the filters; open is the number of its undecided names.
func (q *query) matches(c *column, open int) bool {
	if q.db != "" && q.db != c.id.DB {
		return false
	}
	if q.open && open == 0 {
		return false
	}
	return !slices.ContainsFunc(q.words, func(word string) bool { return !strings.Contains(c.search, word) })
}

// matching returns the numbers of the columns that a query matches, in its order, and the position of the column q.at among them.
// If q.at does not match, that is the position of the next column that does; it is -1 if there is no column q.at.
func (d *Data) matching(q query, open func(id int) int) (matching []int, at int) {
	at = -1
	for i := range d.columns {
		id := i
		if q.order == ByDoubt {
			id = d.doubted[i]
		}
		if id == q.at {
			at = len(matching)
		}
		if q.matches(&d.columns[id], open(id)) {
			matching = append(matching, id)
		}
	}
	return matching, at
}

// list returns a page of the columns that the query matches: the page with the column q.at or, if that is negative, the page
// q.page. open returns the number of undecided names of a column. The search for NextOpen, the next column with undecided names,
// begins after q.at or with the page, and goes on at the first column after the last.
func (d *Data) list(q query, open func(id int) int) List {
	matching, at := d.matching(q, open)
	l := List{Total: len(matching), Pages: max(1, (len(matching)+PageSize-1)/PageSize), At: -1, NextOpen: -1, Items: []ListItem{}}
	l.Page = min(q.page, l.Pages-1)
	start := q.page * PageSize // where the search for the next open column begins
	switch {
	case at >= 0:
		l.Page, start = min(at/PageSize, l.Pages-1), at
	case q.at >= 0:
		start = 0 // there is no such column
	}
	start = min(start, len(matching))
	ahead := append(slices.Clone(matching[start:]), matching[:start]...)
	if len(ahead) > 0 && ahead[0] == q.at { // the column itself comes last
		ahead = append(ahead[1:], q.at)
	}
	if i := slices.IndexFunc(ahead, func(id int) bool { return open(id) > 0 }); i >= 0 {
		l.NextOpen = ahead[i]
	}
	for i, id := range matching[l.Page*PageSize : min(len(matching), (l.Page+1)*PageSize)] {
		c := &d.columns[id]
		if id == q.at {
			l.At = i
		}
		l.Items = append(l.Items, ListItem{
			ID: id, DB: c.id.DB, Table: c.id.Table, Column: c.id.Column,
			Names: c.names(), Decided: c.names() - open(id), Doubt: doubtValue(c.doubt),
		})
	}
	return l
}
