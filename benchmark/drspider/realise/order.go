package realise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
)

// sorted expresses ORDER BY without LIMIT: ORDER BY age DESC → ", sorted by age in
// descending order", ", from the oldest to the youngest".
func (w *writer) sorted(p *plan) string {
	if len(p.order) > 1 {
		parts := lists.Map(p.order, func(o order) string { return w.columnPhrase(p, o.item) + o.inOrder() })
		return ", sorted by " + english.Enumerate(parts, "and then by")
	}
	o := p.order[0]
	switch {
	case o.item.calc != nil && o.item.agg == "": // a calculation on columns, "that ratio" if it is selected too
		what := "the " + w.columnPhrase(p, o.item)
		if slices.ContainsFunc(p.items, func(it item) bool { return it.calc != nil && *it.calc == *o.item.calc }) {
			head, _, _ := strings.Cut(what[len("the "):], " ")
			what = "that " + head
		}
		return w.draw(", sorted by ", ", ordered by ") + what + o.inOrder()
	case !o.item.isColumn():
		return w.unsupported("an order by an aggregate of no groups")
	}
	col, what := o.item.field.ref, w.columnPhrase(p, o.item)
	sorted := w.draw(", sorted ", ", ordered ", ", ")
	forms := []string{w.draw(", sorted by ", ", ordered by ") + what + o.inOrder(), o.inOrder() + " of " + what}
	a := w.askedOfRows(p, o.item.field)
	for _, s := range ifDescending(o, a.Down, a.Up) {
		if strings.HasPrefix(s, "from ") {
			forms = append(forms, sorted+s)
		}
	}
	switch {
	case w.isTime(col):
		forms = append(forms, ", from the "+ifDescending(o, "latest to the earliest ", "earliest to the latest ")+what)
	case w.isQuantity(col):
		forms = append(forms, sorted+"from the "+ifDescending(o, "highest to the lowest ", "lowest to the highest ")+what)
	case w.isName(col):
		inAlphabet := " in " + ifDescending(o, "reverse ", "") + "alphabetical order"
		forms = append(forms, inAlphabet+" of "+what, inAlphabet)
	}
	text := w.draw(forms...)
	switch { // how the form refers to the column
	case strings.Contains(text, what): // by its name, as recorded
	case w.isName(col):
		w.manners[col] = Carried
	default:
		w.manners[col] = Attributed
	}
	return text
}

// ifDescending returns desc for a descending order, else asc.
func ifDescending[T any](o order, desc, asc T) T {
	if o.desc {
		return desc
	}
	return asc
}

// inOrder returns " in ascending order" or " in descending order".
func (o order) inOrder() string {
	return " in " + ifDescending(o, "descending", "ascending") + " order"
}

// columnPhrase returns the noun phrase for a column or calculation that a query sorts, groups or computes by. For a column of joined rows it
// includes their noun, which is that of the key if the head refers to them: "age", but "stadium capacity".
func (w *writer) columnPhrase(p *plan, it item) string {
	if it.star {
		return w.unsupported("a star in an order")
	}
	if it.calc != nil {
		return w.calculatedColumn(p, it, singular)
	}
	name := w.fieldName(it.field)
	if it.field.instance == p.head {
		return name
	}
	other := w.instNoun(p, it.field.instance)
	if e, ok := p.edge(p.head, it.field.instance); ok && e.from == p.head {
		other = w.role(e)
	}
	if other == w.instNoun(p, p.head) || slices.Contains(kindsOf(w.rowNoun(p)), "{"+other+"}") { // a poker player's height is a person's
		return name
	}
	return ofRows(other, name)
}

// ofRows puts the noun of rows before the name of their column: "concert theme" for "theme". It does not repeat words that the name has.
func ofRows(rows, name string) string {
	if strings.HasPrefix(name, rows) {
		return name
	}
	if counted, ok := strings.CutPrefix(name, "number of "); ok {
		return "number of " + rows + " " + counted
	}
	before, last := english.CutLast(rows)
	if strings.HasPrefix(name, last+" ") { // "pet type code", not "pet type type code"
		return before + name
	}
	return rows + " " + name
}

