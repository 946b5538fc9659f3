package doctor

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
	"github.com/tabperturb/tabperturb/sqlast"
)

// crossJoins looks at each SELECT for base tables that no condition relates to
// the others. A condition relates the tables that it mentions, in queries nested
// in it too. Derived tables and CTEs may hold one row, and are left out.
func crossJoins(_ context.Context, u *unit, r *reporter) error {
	told := map[*gold]bool{}
	return u.resolved(func(g *gold, n sqlast.Node) error {
		s, ok := n.(*sqlast.Select)
		if !ok || told[g] {
			return nil
		}
		if table := loose(g, s); table != nil {
			told[g] = true
			r.gold(g, "%d:%d: no condition joins %s with what stands before it", table.Line, table.Col, table.Name)
		}
		return nil
	})
}

// loose returns the first base table of a SELECT that nothing relates to the
// first one, or nil.
func loose(g *gold, s *sqlast.Select) *sqlast.Table {
	j := join{g: g, related: disjoint.Sets[sqlast.Source]{}}
	j.from(s.From)
	j.relate(s.Where)
	var first sqlast.Source
	for _, source := range j.sources {
		t, ok := source.(*sqlast.Table)
		if !ok || g.binding.BaseTable(t) == "" {
			continue
		}
		if first == nil {
			first = t
		} else if j.related.Find(t) != j.related.Find(first) {
			return t
		}
	}
	return nil
}

// join holds the sources of a FROM clause.
type join struct {
	g       *gold
	sources []sqlast.Source
	related disjoint.Sets[sqlast.Source]
}

// from adds the entries of FROM, those in parentheses one by one.
func (j *join) from(items []*sqlast.FromItem) {
	for _, item := range items {
		n := len(j.sources)
		if group, ok := item.Source.(*sqlast.Group); ok {
			j.from(group.From)
		} else {
			j.sources = append(j.sources, item.Source)
		}
		if n > 0 && (item.Natural || len(item.Using) > 0) {
			j.related.Join(j.sources[n-1], j.sources[n])
		}
		j.relate(item.On)
	}
}

// relate unites the sources that one condition mentions; the two sides of an AND
// are two conditions.
func (j *join) relate(x sqlast.Expr) {
	if x == nil {
		return
	}
	if b, ok := x.(*sqlast.Binary); ok && b.Op == "AND" {
		j.relate(b.X)
		j.relate(b.Y)
		return
	}
	var last sqlast.Source
	for ref := range sqlast.All[*sqlast.ColumnRef](x) {
		source := j.g.binding.Target(ref).Source
		if !slices.Contains(j.sources, source) {
			continue
		}
		if last != nil {
			j.related.Join(last, source)
		}
		last = source
	}
}
