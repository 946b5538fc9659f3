package doctor

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
	"github.com/tabperturb/tabperturb/sqlast"
)

// crossJoins reports a base table that no condition of its SELECT relates to the tables before it, at most one for each gold SQL. A
// condition relates the tables that it mentions, including in nested queries. Derived tables and CTEs are not reported: they may hold
// only one row.
func crossJoins(_ context.Context, u *unit, r *reporter) {
	reported := map[*gold]bool{}
	u.eachNode(func(g *gold, n sqlast.Node) {
		s, ok := n.(*sqlast.Select)
		if !ok || reported[g] {
			return
		}
		if table := unrelatedTable(g, s); table != nil {
			reported[g] = true
			r.gold(g, "%d:%d: no condition joins %s with what stands before it", table.Line, table.Col, table.Name)
		}
	})
}

// unrelatedTable returns the first base table in FROM that no condition relates, directly or over
// other tables, to the first base table; nil if there is none.
func unrelatedTable(g *gold, s *sqlast.Select) *sqlast.Table {
	j := joinGraph{gold: g, related: disjoint.Sets[sqlast.Source]{}}
	j.addFrom(s.From)
	j.addConditions(s.Where)
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

// joinGraph holds the sources of a FROM clause and which of them conditions relate.
type joinGraph struct {
	gold    *gold
	sources []sqlast.Source // in source order
	related disjoint.Sets[sqlast.Source]
}

// addFrom adds the entries of FROM with their conditions. It adds those in parentheses one by one.
func (j *joinGraph) addFrom(items []*sqlast.FromItem) {
	for _, item := range items {
		n := len(j.sources)
		if group, ok := item.Source.(*sqlast.Group); ok {
			j.addFrom(group.From)
		} else {
			j.sources = append(j.sources, item.Source)
		}
		if n > 0 && (item.Natural || len(item.Using) > 0) { // joined by columns of the same name
			j.related.Join(j.sources[n-1], j.sources[n])
		}
		j.addConditions(item.On)
	}
}

// addConditions relates, for each of the conditions that AND joins in x, the sources that it mentions. x may be nil.
func (j *joinGraph) addConditions(x sqlast.Expr) {
	for _, condition := range sqlast.Conjuncts(x) {
		j.relate(condition)
	}
}

// relate relates all sources of this FROM clause that a condition mentions, each with the one before it.
func (j *joinGraph) relate(x sqlast.Expr) {
	var previous sqlast.Source
	for ref := range sqlast.All[*sqlast.ColumnRef](x) {
		source := j.gold.binding.Target(ref).Source
		if !slices.Contains(j.sources, source) {
			continue // a source of a query within or around this one
		}
		if previous != nil {
			j.related.Join(previous, source)
		}
		previous = source
	}
}
