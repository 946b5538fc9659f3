package suite

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// place is a column of a schema by the indexes of table and column.
type place struct{ table, column int }

// constant is a value that a query compares a column with.
type constant struct {
	at    place
	value sqldata.Value // as the column stores it
	like  bool          // the value is a pattern
}

// material is what random contents for a gold query should contain.
type material struct {
	tables    []int
	constants []constant
	counts    []int      // numbers that count(…) is compared with, and those of LIMIT
	links     [][2]place // pairs of columns that are compared with each other
}

// newMaterial collects the material of a resolved query, in source order.
func newMaterial(s *schema, q *sqlast.Query, b *sqlast.Binding) *material {
	c := &collector{schema: s, binding: b, material: &material{}}
	for _, name := range b.Tables() {
		if t := s.table(name); t >= 0 {
			c.tables = append(c.tables, t)
		}
	}
	sqlast.Inspect(q, c.visit)
	return c.material
}

// collector collects the material of one query.
type collector struct {
	*material
	schema  *schema
	binding *sqlast.Binding
}

// visit collects the material of one node.
func (c *collector) visit(n sqlast.Node) bool {
	for _, comparison := range sqlast.Comparisons(n) {
		_, like := n.(*sqlast.Like)
		c.compare(comparison.X, comparison.Y, like)
	}
	switch n := n.(type) {
	case *sqlast.Binary:
		if sqlast.Mirrored(n.Op) != "" {
			c.link(c.places(n.X), c.places(n.Y))
		}
	case *sqlast.In:
		if n.Query != nil {
			c.link(c.places(n.X), c.outputs(n.Query.Select, 0))
		}
	case *sqlast.Limit:
		if i, ok := integer(n.Count); ok {
			c.counts = append(c.counts, i)
		}
	case *sqlast.Query:
		for _, arm := range n.Compound {
			for i := range n.Select.Columns {
				c.link(c.outputs(n.Select, i), c.outputs(arm.Select, i))
			}
		}
	}
	return true
}

// compare adds y, if it is a constant that x is compared with: to the counts if x is a count, or
// else as a constant of each column of x. like is set if y is a pattern.
func (c *collector) compare(x, y sqlast.Expr, like bool) {
	v, ok := c.constantValue(y)
	if !ok {
		return
	}
	if counts(x) {
		if i, ok := integer(y); ok {
			c.counts = append(c.counts, i)
		}
		return
	}
	for _, p := range c.places(x) {
		col := &c.schema.tables[p.table].columns[p.column]
		c.constants = append(c.constants, constant{p, store(col.affine, v), like})
	}
}

// counts reports whether an expression is a call of count.
func counts(x sqlast.Expr) bool {
	call, ok := x.(*sqlast.Call)
	return ok && call.Name.Is("count")
}

// integer returns the integer that an expression is; ok is false for other expressions.
func integer(x sqlast.Expr) (int, bool) {
	lit, ok := x.(*sqlast.Literal)
	if !ok || lit.Kind != sqlast.NumberLiteral {
		return 0, false
	}
	i, err := strconv.Atoi(lit.Text)
	return i, err == nil
}

// constantValue returns the value of a string or number; ok is false for other expressions.
func (c *collector) constantValue(x sqlast.Expr) (sqldata.Value, bool) {
	literal := c.binding.Literal(x)
	if literal == nil {
		return sqldata.Value{}, false
	}
	switch literal.Kind {
	case sqlast.StringLiteral:
		return sqldata.NewText(literal.Text), true
	case sqlast.NumberLiteral:
		return parseNumber(literal.Text)
	}
	return sqldata.Value{}, false
}

// places returns the base columns in an expression; for a query used as a value, those of its
// result column.
func (c *collector) places(x sqlast.Expr) []place {
	var found []place
	sqlast.Inspect(x, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.ColumnRef:
			base := c.binding.Column(n)
			if i := c.schema.table(base.Table); i >= 0 {
				if j := c.schema.tables[i].column(base.Column); j >= 0 {
					found = append(found, place{i, j})
				}
			}
		case *sqlast.Query:
			found = append(found, c.outputs(n.Select, 0)...)
			return false
		}
		return true
	})
	return found
}

// outputs returns the base columns in result column i; none if there is no such column.
func (c *collector) outputs(s *sqlast.Select, i int) []place {
	if i >= len(s.Columns) {
		return nil
	}
	return c.places(s.Columns[i].Expr)
}

// link adds a link if both sides are one column.
func (c *collector) link(x, y []place) {
	if len(x) == 1 && len(y) == 1 && x[0] != y[0] {
		c.links = append(c.links, [2]place{x[0], y[0]})
	}
}

// constantsOf returns the constants of the columns of one table.
func (m *material) constantsOf(table int) []constant {
	var list []constant
	for _, c := range m.constants {
		if c.at.table == table {
			list = append(list, c)
		}
	}
	return list
}

// literal returns the value of a constant; for a pattern, a text that it matches: "a_%" → "ax".
func (c constant) literal() sqldata.Value {
	if !c.like || c.value.Kind() != sqldata.Text {
		return c.value
	}
	return sqldata.NewText(strings.ReplaceAll(strings.ReplaceAll(c.value.Bytes(), "%", ""), "_", "x"))
}