// topQuestion asks for the first rows in an order: SELECT name FROM singer ORDER BY age
// DESC LIMIT 1 → "what is the name of the oldest singer?".
func (w *writer) topQuestion(p *plan, noun string) string {
	switch {
	case len(p.order) != 1, p.order[0].item.agg != "", p.order[0].item.star:
		return w.unsupported("a limit without one column to sort by")
	case !p.isToOne(p.order[0].item.field.instance): // a row of the head can have several of the rows that it sorts by
		p = w.withoutSorted(p)
	}
	it := p.items[0]
	o := p.order[0]
	selectsSorted := p.limit == 1 && len(p.items) == 1 && it == o.item && it.isColumn() && it.field.timePart == ""
	if selectsSorted && (w.isQuantity(it.field.ref) || w.isTime(it.field.ref)) { // the first value is the maximum or minimum
		p.items[0].agg, p.order, p.limit = ifDescending(o, "max", "min"), nil, 0
		return w.oneAggregate(p, p.items[0], noun)
	}
	rows := w.extremeRows(p, noun)
	n := number(p.limit == 1) // singular for one row
	tail := ""
	if p.limit > 1 && asksForOrder.MatchString(w.question) {
		tail = w.sorted(p)
	}
	if it.star {
		return w.askForAll(rows, tail)
	}
	if tail == "" && w.asksForNames(p) && w.chance(.5) {
		w.markCarried(p)
		return w.draw(whichExtreme(rows, noun, n), punctuate("name "+rows))
	}
	if len(p.items) == 1 && it.field.instance == p.head && it.isColumn() && it.field.timePart == "" {
		if text := w.askTopByHow(p, it.field, rows, n); text != "" {
			return text
		}
	}
	what := w.selected(p, noun, n)
	be := n.beOf(len(p.items))
	if w.chance(.5) {
		return "what " + be + " " + what + " of " + rows + tail + "?"
	}
	return punctuate(w.request() + " " + what + " of " + rows + tail)
}

// asksForOrder matches a question that asks for the order of its limited rows: "the five best-paid members, highest first".
var asksForOrder = lazyregexp.New(`(?i)(?:est|most [a-z]+|recent) first\b|\b(?:sorted|ordered) (?:by|from|in)\b|\b(?:ascending|descending)\b`)

// isToOne reports whether each row of the head, whose rows the plan asks for, has at most one row of an instance: the instance is the head, or
// the head refers to it.
func (p *plan) isToOne(inst int) bool {
	e, ok := p.edge(p.head, inst)
	return inst == p.head || ok && e.from == p.head
}

// withoutSorted returns a plan without the joins to the rows by whose column it sorts, as "the event with
// the lowest expense cost" implies that the event has expenses. Other conditions on these rows are unsupported, and so is a LIMIT above 1,
// as an event can have several expenses.
func (w *writer) withoutSorted(p *plan) *plan {
	rest := *p
	rest.order = nil // isLeaf must not count the order as a use of the rows
	for at := p.order[0].item.field.instance; at != p.head; {
		joins := lists.Filter(rest.edges, func(e edge) bool { return e.from == at || e.to == at })
		if !rest.isLeaf(at) || p.limit > 1 {
			w.unsupported("rows that are sorted by others, of which one can have several")
			return p
		}
		rest.edges = slices.DeleteFunc(slices.Clone(rest.edges), func(e edge) bool { return e == joins[0] })
		at = joins[0].from + joins[0].to - at // the other end of the join
	}
	rest.order = p.order
	return &rest
}

// askTopByHow asks for a column of the first row by "how": "how old is the tallest
// singer?". It returns "" for several rows, if the phrasebook has no such wording, and at random.
func (w *writer) askTopByHow(p *plan, f field, rows string, n number) string {
	a := w.askedOfRows(p, f)
	if n == plural || len(a.How) == 0 || !w.chance(.5) {
		return ""
	}
	return w.askByHow(p, a.How, f.ref, rows, n)
}

