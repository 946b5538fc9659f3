package consistency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A block holds the features of one SELECT that are compared: with resolved names, without constants, and
// sorted unless the order counts.
type block struct {
	parts        map[Clause]*part
	tables       []string // base tables, and "(query)" for one in FROM
	joins        []string // conditions of the joins
	distinct     bool
	limit        bool
	setOperators []string // the set operations that join further queries
	nested       []*block // queries in its clauses in source order, then those of setOperators
	values       []string // constants
}

// A part is one clause of a block.
type part struct {
	items      []string // entries of a list, or all conditions, whether AND or OR joins them
	columns    []string
	aggregates []string
	operators  []string // that compare, with AND and OR
	countStar  bool     // count(*) is in it
}

// part returns a clause of the block; it is empty if there is none.
func (b *block) part(c Clause) *part {
	if p := b.parts[c]; p != nil {
		return p
	}
	return &part{}
}

// literals returns the constants of a block and of those nested in it, sorted.
func (b *block) literals() []string {
	all := slices.Clone(b.values)
	for _, n := range b.nested {
		all = append(all, n.literals()...)
	}
	slices.Sort(all)
	return all
}

// A reader computes the features of queries from their syntax trees.
type reader struct {
	binding *sqlast.Binding
	linked  map[string]string // see linkedColumns
	words   int               // words of all expressions so far
}

// maxWords bounds the words of a query whose aliases repeat expressions.
const maxWords = 1 << 16

// readFeatures returns the features of an output, which must have a syntax tree.
func readFeatures(output parsedOutput) *block {
	r := &reader{binding: output.binding, linked: linkedColumns(output.side.db)}
	return r.queryBlock(output.query)
}

// linkedColumns maps each column that foreign keys link to the least of the columns linked with it.
func linkedColumns(db *dataset.Database) map[string]string {
	linked := disjoint.Sets[string]{}
	// least returns the representative of a column: joining keeps it the least of its set.
	least := func(ref dataset.ColumnRef) string {
		return linked.Find(columnKey(db.Tables[ref.Table].Original, db.Column(ref).Original))
	}
	for _, fk := range db.ForeignKeys {
		a, b := least(fk.Column), least(fk.Target)
		linked.Join(max(a, b), min(a, b))
	}
	classes := make(map[string]string, len(linked))
	for c := range linked {
		classes[c] = linked.Find(c)
	}
	return classes
}

// columnKey returns the name of a column of a table, in lower case.
func columnKey(table, column string) string { return strings.ToLower(table + "." + column) }

// queryBlock returns the block of a query; the queries of WITH and of set operations are nested in it.
func (r *reader) queryBlock(q *sqlast.Query) *block {
	b := r.selectBlock(q.Select, q.OrderBy)
	b.limit = q.Limit != nil
	if q.Limit != nil {
		r.scanExpr(b, &part{}, q.Limit.Count) // for its constant
	}
	if q.With != nil {
		for _, c := range q.With.Tables {
			b.nested = append(b.nested, r.queryBlock(c.Query))
		}
	}
	for _, c := range q.Compound {
		b.setOperators = append(b.setOperators, string(c.Op))
		b.nested = append(b.nested, r.selectBlock(c.Select, nil))
	}
	return b
}

// selectBlock returns the block of one SELECT with the ORDER BY of its query, which may be nil.
func (r *reader) selectBlock(s *sqlast.Select, order []*sqlast.OrderTerm) *block {
	b := &block{parts: map[Clause]*part{}, distinct: s.Distinct}
	r.addFrom(b, s.From)
	b.add(Select, r.expressions(b, lists.Map(s.Columns, func(c *sqlast.ResultColumn) sqlast.Expr { return c.Expr })))
	b.add(Where, r.conditions(b, s.Where, true))
	b.add(GroupBy, r.expressions(b, s.GroupBy))
	b.add(Having, r.conditions(b, s.Having, false))
	orderBy := r.expressions(b, lists.Map(order, func(t *sqlast.OrderTerm) sqlast.Expr { return t.Expr }))
	for i, t := range order {
		dir := "asc"
		if t.Dir == sqlast.Desc {
			dir = "desc"
		}
		orderBy.items[i] = fmt.Sprintf("%03d %s %s%s", i, orderBy.items[i], dir, t.Nulls) // the number keeps the order
	}
	b.add(OrderBy, orderBy)
	slices.Sort(b.tables)
	slices.Sort(b.joins)
	return b
}

