package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// readJoin adds the edge for a condition that joins two instances, an equality of their columns, and returns false for
// other conditions. A join is unsupported if neither column refers to the other's rows, nor both to the same rows.
func (w *writer) readJoin(p *plan, e sqlast.Expr) bool {
	x, ok := e.(*sqlast.Binary)
	if !ok || x.Op != "=" {
		return false
	}
	l, isLeft := w.field(p, x.X)
	r, isRight := w.field(p, x.Y)
	if !isLeft || !isRight || l.instance == r.instance {
		return false
	}
	directions := []edge{{from: l.instance, to: r.instance, key: l.ref, target: r.ref}, {from: r.instance, to: l.instance, key: r.ref, target: l.ref}}
	// Foreign keys to a primary key, in the direction that the schema declares or, if it declares the wrong one, in the other.
	toKey := func(key, target dataset.ColumnRef) bool { return w.isForeign(key, target) && w.isKey(target) }
	reversed := func(key, target dataset.ColumnRef) bool { return w.isForeign(target, key) && w.isKey(target) }
	for _, refers := range []func(key, target dataset.ColumnRef) bool{toKey, reversed, w.isForeign, w.refers} { // what the schema declares goes first
		i := slices.IndexFunc(directions, func(e edge) bool { return refers(e.key, e.target) })
		if i >= 0 {
			p.edges = append(p.edges, directions[i])
			return true
		}
	}
	return w.joinSiblings(p, l, r)
}

// joinSiblings adds the edges for an equality of two keys to the same rows, a third table: those from either key to these rows. It always
// returns true, as the condition is a join.
func (w *writer) joinSiblings(p *plan, l, r field) bool {
	target := w.targetOf(l.ref)
	if target != w.targetOf(r.ref) || target == l.ref || target == r.ref {
		w.unsupported("a join that is by no key")
		return true
	}
	owner := len(p.instances) // the instance of the third table: a new one, unless a key has an edge already
	for _, e := range p.edges {
		if e.key == l.ref && e.from == l.instance || e.key == r.ref && e.from == r.instance {
			owner = e.to
		}
	}
	if owner == len(p.instances) {
		p.instances = append(p.instances, instance{table: target.Table})
	}
	for _, f := range []field{l, r} {
		e := edge{from: f.instance, to: owner, key: f.ref, target: target}
		if !slices.Contains(p.edges, e) {
			p.edges = append(p.edges, e)
		}
	}
	return true
}

// joinCounted returns an item that counts a different column for count(DISTINCT key): the column that the key refers to, whose table it
// joins to the plan. It does so for keys of tables without columns of their own, and returns other items as they are.
func (w *writer) joinCounted(p *plan, it item) item {
	target := w.targetOf(it.field.ref)
	countsDistinct := it.agg == "count" && it.distinct && it.calc == nil
	if !countsDistinct || target == it.field.ref || w.hasOwnColumn(it.field.ref.Table) || p.joins(target.Table) {
		return it
	}
	p.instances = append(p.instances, instance{table: target.Table})
	p.edges = append(p.edges, edge{from: it.field.instance, to: len(p.instances) - 1, key: it.field.ref, target: target})
	it.field = field{instance: len(p.instances) - 1, ref: target}
	return it
}

// isForeign reports whether the schema declares a column a foreign key to another.
func (w *writer) isForeign(key, target dataset.ColumnRef) bool {
	return slices.Contains(w.db.ForeignKeys, dataset.ForeignKey{Column: key, Target: target})
}

// refers reports whether the column key refers to the rows that the column target identifies: the schema declares it,
// both refer to the same rows, or its name is that of target or of the table's ID ("singer id").
func (w *writer) refers(key, target dataset.ColumnRef) bool {
	isKey := w.isKey(target)
	switch {
	case w.isForeign(key, target), isKey && w.isForeign(key, w.targetOf(target)): // declared, or target is a key that refers to the same rows
		return true
	case key.Table == target.Table, !w.identifies(target):
		return false
	case w.sameName(key, target):
		return true
	}
	return isKey && strings.HasSuffix(" "+lexicon.Normal(w.db.Column(key).Name), " "+lexicon.Normal(w.db.Tables[target.Table].Name)+" id")
}

// targetOf returns the column that the first foreign key of a column refers to, or the
// column itself.
func (w *writer) targetOf(c dataset.ColumnRef) dataset.ColumnRef {
	i := slices.IndexFunc(w.db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column == c })
	if i < 0 {
		return c
	}
	return w.db.ForeignKeys[i].Target
}

// sameName reports whether two columns have one name, in any spelling.
func (w *writer) sameName(x, y dataset.ColumnRef) bool {
	return lexicon.Normal(w.db.Column(x).Name) == lexicon.Normal(w.db.Column(y).Name)
}

// identifies reports whether a column is the key or the name of its rows.
func (w *writer) identifies(c dataset.ColumnRef) bool { return w.isKey(c) || w.isName(c) }

// isKey reports whether a column alone is its table's primary key. It returns false for a foreign key in a table with several, since
// some data sets declare only the first column of a primary key of several columns.
func (w *writer) isKey(c dataset.ColumnRef) bool {
	keys := lists.Filter(w.db.PrimaryKeys, func(k dataset.ColumnRef) bool { return k.Table == c.Table })
	if !slices.Equal(keys, []dataset.ColumnRef{c}) {
		return false
	}
	return w.targetOf(c) == c || w.foreignKeys(c.Table) <= 1
}

