package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// headModifiers returns the modifiers of the rows that a plan asks for.
func (w *writer) headModifiers(p *plan) []modifier { return w.modifiers(p, p.head, -1) }

// modifiers returns what the conditions and joins of a plan say about the rows of an
// instance, including what they say about the instances joined to it. From is the
// instance that it was reached from, or -1.
func (w *writer) modifiers(p *plan, inst, from int) []modifier {
	out := w.conditions(p, inst)
	for _, e := range p.edges {
		var joined []modifier
		switch {
		case e.from == inst && e.to != from:
			joined = w.refersTo(p, e, inst)
		case e.to == inst && e.from != from:
			joined = w.referredBy(p, e, inst)
		}
		for _, m := range joined {
			m.joined = true
			out = append(out, m)
		}
	}
	return out
}

// conditions expresses the conditions on the columns of an instance.
func (w *writer) conditions(p *plan, inst int) []modifier {
	conds := p.condsOn(inst)
	var out []modifier
	if name, rest := w.nameOf(conds); len(conds)-len(rest) > 1 {
		out = []modifier{{after: "named " + name, whose: "name is " + name, has: "the name " + name}}
		conds = rest
	}
	return append(out, w.datedBy(conds, lists.Map(conds, w.conditionModifier))...)
}

// condsOn returns the conditions on the columns of an instance.
func (p *plan) condsOn(inst int) []cond {
	return lists.Filter(p.conds, func(c cond) bool { return c.inst() == inst })
}

// inst returns the instance whose columns a condition is on, that of the first of alternatives.
func (c cond) inst() int {
	if c.alts != nil {
		return c.alts[0].inst()
	}
	return c.item.field.inst
}

// either expresses alternatives: values of one column, "from France or Spain", or predicates,
// "either are from France or have an age above 20".
func (w *writer) either(conds []cond) modifier {
	if !slices.ContainsFunc(conds, func(c cond) bool { return !c.isEquality() || c.item.field != conds[0].item.field }) {
		all := conds[0]
		all.values = nil
		for _, c := range conds {
			all.values = append(all.values, c.values...)
		}
		return w.conditionModifier(all)
	}
	if slices.ContainsFunc(conds, func(c cond) bool { return c.alts != nil || c.inst() != conds[0].inst() }) {
		return w.unsupportedModifier("alternatives on several tables")
	}
	if slices.ContainsFunc(conds, func(c cond) bool { return c.op == "null" }) {
		return w.unsupportedModifier("alternatives of which one is that a value is missing")
	}
	return modifier{either: lists.Map(conds, w.conditionModifier)}
}

// addsNothing reports whether an instance, with those that it refers to, has no
// conditions and no column that is asked for. From is the instance it was reached from.
func (p *plan) addsNothing(inst, from int) bool {
	if p.mentions(inst) {
		return false
	}
	return !slices.ContainsFunc(p.edges, func(e edge) bool {
		if e.to == inst && e.from != from {
			return true // that there are such rows is a condition
		}
		return e.from == inst && e.to != from && !p.addsNothing(e.to, inst)
	})
}

// mentions reports whether a column of an instance is in a condition, selected, grouped or
// ordered by.
func (p *plan) mentions(inst int) bool {
	isOf := func(f field) bool { return f.inst == inst }
	orders := func(o order) bool { return !o.item.star && isOf(o.item.field) }
	return len(p.condsOn(inst)) > 0 || p.selects(inst) || slices.ContainsFunc(p.groups, isOf) || slices.ContainsFunc(p.order, orders)
}

