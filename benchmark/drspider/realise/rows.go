package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// modifiers returns what the conditions and joins of a plan say of an instance's rows,
// those of the instances that hang on it included; from is the one that it was reached
// from, or -1.
func (w *writer) modifiers(p *plan, inst, from int) []modifier {
	var out []modifier
	own := p.of(inst)
	if p.either && len(own) > 0 {
		if len(own) != len(p.conds) {
			w.abstain("alternatives on several tables")
			return nil
		}
		return append(out, w.either(own))
	}
	for _, c := range own {
		out = append(out, w.modify(c))
	}
	for _, e := range p.edges {
		switch {
		case e.from == inst && e.to != from:
			out = append(out, w.refersTo(p, e, inst)...)
		case e.to == inst && e.from != from:
			out = append(out, w.referredBy(p, e, inst)...)
		}
	}
	return out
}

// of returns the conditions on an instance.
func (p *plan) of(inst int) []cond {
	return slices.DeleteFunc(slices.Clone(p.conds), func(c cond) bool { return c.item.field.inst != inst })
}

// either says alternatives: values of one column, or two clauses.
func (w *writer) either(conds []cond) modifier {
	same := func(c cond) bool {
		return c.op == "=" && !c.not && c.sub == nil && c.item.field == conds[0].item.field
	}
	if !slices.ContainsFunc(conds, func(c cond) bool { return !same(c) }) {
		all := conds[0]
		all.values = nil
		for _, c := range conds {
			all.values = append(all.values, c.values...)
		}
		return w.modify(all)
	}
	var parts []string
	for _, c := range conds {
		m := w.modify(c)
		if m.whose == "" {
			return w.nothing("alternatives that are no clauses")
		}
		parts = append(parts, "whose "+m.whose)
	}
	return modifier{behind: list(parts, "or")}
}

// idle tells whether nothing is said of an instance and of those behind it, and none of
// their columns is asked for.
func (p *plan) idle(inst, from int) bool {
	if len(p.of(inst)) > 0 || p.mentions(inst) {
		return false
	}
	for _, e := range p.edges {
		switch {
		case e.from == inst && e.to != from && !p.idle(e.to, inst):
			return false
		case e.to == inst && e.from != from:
			return false // that there are such rows says something
		}
	}
	return true
}

// mentions tells whether a column of an instance is selected, grouped or ordered by.
func (p *plan) mentions(inst int) bool {
	uses := func(i item) bool { return !i.star && i.field.inst == inst }
	return slices.ContainsFunc(p.items, uses) || slices.ContainsFunc(p.groups, func(f field) bool { return f.inst == inst }) ||
		slices.ContainsFunc(p.order, func(o order) bool { return uses(o.item) })
}

// refersTo says of rows what is known of the row that their key refers to.
func (w *writer) refersTo(p *plan, e edge, inst int) []modifier {
	if p.idle(e.to, inst) {
		return nil
	}
	role := w.role(e)
	mods := w.modifiers(p, e.to, inst)
	if w.err != nil || len(mods) == 0 {
		return nil // its columns alone are asked for
	}
	noun := w.noun(p.inst[inst].table)
	verbs := w.relation(noun, w.noun(e.target.Table), "", role)
	if role == noun || slices.Contains(verbs, "are") {
		return mods // a row is one of those: "candidate" refers to "person" as a candidate
	}
	if m := done.FindStringSubmatch(role); m != nil { // "reported by staff"
		verbs, role = []string{"were " + m[1]}, w.noun(e.target.Table)
	}
	var out []modifier
	named := w.named(p, e.to, role)
	switch {
	case named != "" && len(mods) == 1 && len(verbs) > 0:
		out = append(out, modifier{clause: w.verb(verbs) + " " + named})
	case named != "" && len(mods) == 1:
		out = append(out, modifier{behind: "of " + named, whose: role + " is " + strings.TrimPrefix(named, "the "+role+" ")})
	case len(verbs) > 0:
		out = append(out, modifier{clause: w.verb(verbs) + " " + w.a(role, mods)})
	default:
		out = append(out, modifier{whose: role + " " + w.predicates(mods)})
	}
	return out
}

