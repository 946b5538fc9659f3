package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// readJoin reads an equality of columns of two tables as an edge, and returns false for
// other conditions. A join is unsupported where neither column is a key of the other's rows.
func (w *writer) readJoin(p *plan, e sqlast.Expr) bool {
	x, ok := e.(*sqlast.Binary)
	if !ok || x.Op != "=" {
		return false
	}
	l, isLeft := w.field(p, x.X)
	r, isRight := w.field(p, x.Y)
	if !isLeft || !isRight || l.inst == r.inst {
		return false
	}
	directions := []edge{{l.inst, r.inst, l.ref, r.ref}, {r.inst, l.inst, r.ref, l.ref}}
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

// joinSiblings reads an equality of two keys to the same rows as the joins of both with these.
func (w *writer) joinSiblings(p *plan, l, r field) bool {
	target := w.targetOf(l.ref)
	if target != w.targetOf(r.ref) || target == l.ref || target == r.ref {
		w.unsupported("a join that is by no key")
		return true
	}
	owner := len(p.inst)
	for _, e := range p.edges {
		if e.key == l.ref && e.from == l.inst || e.key == r.ref && e.from == r.inst {
			owner = e.to
		}
	}
	if owner == len(p.inst) {
		p.inst = append(p.inst, instance{table: target.Table})
	}
	for _, f := range []field{l, r} {
		e := edge{f.inst, owner, f.ref, target}
		if !slices.Contains(p.edges, e) {
			p.edges = append(p.edges, e)
		}
	}
	return true
}

// joinCounted joins the rows that an item counts by the key to them of a table that only joins them to others.
func (w *writer) joinCounted(p *plan, it item) item {
	target := w.targetOf(it.field.ref)
	if it.agg != "count" || !it.distinct || it.calc != nil || target == it.field.ref || w.hasOwnColumn(it.field.ref.Table) || p.joins(target.Table) {
		return it
	}
	p.inst = append(p.inst, instance{table: target.Table})
	p.edges = append(p.edges, edge{it.field.inst, len(p.inst) - 1, it.field.ref, target})
	it.field = field{inst: len(p.inst) - 1, ref: target}
	return it
}

// isForeign reports whether the schema declares a column a foreign key to another.
func (w *writer) isForeign(key, target dataset.ColumnRef) bool {
	return slices.Contains(w.db.ForeignKeys, dataset.ForeignKey{Column: key, Target: target})
}

// refers reports whether a column is a key of the rows that another identifies: by the
// schema, because both are keys of the same rows, or because of its name, that of the
// other column or "singer id".
func (w *writer) refers(key, target dataset.ColumnRef) bool {
	isKey := w.isKey(target)
	switch {
	case w.isForeign(key, target), isKey && w.isForeign(key, w.targetOf(target)):
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

// isKey reports whether a column alone is its table's primary key. Some data sets give
// only the first column of a key of several: a column that refers to other rows, in a
// table that has another such column, counts as one of these.
func (w *writer) isKey(c dataset.ColumnRef) bool {
	keys := lists.Filter(w.db.PrimaryKeys, func(k dataset.ColumnRef) bool { return k.Table == c.Table })
	if !slices.Equal(keys, []dataset.ColumnRef{c}) {
		return false
	}
	return w.targetOf(c) == c || w.foreignKeys(c.Table) <= 1
}

// foreignKeys counts the columns of a table that are keys of others.
func (k *knowledge) foreignKeys(table int) int {
	columns := lists.Map(k.keysOf(table), func(fk dataset.ForeignKey) dataset.ColumnRef { return fk.Column })
	slices.SortFunc(columns, dataset.ColumnRef.Compare)
	return len(slices.Compact(columns))
}

// keysOf returns the foreign keys that a table has.
func (k *knowledge) keysOf(table int) []dataset.ForeignKey {
	return lists.Filter(k.db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column.Table == table })
}

// connect checks that the joins make a tree, and finds the rows that are asked for.
func (w *writer) connect(p *plan) {
	if len(p.edges) != len(p.inst)-1 {
		w.unsupported("the joins are no tree")
		return
	}
	reached := map[int]bool{0: true}
	for range p.inst { // each pass reaches a further instance, if there is one
		for _, e := range p.edges {
			if reached[e.from] || reached[e.to] {
				reached[e.from], reached[e.to] = true, true
			}
		}
	}
	if len(reached) != len(p.inst) {
		w.unsupported("the joins are no tree")
		return
	}
	p.head = w.headOf(p)
	if w.err == nil {
		w.fold(p)
	}
}

// headOf returns the instance whose rows are asked for: where rows are counted or
// grouped, the one whose rows are those of the join; else the one of the first selected
// column, unless the rows of the join are selected from too or are some of its rows.
func (w *writer) headOf(p *plan) int {
	source := p.source()
	if inst, ok := w.countedRows(p, source); ok {
		return inst
	}
	if p.countsRows() {
		if source < 0 {
			w.unsupported("rows are counted that no table has")
		}
		return max(source, 0)
	}
	column := slices.IndexFunc(p.items, func(i item) bool { return !i.star })
	if column < 0 {
		return max(source, 0)
	}
	first := p.items[column].field.inst
	if source >= 0 && w.describes(p.inst[source].table, p.inst[first].table) {
		return first
	}
	if source >= 0 && (p.selects(source) || w.isSubsetOf(p, source, first) || w.selectsLookup(p, source)) {
		return source
	}
	return first
}

// selectsLookup reports whether a plan selects only the name of what rows refer to in a table of names: the race of
// superheroes.
func (w *writer) selectsLookup(p *plan, source int) bool {
	if len(p.items) != 1 || len(p.condsOn(source)) == 0 || len(p.order) > 0 {
		return false
	}
	f := p.items[0].field
	e, ok := p.edge(source, f.inst)
	return ok && e.from == source && w.isLookup(p.inst[f.inst].table) && w.isName(f.ref) && len(p.condsOn(f.inst)) == 0
}

// isLookup reports whether a table has names and nothing more: a key and a column.
func (k *knowledge) isLookup(table int) bool { return len(k.db.Tables[table].Columns) <= 2 }

// countedRows returns the instance whose key the only aggregate counts: of different values, or of the rows that a
// table joins to others.
func (w *writer) countedRows(p *plan, source int) (inst int, ok bool) {
	if len(p.items) != 1 || len(p.groups) > 0 {
		return 0, false
	}
	it := p.items[0]
	if it.agg == "/" {
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
		if links && it.field.inst != source {
			return it.field.inst, true
		}
		return max(source, 0), true
	}
	for _, e := range p.edgesFrom(it.field.inst) {
		if e.key == it.field.ref {
			return e.to, true
		}
	}
	return it.field.inst, true
}

// countsRows reports whether a query groups rows or counts them all.
func (p *plan) countsRows() bool {
	if len(p.having)+len(p.groups) > 0 {
		return true
	}
	return slices.ContainsFunc(p.items, item.countsRows) ||
		slices.ContainsFunc(p.order, func(o order) bool { return o.item.agg == "count" })
}

// countsRows reports whether an item, or an operand of it, is count(*), perhaps of some rows.
func (i item) countsRows() bool {
	if i.calc != nil {
		return i.calc.x.countsRows() || i.calc.y.countsRows()
	}
	return i.agg == "count" && i.star
}

// isSubsetOf reports whether the rows of an instance are some of the rows of another, by a key
// that is called as they are: gymnasts are people by their gymnast_id.
func (w *writer) isSubsetOf(p *plan, inst, other int) bool {
	e, ok := p.edge(inst, other)
	if !ok || e.from != inst {
		return false
	}
	rows, others := w.rowsOf(p.inst[inst].table), w.rowsOf(p.inst[other].table)
	if rows.err != nil || others.err != nil {
		return false
	}
	role := w.role(e)
	return role == rows.noun || slices.Contains(w.relation(rows.noun, others.noun, "", role), "are")
}

// source returns the one instance that no key refers to, -1 where there are several: the
// rows of the join are its rows.
func (p *plan) source() int {
	source := -1
	for i := range p.inst {
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
