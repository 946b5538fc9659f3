package realise

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// nested says a condition on what another query gives.
func (w *writer) nested(c cond) modifier {
	if len(c.sub.Compound) > 0 || c.sub.With != nil {
		return w.nothing("a nested query that is a set operation")
	}
	p := w.plan(c.sub)
	switch {
	case w.err != nil:
		return modifier{}
	case len(p.items) != 1 || len(p.groups) > 0:
		return w.nothing("a nested query of more than one column of rows")
	case len(p.order) > 0 || p.limit > 0:
		return w.extremeRow(p, c)
	case c.op == "in":
		return w.among(p, c)
	}
	return w.against(p, c)
}

// nothing notes why a condition cannot be said.
func (w *writer) nothing(why string) modifier {
	w.abstain("%s", why)
	return modifier{}
}

// extremeRow says that rows refer to the one row that is first in an order.
func (w *writer) extremeRow(p *plan, c cond) modifier {
	own, it := c.item.field.ref, p.items[0]
	if len(p.order) != 1 || p.limit != 1 || c.not || c.op != "=" && c.op != "in" || it.agg != "" {
		return w.nothing("a nested query in an order")
	}
	by := p.order[0].item
	if by.agg != "" || by.star || !w.refers(own, it.field.ref) || it.field.inst != p.head {
		return w.nothing("a nested query of the first of some rows")
	}
	role := w.role(edge{key: own, target: it.field.ref})
	return modifier{whose: role + " is " + w.extreme(p, w.noun(it.field.ref.Table))}
}

// against compares with an aggregate of other rows.
func (w *writer) against(p *plan, c cond) modifier {
	it, name := p.items[0], w.column(c.item.field.ref)
	if it.agg == "" || it.agg == "count" || it.agg == "sum" || it.star || w.err != nil || it.field.ref != c.item.field.ref && !w.sameName(it.field.ref, c.item.field.ref) {
		return w.nothing("a comparison with a nested query of another column")
	}
	rows := w.phrase(p, many)
	all := len(p.conds) == 0 && len(p.edges) == 0 && p.inst[0].table == c.item.field.ref.Table
	what := w.aggregated(p, it, "")
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
		if w.isTime(c.item.field.ref) {
			words = map[string]string{">": "after", "<": "before", "=": "equal to"}[c.op]
		}
		return modifier{whose: name + " is " + words + " the " + what + " of " + rows}
	}
	return w.nothing("a comparison with a nested query")
}

// among says that rows are, or are not, among others.
func (w *writer) among(p *plan, c cond) modifier {
	it := p.items[0]
	if it.agg != "" || it.star {
		return w.nothing("membership in aggregates")
	}
	own, other := c.item.field.ref, it.field.ref
	noun := w.noun(own.Table)
	head := it.field.inst
	p.head = head
	switch {
	case own == other: // of the same rows
		mods := w.modifiers(p, head, -1)
		if len(mods) == 0 || w.err != nil || !w.isKey(own) && !w.isName(own) {
			return w.nothing("membership in all rows")
		}
		if len(mods) > 1 {
			return w.nothing("membership with several conditions")
		}
		text := w.predicate(mods[0], many)
		if c.not {
			return modifier{clause: negated(text, w)}
		}
		return modifier{clause: text}
	case w.refers(other, own): // those refer to these
		return w.having(p, noun, c.not, edge{key: other, target: own})
	case w.refers(own, other):
		e := edge{key: own, target: other}
		mods := w.modifiers(p, head, -1)
		if w.err != nil || len(mods) == 0 {
			return w.nothing("membership in all rows")
		}
		role := w.role(e)
		if c.not {
			return w.nothing("rows whose key is not among others")
		}
		if len(mods) == 1 {
			return modifier{whose: role + " " + w.predicate(mods[0], one)}
		}
		return modifier{whose: role + " is one " + w.attach(role, mods, one)}
	}
	return w.nothing("membership in rows that no key joins")
}

// having says that there are, or are not, rows that refer to these.
func (w *writer) having(p *plan, noun string, not bool, e edge) modifier {
	table := p.inst[p.head].table
	link := strings.ToLower(w.db.Tables[table].Name)
	var mods []modifier
	other := ""
	if to, ok := w.through(p, e); ok {
		other = w.noun(p.inst[to].table)
		mods = w.modifiers(p, to, p.head)
	} else if target, ok := w.joins(table, e); ok && len(p.inst) == 1 && len(p.conds) == 0 {
		other = w.noun(target)
	} else {
		other, link = w.noun(table), ""
		mods = w.modifiers(p, p.head, -1)
	}
	if w.err == nil && (other == noun || strings.HasSuffix(other, " "+noun)) {
		w.abstain("rows of a kind that have each other")
	}
	if w.err != nil {
		return modifier{}
	}
	role := ""
	if link == "" {
		if r := w.role(edge{key: e.key, target: e.target}); r != noun {
			role = r
		}
	}
	verbs := w.relation(noun, other, link, role)
	switch {
	case len(verbs) > 0:
	case strings.HasSuffix(role, noun) && role != "":
		verbs = []string{"are the " + office(role, noun) + " of"}
	case role != "":
		return w.nothing("a key by which rows have a role")
	default:
		verbs = []string{"have"}
	}
	verb := w.verb(verbs)
	things := many.of(other)
	if len(mods) > 0 {
		things += " " + w.attach(other, mods, many)
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