// done matches the role of a key that says what was done.
var done = lazyregexp.New(`^([a-z]+ed (?:by|to)) .+$`)

// predicates joins what is said of one row: "has an age above 20 and is from France".
func (w *writer) predicates(mods []modifier) string {
	var parts []string
	for _, m := range mods {
		text := w.predicate(m, one)
		if last := len(parts) - 1; last >= 0 && strings.HasPrefix(text, "has ") && strings.HasPrefix(parts[last], "has ") {
			text = strings.TrimPrefix(text, "has ")
		}
		parts = append(parts, text)
	}
	return list(parts, "and")
}

// referredBy says of rows that others refer to them, passing through a table that only
// joins two others.
func (w *writer) referredBy(p *plan, e edge, inst int) []modifier {
	link := ""
	child, from := e.from, inst
	if through, ok := w.linked(p, e, inst); ok {
		link = strings.ToLower(w.db.Tables[p.inst[e.from].table].Name)
		child, from = through, e.from
	}
	mods := w.modifiers(p, child, from)
	if w.err != nil {
		return nil
	}
	noun, other := w.noun(p.inst[inst].table), w.noun(p.inst[child].table)
	if w.err != nil {
		return nil
	}
	if other == noun || strings.HasSuffix(other, " "+noun) {
		w.abstain("rows of a kind that have each other")
		return nil
	}
	role := w.role(e)
	if role == noun {
		role = ""
	}
	verbs := w.relation(noun, other, link, role)
	switch {
	case len(verbs) == 0 && strings.HasSuffix(role, noun):
		verbs = []string{"are the " + office(role, noun) + " of"}
	case len(verbs) == 0 && role != "":
		w.abstain("a key by which rows have a role")
		return nil
	case len(verbs) == 0:
		verbs = []string{"have"}
	}
	named := w.named(p, child, other)
	object := w.a(other, mods)
	if named != "" && len(mods) == 1 {
		object = named
	}
	verb := w.verb(verbs)
	if verb == "are" {
		w.abstain("rows that are some of a kind")
		return nil
	}
	m := modifier{clause: verb + " " + object}
	if verbs[0] == "have" && named == "" {
		m.with = object
	}
	return []modifier{m}
}

// linked returns the one instance behind a table that only joins.
func (w *writer) linked(p *plan, e edge, inst int) (int, bool) {
	if len(p.of(e.from)) > 0 || p.mentions(e.from) || w.referring(e) > 1 {
		return 0, false
	}
	to, n := 0, 0
	for _, other := range p.edges {
		if other != e && (other.from == e.from || other.to == e.from) {
			n++
			to = other.to
			if other.to == e.from {
				return 0, false
			}
		}
	}
	return to, n == 1
}

// named says a row by its name, where that is the only condition on it.
func (w *writer) named(p *plan, inst int, noun string) string {
	conds := p.of(inst)
	if len(conds) != 1 {
		return ""
	}
	c := conds[0]
	if c.op != "=" || c.not || len(c.values) != 1 || c.sub != nil || !w.isName(c.item.field.ref) {
		return ""
	}
	v := w.value(c.item.field.ref, c.values[0])
	if w.chance(.3) {
		return "the " + noun + " " + v
	}
	return "the " + noun + " " + w.one("named ", "called ") + v
}

// a says one of the rows that modifiers hold of.
func (w *writer) a(noun string, mods []modifier) string {
	if len(mods) == 0 {
		return w.one(english.Article(noun)+" "+noun, "at least one "+noun)
	}
	return english.Article(noun) + " " + noun + " " + w.attach(noun, mods, one)
}

// attach puts modifiers behind rows: short ones first, clauses joined.
func (w *writer) attach(noun string, mods []modifier, n number) string {
	var short, clauses []string
	for _, m := range mods {
		switch text := w.after(m, n, noun); {
		case w.err != nil:
			return ""
		case isClause(text):
			clauses = append(clauses, text)
		default:
			short = append(short, text)
		}
	}
	with := slices.DeleteFunc(slices.Clone(short), func(s string) bool { return !strings.HasPrefix(s, "with ") })
	short = slices.DeleteFunc(short, func(s string) bool { return strings.HasPrefix(s, "with ") })
	for i := range with {
		with[i] = strings.TrimPrefix(with[i], "with ")
	}
	parts := short
	if len(with) > 0 {
		parts = append(parts, "with "+list(with, "and"))
	}
	if len(clauses)+len(with) > 3 || len(short) > 2 {
		return w.abstain("too many conditions for one sentence")
	}
	if len(clauses) > 0 {
		joined := list(clauses, "and")
		if len(with) > 0 {
			joined = "and " + joined
		}
		parts = append(parts, joined)
	}
	return strings.Join(parts, " ")
}

