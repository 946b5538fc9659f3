package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// plan is what one SELECT asks for.
type plan struct {
	q      *sqlast.Query
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

// edge says that rows of one instance refer to rows of another by a key.
type edge struct {
	from, to int // instances: from has the key
	key      dataset.ColumnRef
	target   dataset.ColumnRef
}

// field is a column of an instance.
type field struct {
	inst int
	ref  dataset.ColumnRef
}

// item is what a select list, HAVING or ORDER BY takes of the rows.
type item struct {
	agg      string // "" for the column itself
	distinct bool
	star     bool // count(*), or all columns
	field    field
}

// cond is a condition on a column, or in HAVING on an aggregate.
type cond struct {
	item   item
	op     string // = != < <= > >= like between null in
	not    bool
	values []*sqlast.Literal
	sub    *sqlast.Query
}

type order struct {
	item item
	desc bool
}

func (p *plan) aggregated() bool {
	return slices.ContainsFunc(p.items, func(i item) bool { return i.agg != "" })
}

// plan reads a query.
func (w *writer) plan(q *sqlast.Query) *plan {
	found, ok := w.plans[q]
	if !ok {
		reader := w.silent()
		found = planned{reader.read(q), reader.err}
		w.plans[q] = found
	}
	if w.err == nil {
		w.err = found.err
	}
	p := *found.plan
	return &p
}

func (w *writer) read(q *sqlast.Query) *plan {
	s := q.Select
	p := &plan{q: q, unique: s.Distinct}
	if len(s.From) == 0 || len(s.Values) > 0 || len(s.Windows) > 0 {
		w.abstain("no FROM")
		return p
	}
	var on []sqlast.Expr
	for _, f := range s.From {
		t, ok := f.Source.(*sqlast.Table)
		if !ok || f.Natural || len(f.Using) > 0 || w.b.BaseTable(t) == "" || strings.Contains(string(f.Op), "LEFT") || strings.Contains(string(f.Op), "FULL") {
			w.abstain("FROM is more than joined tables")
			return p
		}
		p.inst = append(p.inst, instance{t, w.db.Table(w.b.BaseTable(t))})
		if f.On != nil {
			on = append(on, conjuncts(f.On)...)
		}
	}
	on = append(on, conjuncts(s.Where)...)
	for _, e := range on {
		if !w.join(p, e) {
			w.where(p, e, len(on))
		}
	}
	if w.err != nil {
		return p
	}
	for _, c := range s.Columns {
		p.items = append(p.items, w.item(p, c.Expr))
	}
	if len(p.inst) > 1 && slices.ContainsFunc(p.items, func(i item) bool { return i.star && i.agg == "" }) {
		w.abstain("all columns of several tables")
	}
	for _, g := range s.GroupBy {
		if f, ok := w.field(p, g); ok {
			p.groups = append(p.groups, f)
		} else {
			w.abstain("GROUP BY is no column")
		}
	}
	for _, h := range conjuncts(s.Having) {
		p.having = append(p.having, w.cond(p, h))
	}
	for _, o := range q.OrderBy {
		p.order = append(p.order, order{w.item(p, o.Expr), o.Dir == sqlast.Desc})
	}
	if q.Limit != nil {
		n, ok := q.Limit.Count.(*sqlast.Literal)
		if !ok || q.Limit.Offset != nil {
			w.abstain("LIMIT is no number")
			return p
		}
		p.limit, _ = strconv.Atoi(n.Text)
		if p.limit < 1 {
			w.abstain("LIMIT is no number")
		}
	}
	if w.err == nil {
		w.connect(p)
	}
	return p
}

func conjuncts(e sqlast.Expr) []sqlast.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *sqlast.Binary:
		if x.Op == "AND" {
			return append(conjuncts(x.X), conjuncts(x.Y)...)
		}
	}
	return []sqlast.Expr{e}
}

// field returns the column that an expression is.
func (w *writer) field(p *plan, e sqlast.Expr) (field, bool) {
	ref, ok := e.(*sqlast.ColumnRef)
	if !ok {
		return field{}, false
	}
	t := w.b.Target(ref)
	if t.Kind == sqlast.Alias && t.Result != nil {
		return w.field(p, t.Result.Expr)
	}
	if t.Kind != sqlast.Column || t.Outer {
		return field{}, false
	}
	at := slices.IndexFunc(p.inst, func(i instance) bool { return sqlast.Source(i.node) == t.Source })
	col, found := w.db.Lookup(t.Table, t.Column)
	return field{at, col}, found && at >= 0
}

