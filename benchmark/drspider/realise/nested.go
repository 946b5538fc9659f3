package realise

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
)

// nested says a condition on what another query gives.
func (w *writer) nested(c cond) modifier {
	sub := w.silent()
	if len(c.sub.Compound) > 0 || c.sub.With != nil {
		w.abstain("a nested query that is a set operation")
		return modifier{}
	}
	p := sub.plan(c.sub)
	if sub.err != nil {
		w.err = sub.err
		return modifier{}
	}
	if m, ok := w.extremeRow(sub, p, c); ok || sub.err != nil {
		w.err = sub.err
		return m
	}
	if len(p.items) != 1 || len(p.groups) > 0 || len(p.order) > 0 || p.limit > 0 {
		w.abstain("a nested query of more than one column of rows")
		return modifier{}
	}
	m := modifier{}
	if c.op == "in" {
		m = w.among(sub, p, c)
	} else {
		m = w.against(sub, p, c)
	}
	if sub.err != nil {
		w.err = sub.err
	}
	return m
}

// extremeRow says that rows refer to the one row that is first in an order.
func (w *writer) extremeRow(sub *writer, p *plan, c cond) (modifier, bool) {
	if len(p.items) != 1 || len(p.groups) > 0 || len(p.order) != 1 || p.limit != 1 || c.op != "=" && c.op != "in" || c.not || p.items[0].agg != "" {
		return modifier{}, false
	}
	own, other := c.item.field.ref, p.items[0].field.ref
	if !w.refers(own, other) || p.order[0].item.agg != "" || p.order[0].item.star || p.items[0].field.inst != p.head {
		return modifier{}, false
	}
	role := w.role(edge{key: own, target: other})
	return modifier{whose: role + " is " + sub.extreme(p, sub.noun(other.Table))}, true
}

// against compares with an aggregate of other rows.
func (w *writer) against(sub *writer, p *plan, c cond) modifier {
	it, name := p.items[0], w.column(c.item.field.ref)
	if it.agg == "" || it.agg == "count" || it.agg == "sum" || it.star || w.err != nil || it.field.ref != c.item.field.ref && !w.sameName(it.field.ref, c.item.field.ref) {
		w.abstain("a comparison with a nested query of another column")
		return modifier{}
	}
	rows := sub.phrase(p, many)
	all := len(p.conds) == 0 && len(p.edges) == 0 && p.inst[0].table == c.item.field.ref.Table
	what := sub.aggregated(p, it, "")
	switch {
	case it.agg == "avg" && (c.op == ">" || c.op == "<"):
		words := map[string][]string{">": {"above", "higher than", "greater than"}, "<": {"below", "lower than", "less than"}}[c.op]
		if all {
			return modifier{whose: name + " is " + w.one(words...) + " the average", with: w.one("an "+words[0]+"-average "+name, english.Article(name)+" "+name+" "+words[0]+" the average")}
		}
		return modifier{whose: name + " is " + w.one(words...) + " the " + what + " of " + rows}
	case c.op == "=" && all && (it.agg == "max" || it.agg == "min"):
		return modifier{with: "the " + what}
	case c.op == ">" || c.op == "<" || c.op == "=":
		words := map[string]string{">": "above", "<": "below", "=": "equal to"}[c.op]
		return modifier{whose: name + " is " + words + " the " + what + " of " + rows}
	}
	w.abstain("a comparison with a nested query")
	return modifier{}
}

