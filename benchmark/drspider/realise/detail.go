package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// entityOf returns the other table that the rows of a table describe: players for "player attributes", patients for
// "laboratory". It returns false if the rows are things of their own, as orders are, or other rows refer to them.
func (k *knowledge) entityOf(table int) (entity int, ok bool) {
	keys := k.keysOf(table)
	refers := func(fk dataset.ForeignKey) bool { return fk.Target.Table == table }
	if len(keys) == 0 || slices.ContainsFunc(k.db.ForeignKeys, refers) {
		return 0, false
	}
	entity = keys[0].Target.Table
	for i, fk := range keys { // all keys refer to the entity, each column of it only once
		second := func(other dataset.ForeignKey) bool { return other.Target == fk.Target && other.Column != fk.Column }
		if fk.Target.Table != entity || slices.ContainsFunc(keys[:i], second) {
			return 0, false
		}
	}
	noun, _ := k.tableNoun(table)
	owner, ok := k.tableNoun(entity)
	if aspect, named := strings.CutPrefix(noun, owner+" "); named && listed("aspect", aspect) { // "player attribute"
		return entity, ok
	}
	return entity, ok && noun != owner && !k.isThing(table, noun)
}

// isPart reports whether modifiers of the rows of a table can be used for the rows of another table that they belong to: the table has one
// foreign key, which refers to the other table, and no primary key, name or amount of its own.
func (k *knowledge) isPart(table, other int) bool {
	keys := k.keysOf(table)
	names := append([]string{"name", "title"}, words().Words("bare")...)
	outside := func(fk dataset.ForeignKey) bool { return fk.Target.Table != other }
	return !slices.ContainsFunc(keys, outside) && k.foreignKeys(table) == 1 && !k.hasColumn(table, names...) && !k.hasOwnKey(table)
}

// hasOwnKey reports whether a table has a primary key that refers to no other rows.
func (k *knowledge) hasOwnKey(table int) bool {
	return slices.ContainsFunc(k.db.PrimaryKeys, func(c dataset.ColumnRef) bool {
		return c.Table == table && !slices.ContainsFunc(k.db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column == c })
	})
}

// isThing reports whether the rows of a table, called by a noun, are things of their own: the table has a column for a name, an ID or an
// amount ("price"), its name is a predicate, or the noun is that of an entity, but not of a place without an ID.
func (k *knowledge) isThing(table int, noun string) bool {
	_, last := english.CutLast(noun)
	switch {
	case last != "record" && k.hasColumn(table, "name", "title"), k.hasColumn(table, last+" id"), k.hasColumn(table, words().Words("bare")...):
		return true
	case isVerbal(strings.Fields(strings.ToLower(k.db.Tables[table].Name))):
		return true
	}
	noun = strings.TrimSuffix(noun, " record")
	return isEntity(noun) && (!slices.Contains(kindsOf(noun), "{place}") || k.hasColumn(table, "id"))
}

// describes reports whether the rows of a table describe those of another.
func (k *knowledge) describes(table, other int) bool {
	entity, ok := k.entityOf(table)
	return ok && entity == other
}

// nameDetails renames columns that a table shares by name with the table that it describes: the name in "foreign data" of cards becomes
// the "foreign name", which is not the name of a card. Keys and places keep their names.
func (k *knowledge) nameDetails() {
	for t := range k.db.Tables {
		entity, ok := k.entityOf(t)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(lexicon.Bare(strings.ToLower(k.db.Tables[t].Name)), " ")
		for _, c := range k.db.Tables[t].OwnColumns() {
			ref := dataset.ColumnRef{Table: t, Column: c}
			column := k.lowerName(ref)
			isPlace := listed("place", strings.TrimSuffix(column, " name"))
			if k.hasColumn(entity, column) && !isKeyColumn(k.db, ref) && !isPlace && !strings.HasPrefix(column, name+" ") {
				k.db.Tables[t].Columns[c].Name = name + " " + column
			}
		}
	}
}