// refersTo expresses what a plan says about the row that a key of the instance refers to:
// "whose stadium is in Rome", "that are owned by the person named Ann".
func (w *writer) refersTo(p *plan, e edge, inst int) []modifier {
	if p.addsNothing(e.to, inst) {
		return nil
	}
	role := w.role(e)
	mods := w.modifiers(p, e.to, inst)
	if w.err != nil || len(mods) == 0 {
		return nil // its columns alone are asked for
	}
	noun := w.instNoun(p, inst)
	verbs := w.relation(noun, w.noun(e.target.Table), "", role)
	if role == noun || slices.Contains(verbs, "are") {
		return mods // "candidate" refers to "person" as a candidate: the row is that person
	}
	if m := participleRole.FindStringSubmatch(role); m != nil { // "reported by staff"
		verbs, role = []string{"were " + m[1]}, w.noun(e.target.Table)
	}
	named := w.rowByName(p, e.to, role)
	if isJoined(mods) {
		named = ""
	}
	switch {
	case named != "" && len(verbs) > 0:
		return []modifier{{clause: w.verb(verbs) + " " + named, after: w.belonging(verbs, role, named), named: true}}
	case named != "":
		m := modifier{whose: role + " is " + strings.TrimPrefix(named, "the "+role+" ")}
		if role == w.noun(e.target.Table) {
			m.after = "of " + named
		}
		return []modifier{m}
	case len(verbs) > 0:
		return []modifier{{clause: w.verb(verbs) + " " + w.indefiniteRow(role, mods), alone: w.belonging(verbs, role, w.withModifiers(role, mods, plural))}}
	}
	return []modifier{{whose: role + " " + w.predicates(mods, singular)}}
}

// belonging returns a phrase that says of rows to which others they belong, "of the singer Ann", "in the race Grand Prix"; ""
// where verbs say more than that.
func (w *writer) belonging(verbs []string, role, rows string) string {
	belongs := func(verb string) bool { return verb == "belong to" || verb == "are for" }
	switch {
	case !slices.ContainsFunc(verbs, belongs):
		return ""
	case slices.Contains(kindsOf(role), "{event}"):
		return "in " + rows
	}
	return "of " + rows
}

// participleRole matches the role of a key that begins with what was done.
var participleRole = lazyregexp.New(`^([a-z]+ed (?:by|to)) .+$`)

// referredBy returns the modifiers which express that rows of another instance of a table, e.from, refer to
// the rows of the instance inst: "who take the course Maths". If the referring table only joins the two,
// the phrase is about the table behind it. Instances are indices of p.inst.
func (w *writer) referredBy(p *plan, e edge, inst int) []modifier {
	link := ""
	child, from := e.from, inst
	if behind, ok := w.behindLink(p, e); ok && w.joinsOnly(p, e.from, inst, behind) {
		link = strings.ToLower(w.db.Tables[p.inst[e.from].table].Name)
		child, from = behind, e.from
	}
	mods := w.modifiers(p, child, from)
	if w.err != nil {
		return nil
	}
	if len(mods) == 0 && slices.ContainsFunc(p.items, func(i item) bool { return i.filter != nil || i.calc != nil }) {
		w.unsupported("rows that have others, of which some are counted")
	}
	if len(mods) == 0 && len(p.conds) > 0 {
		w.unsupported("rows that have others, beside other conditions")
	}
	if child == e.from && len(mods) > 0 && w.isPart(p.inst[child].table, p.inst[inst].table) {
		return mods
	}
	noun, other := w.instNoun(p, inst), w.instNoun(p, child)
	if strings.HasSuffix(other, " record") && isJoined(mods) {
		w.unsupported("rows that have records of what is not counted")
	}
	if isKindOf(other, noun) {
		w.unsupported("rows of a kind that have each other")
		return nil
	}
	verbs := w.relationVerbs(noun, other, link, w.role(e))
	named := w.rowByName(p, child, other)
	object := w.indefiniteRow(other, mods)
	if named != "" && !isJoined(mods) {
		object = named
	}
	verb := w.verb(verbs)
	if verb == "are" {
		w.unsupported("rows that are some of a kind")
		return nil
	}
	m := modifier{clause: verb + " " + object}
	if named == "" && slices.Index(verbs, "have") == 0 {
		m.with = object
	}
	return []modifier{m}
}

