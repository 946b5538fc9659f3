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
	instances []instance
	edges     []edge
	head      int // the instance whose rows are asked for
	items     []item
	conds     []cond
	groups    []field
	having    []cond
	order     []order
	limit     int // 0 for none
	unique    bool
	asRecords bool // the rows of the head describe other rows, and are worded as records: "patient record"
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

// field is a column of an instance, or a part of the times in it.
type field struct {
	instance int // index in plan.instances
	ref      dataset.ColumnRef
	timePart part // "" for the whole value
}

// item is an element of a select list, HAVING or ORDER BY.
type item struct {
	agg      string // in lower case, or the operator of a calculation on aggregates; "" for the column itself
	distinct bool
	star     bool // count(*), or all columns
	field    field
	filter   *filter      // nil for an aggregate of all rows
	calc     *calculation // nil for none
}

// filter restricts an aggregate to the rows that meet conditions.
type filter struct{ conds []cond }

// isColumn reports whether an item is a column itself.
func (i item) isColumn() bool { return i.agg == "" && !i.star && i.calc == nil }

// cond is a condition on a column, or in HAVING on an aggregate.
type cond struct {
	item   item
	op     string // = != < <= > >= like between null in
	not    bool
	values []*sqlast.Literal
	sub    *sqlast.Query // compared with instead of values; nil for none
	alts   []cond        // alternatives; op and values are unset
	bounds [2]string     // of a range: the comparisons with its ends
}

// isEquality reports whether a condition asks for equality with one of some constants.
func (c cond) isEquality() bool {
	return c.op == "=" && !c.not && c.sub == nil && c.item.field.timePart == ""
}

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
	return slices.ContainsFunc(p.items, func(i item) bool { return !i.star && i.field.instance == inst })
}

// edgesFrom returns the joins whose key is a column of an instance.
func (p *plan) edgesFrom(inst int) []edge {
	return lists.Filter(p.edges, func(e edge) bool { return e.from == inst })
}

// edge returns the join between two instances, in either direction, and false if there is none.
func (p *plan) edge(x, y int) (edge, bool) {
	for _, e := range p.edges {
		if ends := [2]int{e.from, e.to}; ends == [2]int{x, y} || ends == [2]int{y, x} {
			return e, true
		}
	}
	return edge{}, false
}

// plan returns the plan of a query, which it reads once for all draws. The caller may change the copy that it gets.
func (w *writer) plan(q *sqlast.Query) *plan {
	found := memo(w.plans, q, func() planned {
		reader := &writer{knowledge: w.knowledge} // its failure is reported each time
		p := reader.read(q)
		return planned{p, reader.err}
	})
	w.fail(found.err)
	p := *found.plan
	p.items = slices.Clone(p.items)
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
	for _, e := range append(w.readFrom(p, s.From), operands(s.Where, "AND")...) {
		if !w.readJoin(p, e) {
			p.conds = append(p.conds, w.cond(p, e))
		}
	}
	p.conds = joinBounds(p.conds)
	for _, c := range s.Columns {
		p.items = append(p.items, w.joinCounted(p, w.item(p, c.Expr)))
	}
	if len(p.instances) > 1 && slices.Contains(p.items, item{star: true}) {
		w.unsupported("all columns of several tables")
	}
	for _, g := range s.GroupBy {
		f, ok := w.field(p, selected(s, g))
		if !ok {
			w.unsupported("GROUP BY is no column")
		}
		p.groups = append(p.groups, f)
	}
	for _, h := range operands(s.Having, "AND") {
		p.having = append(p.having, w.cond(p, h))
	}
	for _, o := range q.OrderBy {
		p.order = append(p.order, order{w.item(p, selected(s, o.Expr)), o.Dir == sqlast.Desc})
	}
	w.readLimit(p, q.Limit)
	if p.limit > 0 { // drops IS NOT NULL of a column sorted by: the highest value is known
		p.conds = lists.Filter(p.conds, func(c cond) bool {
			return c.op != "null" || !c.not || !slices.ContainsFunc(p.order, func(o order) bool { return o.item == c.item })
		})
	}
	w.connect(p)
	return p
}

// selected returns the expression that a term of GROUP BY or ORDER BY takes from the select list by its number, and other
// terms as they are.
func selected(s *sqlast.Select, term sqlast.Expr) sqlast.Expr {
	if lit, ok := term.(*sqlast.Literal); ok {
		if n, err := strconv.Atoi(lit.Text); err == nil && n >= 1 && n <= len(s.Columns) {
			return s.Columns[n-1].Expr
		}
	}
	return term
}

// readFrom adds the tables of FROM to a plan and returns the conditions of their joins. Anything but tables and inner joins is unsupported.
func (w *writer) readFrom(p *plan, from []*sqlast.FromItem) []sqlast.Expr {
	var on []sqlast.Expr
	for _, f := range from {
		t, ok := f.Source.(*sqlast.Table)
		if !ok || !isPlainJoin(f) || w.binding.BaseTable(t) == "" {
			w.unsupported("FROM is more than joined tables")
			return nil
		}
		p.instances = append(p.instances, instance{t, w.db.Table(w.binding.BaseTable(t))})
		on = append(on, operands(f.On, "AND")...)
	}
	return on
}

