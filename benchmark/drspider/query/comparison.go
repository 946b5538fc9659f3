package query

import (
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Comparison replaces a comparison by another one.
var Comparison = &perturb.Perturbation{
	Name:     "drspider/comparison",
	Doc:      "Replaces one of <, >, <= and >= in the gold SQL by another of them, and its indicator in the question by one of the same sense.",
	Paper:    "Dr.Spider, section 3.3 and appendix A.4 (table 8, with the swap of >= and <= mended)",
	Version:  1,
	Relation: perturb.Retargeted,
	Run:      each(comparisons),
}

// site is a comparison of the gold SQL; equal ones, as both sides of a set
// operation often have, are one.
type site struct {
	nodes    []*sqlast.Binary
	mirrored []bool // of a node: its constant stands on the left
	op       string // as read with the value on the right
	side     sqlast.Expr
	against  sqlast.Expr // what it is compared with
	value    constant    // that as a constant; without a node where it is none
	// Both sides with their columns by the names of tables, and the whole.
	left, right, signature string
	names                  map[string]bool // the words of the names on both sides
	// bounded: the side is compared with another constant too. In the other direction the two
	// would exclude or repeat each other ("before 1945 and before 1955").
	bounded bool
}

func comparisons(p *perturb.Pass, ex *perturb.Example) ([]change, string) {
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
	var lists [][]change
	reason := reasonIndicator
	for i, s := range sites {
		if len(links[i]) != 1 || owners[links[i][0]] != 1 {
			if len(links[i]) > 0 {
				reason = reasonSeveral
			}
			continue
		}
		list := s.changes(q, found[links[i][0]], sites)
		if len(list) == 0 {
			reason = reasonOperator
		}
		lists = append(lists, pick(p, ex, list, s.signature))
	}
	return interleave(pick(p, ex, lists)), reason
}

// comparisonSites returns the comparisons by <, >, <= and >=.
func comparisonSites(p *perturb.Pass, ex *perturb.Example) (sites []*site) {
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
		b, ok := n.(*sqlast.Binary)
		if !ok || b.Op == "=" || mirror[b.Op] == "" || b.Op == "!=" {
			return true
		}
		side, value, op := b.X, b.Y, b.Op
		c, isConstant := constantOf(ex, value)
		mirrored := false
		if left, ok := constantOf(ex, b.X); ok && !isConstant {
			side, value, op, c, mirrored = b.Y, b.X, mirror[b.Op], left, true
		}
		if !isConstant && !mirrored {
			c = constant{}
		}
		left, right := baseForm(ex, side), baseForm(ex, value)
		signature := left + op + right
		if i := slices.IndexFunc(sites, func(s *site) bool { return s.signature == signature }); i >= 0 {
			sites[i].nodes, sites[i].mirrored = append(sites[i].nodes, b), append(sites[i].mirrored, mirrored)
			return true
		}
		names := namesOf(p, ex, side)
		maps.Copy(names, namesOf(p, ex, value))
		sites = append(sites, &site{
			nodes: []*sqlast.Binary{b}, mirrored: []bool{mirrored},
			op: op, side: side, against: value, value: c, left: left, right: right, signature: signature, names: names,
		})
		return true
	})
	all := constants(ex)
	for _, s := range sites {
		var column sqlast.BaseColumn
		if r, ok := s.side.(*sqlast.ColumnRef); ok {
			t := ex.Binding.Target(r)
			column = sqlast.BaseColumn{Table: t.Table, Column: t.Column}
		}
		s.bounded = slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.left == s.left && o.value.node != nil }) ||
			slices.ContainsFunc(all, func(c constant) bool { return column.Column != "" && c.column == column && !s.has(c.within) })
	}
	return sites
}

// has tells whether a node is one of the site's comparisons.
func (s *site) has(n sqlast.Node) bool {
	return slices.ContainsFunc(s.nodes, func(b *sqlast.Binary) bool { return sqlast.Node(b) == n })
}

// baseForm prints an expression with its columns by the names of their tables.
func baseForm(ex *perturb.Example, e sqlast.Expr) string {
	return sqlast.Format(sqlast.Rewrite(e, func(n sqlast.Node) sqlast.Node {
		if r, ok := n.(*sqlast.ColumnRef); ok {
			if t := ex.Binding.Target(r); t.Column != "" {
				return &sqlast.ColumnRef{Table: sqlast.NewIdent(t.Table), Column: sqlast.NewIdent(t.Column)}
			}
		}
		return n
	}))
}

// fits tells whether an indicator may stand for the site: its operator is the
// site's, and so is the value beside it.
func (s *site) fits(q *question, n indicator, sites []*site) bool {
	if n.op != s.op && (!n.row.turns || n.op != mirror[s.op]) {
		return false
	}
	if n.row.suffix {
		return s.endsWith(q, n.value)
	}
	if s.value.node == nil {
		others := slices.ContainsFunc(sites, func(o *site) bool { return o != s && o.value.node == nil })
		return !others && s.comparesWithWords(q, n)
	}
	for k, i := 0, n.value; k <= maxFillers; k, i = k+1, i+1 {
		if s.statedAt(q, i) {
			return true
		}
		if w := q.word(i); !s.names[lexicon.Singular(w)] && (!slices.Contains(fillers, w) || n.row.bare && !slices.Contains(bareFillers, w)) {
			return false
		}
	}
	return false
}

// maxFillers is how many words may stand between an indicator and its value.
const maxFillers = 4

// fillers are the words that may stand there, beside those of the column's name;
// bareFillers those after words that have other senses ("over", "before").
var (
	fillers     = strings.Fields(`the a an age ages year years of in number value amount total level day date month price $ " ' “ ‘ ( usd`)
	bareFillers = strings.Fields(`the a an age ages year years of $ " ' “ ‘ (`)
)

