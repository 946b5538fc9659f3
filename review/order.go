package review

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// noDoubt stands for the doubt of names without scores: they come last.
const noDoubt = math.MaxFloat64

// doubtOfName returns how far the scores of a candidate lie from the threshold that let
// it into its bucket, or its validity from that of a name which is as likely right as
// wrong. A person's names and those of ADVETA's files have none.
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

// scored tells whether a model saw a candidate: 0 in all scores is what files have that
// know none.
func scored(c *dataset.Candidate) bool {
	return [3]float64{c.Similarity, c.Forward, c.Backward} != [3]float64{}
}

func (d *Data) doubtOf(c *column) float64 {
	least := noDoubt
	for _, side := range c.sides() {
		for i := range c.list(side) {
			least = min(least, doubtOfName(d.policy, side, &c.list(side)[i]))
		}
	}
	return least
}

// byDoubt orders the columns, equal ones as they are. The order does not change while
// names are decided on: a list that shuffles under the hand cannot be worked through.
func (d *Data) byDoubt() []int {
	order := make([]int, len(d.columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.columns[a].doubt, d.columns[b].doubt) })
	return order
}

// defined returns a doubt for an answer in JSON.
func defined(doubt float64) *float64 {
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
	at    int // -1 for none
}

// keeps tells whether the filters keep a column.
func (q *query) keeps(c *column, open int) bool {
	if q.db != "" && q.db != c.id.DB || q.open && open == 0 {
		return false
	}
	return !slices.ContainsFunc(q.words, func(word string) bool { return !strings.Contains(c.search, word) })
}

// list makes a page. open says how many names of a column are undecided.
func (d *Data) list(q query, open func(id int) int) List {
	var kept []int // columns, in order
	at, found := -1, q.at < 0
	var ahead, around = -1, -1 // the first open columns from where the search begins, and from the beginning
	for place := range d.columns {
		id := place
		if q.order == ByDoubt {
			id = d.doubted[place]
		}
		if id == q.at {
			found, at = true, len(kept)
		}
		n := open(id)
		if !q.keeps(&d.columns[id], n) {
			continue
		}
		if n > 0 {
			behind := found && id != q.at && (q.at >= 0 || len(kept) >= q.page*PageSize)
			if ahead < 0 && behind {
				ahead = id
			}
			if around < 0 {
				around = id
			}
		}
		kept = append(kept, id)
	}
	l := List{Total: len(kept), Pages: max(1, (len(kept)+PageSize-1)/PageSize), At: -1, NextOpen: ahead, Items: []ListItem{}}
	if ahead < 0 {
		l.NextOpen = around
	}
	l.Page = min(q.page, l.Pages-1)
	if at >= 0 {
		l.Page = min(at/PageSize, l.Pages-1)
	}
	for i, id := range kept[l.Page*PageSize : min(len(kept), (l.Page+1)*PageSize)] {
		c := &d.columns[id]
		if id == q.at {
			l.At = i
		}
		l.Items = append(l.Items, ListItem{
			ID: id, DB: c.id.DB, Table: c.id.Table, Column: c.id.Column,
			Names: c.names(), Decided: c.names() - open(id), Doubt: defined(c.doubt),
		})
	}
	return l
}
