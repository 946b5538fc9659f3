package realise

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// headModifiers returns the modifiers of the rows that a plan asks for.
func (w *writer) headModifiers(p *plan) []modifier { return w.modifiers(p, p.head, -1) }

// modifiers returns the modifiers of the rows of an instance: for the conditions on it, and for its joins with the conditions on the
// joined instances. It leaves out the join with from, the instance by which the caller came, or -1.
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
			m.aboutOthers = true // modifiers after it could seem to be about the joined rows
			out = append(out, m)
		}
	}
	return out
}

// conditions returns modifiers for the conditions on the columns of an instance. A first and a last name become one modifier, and so do a
// date and the last other condition, see [writer.datedBy].
func (w *writer) conditions(p *plan, inst int) []modifier {
	conds := p.condsOn(inst)
	var out []modifier
	if name, rest := w.nameOf(conds); len(conds)-len(rest) > 1 {
		out = []modifier{{after: "named " + name, whose: "name is " + name, has: "the name " + name}}
		conds = rest
	}
	slices.SortStableFunc(conds, func(x, y cond) int { return x.nests() - y.nests() })
	return append(out, w.datedBy(conds, lists.Map(conds, w.conditionModifier))...)
}

// nests returns 1 for a condition of membership in a nested query, else 0. What follows such a condition could seem to be about the
// rows of that query.
func (c cond) nests() int {
	if c.sub != nil && c.op == "in" {
		return 1
	}
	return 0
}

// condsOn returns the conditions on the columns of an instance.
func (p *plan) condsOn(inst int) []cond {
	return lists.Filter(p.conds, func(c cond) bool { return c.instance() == inst })
}

// instance returns the instance of the column that a condition is on; for alternatives, that of the first.
func (c cond) instance() int {
	if c.alts != nil {
		return c.alts[0].instance()
	}
	return c.item.field.instance
}

// either expresses the alternatives of OR: as values of one column, "from France or Spain", or as predicates,
// "either are from France or have an age above 20".
func (w *writer) either(conds []cond) modifier {
	if !slices.ContainsFunc(conds, func(c cond) bool { return !c.isEquality() || c.item.field != conds[0].item.field }) { // of one column
		all := conds[0]
		all.values = nil
		for _, c := range conds {
			all.values = append(all.values, c.values...)
		}
		return w.conditionModifier(all)
	}
	if slices.ContainsFunc(conds, func(c cond) bool { return c.alts != nil || c.instance() != conds[0].instance() }) {
		return w.unsupportedModifier("alternatives on several tables")
	}
	if slices.ContainsFunc(conds, func(c cond) bool { return c.op == "null" }) {
		return w.unsupportedModifier("alternatives of which one is that a value is missing")
	}
	return modifier{either: lists.Map(conds, w.conditionModifier)}
}

// addsNothing reports whether a plan uses an instance, and those that it refers to, for nothing but the joins:
// no condition is on them and none of their columns is asked for. From is the instance by which the caller came.
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

// mentions reports whether a plan uses a column of an instance in a condition, the select list, GROUP BY or
// ORDER BY.
func (p *plan) mentions(inst int) bool {
	isOf := func(f field) bool { return f.instance == inst }
	orders := func(o order) bool { return !o.item.star && isOf(o.item.field) }
	return len(p.condsOn(inst)) > 0 || p.selects(inst) || slices.ContainsFunc(p.groups, isOf) || slices.ContainsFunc(p.order, orders)
}

