package exact

import (
	"strings"
	"sync"
)

// Gold is a gold query prepared for judging predictions. It is safe for
// concurrent use.
type Gold struct {
	schema   *Schema
	sql      string
	query    *query // folded; nil if the official parser refuses it
	problem  error
	hardness Hardness
	tree     func() *form // computes the normal form once; it is nil for SQL without a tree
}

// Gold prepares a gold query. It never fails; see [Gold.Problem].
func (s *Schema) Gold(sql string) *Gold {
	g := &Gold{schema: s, sql: sql}
	g.tree = sync.OnceValue(func() *form { return s.form(sql) })
	g.query, g.problem = s.parse(sql)
	if g.problem != nil {
		g.query = nil // the official parser refuses it
		g.hardness = s.treeHardness(sql)
		return g
	}
	g.hardness = g.query.hardness()
	g.query.fold(s, g.query.tables) // after hardness, which counts the query as it is written
	return g
}

// Hardness returns the level of the query. If the official parser refuses the query,
// the same rules are applied to its tree; what is no SQL is [Extra].
func (g *Gold) Hardness() Hardness { return g.hardness }

// Problem returns why the official parser refuses the query, a [*SyntaxError],
// or nil. An official run ends there.
func (g *Gold) Problem() error { return g.problem }

// Judge compares a prediction with the gold. In strict mode, and if the official
// parser refuses the gold, it compares syntax trees: a prediction without a tree,
// because it is no SQL or names unknown tables or columns, does not match.
// If the gold has no tree, the official verdict stays.
func (g *Gold) Judge(pred string, strict bool) Result {
	var r Result
	// Models that predict no constants print the word "value" for each. The blanks keep
	// the positions in error messages right.
	plugged := strings.ReplaceAll(pred, " value ", " 1     ")
	// The official evaluator replaces "value" within other words too, such as gross_value.
	q, err := g.schema.parse(strings.ReplaceAll(plugged, "value", "1"))
	if err != nil {
		q, r.Rejected = &query{}, err
	}
	q.fold(g.schema, q.tables)
	if g.query != nil {
		r.Partial, r.Tables = g.schema.match(q, g.query)
		r.finish()
		r.Official = r.Match
		if !strict {
			r.NoTree = r.Rejected != nil && g.schema.formOf(pred, plugged) == nil
			return r
		}
	}
	r.judgeTrees(g, pred, plugged)
	return r
}

// finish sets Match and Differs from the parts.
func (r *Result) finish() {
	r.Match, r.Differs = r.Tables, nil
	for p := range NumParts {
		if !r.Partial[p].Same {
			r.Match = false
			r.Differs = append(r.Differs, p)
		}
	}
}

// judgeTrees replaces the verdict by the verdict on the syntax trees. It keeps a verdict on a gold without a tree that
// the official parser accepts. plugged is the prediction with 1 for the word "value".
func (r *Result) judgeTrees(g *Gold, pred, plugged string) {
	gold := g.tree()
	if gold == nil && g.query != nil {
		return
	}
	f := g.schema.formOf(pred, plugged)
	r.Tree, r.NoTree = true, f == nil
	var same bool
	r.Partial, r.Tables, same = f.match(gold)
	r.finish()
	r.Match = same
}

// formOf returns the normal form of a prediction, or else of the plugged prediction, or nil.
func (s *Schema) formOf(pred, plugged string) *form {
	f := s.form(pred)
	if f == nil && plugged != pred {
		f = s.form(plugged)
	}
	return f
}