// fold merges instances whose rows describe others into the instances of these: conditions on player attributes become conditions on
// players. If the head's own rows describe others and are counted, or grouped by what they describe or refer to, it sets p.asRecords: they
// are worded as records. Grouped plans keep their instances.
func (w *writer) fold(p *plan) {
	if entity, ok := w.entityOf(p.instances[p.head].table); ok { // the head's rows describe others
		counts := func(i item) bool {
			return i.counts() && (i.star || i.calc != nil || w.targetOf(i.field.ref).Table != entity) // not count(player_id), which counts players
		}
		ofEntity := func(f field) bool { return f.ref.Table == entity || w.targetOf(f.ref) != f.ref }
		p.asRecords = slices.ContainsFunc(p.groups, ofEntity) ||
			slices.ContainsFunc(p.items, counts) || slices.ContainsFunc(p.order, func(o order) bool { return counts(o.item) })
	}
	for i := 0; i < len(p.instances) && len(p.groups) == 0; i++ {
		entity, ok := w.entityOf(p.instances[i].table)
		at := slices.IndexFunc(p.edges, func(e edge) bool { return e.from == i && p.instances[e.to].table == entity })
		if ok && at >= 0 {
			p.merge(i, p.edges[at].to)
			i = -1 // the instances have other numbers: begin again
		}
	}
}

// counts reports whether an item, or an operand of its calculation, is a count without DISTINCT.
func (i item) counts() bool {
	if i.calc != nil {
		return i.calc.x.counts() || i.calc.y.counts()
	}
	return i.agg == "count" && !i.distinct
}

// merge puts the instance to in the place of the instance from, in the whole plan, and removes from with the joins by its own keys. The
// instances after it get the next lower number.
func (p *plan) merge(from, to int) {
	p.edges = lists.Filter(p.edges, func(e edge) bool { return e.from != from })
	place := func(inst *int) { // the new number of an instance
		if *inst == from {
			*inst = to
		}
		if *inst > from {
			*inst--
		}
	}
	place(&p.head)
	for i := range p.edges {
		place(&p.edges[i].from)
		place(&p.edges[i].to)
	}
	for i := range p.groups {
		place(&p.groups[i].instance)
	}
	for i := range p.items {
		p.items[i].eachInst(place)
	}
	for i := range p.order {
		p.order[i].item.eachInst(place)
	}
	eachInst(p.conds, place)
	eachInst(p.having, place)
	p.instances = slices.Delete(p.instances, from, from+1)
}

// eachInst calls do with a pointer to the instance of each column that an item has, also in its filter and its calculation, so that do can
// renumber it.
func (i *item) eachInst(do func(*int)) {
	do(&i.field.instance)
	if i.filter != nil {
		eachInst(i.filter.conds, do)
	}
	if i.calc != nil {
		i.calc.x.eachInst(do)
		i.calc.y.eachInst(do)
	}
}

// eachInst calls do with a pointer to the instance of each column that conditions have, also in their alternatives.
func eachInst(conds []cond, do func(*int)) {
	for i := range conds {
		conds[i].item.eachInst(do)
		eachInst(conds[i].alts, do)
	}
}

// datedBy appends the date of rows that describe others to the last other condition on them: "an overall rating of 77" and "on 2016-06-23"
// become one modifier. Without a condition on a date, mods stay as they are. Conds and mods have the same positions.
func (w *writer) datedBy(conds []cond, mods []modifier) []modifier {
	at := slices.IndexFunc(mods, func(m modifier) bool { return m.datePhrase != "" })
	if at < 0 {
		return mods
	}
	table := conds[at].item.field.ref.Table
	for i := len(mods) - 1; i >= 0; i-- {
		if i != at && mods[i].either == nil && conds[i].sub == nil && conds[i].item.field.ref.Table == table {
			mods[i] = mods[i].followedBy(" " + mods[at].datePhrase)
			return slices.Delete(mods, at, at+1)
		}
	}
	return mods
}

// followedBy appends a text to all forms of a modifier.
func (m modifier) followedBy(text string) modifier {
	for _, form := range []*string{&m.after, &m.with, &m.whose, &m.clause, &m.has} {
		if *form != "" {
			*form += text
		}
	}
	return m
}