// readLimit reads the number of LIMIT into p.limit. Limit may be nil; one with an OFFSET or a computed number is unsupported.
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

// isPlainJoin reports whether a join is an inner one and has its conditions in ON, neither NATURAL nor USING.
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
		if t := w.binding.Target(ref); t.Kind == sqlast.Alias && t.Result != nil {
			return w.resolveAlias(plain(t.Result.Expr))
		}
	}
	return e
}

// field returns the column, or the part of a time in a column, that an expression is. It returns false for other expressions and for columns
// of tables outside the plan.
func (w *writer) field(p *plan, e sqlast.Expr) (field, bool) {
	e = w.resolveAlias(plain(e))
	if part, of := partOf(e); part != "" { // strftime('%Y', born)
		f, ok := w.field(p, of)
		f.timePart = part
		return f, ok && w.isTime(f.ref)
	}
	ref, ok := e.(*sqlast.ColumnRef)
	if !ok {
		return field{}, false
	}
	t := w.binding.Target(ref)
	if t.Kind != sqlast.Column || t.Outer {
		return field{}, false
	}
	at := slices.IndexFunc(p.instances, func(i instance) bool { return sqlast.Source(i.node) == t.Source })
	col, found := w.db.Lookup(t.Table, t.Column)
	return field{instance: at, ref: col}, found && at >= 0
}

// joinBounds replaces a lower and an upper bound of the same item, age > 20 AND age < 30, by one condition with the operator "range".
func joinBounds(conds []cond) (out []cond) {
	for _, c := range conds {
		at := slices.IndexFunc(out, func(o cond) bool {
			return o.item == c.item && (o.isBound(">") && c.isBound("<") || o.isBound("<") && c.isBound(">"))
		})
		if at < 0 {
			out = append(out, c)
			continue
		}
		low, high := out[at], c
		if low.isBound("<") {
			low, high = high, low
		}
		out[at] = cond{item: c.item, op: "range", bounds: [2]string{low.op, high.op}, values: []*sqlast.Literal{low.values[0], high.values[0]}}
	}
	return out
}

// isBound reports whether a condition is a comparison with one constant in a direction, "<" or ">".
func (c cond) isBound(direction string) bool {
	return strings.HasPrefix(c.op, direction) && len(c.values) == 1 && c.sub == nil && c.item.field.timePart != age
}

// operators are the comparisons that a condition may have.
var operators = []string{"=", "!=", "<", "<=", ">", ">="}

// cond reads a condition: a comparison of an item with values or with a nested query, or alternatives (OR) of such. Others are unsupported.
func (w *writer) cond(p *plan, e sqlast.Expr) cond {
	switch x := plain(e).(type) {
	case *sqlast.Binary:
		if alternatives := operands(x, "OR"); len(alternatives) > 1 {
			return cond{alts: lists.Map(alternatives, func(a sqlast.Expr) cond { return w.cond(p, a) })}
		}
		return w.binary(p, x)
	case *sqlast.Unary:
		if x.Op == "NOT" {
			c := w.cond(p, x.X)
			if c.alts != nil || c.sub != nil || !slices.Contains(negatable, c.op) {
				w.unsupported("NOT of a condition that has no opposite")
			}
			c.not = !c.not
			return c
		}
	case *sqlast.ColumnRef:
		return cond{item: w.item(p, x), op: "=", values: []*sqlast.Literal{{Kind: sqlast.BoolLiteral, Text: "TRUE"}}}
	case *sqlast.Like:
		if x.Wildcards() {
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
	return w.withValues(cond{}) // unsupported
}

// negatable are the comparisons that NOT turns into their opposite.
var negatable = []string{"=", "like", "null"}

// withValues returns a condition with constants as its values. A condition without values, or with a value that is no constant, is
// unsupported.
func (w *writer) withValues(c cond, values ...sqlast.Expr) cond {
	for _, v := range values {
		if lit := w.binding.Literal(plain(v)); lit != nil {
			c.values = append(c.values, lit)
		}
	}
	if len(values) == 0 || len(c.values) < len(values) {
		w.unsupported("a condition that compares no column with values")
	}
	return c
}

// binary reads IS NULL, IS NOT NULL, and a comparison with a constant on either side or a query on the right.
func (w *writer) binary(p *plan, x *sqlast.Binary) cond {
	if lit, ok := x.Y.(*sqlast.Literal); ok && lit.Kind == sqlast.NullLiteral && strings.HasPrefix(x.Op, "IS") {
		return cond{item: w.item(p, x.X), op: "null", not: x.Op == "IS NOT"}
	}
	if !slices.Contains(operators, x.Op) {
		return w.withValues(cond{}) // unsupported
	}
	left, op, right := plain(x.X), x.Op, plain(x.Y)
	if w.binding.Literal(left) != nil {
		left, op, right = right, sqlast.Mirrored(op), left
	}
	c := cond{item: w.item(p, left), op: op}
	if sub, ok := right.(*sqlast.Subquery); ok {
		c.sub = sub.Query
		return c
	}
	return w.withValues(c, right)
}
