package consistency

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A block is what is compared of one SELECT: with resolved names, without constants, and
// sorted unless the order counts.
type block struct {
	parts    map[Clause]*part
	tables   []string // base tables, and "(query)" for one in FROM
	on       []string // conditions of the joins
	distinct bool
	limit    bool
	sets     []string // the set operations that join further queries
	nested   []*block // queries in its clauses in source order, then those of sets
	values   []string // constants
}

// A part is one clause of a block.
type part struct {
	items      []string // entries of a list, or all conditions, whether AND or OR joins them
	columns    []string
	aggregates []string
	operators  []string // that compare, with AND and OR
	star       bool     // count(*) is in it
}

// part returns a clause of the block; it is empty if there is none.
func (b *block) part(c Clause) *part {
	if p := b.parts[c]; p != nil {
		return p
	}
	return &part{}
}

// literals returns the constants of a block and those below it, sorted.
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
	b       *sqlast.Binding
	classes map[string]string // a column, as column returns it, to the one that foreign keys link it to
	words   int               // words of all expressions so far
}

// maxWords bounds the words of a query whose aliases repeat expressions.
const maxWords = 1 << 16

func features(r reading) *block {
	rd := &reader{b: r.b, classes: classes(r.side.db)}
	return rd.query(r.q)
}

// classes maps each column that foreign keys link to the least of the columns linked with it.
func classes(db *dataset.Database) map[string]string {
	linked := disjoint.Sets[string]{}
	least := func(ref dataset.ColumnRef) string {
		return linked.Find(key(db.Tables[ref.Table].Original, db.Column(ref).Original))
	}
	for _, fk := range db.ForeignKeys {
		a, b := least(fk.Column), least(fk.Target)
		linked.Join(max(a, b), min(a, b))
	}
	flat := make(map[string]string, len(linked))
	for c := range linked {
		flat[c] = linked.Find(c)
	}
	return flat
}

func key(table, column string) string { return strings.ToLower(table + "." + column) }

// query returns the block of a query; the queries of WITH and of set operations are nested in it.
func (r *reader) query(q *sqlast.Query) *block {
	b := r.core(q.Select, q.OrderBy)
	b.limit = q.Limit != nil
	if q.Limit != nil {
		r.scan(b, &part{}, q.Limit.Count)
	}
	if q.With != nil {
		for _, c := range q.With.Tables {
			b.nested = append(b.nested, r.query(c.Query))
		}
	}
	for _, c := range q.Compound {
		b.sets = append(b.sets, string(c.Op))
		b.nested = append(b.nested, r.core(c.Select, nil))
	}
	return b
}

// core returns the block of one SELECT with the ORDER BY of its query.
func (r *reader) core(s *sqlast.Select, order []*sqlast.OrderTerm) *block {
	b := &block{parts: map[Clause]*part{}, distinct: s.Distinct}
	r.from(b, s.From)
	columns := &part{}
	for _, c := range s.Columns {
		columns.items = append(columns.items, r.scan(b, columns, c.Expr))
	}
	b.add(Select, columns)
	b.add(Where, r.conditions(b, s.Where, true))
	group := &part{}
	for _, x := range s.GroupBy {
		group.items = append(group.items, r.scan(b, group, x))
	}
	b.add(GroupBy, group)
	b.add(Having, r.conditions(b, s.Having, false))
	by := &part{}
	for i, t := range order {
		dir := "asc"
		if t.Dir == sqlast.Desc {
			dir = "desc"
		}
		by.items = append(by.items, fmt.Sprintf("%03d %s %s%s", i, r.scan(b, by, t.Expr), dir, t.Nulls))
	}
	b.add(OrderBy, by)
	slices.Sort(b.tables)
	slices.Sort(b.on)
	return b
}

// add sorts a clause and puts it into the block.
func (b *block) add(c Clause, p *part) {
	for _, list := range [][]string{p.items, p.columns, p.aggregates, p.operators} {
		slices.Sort(list)
	}
	b.parts[c] = p
}

// from adds the tables and joins of FROM to the block.
func (r *reader) from(b *block, items []*sqlast.FromItem) {
	for _, item := range items {
		switch src := item.Source.(type) {
		case *sqlast.Table:
			name := r.b.BaseTable(src)
			if name == "" {
				name = "(" + src.Name.Name + ")"
			}
			b.tables = append(b.tables, strings.ToLower(name))
		case *sqlast.Derived:
			b.tables = append(b.tables, "(query)")
			b.nested = append(b.nested, r.query(src.Query))
		case *sqlast.Group:
			r.from(b, src.From)
		}
		if item.Op.Outer() {
			b.on = append(b.on, strings.ToLower(string(item.Op)))
		}
		if item.On != nil {
			b.on = append(b.on, r.conditions(b, item.On, false).items...)
		}
		for _, c := range r.b.JoinColumns(item) {
			b.on = append(b.on, equation(r.column(c.Left), r.column(c.Right)))
		}
	}
}

// equation returns the form of a condition that two columns are equal, in either order.
func equation(a, b string) string { return "= " + min(a, b) + " " + max(a, b) }

// conditions returns the conditions that AND and OR join. If joins is set, those that equate two
// columns are added to the joins of the block instead, because older SQL joins in WHERE.
func (r *reader) conditions(b *block, x sqlast.Expr, joins bool) *part {
	p := &part{}
	var connectives []string
	var walk func(sqlast.Expr)
	walk = func(x sqlast.Expr) {
		bin, ok := x.(*sqlast.Binary)
		switch {
		case ok && (bin.Op == "AND" || bin.Op == "OR"):
			walk(bin.X)
			connectives = append(connectives, bin.Op)
			walk(bin.Y)
			return
		case ok && bin.Op == "=":
			left, right := r.columnOf(bin.X), r.columnOf(bin.Y)
			if left == "" || right == "" {
				break
			}
			if joins {
				b.on = append(b.on, equation(left, right))
				if i := slices.Index(connectives, "AND"); i >= 0 {
					connectives = slices.Delete(connectives, i, i+1)
				}
				return
			}
			p.items = append(p.items, equation(left, right))
			return
		}
		p.items = append(p.items, r.scan(b, p, x))
	}
	if x != nil {
		walk(x)
	}
	if len(p.items) < 2 {
		connectives = nil // the others joined tables
	}
	p.operators = append(p.operators, connectives...)
	return p
}

// columnOf returns the base column that an expression is, or "".
func (r *reader) columnOf(x sqlast.Expr) string {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return ""
	}
	t := r.b.Target(ref)
	if t.Table == "" || t.Column == "" {
		return ""
	}
	return r.column(t)
}

// column returns the name of the column that a name resolves to, or of its class.
func (r *reader) column(t sqlast.Target) string {
	if t.Table == "" {
		return "output " + strings.ToLower(t.Name)
	}
	name := t.Column
	if name == "" {
		name = "rowid"
	}
	k := key(t.Table, name)
	if class := r.classes[k]; class != "" {
		return class
	}
	return k
}
