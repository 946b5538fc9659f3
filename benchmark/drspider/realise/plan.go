package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// plan is what one SELECT asks for.
type plan struct {
	inst   []instance
	edges  []edge
	head   int // the instance whose rows are asked for
	items  []item
	conds  []cond
	either bool // the conditions are alternatives
	groups []field
	having []cond
	order  []order
	limit  int // 0 for none
	unique bool
}

// instance is an occurrence of a table in FROM.
type instance struct {
	node  *sqlast.Table
	table int
}

// edge is a join: rows of one instance refer to rows of another by a key.
type edge struct {
	from, to int // instances; from has the key
	key      dataset.ColumnRef
	target   dataset.ColumnRef
}

// field is a column of an instance.
type field struct {
	inst int
	ref  dataset.ColumnRef
}

// item is an element of a select list, HAVING or ORDER BY.
type item struct {
	agg      string // in lower case; "" for the column itself
	distinct bool
	star     bool // count(*), or all columns
	field    field
}

// isColumn reports whether an item is a column itself.
func (i item) isColumn() bool { return i.agg == "" && !i.star }

// cond is a condition on a column, or in HAVING on an aggregate.
type cond struct {
	item   item
	op     string // = != < <= > >= like between null in
	not    bool
	values []*sqlast.Literal
	sub    *sqlast.Query // compared with instead of values; nil for none
}

// isEquality reports whether a condition asks for equality with one of some constants.
func (c cond) isEquality() bool { return c.op == "=" && !c.not && c.sub == nil }

// isSingleEquality reports whether a condition asks for equality with one constant.
func (c cond) isSingleEquality() bool { return c.isEquality() && len(c.values) == 1 }

// order is a term of ORDER BY.
type order struct {
	item item
	desc bool
}

// aggregated reports whether an aggregate is selected.
func (p *plan) aggregated() bool {
	return slices.ContainsFunc(p.items, func(i item) bool { return i.agg != "" })
}

// selects reports whether a column of an instance is selected.
func (p *plan) selects(inst int) bool {
	return slices.ContainsFunc(p.items, func(i item) bool { return !i.star && i.field.inst == inst })
}

// edgesFrom returns the joins whose key is a column of an instance.
func (p *plan) edgesFrom(inst int) []edge {
	return lists.Filter(p.edges, func(e edge) bool { return e.from == inst })
}

// edge returns the join of two instances.
func (p *plan) edge(x, y int) (edge, bool) {
	for _, e := range p.edges {
		if ends := [2]int{e.from, e.to}; ends == [2]int{x, y} || ends == [2]int{y, x} {
			return e, true
		}
	}
	return edge{}, false
}

// plan reads a query. It returns a copy, which the caller may change.
func (w *writer) plan(q *sqlast.Query) *plan {
	found := memo(w.plans, q, func() planned {
		reader := &writer{knowledge: w.knowledge} // its failure is reported each time
		p := reader.read(q)
		return planned{p, reader.err}
	})
	w.fail(found.err)
	p := *found.plan
	return &p
}

// read reads a query as a plan, which is incomplete where the query is unsupported (w.err).
func (w *writer) read(q *sqlast.Query) *plan {
	s := q.Select
	p := &plan{unique: s.Distinct}
	if len(s.From) == 0 || len(s.Values)+len(s.Windows) > 0 {
		w.unsupported("no FROM")
		return p
	}
	predicates := append(w.readFrom(p, s.From), operands(s.Where, "AND")...)
	for _, e := range predicates {
		if !w.readJoin(p, e) {
			w.readCondition(p, e, len(predicates))
		}
	}
	for _, c := range s.Columns {
		p.items = append(p.items, w.item(p, c.Expr))
	}
	if len(p.inst) > 1 && slices.Contains(p.items, item{star: true}) {
		w.unsupported("all columns of several tables")
	}
	for _, g := range s.GroupBy {
		f, ok := w.field(p, g)
		if !ok {
			w.unsupported("GROUP BY is no column")
		}
		p.groups = append(p.groups, f)
	}
	for _, h := range operands(s.Having, "AND") {
		p.having = append(p.having, w.cond(p, h))
	}
	for _, o := range q.OrderBy {
		p.order = append(p.order, order{w.item(p, o.Expr), o.Dir == sqlast.Desc})
	}
	w.readLimit(p, q.Limit)
	w.connect(p)
	return p
}

// readFrom reads the tables of FROM and returns the conditions of their joins.
func (w *writer) readFrom(p *plan, from []*sqlast.FromItem) []sqlast.Expr {
	var on []sqlast.Expr
	for _, f := range from {
		t, ok := f.Source.(*sqlast.Table)
		if !ok || !isPlainJoin(f) || w.b.BaseTable(t) == "" {
			w.unsupported("FROM is more than joined tables")
			return nil
		}
		p.inst = append(p.inst, instance{t, w.db.Table(w.b.BaseTable(t))})
		on = append(on, operands(f.On, "AND")...)
	}
	return on
}

// readLimit reads LIMIT, which may be nil.
func (w *writer) readLimit(p *plan, limit *sqlast.Limit) {
	if limit == nil {
		return
	}
	n, ok := limit.Count.(*sqlast.Literal)
	if ok && limit.Offset == nil {
		p.limit, _ = strconv.Atoi(n.Text)
	}
	if p.limit < 1 {
		w.unsupported("LIMIT is no number")
	}
}