// foreignKeys counts the columns of a table that are foreign keys, each once.
func (k *knowledge) foreignKeys(table int) int {
	columns := lists.Map(k.keysOf(table), func(fk dataset.ForeignKey) dataset.ColumnRef { return fk.Column })
	slices.SortFunc(columns, dataset.ColumnRef.Compare)
	return len(slices.Compact(columns))
}

// keysOf returns the foreign keys that a table has.
func (k *knowledge) keysOf(table int) []dataset.ForeignKey {
	return lists.Filter(k.db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column.Table == table })
}

// connect checks that the joins of a plan make a tree, sets its head, and folds it, see [writer.fold].
func (w *writer) connect(p *plan) {
	if len(p.edges) != len(p.instances)-1 {
		w.unsupported("the joins are no tree")
		return
	}
	reached := map[int]bool{0: true}
	for range p.instances { // each pass reaches a further instance, if there is one
		for _, e := range p.edges {
			if reached[e.from] || reached[e.to] {
				reached[e.from], reached[e.to] = true, true
			}
		}
	}
	if len(reached) != len(p.instances) {
		w.unsupported("the joins are no tree")
		return
	}
	p.head = w.headOf(p)
	if w.err == nil {
		w.fold(p)
	}
}

// headOf returns the instance whose rows a plan asks for. If rows are counted or grouped, that is the [plan.source], each of whose rows is
// a row of the join. Else it is the instance of the first selected column. But it is the source if the plan selects from that too, its rows
// are some of the selected ones or only the name in a lookup table is selected, unless the rows of the source describe the selected ones.
func (w *writer) headOf(p *plan) int {
	source := p.source()
	if inst, ok := w.countedRows(p, source); ok {
		return inst
	}
	if p.groupsOrCounts() {
		if source < 0 {
			w.unsupported("rows are counted that no table has")
		}
		return max(source, 0)
	}
	column := slices.IndexFunc(p.items, func(i item) bool { return !i.star })
	if column < 0 { // SELECT *
		return max(source, 0)
	}
	first := p.items[column].field.instance
	if source >= 0 && w.describes(p.instances[source].table, p.instances[first].table) {
		return first
	}
	if source >= 0 && (p.selects(source) || w.isSubsetOf(p, source, first) || w.selectsLookup(p, source)) {
		return source
	}
	return first
}

// selectsLookup reports whether a plan selects only the name in a lookup table that the rows of source refer to: the race of certain
// superheroes.
func (w *writer) selectsLookup(p *plan, source int) bool {
	if len(p.items) != 1 || len(p.condsOn(source)) == 0 || len(p.order) > 0 {
		return false
	}
	f := p.items[0].field
	e, ok := p.edge(source, f.instance)
	return ok && e.from == source && w.isLookup(p.instances[f.instance].table) && w.isName(f.ref) && len(p.condsOn(f.instance)) == 0
}

// isLookup reports whether a table has at most two columns, a key and a name.
func (k *knowledge) isLookup(table int) bool { return len(k.db.Tables[table].Columns) <= 2 }

// countedRows returns the instance whose rows the only item of a plan counts by a key: for count(DISTINCT key) the rows that the key
// identifies or refers to, for count(key) those of the join, which are the rows of source, see [plan.source]. Ok is false if the item is no
// such count.
func (w *writer) countedRows(p *plan, source int) (inst int, ok bool) {
	if len(p.items) != 1 || len(p.groups) > 0 {
		return 0, false
	}
	it := p.items[0]
	if it.agg == "/" { // a share of the rows that y counts
		it = it.calc.y
	}
	if it.agg != "count" || it.star || !w.isAlwaysKnown(it.field.ref) {
		return 0, false
	}
	if !it.distinct {
		if source < 0 {
			w.unsupported("rows are counted that no table has")
		}
		links := source >= 0 && !p.mentions(source) && len(p.edgesFrom(source)) == 2 && len(p.edges) == 2
		if links && it.field.instance != source { // the source only joins the counted rows to others
			return it.field.instance, true
		}
		return max(source, 0), true
	}
	for _, e := range p.edgesFrom(it.field.instance) {
		if e.key == it.field.ref {
			return e.to, true
		}
	}
	return it.field.instance, true
}

// groupsOrCounts reports whether a query groups rows, or selects or sorts by a count of them.
func (p *plan) groupsOrCounts() bool {
	if len(p.having)+len(p.groups) > 0 {
		return true
	}
	return slices.ContainsFunc(p.items, item.countsRows) ||
		slices.ContainsFunc(p.order, func(o order) bool { return o.item.agg == "count" })
}

// countsRows reports whether an item, or an operand of its calculation, is count(*), with or without a filter.
func (i item) countsRows() bool {
	if i.calc != nil {
		return i.calc.x.countsRows() || i.calc.y.countsRows()
	}
	return i.agg == "count" && i.star
}

// isSubsetOf reports whether the rows of an instance are some of the rows of another: a key joins them that is called as they are
// ("gymnast_id" from gymnasts to people), or data/relations.txt has "are" between them.
func (w *writer) isSubsetOf(p *plan, inst, other int) bool {
	e, ok := p.edge(inst, other)
	if !ok || e.from != inst {
		return false
	}
	rows, others := w.rowsOf(p.instances[inst].table), w.rowsOf(p.instances[other].table)
	if rows.err != nil || others.err != nil {
		return false
	}
	role := w.role(e)
	return role == rows.noun || slices.Contains(w.relation(rows.noun, others.noun, "", role), "are")
}

// source returns the only instance that no edge refers to, or -1 if there are several. Each row of the join is a row of
// the source.
func (p *plan) source() int {
	source := -1
	for i := range p.instances {
		if slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == i }) {
			continue
		}
		if source >= 0 {
			return -1
		}
		source = i
	}
	return source
}