// statedAt tells whether token i begins the site's constant.
func (s *site) statedAt(q *question, i int) bool {
	if i < 0 || i >= len(q.tokens) {
		return false
	}
	if s.value.isNumber {
		n, ok := q.numeralAt(i)
		return ok && n.Value == s.value.number || !ok && s.value.number == 1 && q.word(i) == "single"
	}
	return slices.ContainsFunc(mentions(q.text, s.value.text), func(m perturb.Token) bool { return m.Start == q.tokens[i].Start })
}

// endsWith tells whether the constant stands before token i, or a word or two
// before it ("2 or more", "4 points or more").
func (s *site) endsWith(q *question, i int) bool {
	if s.value.node == nil {
		return false
	}
	for k := 1; k <= 3; k++ {
		if s.statedAt(q, i-k) {
			return true
		}
		if _, other := q.numeralAt(i - k); other {
			return false
		}
	}
	return false
}

// comparesWithWords tells whether an indicator is followed by words for a value
// that is no constant ("than the average"), as two columns or a query have. "Any"
// and "all" say which end of the values counts, and would change ends with the
// operator.
func (s *site) comparesWithWords(q *question, n indicator) bool {
	if n.value >= len(q.words) || n.row.suffix {
		return false
	}
	for i := n.value; i < n.value+4; i++ {
		if _, number := q.numeralAt(i); number && i < n.value+2 {
			return false
		}
		switch q.word(i) {
		case "any", "all", "every", "each", "some", "ever":
			return false
		case "average", "mean":
			return !n.row.bare
		}
	}
	return !n.row.bare
}

// changes returns the site under other operators, but for one that would make
// it another of the sites.
func (s *site) changes(q *question, n indicator, sites []*site) (out []change) {
	for _, op := range []string{"<", ">", "<=", ">="} {
		phrase, ok := s.phrase(q, n, op)
		repeats := slices.ContainsFunc(sites, func(o *site) bool { return o.signature == s.left+op+s.right })
		if !ok || repeats || s.vacuous(op) || op[0] != s.op[0] && s.bounded {
			continue
		}
		nodes := map[sqlast.Node]sqlast.Node{}
		for i, b := range s.nodes {
			c := *b
			c.Op = op
			if s.mirrored[i] {
				c.Op = mirror[op]
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

// phrase returns what stands for another operator in the indicator's place.
func (s *site) phrase(q *question, n indicator, op string) (string, bool) {
	asked := op // what the indicator says of it
	if n.op != s.op {
		asked = mirror[op]
	}
	switch {
	case op == s.op:
		return "", false
	case len(n.op) == 1 && len(op) == 2:
		return s.level(q, n, op)
	case len(n.row.words[asked]) == 0:
		return "", false
	case !n.adjective:
		return n.row.words[asked][0], true
	}
	word := n.row.words[asked][0]
	switch {
	case q.word(n.first) == "greater" && !n.apart: // "a horsepower smaller than 150" is not said
		word = "less"
	case q.word(n.first) == "shorter" && s.names["height"]:
		word = "taller"
	case word == "less" && strings.HasSuffix(q.word(n.first+1), "s"):
		word = "fewer"
	}
	if n.apart {
		return word, true
	}
	return word + " than", true
}

// level returns "at least" or "at most" for a strict comparison of amounts.
func (s *site) level(q *question, n indicator, op string) (string, bool) {
	words, before := amounts.words[op][0], q.word(n.first-1)
	switch {
	case !n.row.levels || n.apart || before == "at" || q.negated(n.first):
		return "", false
	case !s.statedAt(q, n.value) && (q.word(n.value) != "a" || !s.statedAt(q, n.value+1)): // "at least age 30"
		return "", false
	case s.names[lexicon.Singular(before)]:
		return "of " + words, true // "a weight of at least 10"
	}
	return words, !n.adjective || slices.Contains(beforeAmount, before)
}

// negated tells whether the words before token i deny what follows: "have not
// cost at least 1000" is not said.
func (q *question) negated(i int) bool {
	for k := i - 1; k >= max(0, i-negationReach); k-- {
		switch w := q.word(k); {
		case w == "not", w == "never", w == "no", w == "without", strings.HasSuffix(w, "n't"), strings.HasSuffix(w, "n’t"):
			return true
		case w == "," || w == ";" || w == "and" || w == "or" || w == "but":
			return false
		}
	}
	return false
}

// negationReach is how many words before a comparison may deny it.
const negationReach = 6

// beforeAmount are words after which an amount may follow at once.
var beforeAmount = strings.Fields("is are was were be been of has have had with having")

// countWords are words, singular, of columns that hold counts.
var countWords = strings.Fields("number num no count amount quantity total")

// vacuous tells whether the operator would leave nothing by itself: no group has
// a count below 1, no cell is below the least of its column.
func (s *site) vacuous(op string) bool {
	if s.value.node != nil {
		counts := aggregates(s.side) || slices.ContainsFunc(countWords, func(w string) bool { return s.names[w] })
		return s.value.isNumber && counts && (op == "<" && s.value.number <= 1 || op == "<=" && s.value.number <= 0)
	}
	sub, ok := s.against.(*sqlast.Subquery)
	if !ok || sub.Query.Select.Where != nil || len(sub.Query.Select.Columns) != 1 {
		return false
	}
	call, ok := sub.Query.Select.Columns[0].Expr.(*sqlast.Call)
	return ok && (call.Name.Is("min") && op == "<" || call.Name.Is("max") && op == ">")
}
