package query

import (
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Comparison replaces a comparison by another one.
var Comparison = retargeted("comparison", "table 8, with the swap of >= and <= mended",
	"Replaces one of <, >, <= and >= in the gold SQL by another of them, and its indicator in the question by one of the same sense.", comparisons)

// site is a comparison of the gold SQL; equal ones, as both sides of a set
// operation often have, are one.
type site struct {
	nodes    []*sqlast.Binary
	mirrored []bool // of a node: its constant stands on the left
	op       string // as read with the value on the right
	side     sqlast.Expr
	against  sqlast.Expr // what it is compared with
	value    constant    // that as a constant; without a node where it is none
	// Both sides with their columns by the names of tables.
	left, right string
	names       map[string]bool // the words of the names on both sides
	// bounded: the side is compared with another constant too. In the other direction the two
	// would exclude or repeat each other ("before 1945 and before 1955").
	bounded bool
}

// signature is what equal comparisons have in common, under an operator.
func (s *site) signature(op string) string { return s.left + op + s.right }

func comparisons(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	sites := comparisonSites(p, ex)
	if len(sites) == 0 {
		return nil, ""
	}
	q := newQuestion(ex)
	found := indicators(q)
	links := make([][]int, len(sites)) // the indicators that fit a site
	owners := make([]int, len(found))  // how many sites an indicator fits
	for i, s := range sites {
		for j, n := range found {
			if s.fits(q, n, sites) {
				links[i] = append(links[i], j)
				owners[j]++
			}
		}
	}
	d := drafts{reason: reasonIndicator}
	for i, s := range sites {
		switch {
		case len(links[i]) == 0:
		case len(links[i]) > 1, owners[links[i][0]] > 1:
			d.reason = reasonSeveral
		default:
			d.add(pick(p, ex, s.changes(q, found[links[i][0]], sites), s.signature(s.op)), reasonOperator)
		}
	}
	return d.mixed(p, ex)
}

// comparisonSites returns the comparisons by <, >, <= and >=.
func comparisonSites(p *perturb.Pass, ex *perturb.Example) (sites []*site) {
	for b := range sqlast.All[*sqlast.Binary](ex.Gold) {
		if !slices.Contains(operators, b.Op) {
			continue
		}
		s := newSite(p, ex, b)
		same := slices.IndexFunc(sites, func(o *site) bool { return o.signature(o.op) == s.signature(s.op) })
		if same < 0 {
			sites = append(sites, s)
		} else {
			sites[same].nodes, sites[same].mirrored = append(sites[same].nodes, b), append(sites[same].mirrored, s.mirrored...)
		}
	}
	all := constants(ex)
	for _, s := range sites {
		column := ex.Binding.Column(s.side)
		s.bounded = slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.left == s.left && o.value.node != nil })
		if column.Column != "" && slices.ContainsFunc(all, func(c constant) bool { return c.column == column && !s.has(c.within) }) {
			s.bounded = true
		}
	}
	return sites
}

// newSite reads a comparison with its constant, if it has one, on the right.
func newSite(p *perturb.Pass, ex *perturb.Example, b *sqlast.Binary) *site {
	s := &site{nodes: []*sqlast.Binary{b}, mirrored: []bool{false}, op: b.Op, side: b.X, against: b.Y, value: constantOf(ex, b.Y)}
	if left := constantOf(ex, b.X); left.node != nil && s.value.node == nil {
		s.mirrored[0] = true
		s.side, s.op, s.against, s.value = b.Y, sqlast.Mirrored(b.Op), b.X, left
	}
	s.left, s.right = baseForm(ex, s.side), baseForm(ex, s.against)
	s.names = namesOf(p, ex, s.side)
	maps.Copy(s.names, namesOf(p, ex, s.against))
	return s
}

// has tells whether a node is one of the site's comparisons.
func (s *site) has(n sqlast.Node) bool {
	return slices.ContainsFunc(s.nodes, func(b *sqlast.Binary) bool { return sqlast.Node(b) == n })
}

// baseForm prints an expression with its columns by the names of their tables.
func baseForm(ex *perturb.Example, e sqlast.Expr) string {
	return sqlast.Format(sqlast.Rewrite(e, func(n sqlast.Node) sqlast.Node {
		e, _ := n.(sqlast.Expr)
		c := ex.Binding.Column(e)
		if c.Column == "" {
			return n
		}
		return &sqlast.ColumnRef{Table: sqlast.NewIdent(c.Table), Column: sqlast.NewIdent(c.Column)}
	}))
}

// changes returns the site under other operators, but for one that would make
// it another of the sites.
func (s *site) changes(q *question, n indicator, sites []*site) (out []change) {
	for _, op := range []string{"<", ">", "<=", ">="} {
		phrase := s.phrase(q, n, op)
		repeats := slices.ContainsFunc(sites, func(o *site) bool { return o.signature(o.op) == s.signature(op) })
		turns := op[0] != s.op[0]
		switch {
		case phrase == "", repeats, s.vacuous(op), turns && s.bounded:
			continue
		}
		nodes := map[sqlast.Node]sqlast.Node{}
		for i, b := range s.nodes {
			c := *b
			c.Op = op
			if s.mirrored[i] {
				c.Op = sqlast.Mirrored(op)
			}
			nodes[b] = &c
		}
		out = append(out, change{
			spans: q.replace(n.first, n.end, phrase, "comparison "+s.op+" to "+op),
			nodes: nodes, part: s.nodes[0],
		})
	}
	return out
}

// emptyBelow are the counts below which an operator leaves no group.
var emptyBelow = map[string]float64{"<": 1, "<=": 0}

// emptyEnd are the operators that leave nothing beyond an end of the values.
var emptyEnd = map[string]string{"min": "<", "max": ">"}

// vacuous tells whether the operator would leave nothing by itself: no group has
// a count below 1, no cell is below the least of its column.
func (s *site) vacuous(op string) bool {
	if s.value.isNumber {
		least, ok := emptyBelow[op]
		return ok && s.value.number <= least && s.counts()
	}
	sub, ok := s.against.(*sqlast.Subquery)
	return ok && sub.Query.Select.Where == nil && emptyEnd[sqlast.Aggregate(sub)] == op
}

// counts tells whether the side is an aggregate, or a column that holds counts.
func (s *site) counts() bool {
	return sqlast.Aggregate(s.side) != "" || anyOf(s.names, words.Words("counts"))
}
