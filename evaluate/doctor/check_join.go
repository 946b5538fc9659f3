package doctor

import (
	"context"
	"slices"

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
	j := join{g: g}
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
		} else if j.root(t) != j.root(first) {
			return t
		}
	}
	return nil
}

// join is a union-find over the sources of a FROM clause.
type join struct {
	g       *gold
	sources []sqlast.Source
	parent  []int
}

// from adds the entries of FROM, those in parentheses one by one.
func (j *join) from(items []*sqlast.FromItem) {
	for _, item := range items {
		n := len(j.sources)
		if group, ok := item.Source.(*sqlast.Group); ok {
			j.from(group.From)
		} else {
			j.parent = append(j.parent, n)
			j.sources = append(j.sources, item.Source)
		}
		if n > 0 && (item.Natural || len(item.Using) > 0) {
			j.union(n-1, n)
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
	last := -1
	sqlast.Inspect(x, func(n sqlast.Node) bool {
		if ref, ok := n.(*sqlast.ColumnRef); ok {
			if i := slices.Index(j.sources, j.g.binding.Target(ref).Source); i >= 0 {
				if last >= 0 {
					j.union(last, i)
				}
				last = i
			}
		}
		return true
	})
}

func (j *join) union(a, b int) { j.parent[j.find(a)] = j.find(b) }

// find returns the representative of the tables joined with table i.
func (j *join) find(i int) int {
	for j.parent[i] != i {
		i = j.parent[i]
	}
	return i
}

func (j *join) root(s sqlast.Source) int { return j.find(slices.Index(j.sources, s)) }