// join takes an equality of columns of two tables for an edge.
func (w *writer) join(p *plan, e sqlast.Expr) bool {
	x, ok := e.(*sqlast.Binary)
	if !ok || x.Op != "=" {
		return false
	}
	l, okL := w.field(p, x.X)
	r, okR := w.field(p, x.Y)
	if !okL || !okR || l.inst == r.inst {
		return false
	}
	if !w.isForeign(l.ref, r.ref) && (w.isForeign(r.ref, l.ref) || !w.refers(l.ref, r.ref)) {
		l, r = r, l
	}
	if !w.refers(l.ref, r.ref) {
		w.abstain("a join that is by no key")
		return true
	}
	p.edges = append(p.edges, edge{l.inst, r.inst, l.ref, r.ref})
	return true
}

// isForeign tells whether the schema says that a column is a key of another's rows.
func (w *writer) isForeign(key, target dataset.ColumnRef) bool {
	return slices.Contains(w.db.ForeignKeys, dataset.ForeignKey{Column: key, Target: target})
}

// refers tells whether a column is a key of the rows that another identifies: by the
// schema, or for it has the name of their primary key.
func (w *writer) refers(key, target dataset.ColumnRef) bool {
	if w.isForeign(key, target) {
		return true
	}
	for _, fk := range w.db.ForeignKeys { // both refer to one key: each row of the one has one of the other
		if fk.Column == key && fk.Target == w.targetOf(target) && w.isKey(target) {
			return true
		}
	}
	if key.Table == target.Table || !w.isKey(target) && !w.isName(target) {
		return false
	}
	return w.sameName(key, target) || w.isKey(target) && strings.HasSuffix(lexicon.Normal(w.db.Column(key).Name), " "+lexicon.Normal(w.db.Tables[target.Table].Name)+" id")
}

func (w *writer) targetOf(c dataset.ColumnRef) dataset.ColumnRef {
	for _, fk := range w.db.ForeignKeys {
		if fk.Column == c {
			return fk.Target
		}
	}
	return c
}

func (w *writer) sameName(x, y dataset.ColumnRef) bool {
	return lexicon.Normal(w.db.Column(x).Name) == lexicon.Normal(w.db.Column(y).Name)
}

// isKey tells whether a column alone is its table's primary key. Of a key of several
// columns some data sets give the first: one that refers to other rows, as another column
// of the table does, is taken for such.
func (w *writer) isKey(c dataset.ColumnRef) bool {
	n, is := 0, false
	for _, k := range w.db.PrimaryKeys {
		if k.Table == c.Table {
			n++
			is = is || k == c
		}
	}
	return is && n == 1 && !(w.targetOf(c) != c && w.foreignKeys(c.Table) > 1)
}

// foreignKeys counts the columns of a table that are keys of others.
func (k *known) foreignKeys(table int) int {
	columns := map[dataset.ColumnRef]bool{}
	for _, fk := range k.db.ForeignKeys {
		if fk.Column.Table == table {
			columns[fk.Column] = true
		}
	}
	return len(columns)
}