// expressions returns the part with a list of expressions as its items.
func (r *reader) expressions(b *block, list []sqlast.Expr) *part {
	p := &part{}
	p.items = lists.Map(list, func(x sqlast.Expr) string { return r.scanExpr(b, p, x) })
	return p
}

// add sorts a clause and puts it into the block.
func (b *block) add(c Clause, p *part) {
	for _, list := range [][]string{p.items, p.columns, p.aggregates, p.operators} {
		slices.Sort(list)
	}
	b.parts[c] = p
}

// addFrom adds the tables and joins of FROM to the block.
func (r *reader) addFrom(b *block, items []*sqlast.FromItem) {
	for _, item := range items {
		switch src := item.Source.(type) {
		case *sqlast.Table:
			name := cmp.Or(r.binding.BaseTable(src), "("+src.Name.Name+")")
			b.tables = append(b.tables, strings.ToLower(name))
		case *sqlast.Derived:
			b.tables = append(b.tables, "(query)")
			b.nested = append(b.nested, r.queryBlock(src.Query))
		case *sqlast.Group:
			r.addFrom(b, src.From)
		}
		if item.Op.Outer() { // an outer join is no equal of an inner one on the same conditions
			b.joins = append(b.joins, strings.ToLower(string(item.Op)))
		}
		if item.On != nil {
			b.joins = append(b.joins, r.conditions(b, item.On, false).items...)
		}
		for _, c := range r.binding.JoinColumns(item) {
			b.joins = append(b.joins, equation(r.columnName(c.Left), r.columnName(c.Right)))
		}
	}
}

// equation returns the form of a condition that two columns are equal, in either order.
func equation(a, b string) string { return "= " + min(a, b) + " " + max(a, b) }

// conditions returns the part with the conditions that AND and OR join in x, which may be nil. If joins is
// set, it adds those that equate two columns to the joins of the block instead, because older SQL joins
// tables in WHERE.
func (r *reader) conditions(b *block, x sqlast.Expr, joins bool) *part {
	p := &part{}
	var connectives []string
	var walk func(sqlast.Expr)
	walk = func(x sqlast.Expr) {
		bin, ok := x.(*sqlast.Binary)
		switch {
		case ok && slices.Contains([]string{"AND", "OR"}, bin.Op):
			walk(bin.X)
			connectives = append(connectives, bin.Op)
			walk(bin.Y)
			return
		case ok && bin.Op == "=":
			left, right := r.equatedColumn(bin.X), r.equatedColumn(bin.Y)
			if left == "" || right == "" {
				break
			}
			if joins {
				b.joins = append(b.joins, equation(left, right))
				if i := slices.Index(connectives, "AND"); i >= 0 { // for the one that connected this condition: all are equal
					connectives = slices.Delete(connectives, i, i+1)
				}
				return
			}
			p.items = append(p.items, equation(left, right))
			return
		}
		p.items = append(p.items, r.scanExpr(b, p, x))
	}
	if x != nil {
		walk(x)
	}
	if len(p.items) < 2 {
		connectives = nil // they connected conditions that are joins
	}
	p.operators = append(p.operators, connectives...)
	return p
}

// equatedColumn returns the name of the base column that an expression is, or "".
func (r *reader) equatedColumn(x sqlast.Expr) string {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return ""
	}
	t := r.binding.Target(ref)
	if t.Table == "" || t.Column == "" {
		return ""
	}
	return r.columnName(t)
}

// columnName returns the column that a name resolves to: the representative of the columns that foreign
// keys link with it, if there are any.
func (r *reader) columnName(t sqlast.Target) string {
	if t.Table == "" { // a result column that is an expression
		return "output " + strings.ToLower(t.Name)
	}
	name := cmp.Or(t.Column, "rowid") // the rowid is no column of the schema
	k := columnKey(t.Table, name)
	if class := r.linked[k]; class != "" {
		return class
	}
	return k
}