// among says that rows are, or are not, among others.
func (w *writer) among(sub *writer, p *plan, c cond) modifier {
	it := p.items[0]
	if it.agg != "" || it.star {
		w.abstain("membership in aggregates")
		return modifier{}
	}
	own, other := c.item.field.ref, it.field.ref
	noun := w.noun(own.Table)
	head := it.field.inst
	p.head = head
	switch {
	case own == other: // of the same rows
		mods := sub.modifiers(p, head, -1)
		if len(mods) == 0 || sub.err != nil || !w.isKey(own) && !w.isName(own) {
			w.abstain("membership in all rows")
			return modifier{}
		}
		if len(mods) > 1 {
			w.abstain("membership with several conditions")
			return modifier{}
		}
		text := sub.predicate(mods[0], many)
		if c.not {
			return modifier{clause: negated(text, w)}
		}
		return modifier{clause: text}
	case w.refers(other, own): // those refer to these
		return w.having(sub, p, noun, c.not, edge{key: other, target: own})
	case w.refers(own, other):
		e := edge{key: own, target: other}
		mods := sub.modifiers(p, head, -1)
		if sub.err != nil || len(mods) == 0 {
			w.abstain("membership in all rows")
			return modifier{}
		}
		role := w.role(e)
		if c.not {
			w.abstain("rows whose key is not among others")
			return modifier{}
		}
		return modifier{whose: role + " is one " + sub.attach(role, mods, one)}
	}
	w.abstain("membership in rows that no key joins")
	return modifier{}
}

// having says that there are, or are not, rows that refer to these.
func (w *writer) having(sub *writer, p *plan, noun string, not bool, e edge) modifier {
	table := p.inst[p.head].table
	link := strings.ToLower(w.db.Tables[table].Name)
	var mods []modifier
	other := ""
	if to, ok := w.through(p, e); ok {
		other = sub.noun(p.inst[to].table)
		mods = sub.modifiers(p, to, p.head)
	} else if target, ok := w.joins(table, e); ok && len(p.inst) == 1 && len(p.conds) == 0 {
		other = sub.noun(target)
	} else {
		other, link = sub.noun(table), ""
		mods = sub.modifiers(p, p.head, -1)
	}
	if sub.err != nil {
		return modifier{}
	}
	role := ""
	if link == "" {
		if r := w.role(edge{key: e.key, target: e.target}); r != noun {
			role = r
		}
	}
	verbs := w.relation(noun, other, link, role)
	if len(verbs) == 0 && role != "" {
		w.abstain("a key by which rows have a role")
		return modifier{}
	}
	if len(verbs) == 0 {
		verbs = []string{"have"}
	}
	verb := w.one(verbs...)
	things := many.of(other)
	if len(mods) > 0 {
		things += " " + sub.attach(other, mods, many)
	}
	if !not {
		return modifier{clause: verb + " " + w.a(other, mods)}
	}
	if verb == "are" {
		return modifier{clause: "are not " + things}
	}
	if verb == "have" {
		return modifier{clause: "have no " + things, behind: "without any " + things}
	}
	return modifier{clause: negated(verb+" any "+things, w)}
}

// through returns the one other instance behind a table that only joins.
func (w *writer) through(p *plan, e edge) (int, bool) {
	if len(p.of(p.head)) > 0 || len(p.edges) == 0 {
		return 0, false
	}
	to, n := 0, 0
	for _, x := range p.edges {
		if x.from == p.head {
			to, n = x.to, n+1
		}
	}
	return to, n == 1
}

// joins returns the table that a table joins another with, by its other key.
func (w *writer) joins(table int, e edge) (int, bool) {
	to, n := 0, 0
	for _, fk := range w.db.ForeignKeys {
		if fk.Column.Table == table && fk.Column != e.key {
			to, n = fk.Target.Table, n+1
		}
	}
	return to, n == 1 && isVerbal(strings.Fields(strings.ToLower(w.db.Tables[table].Name)))
}

// negated negates a predicate for many.
func negated(predicate string, w *writer) string {
	predicate = strings.Replace(predicate, " at least one ", " a ", 1)
	first, rest, _ := strings.Cut(predicate, " ")
	switch {
	case first == "are", first == "were":
		return first + " not " + rest
	case first == "have":
		if strings.HasPrefix(rest, "an ") || strings.HasPrefix(rest, "a ") {
			for _, p := range []string{"an ", "a "} {
				rest = strings.TrimPrefix(rest, p)
			}
			return "have no " + rest
		}
		return "do not have " + rest
	case isPast(first):
		base := english.Base(first)
		if base == "" {
			return w.abstain("a verb whose base form is not known")
		}
		return "did not " + base + " " + rest
	}
	return "do not " + predicate
}