func isClause(text string) bool {
	for _, p := range []string{"whose ", "who ", "that "} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// role is what a key calls the row that it refers to: "winning pilot" of a
// winning_pilot_id, else what the rows of that table are called.
func (w *writer) role(e edge) string {
	target := w.noun(e.target.Table)
	words := strings.Fields(strings.ToLower(lexicon.Bare(w.db.Column(e.key).Name)))
	for len(words) > 1 && slices.Contains([]string{"id", "code", "key", "number", "no"}, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	name := english.SingularPhrase(strings.Join(words, " "))
	if w.referring(e) > 1 && name != "" && name != target {
		return name
	}
	switch {
	case name == "", name == "id", strings.Contains(target, name), w.isID(e.key) && len(words) == 1 && len(name) <= 4, w.sameName(e.key, e.target):
		return target
	case strings.HasSuffix(name, " "+target), strings.HasPrefix(name, target+" "):
		return name
	case !w.isID(e.key) || w.isName(e.target):
		return target
	}
	return name
}

// office leaves out of a role what its rows are called where the rest says it alone: of
// a "professor employee" the professor.
func office(role, noun string) string {
	if rest := strings.TrimSuffix(role, " "+noun); isPerson(noun) && isPerson(rest) {
		return rest
	}
	return role
}

// verb draws one of several verbs, the same wherever the question has the choice.
func (w *writer) verb(verbs []string) string {
	key := strings.Join(verbs, ";")
	if w.chosen[key] == "" {
		w.chosen[key] = w.one(verbs...)
	}
	return w.chosen[key]
}

// referring counts the keys of a table that refer to the rows of one.
func (w *writer) referring(e edge) int {
	n := 0
	for _, fk := range w.db.ForeignKeys {
		if fk.Column.Table == e.key.Table && fk.Target.Table == e.target.Table {
			n++
		}
	}
	return n
}

// relation returns the verbs by which rows of one table meet those of another.
func (w *writer) relation(noun, other, link, role string) []string {
	key := [4]string{noun, other, link, role}
	verbs, ok := w.verbs[key]
	if !ok {
		verbs = defaultRelations().of(noun, other, lexicon.Normal(link), lexicon.Normal(role))
		w.verbs[key] = verbs
	}
	return verbs
}

// phrase says the rows of a plan, as "the singers from France": with an article where
// they are some of all, else "all singers".
func (w *writer) phrase(p *plan, n number) string {
	noun := w.noun(p.inst[p.head].table)
	mods := w.modifiers(p, p.head, -1)
	if w.err != nil {
		return ""
	}
	if v := w.named(p, p.head, noun); v != "" && len(mods) == 1 {
		return v
	}
	if len(mods) == 0 {
		return w.one("all ", "all the ") + n.of(noun)
	}
	article := "the "
	if n == many {
		article = w.one("the ", "all ")
	}
	return article + n.of(noun) + " " + w.attach(noun, mods, n)
}

// bare says the rows of a plan without an article, as "singers from France".
func (w *writer) bare(p *plan, n number) string {
	noun := w.noun(p.inst[p.head].table)
	mods := w.modifiers(p, p.head, -1)
	if w.err != nil {
		return ""
	}
	if len(mods) == 0 {
		return n.of(noun)
	}
	return n.of(noun) + " " + w.attach(noun, mods, n)
}

// isOne tells whether a plan asks for one row: by its name or key.
func (w *writer) isOne(p *plan) bool {
	return slices.ContainsFunc(p.of(p.head), func(c cond) bool {
		return c.op == "=" && !c.not && len(c.values) == 1 && !p.either && (w.isName(c.item.field.ref) || w.isKey(c.item.field.ref))
	})
}
