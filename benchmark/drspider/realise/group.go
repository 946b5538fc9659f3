package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// group is what rows are grouped by.
type group struct {
	entity bool   // other rows, by their key or name
	noun   string // "country", "stadium"
	inst   int
	fields []field
}

// groupOf reads the columns that a plan groups by.
func (w *writer) groupOf(p *plan) group {
	f := p.groups[0]
	g := group{inst: f.inst, fields: p.groups}
	for _, e := range p.edges {
		if len(p.groups) == 1 && e.from == f.inst && e.key == f.ref {
			return group{entity: true, noun: w.role(e), inst: e.to, fields: p.groups}
		}
	}
	keyed := slices.ContainsFunc(p.groups, func(f field) bool { return w.isKey(f.ref) || w.isName(f.ref) })
	if keyed && f.inst != p.head {
		noun := w.noun(p.inst[f.inst].table)
		if e, ok := p.edge(p.head, f.inst); ok {
			noun = w.role(e)
		}
		return group{entity: true, noun: noun, inst: f.inst, fields: p.groups}
	}
	if len(p.groups) > 2 {
		w.abstain("more than two columns are grouped by")
	}
	if len(p.groups) == 1 && w.isID(f.ref) {
		words := strings.Fields(strings.ToLower(lexicon.Bare(w.db.Column(f.ref).Name)))
		if last := len(words) - 1; last > 0 && words[last] == "id" {
			return group{entity: true, noun: strings.Join(words[:last], " "), inst: f.inst, fields: p.groups}
		}
	}
	var names []string
	for _, f := range p.groups {
		names = append(names, w.measure(p, item{field: f}))
	}
	g.noun = list(names, "and")
	return g
}

// grouped says a query with GROUP BY.
func (w *writer) grouped(p *plan) string {
	g := w.groupOf(p)
	noun := w.noun(p.inst[p.head].table)
	if w.err == nil && (g.noun == noun || strings.HasSuffix(noun, " "+g.noun)) {
		w.abstain("rows are grouped by rows of their kind")
	}
	if w.err != nil {
		return ""
	}
	if slices.ContainsFunc(p.conds, func(c cond) bool { return !g.entity && slices.Contains(g.fields, c.item.field) && c.op != "=" }) {
		return w.abstain("groups by a column that a condition is on")
	}
	var plain, aggs []item
	for _, it := range p.items {
		switch {
		case it.star && it.agg == "":
			return w.abstain("a star of groups")
		case it.agg != "":
			aggs = append(aggs, it)
		case !slices.Contains(g.fields, it.field) && (!g.entity || it.field.inst != g.inst || g.inst == p.head):
			return w.abstain("a column that is not grouped by")
		default:
			plain = append(plain, it)
		}
	}
	if len(p.order) > 1 {
		return w.abstain("groups in an order of several columns")
	}
	switch {
	case p.limit > 0:
		return w.topGroup(p, g, noun, plain, aggs)
	case len(p.having) == 1 && len(aggs) == 0:
		return w.groupsHaving(p, g, noun, plain)
	case len(p.having) == 1:
		return w.eachGroup(p, g, noun, plain, aggs)
	case len(p.having) > 1:
		return w.abstain("several conditions on groups")
	case len(aggs) == 0:
		return w.abstain("groups without an aggregate")
	}
	return w.eachGroup(p, g, noun, plain, aggs)
}

// members says the rows of a group, without the modifier that leads to the group.
func (w *writer) members(p *plan, g group, noun string) (rows string, groupMods []modifier) {
	var mods []modifier
	own := p.of(p.head)
	if p.either && len(own) > 0 {
		if len(own) != len(p.conds) {
			w.abstain("alternatives on several tables")
			return "", nil
		}
		mods = append(mods, w.either(own))
	} else {
		for _, c := range own {
			mods = append(mods, w.modify(c))
		}
	}
	for _, e := range p.edges {
		if e.from != p.head {
			continue
		}
		switch {
		case g.entity && e.to == g.inst:
			groupMods = w.modifiers(p, g.inst, p.head)
		case g.entity && w.leads(p, e.to, g.inst):
			w.abstain("groups by rows that are far from those counted")
		case !g.entity && e.to == g.inst:
			for _, c := range p.of(e.to) {
				mods = append(mods, w.modify(c))
			}
		default:
			mods = append(mods, w.refersTo(p, e, p.head)...)
		}
	}
	if w.err != nil {
		return "", nil
	}
	if len(mods) == 0 {
		return many.of(noun), groupMods
	}
	return many.of(noun) + " " + w.attach(noun, mods, many), groupMods
}

