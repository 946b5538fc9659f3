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

// site is a comparison of the gold SQL. Equal comparisons, as both sides of a set
// operation often have, are one site.
type site struct {
	nodes    []*sqlast.Binary
	mirrored []bool      // for each node: its constant is on the left
	op       string      // with the value on the right
	side     sqlast.Expr // what is compared, on the left
	against  sqlast.Expr // what it is compared with
	value    constant    // against as a constant; its node is nil where it is none
	// Both sides in SQL, with columns qualified by their tables.
	sideSQL, againstSQL string
	names               map[string]bool // words of the names on both sides, singular
	// hasOtherBound: the side is compared with another constant too. In the other direction the two
	// would exclude or repeat each other ("before 1945 and before 1955").
	hasOtherBound bool
	// losesZeros: it is a count that leaves out rows without any, which fewer would mean.
	losesZeros bool
}

// signature identifies the comparison of both sides by an operator: "singer.age>30".
func (s *site) signature(op string) string { return s.sideSQL + op + s.againstSQL }

// comparisons returns the changes of all comparisons of the gold SQL that exactly one indicator of the
// question fits: age > 30, "older than 30" → age < 30, "younger than 30". If there are none, it returns the reason, or "" if the
// gold SQL has no comparison.
func comparisons(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	sites := comparisonSites(p, ex)
	if len(sites) == 0 {
		return nil, ""
	}
	q := newQuestion(ex)
	found := indicators(q)
	links := make([][]int, len(sites)) // the indicators that fit a site
	fitting := make([]int, len(found)) // how many sites an indicator fits
	for i, s := range sites {
		for j, n := range found {
			if s.fits(q, n, sites) {
				links[i] = append(links[i], j)
				fitting[j]++
			}
		}
	}
	d := drafts{reason: reasonIndicator}
	for i, s := range sites {
		repeats := func(n indicator) bool { // "less than full time", next to "an FTE of less than 1"
			return n.op == s.op && fitting[slices.Index(found, n)] == 0 && q.lacksValue(n)
		}
		switch {
		case len(links[i]) == 0: // d keeps its reason
		case slices.ContainsFunc(found, repeats), len(links[i]) > 1, fitting[links[i][0]] > 1:
			d.reason = reasonSeveral
		default:
			d.addOrReason(shuffled(p, ex, s.changes(q, found[links[i][0]], sites), s.signature(s.op)), reasonOperator)
		}
	}
	return d.interleaved(p, ex)
}

// comparisonSites returns the comparisons by <, >, <= and >= in the order of the gold SQL. A comparison that the SQL repeats
// is one site with several nodes.
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
		s.hasOtherBound = s.isBounded(sites, all, ex.Binding.Column(s.side))
		if sqlast.Aggregate(s.side) == "count" {
			_, s.losesZeros = losesZeros(p, ex)
		}
	}
	return sites
}

// isBounded reports whether the gold SQL compares the side of s with another constant too: in another of the sites or, if the side is
// a column, in any other predicate, such as column = 3.
func (s *site) isBounded(sites []*site, all []constant, column sqlast.BaseColumn) bool {
	if slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.sideSQL == s.sideSQL && o.value.node != nil }) {
		return true
	}
	return column.Column != "" && slices.ContainsFunc(all, func(c constant) bool { return c.column == column && !s.hasNode(c.within) })
}

// newSite returns the site of a comparison. It mirrors one with its constant on the left: 30 < age is age > 30. Its sides in SQL, with the
// columns qualified, identify equal comparisons.
func newSite(p *perturb.Pass, ex *perturb.Example, b *sqlast.Binary) *site {
	s := &site{nodes: []*sqlast.Binary{b}, mirrored: []bool{false}, op: b.Op, side: b.X, against: b.Y, value: constantOf(ex, b.Y)}
	if left := constantOf(ex, b.X); left.node != nil && s.value.node == nil {
		s.mirrored[0] = true
		s.side, s.op, s.against, s.value = b.Y, sqlast.Mirrored(b.Op), b.X, left
	}
	s.sideSQL, s.againstSQL = baseForm(ex, s.side), baseForm(ex, s.against)
	s.names = namesOf(p, ex, s.side)
	maps.Copy(s.names, namesOf(p, ex, s.against))
	return s
}

// hasNode reports whether a node is one of the site's comparisons.
func (s *site) hasNode(n sqlast.Node) bool {
	return slices.ContainsFunc(s.nodes, func(b *sqlast.Binary) bool { return sqlast.Node(b) == n })
}

// baseForm prints an expression with its columns qualified by their tables, whatever the
// aliases: T1.age → "singer.age".
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

// changes returns one change of the site for each other operator that it allows and for which the
// indicator n has words.
func (s *site) changes(q *question, n indicator, sites []*site) (out []change) {
	for _, op := range []string{"<", ">", "<=", ">="} {
		phrase := s.phrase(q, n, op)
		if phrase == "" || !s.allows(op, sites) {
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

// allows reports whether the site may have another operator: the query must not exclude or keep all rows, nor repeat another site, and
// "fewer" must not mean rows that the query leaves out. Only an operator of the other direction (> for <=) can conflict with another bound.
func (s *site) allows(op string, sites []*site) bool {
	if turns := op[0] != s.op[0]; turns && (s.hasOtherBound || s.losesZeros && op[0] == '<') {
		return false
	}
	repeats := slices.ContainsFunc(sites, func(o *site) bool { return o.signature(o.op) == s.signature(op) })
	return !repeats && !s.isVacuous(op)
}

// emptyBelow are, by operator, the greatest counts that leave no group: count(*) < 1.
var emptyBelow = map[string]float64{"<": 1, "<=": 0}

// emptyEnd are the operators that leave no value, by the aggregate of all values on the
// right: x < (SELECT min(x) …).
var emptyEnd = map[string]string{"min": "<", "max": ">"}

// isVacuous reports whether the operator would leave no rows, or all, whatever the data: no group has a count below 1, every group has a
// count of at least 1, and no cell is below the least of its column.
func (s *site) isVacuous(op string) bool {
	if s.value.isNumber {
		keepsAll := op == ">=" && s.value.number <= 1 && sqlast.Aggregate(s.side) == "count"
		limit, ok := emptyBelow[op]
		keepsNone := ok && s.value.number <= limit && s.counts()
		return keepsAll || keepsNone
	}
	sub, ok := s.against.(*sqlast.Subquery)
	return ok && sub.Query.Select.Where == nil && emptyEnd[sqlast.Aggregate(sub)] == op
}

// counts reports whether the side is an aggregate, or a column that holds counts.
func (s *site) counts() bool {
	return sqlast.Aggregate(s.side) != "" || anyOf(s.names, words.Words("counts"))
}
