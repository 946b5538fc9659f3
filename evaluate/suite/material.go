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

// material is what a gold query wants its random contents to hold.
type material struct {
	tables    []int
	constants []constant
	counts    []int      // numbers that counts of rows are compared with, and those of LIMIT
	links     [][2]place // columns that are compared with each other
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

type collector struct {
	*material
	schema  *schema
	binding *sqlast.Binding
}

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

// compare notes what a constant in the comparison's place y says of x.
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

// counts tells whether an expression is a count.
func counts(x sqlast.Expr) bool {
	call, ok := x.(*sqlast.Call)
	return ok && call.Name.Is("count")
}

func integer(x sqlast.Expr) (int, bool) {
	lit, ok := x.(*sqlast.Literal)
	if !ok || lit.Kind != sqlast.NumberLiteral {
		return 0, false
	}
	i, err := strconv.Atoi(lit.Text)
	return i, err == nil
}

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

// places returns the base columns that an expression is made of; of a query in
// the place of a value, those of its result.
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

// outputs returns the base columns that a result column is made of.
func (c *collector) outputs(s *sqlast.Select, i int) []place {
	if i >= len(s.Columns) {
		return nil
	}
	return c.places(s.Columns[i].Expr)
}

func (c *collector) link(x, y []place) {
	if len(x) == 1 && len(y) == 1 && x[0] != y[0] {
		c.links = append(c.links, [2]place{x[0], y[0]})
	}
}

// of returns the constants of the columns of one table.
func (m *material) of(table int) []constant {
	var list []constant
	for _, c := range m.constants {
		if c.at.table == table {
			list = append(list, c)
		}
	}
	return list
}

// literal returns a value that a constant is equal to, or that its pattern
// matches.
func (c constant) literal() sqldata.Value {
	if !c.like || c.value.Kind() != sqldata.Text {
		return c.value
	}
	return sqldata.NewText(strings.ReplaceAll(strings.ReplaceAll(c.value.Bytes(), "%", ""), "_", "x"))
}