func (w *writer) leads(p *plan, from, to int) bool {
	return slices.ContainsFunc(p.edges, func(e edge) bool { return e.from == from && (e.to == to || w.leads(p, e.to, to)) })
}

// groups says the groups: "each stadium in London".
func (w *writer) groups(g group, mods []modifier, n number) string {
	text := n.of(english.SingularPhrase(g.noun))
	if len(g.fields) > 1 && !g.entity {
		text = g.noun
	}
	if len(mods) > 0 {
		text += " " + w.attach(g.noun, mods, n)
	}
	return text
}

// eachGroup says aggregates of each group.
func (w *writer) eachGroup(p *plan, g group, noun string, plain, aggs []item) string {
	rows, mods := w.members(p, g, noun)
	if len(p.having) == 1 {
		mods = append(mods, modifier{clause: w.fulfils(p, noun, rows)})
	}
	each := w.one("each ", "every ") + w.groups(g, mods, one)
	tail := w.groupOrder(p, g, noun)
	if w.err != nil {
		return ""
	}
	named := w.groupColumns(p, g, plain)
	if len(aggs) == 1 && w.counts(p, aggs[0]) {
		number := w.one("the number of ", "how many ")
		switch {
		case tail == "" && named == "" && w.chance(.4):
			return w.one("how many "+rows+" are there for "+each+"?", "for "+each+", how many "+rows+" are there?")
		case g.entity && named == "" && tail == "":
			return ends(w.request() + " the number of " + rows + " for " + each)
		case named != "":
			verb := number
			if verb == "how many " {
				return "for " + each + ", " + w.one("what "+beList(plain)+" "+named+" and how many "+rows+" are there"+tail+"?", "give "+named+" and how many "+rows+" there are"+tail+".")
			}
			return w.one(ends("for "+each+", "+w.one("show ", "give ", "list ")+named+" and "+verb+rows+tail), "what are "+strings.Replace(named, "its ", "the ", 1)+" and "+verb+rows+" for "+each+tail+"?")
		}
		return w.one(ends(w.request()+" each "+w.groups(g, mods, one)+" with "+"the number of "+rows+tail), "what is the number of "+rows+" for "+each+tail+"?")
	}
	var parts []string
	for _, it := range aggs {
		if w.counts(p, it) {
			parts = append(parts, "number of "+many.of(noun))
		} else {
			parts = append(parts, w.aggregated(p, it, noun))
		}
	}
	if w.err != nil {
		return ""
	}
	what := "the " + list(w.mergedOf(p, aggs, parts), "and the")
	if len(aggs) > 1 && !strings.Contains(what, "and the the") && w.sameField(aggs) {
		what = "the " + list(w.mergedOf(p, aggs, parts), "and")
	}
	if named != "" {
		what = strings.Replace(named, "its ", "the ", 1) + " and " + what
	}
	of := " of "
	if rows == many.of(noun) && w.counts(p, aggs[0]) {
		return w.one(ends("for "+each+", "+w.one("show ", "give ")+what+tail), "what are "+what+" for "+each+tail+"?")
	}
	be := "is"
	if len(aggs) > 1 || named != "" {
		be = "are"
	}
	if rows != many.of(noun) {
		rows = "the " + rows
	} else {
		rows = "its " + rows
		if !g.entity {
			rows = "the " + many.of(noun)
		}
	}
	return w.one("what "+be+" "+what+of+rows+" for "+each+tail+"?", "for "+each+", what "+be+" "+what+of+rows+tail+"?", ends("for "+each+", "+w.one("show ", "find ", "give ")+what+of+rows+tail))
}