// isPlainJoin reports whether a join drops rows without a partner and has its conditions
// in ON.
func isPlainJoin(f *sqlast.FromItem) bool {
	outer := slices.Contains([]sqlast.JoinOp{sqlast.LeftJoin, sqlast.FullJoin}, f.Op)
	return !outer && !f.Natural && len(f.Using) == 0
}

// operands returns the operands of a chain of one operator, "a AND b AND c"; none for nil.
func operands(e sqlast.Expr, op string) []sqlast.Expr {
	if e == nil {
		return nil
	}
	if x, ok := e.(*sqlast.Binary); ok && x.Op == op {
		return append(operands(x.X, op), operands(x.Y, op)...)
	}
	return []sqlast.Expr{e}
}

// resolveAlias returns the expression that an alias of the select list names, and other
// expressions as they are.
func (w *writer) resolveAlias(e sqlast.Expr) sqlast.Expr {
	if ref, ok := e.(*sqlast.ColumnRef); ok {
		if t := w.b.Target(ref); t.Kind == sqlast.Alias && t.Result != nil {
			return w.resolveAlias(t.Result.Expr)
		}
	}
	return e
}

// field returns the column that an expression is, false where it is none of the plan's.
func (w *writer) field(p *plan, e sqlast.Expr) (field, bool) {
	ref, ok := w.resolveAlias(e).(*sqlast.ColumnRef)
	if !ok {
		return field{}, false
	}
	t := w.b.Target(ref)
	if t.Kind != sqlast.Column || t.Outer {
		return field{}, false
	}
	at := slices.IndexFunc(p.inst, func(i instance) bool { return sqlast.Source(i.node) == t.Source })
	col, found := w.db.Lookup(t.Table, t.Column)
	return field{at, col}, found && at >= 0
}

// item reads what is taken of the rows.
func (w *writer) item(p *plan, e sqlast.Expr) item {
	switch x := w.resolveAlias(e).(type) {
	case *sqlast.Star:
		return item{star: true}
	case *sqlast.ColumnRef:
		if f, ok := w.field(p, x); ok {
			return item{field: f}
		}
	case *sqlast.Call:
		agg := sqlast.Aggregate(x)
		if agg == "" || !x.Bare() {
			break
		}
		if x.Star {
			return item{agg: agg, star: true}
		}
		if f, ok := w.field(p, x.Args[0]); ok && len(x.Args) == 1 {
			return item{agg: agg, distinct: x.Distinct, field: f}
		}
	}
	w.unsupported("an expression that is no column and no aggregate of one")
	return item{}
}

// readCondition reads one of n predicates of ON and WHERE. Alternatives must be the only
// one that is no join.
func (w *writer) readCondition(p *plan, e sqlast.Expr, n int) {
	alternatives := operands(e, "OR")
	if len(alternatives) > 1 {
		p.either = true
		if n-len(p.edges) > 1 {
			w.unsupported("OR beside other conditions")
		}
	}
	for _, a := range alternatives {
		p.conds = append(p.conds, w.cond(p, a))
	}
}

// operators are the comparisons that a condition may have.
var operators = []string{"=", "!=", "<", "<=", ">", ">="}

// cond reads one comparison of a column with values or with a nested query.
func (w *writer) cond(p *plan, e sqlast.Expr) cond {
	switch x := e.(type) {
	case *sqlast.Binary:
		return w.binary(p, x)
	case *sqlast.Like:
		if x.Op == "LIKE" && x.Escape == nil {
			return w.withValues(cond{item: w.item(p, x.X), op: "like", not: x.Not}, x.Pattern)
		}
	case *sqlast.Between:
		if !x.Not {
			return w.withValues(cond{item: w.item(p, x.X), op: "between"}, x.Low, x.High)
		}
	case *sqlast.In:
		if x.Query != nil {
			return cond{item: w.item(p, x.X), op: "in", not: x.Not, sub: x.Query}
		}
		return w.withValues(cond{item: w.item(p, x.X), op: "=", not: x.Not}, x.List...)
	}
	return w.withValues(cond{})
}

// withValues gives a condition its values. It is unsupported where there are none, or where
// one is no constant.
func (w *writer) withValues(c cond, values ...sqlast.Expr) cond {
	for _, v := range values {
		if lit := w.b.Literal(v); lit != nil {
			c.values = append(c.values, lit)
		}
	}
	if len(values) == 0 || len(c.values) < len(values) {
		w.unsupported("a condition that compares no column with values")
	}
	return c
}

// binary reads IS NULL, and a comparison with its constant or query on either side.
func (w *writer) binary(p *plan, x *sqlast.Binary) cond {
	if lit, ok := x.Y.(*sqlast.Literal); ok && lit.Kind == sqlast.NullLiteral && strings.HasPrefix(x.Op, "IS") {
		return cond{item: w.item(p, x.X), op: "null", not: x.Op == "IS NOT"}
	}
	if !slices.Contains(operators, x.Op) {
		return w.withValues(cond{})
	}
	left, op, right := x.X, x.Op, x.Y
	if w.b.Literal(left) != nil {
		left, op, right = right, sqlast.Mirrored(op), left
	}
	c := cond{item: w.item(p, left), op: op}
	if sub, ok := right.(*sqlast.Subquery); ok {
		c.sub = sub.Query
		return c
	}
	return w.withValues(c, right)
}
