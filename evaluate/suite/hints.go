package suite

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// columnIndex identifies a column of a schema by the index of its table and its index in that table.
type columnIndex struct{ table, column int }

// constant is a value that a gold query compares a column with.
type constant struct {
	index columnIndex   // of the column
	value sqldata.Value // as the column stores it
	like  bool          // the value is a pattern
}

// hints holds what random contents should contain so that a gold query has rows there.
type hints struct {
	constants []constant
	counts    []int            // numbers that count(…) is compared with, and those of LIMIT
	pairs     [][2]columnIndex // pairs of columns that are compared with each other
}

// newHints returns the hints of a gold query that b resolves, in source order.
func newHints(s *schema, q *sqlast.Query, b *sqlast.Binding) *hints {
	c := &collector{schema: s, binding: b, hints: &hints{}}
	for n := range sqlast.All[sqlast.Node](q) {
		c.addNode(n)
	}
	return c.hints
}

// collector collects the hints of one gold query.
type collector struct {
	*hints
	schema  *schema
	binding *sqlast.Binding
}

// addNode adds the hints of one node of the query, without those of the nodes below it.
func (c *collector) addNode(n sqlast.Node) {
	for _, comparison := range sqlast.Comparisons(n) {
		_, like := n.(*sqlast.Like)
		c.addComparison(comparison.X, comparison.Y, like)
	}
	switch n := n.(type) {
	case *sqlast.Binary:
		if sqlast.Mirrored(n.Op) != "" {
			c.addPair(c.columnsIn(n.X), c.columnsIn(n.Y))
		}
	case *sqlast.In:
		if n.Query != nil {
			c.addPair(c.columnsIn(n.X), c.resultColumns(n.Query.Select, 0))
		}
	case *sqlast.Limit:
		c.addCount(n.Count)
	case *sqlast.Query:
		for _, arm := range n.Compound {
			for i := range n.Select.Columns {
				c.addPair(c.resultColumns(n.Select, i), c.resultColumns(arm.Select, i))
			}
		}
	}
}

// addComparison adds the constant y with which the query compares x: to the counts if x is a call of
// count, or else for each column in x. like is set if y is a pattern. It ignores a y that is no constant.
func (c *collector) addComparison(x, y sqlast.Expr, like bool) {
	v, ok := c.literalValue(y)
	if !ok {
		return
	}
	if isCount(x) {
		c.addCount(y)
		return
	}
	for _, p := range c.columnsIn(x) {
		c.constants = append(c.constants, constant{p, applyAffinity(c.schema.columnAt(p).affine, v), like})
	}
}

// addCount adds a number of rows, if the expression is an integer.
func (c *collector) addCount(x sqlast.Expr) {
	if i, ok := integerLiteral(x); ok {
		c.counts = append(c.counts, i)
	}
}

// isCount reports whether an expression is a call of count.
func isCount(x sqlast.Expr) bool {
	call, ok := x.(*sqlast.Call)
	return ok && call.Name.Is("count")
}

// integerLiteral returns the integer that an expression is; ok is false for other expressions.
func integerLiteral(x sqlast.Expr) (int, bool) {
	lit, ok := x.(*sqlast.Literal)
	if !ok || lit.Kind != sqlast.NumberLiteral {
		return 0, false
	}
	i, err := strconv.Atoi(lit.Text)
	return i, err == nil
}

// literalValue returns the value of a string or number; ok is false for other expressions.
func (c *collector) literalValue(x sqlast.Expr) (sqldata.Value, bool) {
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

// columnsIn returns the base columns in an expression; for a query used as a value, those of its
// result column.
func (c *collector) columnsIn(x sqlast.Expr) []columnIndex {
	var columns []columnIndex
	sqlast.Inspect(x, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.ColumnRef:
			base := c.binding.Column(n)
			if index, ok := c.schema.find(base.Table, base.Column); ok {
				columns = append(columns, index)
			}
		case *sqlast.Query:
			columns = append(columns, c.resultColumns(n.Select, 0)...)
			return false
		}
		return true
	})
	return columns
}

// resultColumns returns the base columns in result column i; none if there is no such column.
func (c *collector) resultColumns(s *sqlast.Select, i int) []columnIndex {
	if i >= len(s.Columns) {
		return nil
	}
	return c.columnsIn(s.Columns[i].Expr)
}

// addPair adds a pair of columns that the query compares, if each side is exactly one column.
func (c *collector) addPair(x, y []columnIndex) {
	if len(x) == 1 && len(y) == 1 && x[0] != y[0] {
		c.pairs = append(c.pairs, [2]columnIndex{x[0], y[0]})
	}
}

// constantsOf returns the constants of the columns of one table.
func (h *hints) constantsOf(table int) []constant {
	return lists.Filter(h.constants, func(c constant) bool { return c.index.table == table })
}

// matchingValue returns a value that the comparison accepts: the constant itself or, for a pattern, a
// text that it matches: "a_%" → "ax".
func (c constant) matchingValue() sqldata.Value {
	if !c.like || c.value.Kind() != sqldata.Text {
		return c.value
	}
	return sqldata.NewText(strings.ReplaceAll(strings.ReplaceAll(c.value.Bytes(), "%", ""), "_", "x"))
}