// refersTo returns modifiers for the row to which the instance refers by the edge e, with the conditions on that row:
// "whose stadium is in Rome", "that are owned by the person named Ann". Without conditions it returns what [writer.having] does.
func (w *writer) refersTo(p *plan, e edge, inst int) []modifier {
	if p.addsNothing(e.to, inst) {
		return w.having(e)
	}
	role := w.role(e)
	mods := w.modifiers(p, e.to, inst)
	switch {
	case w.err != nil:
		return nil
	case len(mods) == 0: // its columns alone are asked for
		return w.having(e)
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
	if isJoined(mods) { // the name is not the only condition: others are on rows further away
		named = ""
	}
	switch {
	case named != "" && len(verbs) > 0: // "that are owned by the person named Ann", "of the person named Ann"
		return []modifier{{clause: w.drawOnce(verbs) + " " + named, after: w.belonging(verbs, role, named), afterNames: true}}
	case named != "": // "whose owner is Ann"
		m := modifier{whose: role + " is " + strings.TrimPrefix(named, "the "+role+" ")}
		if role == w.noun(e.target.Table) {
			m.after = "of " + named
		}
		return []modifier{m}
	case len(verbs) > 0: // "that are owned by a person from Rome"
		return []modifier{{clause: w.drawOnce(verbs) + " " + w.indefiniteRow(role, mods), afterAlone: w.belonging(verbs, role, w.withModifiers(role, mods, plural))}}
	}
	return []modifier{{whose: role + " " + w.predicates(mods, singular)}} // "whose owner is from Rome"
}

// having returns a modifier for rows that refer to another row by the edge e, if the original question says that they have one: "with a
// supervisor". Some rows then refer to none. It returns nil for other questions.
func (w *writer) having(e edge) []modifier {
	if w.rowsOf(e.target.Table).err != nil {
		return nil
	}
	other := withArticle(w.role(e))
	question := " " + strings.Join(strings.FieldsFunc(strings.ToLower(w.question), isNoLetter), " ") + " "
	for _, have := range []string{"with", "has", "have"} {
		if strings.Contains(question, " "+have+" "+other+" ") {
			return []modifier{{with: other}}
		}
	}
	return nil
}

// isNoLetter reports whether a character is between words.
func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// belonging returns a short phrase for rows that belong to others, which are called role: "of the singer Ann", "in the race Grand Prix". It
// returns "" unless one of the verbs is "belong to" or "are for".
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

// referredBy returns modifiers for the rows of the instance e.from, which refer to those of the instance inst:
// "who take the course Maths". If the table of e.from only joins inst to another table,
// the phrase is about the rows of that other table.
func (w *writer) referredBy(p *plan, e edge, inst int) []modifier {
	link := ""
	child, from := e.from, inst
	if behind, ok := w.behindLink(p, e); ok && w.joinsOnly(p, e.from, inst, behind) {
		link = strings.ToLower(w.db.Tables[p.instances[e.from].table].Name)
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
	if child == e.from && len(mods) > 0 && w.isPart(p.instances[child].table, p.instances[inst].table) {
		return mods // rows that are only a part of those of inst: as if their columns were columns of inst
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
	verb := w.drawOnce(verbs)
	if verb == "are" {
		w.unsupported("rows that are some of a kind")
		return nil
	}
	m := modifier{clause: verb + " " + object}
	if named == "" && slices.Index(verbs, "have") == 0 { // the first verb is "have": "with a concert in Rome" fits too
		m.with = object
	}
	return []modifier{m}
}

// isKindOf reports whether rows called x are some of those called y: "poker player" and
// "player".
func isKindOf(x, y string) bool { return x == y || strings.HasSuffix(x, " "+y) }

// relationVerbs returns plural verbs between rows called noun, the subject, and those called
// other, the object: "take", or "have" if no other is known. Link is the name of the table that joins
// them, "" for none; role is the noun in the name of the key that refers to the subject.
func (w *writer) relationVerbs(noun, other, link, role string) []string {
	if role == noun { // the key calls the rows as they are called anyway
		role = ""
	}
	if verbs := w.relation(noun, other, link, role); len(verbs) > 0 {
		return verbs
	}
	if role == "" {
		return []string{"have"}
	}
	if strings.HasSuffix(role, noun) || isPerson(noun) && isPerson(role) { // the role is one of such rows: "winning pilot"
		return []string{"are listed as the " + role + " of"}
	}
	w.unsupported("a key by which rows have a role")
	return nil
}

// behindLink returns the instance behind a link, an edge from a table that only joins two others: the instance that this table's other edge
// refers to. Ok is false if the table does more than join.
func (w *writer) behindLink(p *plan, link edge) (inst int, ok bool) {
	others := slices.DeleteFunc(p.edgesFrom(link.from), func(e edge) bool { return e == link })
	switch {
	case p.mentions(link.from):
		return 0, false // the table does more than join
	case w.keysLike(link) > 1:
		return 0, false // it is open which of its keys joins
	case len(others) != 1, slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == link.from }):
		return 0, false // it joins more or fewer tables
	}
	return others[0].to, true
}

// joinsOnly reports whether a question need not mention the rows of the instance link, which joins the instances x and y: its table has at
// most two columns other than keys, or data/relations.txt has verbs for that table.
func (w *writer) joinsOnly(p *plan, link, x, y int) bool {
	table := p.instances[link].table
	noun, other, name := w.instNoun(p, x), w.instNoun(p, y), strings.ToLower(w.db.Tables[table].Name)
	return len(w.nonKeyColumns(table)) <= 2 || !slices.Equal(w.relation(noun, other, name, ""), w.relation(noun, other, "", ""))
}

// rowByName returns a noun phrase for a row with its name, "the singer named Ann", "the race Grand Prix in 2009". It returns "" unless the
// conditions on the instance ask for the name and at most one more thing that has a short phrase.
func (w *writer) rowByName(p *plan, inst int, noun string) string {
	v, rest := w.nameOf(p.condsOn(inst))
	if v == "" || len(rest) > 1 {
		return ""
	}
	after := ""
	for _, m := range lists.Map(rest, w.conditionModifier) {
		if m.after == "" || m.datePhrase == "" && strings.HasPrefix(m.after, "with ") { // no short phrase: "with an age of 20" is none, a date is one
			return ""
		}
		after = " " + m.after
	}
	if isPerson(noun) || w.isLookup(p.instances[inst].table) || w.chance(.3) {
		return "the " + noun + " " + v + after
	}
	return "the " + noun + " " + w.draw("named ", "called ") + v + after
}

// nameOf returns the name that conditions ask for, or a person's first and last name, and the other conditions. If they ask for no name, it
// returns "" and conds.
func (w *writer) nameOf(conds []cond) (name string, rest []cond) {
	find := func(part string) (int, string) { // the condition on the name, or on a part of it, and its value
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

// role returns the noun for the row that a key refers to, by the key's name: "winning pilot" for
// winning_pilot_id. If the key's name adds nothing, it returns the noun of the rows of that table.
func (w *writer) role(e edge) string {
	target := w.noun(e.target.Table)
	words := strings.Fields(strings.ToLower(lexicon.Bare(w.db.Column(e.key).Name)))
	for len(words) > 1 && listed("key", words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	name := english.SingularPhrase(strings.Join(words, " "))
	if w.keysLike(e) > 1 && !w.sameName(e.key, e.target) && !slices.Contains([]string{"", target}, name) {
		return shortRole(name, target) // of several keys to the same table, the name distinguishes this one
	}
	abbreviated := w.isID(e.key) && len(words) == 1 && len(name) <= 4 // "dept"
	switch {
	case abbreviated, name == "id", strings.Contains(target, name), w.sameName(e.key, e.target):
		return target
	case strings.HasSuffix(name, " "+target), strings.HasPrefix(name, target+" "):
		return shortRole(name, target)
	case w.isName(e.target), !w.isID(e.key): // the key holds names ("home_city"), or its name is that of no ID: no noun for the row
		return target
	}
	return name
}

// shortRole returns a role without the noun of the rows if the rest is a noun for people too: "professor" for "professor
// employee". It returns other roles as they are.
func shortRole(role, noun string) string {
	if rest := strings.TrimSuffix(role, " "+noun); isPerson(noun) && isPerson(rest) {
		return rest
	}
	return role
}

// drawOnce draws one of several verbs or other words. For the same list it returns the same one in the whole question.
func (w *writer) drawOnce(verbs []string) string {
	return memo(w.chosenVerbs, strings.Join(verbs, ";"), func() string { return w.draw(verbs...) })
}

// keysLike counts the foreign keys from the table of an edge's key to the table of its target.
func (w *writer) keysLike(e edge) int {
	return len(slices.DeleteFunc(w.keysOf(e.key.Table), func(fk dataset.ForeignKey) bool { return fk.Target.Table != e.target.Table }))
}

// relation returns the verbs that data/relations.txt has between rows called noun, the subject, and rows
// called other, the object, or none; see [writer.relationVerbs] for link and role.
func (k *knowledge) relation(noun, other, link, role string) []string {
	return memo(k.verbs, [4]string{noun, other, link, role}, func() []string {
		return defaultRelations().find(noun, other, lexicon.Normal(link), lexicon.Normal(role))
	})
}

// definiteRows returns the rows of a plan as a noun phrase with "the" or "all", or a row by its name: "the singers from France",
// "all singers", "the singer Ann".
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

// withModifiers returns a noun, in the number n, with the modifiers of its rows after it: "singers from France".
func (w *writer) withModifiers(noun string, mods []modifier, n number) string {
	if len(mods) == 0 {
		return n.inflect(noun)
	}
	return n.inflect(noun) + " " + w.joinModifiers(noun, mods, n)
}

// isOne reports whether a plan asks for a single row: conditions ask for its name or key, or for the first and the last name of a person.
func (w *writer) isOne(p *plan) bool {
	asksFor := func(is func(ref dataset.ColumnRef) bool) bool {
		return slices.ContainsFunc(p.condsOn(p.head), func(c cond) bool { return c.isSingleEquality() && is(c.item.field.ref) })
	}
	part := func(name string) bool {
		return asksFor(func(ref dataset.ColumnRef) bool { return slices.Contains(w.askedAs(ref).Say, name) })
	}
	return asksFor(w.identifies) || isPerson(w.rowNoun(p)) && part("first name") && part("last name")
}