// whichExtreme asks by "which" for the rows that extremeRows names: "which singer is the oldest singer?" for "the oldest singer", "which
// singer has the highest age?" for "the singer with the highest age". It returns "" if the rows have further modifiers.
func whichExtreme(rows, noun string, n number) string {
	rest := strings.TrimPrefix(rows, "the ")
	head := n.inflect(noun)
	if value, ok := strings.CutPrefix(rest, head+" with "); ok {
		return "which " + head + " " + n.have() + " " + value + "?"
	}
	if n == plural || !strings.HasSuffix(rest, " "+head) {
		return ""
	}
	return "which " + head + " " + n.be() + " " + rows + "?"
}

// extremeRows returns the first rows in the order of a plan as a noun phrase: by an adjective of the phrasebook, "the oldest singer", or
// by the column, "the 3 singers with the highest age". Noun is the noun for a row.
func (w *writer) extremeRows(p *plan, noun string) string {
	o := p.order[0]
	n := number(p.limit == 1) // singular for one row
	count := w.limitCount(p)
	col := o.item.field.ref
	mods := w.headModifiers(p)
	after := ""
	if len(mods) > 0 {
		after = " " + w.joinModifiers(noun, mods, n)
	}
	if a := w.askedOfRows(p, o.item.field); a != notAsked && o.item.calc == nil && w.chance(.6) {
		if words := ifDescending(o, a.Most, a.Least); len(words) > 0 {
			w.manners[col] = Attributed // the adjective implies the column
			return "the " + count + w.draw(words...) + " " + n.inflect(noun) + after
		}
	}
	what := w.columnPhrase(p, o.item)
	if f := o.item.field; o.item.isColumn() && !p.isToOne(f.instance) && strings.Contains(w.column(f.ref), " ") && !w.hasColumn(p.instances[p.head].table, w.lowerName(f.ref)) {
		what = w.fieldName(f) // clear without its rows: several words, and the head has no such column
	}
	adjective := w.extremeAdjective(o, what)
	extreme := " with the " + adjective + " " + what
	first, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	switch {
	case adjective != "" && o.item.field.instance == p.head && slices.Contains([]string{"with", "who", "whose", "that"}, first): // "among those with …"
		return "the " + count + n.inflect(noun) + extreme + " among those " + w.joinModifiers(noun, mods, plural)
	case adjective != "":
		return "the " + count + n.inflect(noun) + after + extreme
	case after != "", n == plural, !w.isName(col):
		return w.unsupported("the extreme of words")
	}
	return "the " + noun + " whose " + what + " comes " + ifDescending(o, "last", "first") + w.draw(" alphabetically", " in alphabetical order")
}

// limitCount returns the number of a LIMIT and a blank, "3 " or "three ", to put before the limited rows. It returns "" for
// LIMIT 1 and without a LIMIT.
func (w *writer) limitCount(p *plan) string {
	if p.limit <= 1 {
		return ""
	}
	return w.draw(strconv.Itoa(p.limit), inWords(p.limit)) + " "
}

// extremeAdjective returns the adjective for the first value in an order, "latest" or
// "highest"; "" for a column of words. What is the column's noun phrase.
func (w *writer) extremeAdjective(o order, what string) string {
	col := o.item.field.ref
	switch {
	case o.item.calc != nil:
		return ifDescending(o, "highest", "lowest")
	case w.isTime(col):
		return ifDescending(o, w.draw("latest", "most recent"), "earliest")
	case !w.isNumber(col):
		return ""
	}
	if _, last := english.CutLast(what); listed("size", last) || strings.HasPrefix(what, "number of ") {
		return ifDescending(o, w.draw("highest", "largest"), w.draw("lowest", "smallest"))
	}
	return ifDescending(o, "highest", "lowest")
}

// maxSpelled is the greatest number that is written in words.
const maxSpelled = 12

// inWords returns a number in words up to [maxSpelled], else in digits.
func inWords(n int) string {
	if n <= maxSpelled {
		return numeral.Words(n)
	}
	return strconv.Itoa(n)
}