func (w *writer) sameField(aggs []item) bool {
	return !slices.ContainsFunc(aggs, func(i item) bool { return i.field != aggs[0].field || i.distinct || i.agg == "count" })
}

// mergedOf joins aggregates of one column: "minimum, maximum and average age".
func (w *writer) mergedOf(p *plan, aggs []item, parts []string) []string {
	if !w.sameField(aggs) || len(aggs) < 2 {
		return parts
	}
	name := w.measure(p, aggs[0])
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], " "+name)
	}
	parts[len(parts)-1] += " " + name
	return parts
}

func beList(items []item) string {
	if len(items) == 1 {
		return "is"
	}
	return "are"
}

// groupColumns says the columns of an entity that groups are shown by; "" where they
// are what is grouped by alone.
func (w *writer) groupColumns(p *plan, g group, plain []item) string {
	if !g.entity {
		return ""
	}
	var names []string
	for _, it := range plain {
		name := w.column(it.field.ref)
		if rest, ok := strings.CutPrefix(name, g.noun+" "); ok {
			name = rest
		}
		names = append(names, name)
	}
	if len(names) == 0 || len(names) == 1 && w.isName(plain[0].field.ref) && w.chance(.4) {
		return ""
	}
	return w.one("its ", "the ") + list(names, "and")
}

// groupOrder says the order of groups.
func (w *writer) groupOrder(p *plan, g group, noun string) string {
	if len(p.order) == 0 {
		return ""
	}
	o := p.order[0]
	if o.item.agg == "" {
		return ", sorted by " + w.measure(p, o.item) + " in " + direction(o.desc) + " order"
	}
	return w.one(", sorted by ", ", ordered by ") + w.one("that ", "the ") + strings.TrimPrefix(w.aggregated(p, o.item, noun), "the ") + " in " + direction(o.desc) + " order"
}

// shown says what is asked for of the groups that are picked out.
func (w *writer) shown(p *plan, g group, plain []item, groups string, n number) string {
	carrier := len(plain) == 1 && (!g.entity || w.isName(plain[0].field.ref))
	if carrier && !g.entity && len(g.fields) > 1 {
		return w.abstain("one of two columns that are grouped by")
	}
	_, rest, _ := strings.Cut(groups, "\x00")
	head := strings.TrimSuffix(groups, "\x00"+rest)
	if carrier {
		if g.entity {
			w.said[plain[0].field.ref] = Carried
		}
		switch w.rng.IntN(3) {
		case 0:
			return ends(w.one("find ", "list ", "show ", "give ") + "the " + head + " " + who(g.noun) + " " + rest)
		default:
			return "which " + head + " " + rest + "?"
		}
	}
	var names []string
	for _, it := range plain {
		name := w.column(it.field.ref)
		if trimmed, ok := strings.CutPrefix(name, g.noun+" "); ok {
			name = trimmed
		}
		if n == many {
			name = plural(name)
		}
		names = append(names, name)
	}
	if len(names) == 0 || !g.entity {
		return w.abstain("groups of which nothing is shown")
	}
	what := "the " + list(names, "and")
	be := "are"
	if n == one && len(names) == 1 {
		be = "is"
	}
	rows := "the " + head + " " + who(g.noun) + " " + rest
	return w.one("what "+be+" "+what+" of "+rows+"?", ends(w.request()+" "+what+" of "+rows))
}