// isKindOf reports whether rows called x are some of those called y: "poker player" and
// "player".
func isKindOf(x, y string) bool { return x == y || strings.HasSuffix(x, " "+y) }

// relationVerbs returns the plural verbs by which rows called noun meet those called
// other, "have" where nothing else is known. Link is the name of the table that joins
// them, "" for none; role is what their key calls them.
func (w *writer) relationVerbs(noun, other, link, role string) []string {
	if role == noun {
		role = ""
	}
	if verbs := w.relation(noun, other, link, role); len(verbs) > 0 {
		return verbs
	}
	if role == "" {
		return []string{"have"}
	}
	if strings.HasSuffix(role, noun) || isPerson(noun) && isPerson(role) {
		return []string{"are listed as the " + role + " of"}
	}
	w.unsupported("a key by which rows have a role")
	return nil
}

// behindLink returns the one instance behind a table that only joins it to another, by
// the edge from that table to the other.
func (w *writer) behindLink(p *plan, link edge) (inst int, ok bool) {
	others := slices.DeleteFunc(p.edgesFrom(link.from), func(e edge) bool { return e == link })
	switch {
	case p.mentions(link.from):
		return 0, false // the table does more than join
	case w.keysLike(link) > 1:
		return 0, false // it is open which of its keys joins
	case len(others) != 1, slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == link.from }):
		return 0, false
	}
	return others[0].to, true
}

// joinsOnly reports whether rows of a table, the instance link, can go unsaid between the two that it joins: a verb is known
// for that table, or it has hardly more than their keys.
func (w *writer) joinsOnly(p *plan, link, x, y int) bool {
	table := p.inst[link].table
	own := lists.Filter(w.db.Tables[table].OwnColumns(), func(c int) bool {
		return !isKeyColumn(w.db, dataset.ColumnRef{Table: table, Column: c})
	})
	noun, other, name := w.instNoun(p, x), w.instNoun(p, y), strings.ToLower(w.db.Tables[table].Name)
	return len(own) <= 2 || !slices.Equal(w.relation(noun, other, name, ""), w.relation(noun, other, "", ""))
}

// rowByName returns a row by its name, "the singer named Ann", "the race Grand Prix in 2009", where the conditions on its
// instance are its name and at most one that a short phrase says; else "".
func (w *writer) rowByName(p *plan, inst int, noun string) string {
	v, rest := w.nameOf(p.condsOn(inst))
	if v == "" || len(rest) > 1 {
		return ""
	}
	after := ""
	for _, m := range lists.Map(rest, w.conditionModifier) {
		if m.after == "" || m.moment == "" && strings.HasPrefix(m.after, "with ") {
			return ""
		}
		after = " " + m.after
	}
	if isPerson(noun) || w.isLookup(p.inst[inst].table) || w.chance(.3) {
		return "the " + noun + " " + v + after
	}
	return "the " + noun + " " + w.draw("named ", "called ") + v + after
}

// nameOf returns the name of a row that conditions ask for by it, or by a first and a last name, and the other conditions.
func (w *writer) nameOf(conds []cond) (name string, rest []cond) {
	find := func(part string) (int, string) {
		at := slices.IndexFunc(conds, func(c cond) bool {
			return c.isSingleEquality() && (part == "" && w.isName(c.item.field.ref) || part != "" && slices.Contains(w.askedAs(c.item.field.ref).Say, part))
		})
		if at < 0 {
			return at, ""
		}
		return at, w.value(conds[at].values[0])
	}
	i, name := find("")
	j := i
	if i < 0 && len(conds) > 0 && conds[0].alts == nil && isPerson(w.rowsOf(conds[0].item.field.ref.Table).noun) {
		first, last := "", ""
		i, first = find("first name")
		j, last = find("last name")
		if i < 0 || j < 0 {
			return "", conds
		}
		name = first + " " + last
	}
	if i < 0 {
		return "", conds
	}
	for at, c := range conds {
		if at != i && at != j {
			rest = append(rest, c)
		}
	}
	return name, rest
}