// item reads what is taken of the rows.
func (w *writer) item(p *plan, e sqlast.Expr) item {
	switch x := e.(type) {
	case *sqlast.Star:
		return item{star: true}
	case *sqlast.ColumnRef:
		if t := w.b.Target(x); t.Kind == sqlast.Alias && t.Result != nil {
			return w.item(p, t.Result.Expr)
		}
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
	w.abstain("an expression that is no column and no aggregate of one")
	return item{}
}

// where reads a condition: alternatives only where there is nothing else.
func (w *writer) where(p *plan, e sqlast.Expr, others int) {
	if x, ok := e.(*sqlast.Binary); ok && x.Op == "OR" {
		if others-len(p.edges) > 1 {
			w.abstain("OR beside other conditions")
			return
		}
		p.either = true
		for _, a := range disjuncts(e) {
			p.conds = append(p.conds, w.cond(p, a))
		}
		return
	}
	p.conds = append(p.conds, w.cond(p, e))
}

func disjuncts(e sqlast.Expr) []sqlast.Expr {
	if x, ok := e.(*sqlast.Binary); ok && x.Op == "OR" {
		return append(disjuncts(x.X), disjuncts(x.Y)...)
	}
	return []sqlast.Expr{e}
}

var operators = []string{"=", "!=", "<", "<=", ">", ">="}

// cond reads one comparison.
func (w *writer) cond(p *plan, e sqlast.Expr) cond {
	switch x := e.(type) {
	case *sqlast.Binary:
		if lit, ok := x.Y.(*sqlast.Literal); ok && lit.Kind == sqlast.NullLiteral && strings.HasPrefix(x.Op, "IS") {
			return cond{item: w.item(p, x.X), op: "null", not: x.Op == "IS NOT"}
		}
		if !slices.Contains(operators, x.Op) {
			break
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
		if lit := w.b.Literal(right); lit != nil {
			c.values = []*sqlast.Literal{lit}
			return c
		}
	case *sqlast.Like:
		if lit := w.b.Literal(x.Pattern); lit != nil && x.Op == "LIKE" && x.Escape == nil {
			return cond{item: w.item(p, x.X), op: "like", not: x.Not, values: []*sqlast.Literal{lit}}
		}
	case *sqlast.Between:
		low, high := w.b.Literal(x.Low), w.b.Literal(x.High)
		if low != nil && high != nil && !x.Not {
			return cond{item: w.item(p, x.X), op: "between", values: []*sqlast.Literal{low, high}}
		}
	case *sqlast.In:
		if x.Query != nil {
			return cond{item: w.item(p, x.X), op: "in", not: x.Not, sub: x.Query}
		}
		c := cond{item: w.item(p, x.X), op: "=", not: x.Not}
		for _, v := range x.List {
			if lit := w.b.Literal(v); lit != nil {
				c.values = append(c.values, lit)
			}
		}
		if len(c.values) == len(x.List) && len(x.List) > 0 && x.Table == nil {
			return c
		}
	}
	w.abstain("a condition that compares no column with values")
	return cond{}
}

// connect checks that the joins make a tree, and finds the rows that are asked for.
func (w *writer) connect(p *plan) {
	if len(p.edges) != len(p.inst)-1 {
		w.abstain("the joins are no tree")
		return
	}
	reached := map[int]bool{0: true}
	for range p.inst {
		for _, e := range p.edges {
			if reached[e.from] || reached[e.to] {
				reached[e.from], reached[e.to] = true, true
			}
		}
	}
	if len(reached) != len(p.inst) {
		w.abstain("the joins are no tree")
		return
	}
	p.head = w.headOf(p)
}

// headOf returns the instance whose rows are asked for: that of the first column, or
// the one that determines all others where rows are counted.
func (w *writer) headOf(p *plan) int {
	counts := slices.ContainsFunc(p.items, func(i item) bool { return i.agg == "count" && i.star })
	for _, o := range p.order {
		counts = counts || o.item.agg == "count"
	}
	if counts || len(p.having) > 0 || len(p.groups) > 0 {
		if all := w.source(p); all >= 0 {
			return all
		}
		w.abstain("rows are counted that no table has")
		return 0
	}
	for _, it := range p.items {
		if !it.star {
			first := it.field.inst
			if all := w.source(p); all >= 0 && (p.has(all) || w.isOf(p, all, first)) {
				return all
			}
			return first
		}
	}
	if all := w.source(p); all >= 0 {
		return all
	}
	return 0
}

// isOf tells whether the rows of an instance are some of the rows of another: by a key
// that is called as they are, as gymnast_id refers to people.
func (w *writer) isOf(p *plan, inst, other int) bool {
	e, ok := p.edge(inst, other)
	return ok && e.from == inst && w.rowsOf(p.inst[inst].table).err == nil && w.rowsOf(p.inst[other].table).err == nil && w.role(e) == w.noun(p.inst[inst].table)
}

// has tells whether a column of an instance is selected.
func (p *plan) has(inst int) bool {
	return slices.ContainsFunc(p.items, func(i item) bool { return !i.star && i.field.inst == inst })
}

// source returns the instance from which keys lead to all others: the rows of the join
// are its rows; -1 where there is none.
func (w *writer) source(p *plan) int {
	for i := range p.inst {
		if !slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == i }) {
			n := 0
			for j := range p.inst {
				if !slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == j }) {
					n++
				}
			}
			if n == 1 {
				return i
			}
		}
	}
	return -1
}