// topGroup says the groups with most or fewest rows.
func (w *writer) topGroup(p *plan, g group, noun string, plain, aggs []item) string {
	o := p.order
	if len(o) != 1 || len(p.having) > 0 {
		return w.abstain("a limit of groups without an order")
	}
	n := number(p.limit == 1)
	rows, mods := w.members(p, g, noun)
	if w.err != nil {
		return ""
	}
	count := ""
	if n == many {
		count = w.one(strconv.Itoa(p.limit), spelled(p.limit)) + " "
	}
	extreme := ""
	switch {
	case w.counts(p, o[0].item):
		extreme = n.have() + " the " + pick(o[0].desc, w.one("most ", "largest number of "), w.one("fewest ", "smallest number of ")) + rows
	case o[0].item.agg != "" && o[0].item.agg != "count":
		extreme = n.have() + " the " + pick(o[0].desc, "highest ", "lowest ") + w.aggregatedOf(p, o[0].item, noun)
		if rows != many.of(noun) {
			extreme += " of " + rows
		}
	default:
		return w.abstain("groups in another order")
	}
	if len(aggs) == 1 && n == many && len(plain) == 1 && w.counts(p, aggs[0]) && w.counts(p, o[0].item) {
		return ends(w.request() + " the " + count + w.groups(g, mods, n) + " with the " + strings.TrimPrefix(extreme, "have the ") + w.one(" and", " together with") + " the number of " + rows)
	}
	if len(aggs) == 1 && n == one && len(plain) == 1 && aggs[0] == o[0].item && !w.counts(p, aggs[0]) && (!g.entity || w.isName(plain[0].field.ref)) {
		return "which " + g.noun + " " + extreme + ", and " + "what is it" + "?"
	}
	if len(aggs) > 0 {
		if len(aggs) > 1 || !w.counts(p, aggs[0]) || len(plain) != 1 || n == many {
			return w.abstain("aggregates of the first groups")
		}
		return "which " + n.of(g.noun) + " " + extreme + " and how many?"
	}
	if !g.entity && len(plain) == 1 && len(mods) == 0 && w.counts(p, o[0].item) && n == one && w.chance(.5) {
		common := pick(o[0].desc, w.one("most common ", "most frequent "), w.one("least common ", "rarest "))
		return w.one("what is the ", "which is the ") + common + g.noun + w.one(" of ", " among ") + "all " + rows + "?"
	}
	return w.shown(p, g, plain, count+w.groups(g, mods, n)+"\x00"+extreme, n)
}

// groupsHaving says the groups that fulfil a condition.
func (w *writer) groupsHaving(p *plan, g group, noun string, plain []item) string {
	rows, mods := w.members(p, g, noun)
	clause := w.fulfils(p, noun, rows)
	if w.err != nil || len(p.order) > 0 {
		return w.abstain("groups with a condition in an order")
	}
	return w.shown(p, g, plain, w.groups(g, mods, many)+"\x00"+clause, many)
}

// amounts are comparisons with a number of things.
var amounts = map[string]string{">": "more than ", "<": "fewer than ", ">=": "at least ", "<=": "at most ", "=": "exactly "}

// fulfils says the condition of HAVING as a predicate for many.
func (w *writer) fulfils(p *plan, noun, rows string) string {
	h := p.having[0]
	amount := amounts[h.op]
	if len(h.values) != 1 || h.sub != nil || h.item.agg == "" || amount == "" {
		return w.abstain("a condition on groups that compares no aggregate with a number")
	}
	v := h.values[0].Text
	if n, err := strconv.Atoi(v); err == nil && n <= 12 && w.chance(.4) {
		v = spelled(n)
	}
	switch {
	case w.counts(p, h.item) && (v == "one" || v == "1"):
		return "have " + amount + v + " " + strings.Replace(rows, many.of(noun), noun, 1)
	case w.counts(p, h.item):
		return "have " + amount + v + " " + rows
	case h.item.agg == "count", rows != many.of(noun):
		return w.abstain("a condition on an aggregate of some rows")
	}
	return "have " + a(w.aggregatedOf(p, h.item, noun)) + " of " + strings.Replace(amount, "fewer", "less", 1) + v
}

// aggregatedOf says an aggregate where the question has not said of which rows: the total
// payment amount of a customer.
func (w *writer) aggregatedOf(p *plan, it item, noun string) string {
	text := w.aggregated(p, it, noun)
	if name := w.measure(p, it); slices.Contains(nouns()["bare"], name) {
		text = strings.Replace(text, name, noun+" "+name, 1)
	}
	return text
}