// role returns what a key calls the row that it refers to: "winning pilot" for a
// winning_pilot_id, else what the rows of that table are called.
func (w *writer) role(e edge) string {
	target := w.noun(e.target.Table)
	words := strings.Fields(strings.ToLower(lexicon.Bare(w.db.Column(e.key).Name)))
	for len(words) > 1 && listed("key", words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	name := english.SingularPhrase(strings.Join(words, " "))
	if w.keysLike(e) > 1 && !w.sameName(e.key, e.target) && !slices.Contains([]string{"", target}, name) {
		return shortRole(name, target)
	}
	abbreviated := w.isID(e.key) && len(words) == 1 && len(name) <= 4 // "dept"
	switch {
	case abbreviated, name == "id", strings.Contains(target, name), w.sameName(e.key, e.target):
		return target
	case strings.HasSuffix(name, " "+target), strings.HasPrefix(name, target+" "):
		return shortRole(name, target)
	case w.isName(e.target), !w.isID(e.key):
		return target
	}
	return name
}

// shortRole leaves the noun out of a role that means the same without it: of a "professor
// employee" it leaves "professor".
func shortRole(role, noun string) string {
	if rest := strings.TrimSuffix(role, " "+noun); isPerson(noun) && isPerson(rest) {
		return rest
	}
	return role
}

// verb draws one of several verbs or other words, the same in the whole question.
func (w *writer) verb(verbs []string) string {
	return memo(w.chosenVerbs, strings.Join(verbs, ";"), func() string { return w.draw(verbs...) })
}

// keysLike counts the keys that lead from the table of a key to the same other table.
func (w *writer) keysLike(e edge) int {
	return len(slices.DeleteFunc(w.keysOf(e.key.Table), func(fk dataset.ForeignKey) bool { return fk.Target.Table != e.target.Table }))
}

// relation returns the verbs of data/relations.txt by which rows called noun meet those
// called other; see [writer.relationVerbs] for link and role.
func (k *knowledge) relation(noun, other, link, role string) []string {
	return memo(k.verbs, [4]string{noun, other, link, role}, func() []string {
		return defaultRelations().find(noun, other, lexicon.Normal(link), lexicon.Normal(role))
	})
}

// definiteRows returns the rows of a plan: "the singers from France", "all singers".
func (w *writer) definiteRows(p *plan, n number) string {
	noun := w.rowNoun(p)
	mods := w.headModifiers(p)
	if w.err != nil {
		return ""
	}
	if v := w.rowByName(p, p.head, noun); v != "" && !isJoined(mods) {
		return v
	}
	if len(mods) == 0 {
		return w.draw("all ", "all the ") + n.inflect(noun)
	}
	article := "the "
	if n == plural {
		article = w.draw("the ", "all ")
	}
	return article + w.withModifiers(noun, mods, n)
}

// bareRows returns the rows of a plan without an article: "singers from France".
func (w *writer) bareRows(p *plan, n number) string {
	noun := w.rowNoun(p)
	mods := w.headModifiers(p)
	if w.err != nil {
		return ""
	}
	return w.withModifiers(noun, mods, n)
}

// withModifiers puts modifiers after a noun.
func (w *writer) withModifiers(noun string, mods []modifier, n number) string {
	if len(mods) == 0 {
		return n.inflect(noun)
	}
	return n.inflect(noun) + " " + w.joinModifiers(noun, mods, n)
}

// isOne reports whether a plan asks for one row, by its name or key.
func (w *writer) isOne(p *plan) bool {
	return slices.ContainsFunc(p.condsOn(p.head), func(c cond) bool {
		return c.isSingleEquality() && w.identifies(c.item.field.ref)
	})
}
