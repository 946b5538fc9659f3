package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// request draws the beginning of a command: "show", "could you tell me".
func (w *writer) request() string {
	return w.draw("show", "list", "give", "find", "return", "tell me", "give me", "I want to know", "please list", "could you tell me", "provide", "show me", "get", "identify", "I would like to see")
}

// punctuate returns a command, which begins with a [writer.request], with a full stop, or with a question mark after "could you".
func punctuate(text string) string {
	if strings.HasPrefix(text, "could") {
		return text + "?"
	}
	return text + "."
}

// rowsQuestion asks for columns of rows, perhaps in an order, for a query without groups and aggregates. Noun is the noun for a row.
func (w *writer) rowsQuestion(p *plan, noun string) string {
	if p.limit > 0 {
		return w.topQuestion(p, noun)
	}
	n := number(w.isOne(p)) // singular for a row by its name or key
	rows := w.definiteRows(p, n)
	tail := "" // the order
	if len(p.order) > 0 {
		tail = w.sorted(p)
	}
	if slices.Equal(p.items, []item{{star: true}}) {
		return w.askForAll(rows, tail)
	}
	if text := w.askWithoutColumn(p, noun, n, rows, tail); text != "" {
		return text
	}
	return w.askForColumns(p, noun, n, rows, tail)
}

// askForAll asks for everything about rows, for SELECT *: "show all the information about all singers". Tail is the order, or "".
func (w *writer) askForAll(rows, tail string) string {
	switch w.rng.IntN(3) {
	case 0:
		return punctuate(w.request() + " " + w.draw("all the information about ", "all information on ", "everything that is known about ", "all the details of ") + rows + tail)
	case 1:
		return "what " + w.draw("information is there about ", "do we know about ", "is known about ") + rows + tail + "?"
	}
	return punctuate(w.request() + " all columns for " + rows + tail)
}

// askWithoutColumn words a query without naming the column that it selects, if the wording
// implies the column: "which singers are from France", "how old are the singers". It returns ""
// if no wording does, and in half of the draws.
func (w *writer) askWithoutColumn(p *plan, noun string, n number, rows, tail string) string {
	f := p.items[0].field
	how := w.askedAs(f.ref).How
	names := w.asksForNames(p)
	switch {
	case p.unique && !names, w.chance(.5): // DISTINCT needs the name: "the different ages"
		return ""
	case n == plural && names:
		return w.askForRows(p, noun, rows, tail)
	case names && tail == "":
		return w.askForRow(p, noun)
	case len(p.items) > 1, f.instance != p.head, f.timePart != "", p.items[0].calc != nil:
		return ""
	case tail != "", len(how) == 0:
		return ""
	}
	return w.askByHow(p, how, f.ref, rows, n)
}

// asksForNames reports whether a plan selects nothing but the names of its rows: one column, or the first and last names of persons.
func (w *writer) asksForNames(p *plan) bool {
	var parts []string
	for _, it := range p.items {
		if !it.isColumn() || it.field.instance != p.head || it.field.timePart != "" {
			return false
		}
		parts = append(parts, w.askedAs(it.field.ref).Say...) // its noun phrases in the phrasebook
	}
	if len(p.items) == 1 {
		return w.isName(p.items[0].field.ref)
	}
	return len(p.items) == 2 && isPerson(w.rowNoun(p)) && slices.Contains(parts, "first name") && slices.Contains(parts, "last name")
}

// markCarried records that the question implies the selected columns by asking for the rows.
func (w *writer) markCarried(p *plan) {
	for _, it := range p.items {
		w.manners[it.field.ref] = Carried
	}
}

// askForRow asks for the name of one row by "which": "which singer has the ID 3?". It returns "" unless one condition, other than its
// name, picks the row.
func (w *writer) askForRow(p *plan, noun string) string {
	mods := w.headModifiers(p)
	if w.err != nil || len(mods) != 1 || w.rowByName(p, p.head, noun) != "" {
		return ""
	}
	w.markCarried(p)
	return "which " + noun + " " + w.predicate(mods[0], singular) + "?"
}

// askForRows asks for the names of rows by asking for the rows: SELECT name FROM singer WHERE
// country = 'France' → "which singers are from France?". Tail is the order.
func (w *writer) askForRows(p *plan, noun, rows, tail string) string {
	mods := w.headModifiers(p)
	w.markCarried(p)
	switch {
	case w.err != nil:
		return ""
	case len(mods) == 1 && tail == "" && w.chance(.6):
		return "which " + plural.inflect(noun) + " " + w.predicate(mods[0], plural) + "?"
	case len(mods) > 0 && isPerson(noun) && w.chance(.4):
		return "who are the " + strings.TrimPrefix(strings.TrimPrefix(rows, "all "), "the ") + tail + "?"
	case len(mods) > 0 || w.chance(.5):
		return punctuate(w.draw("name", "list") + " " + rows + tail)
	}
	return punctuate(w.draw("list", "name") + " all " + plural.inflect(noun) + tail)
}

// byAdjective reports whether a wording asks by an adjective: "how old {be} {}".
func byAdjective(wording string) bool {
	return howWord.MatchString(wording) && !asksAmount(wording)
}

// asksAmount reports whether a wording asks for an amount: "how many pages {do} {} have".
func asksAmount(wording string) bool { return howAmount.MatchString(wording) }

var (
	// howWord matches wordings by "how" with a word of their own: "how old".
	howWord = lazyregexp.New(`^how [^{]`)
	// howAmount matches wordings that ask for an amount.
	howAmount = lazyregexp.New(`^how (many|much)`)
)

// longRows is the number of words of rows that nothing can follow, because the verb
// would come too late: "what is the country with the lowest life expectancy called".
const longRows = 5

// askByHow asks for a column by a verb or an adjective: "how old are the singers from
// France?". An amount is asked of each row, since of several it would be the sum. It
// returns "" where the wording does not suit the rows.
func (w *writer) askByHow(p *plan, wordings []string, col dataset.ColumnRef, rows string, n number) string {
	wording := w.draw(wordings...)
	if !strings.HasSuffix(wording, "{}") && len(strings.Fields(rows)) > longRows {
		return ""
	}
	rows = strings.Replace(rows, "all ", "the ", 1)
	if n == plural && (asksAmount(wording) || !strings.Contains(wording, "} {}")) { // an amount, or no verb before the rows: asks of each row
		n, rows = singular, w.draw("each ", "every ")+w.bareRows(p, singular)
	}
	w.manners[col] = Carried // the wording implies the column
	if byAdjective(wording) {
		w.manners[col] = Attributed // by an adjective
	}
	return fillWording(wording, rows, n) + "?"
}

// verbForms are the verbs of wordings in the plural and the singular.
var verbForms = map[number]*strings.Replacer{
	plural:   strings.NewReplacer("{be}", "are", "{was}", "were", "{do}", "do", "{have}", "have"),
	singular: strings.NewReplacer("{be}", "is", "{was}", "was", "{do}", "does", "{have}", "has"),
}

// fillWording returns a wording of the phrasebook with the rows for {}, and with verbs in their number: "how old are the singers" for
// "how old {be} {}".
func fillWording(wording, rows string, n number) string {
	if n == plural {
		wording = whichPlural(wording)
	}
	return strings.ReplaceAll(verbForms[n].Replace(wording), "{}", rows)
}

// whichPlural returns a wording with the noun after "which" or "what" in the plural, if a verb follows it:
// "which regions {be} {} in" for "which region {be} {} in".
func whichPlural(wording string) string {
	m := whichNoun.FindStringSubmatch(wording)
	if m == nil {
		return wording
	}
	return strings.Replace(wording, m[0], m[1]+english.Plural(m[2])+m[3], 1)
}

// whichNoun matches such a noun with the words around it.
var whichNoun = lazyregexp.New(`(\b(?:which|what) )([^{ ]+)( \{[a-z])`)

// askForColumns asks for the selected columns of rows in one of several forms, at random: "what are the names and ages
// of all singers?". Rows is the noun phrase for the rows, in the number n, and tail the order.
func (w *writer) askForColumns(p *plan, noun string, n number, rows, tail string) string {
	what := w.selected(p, noun, n)
	if w.err != nil {
		return ""
	}
	if p.unique {
		what = "the " + w.draw("different ", "distinct ", "unique ") + strings.TrimPrefix(strings.Replace(w.selected(p, noun, plural), " and the ", " and ", 1), "the ")
	}
	one := len(p.items) == 1
	be := number(one && (english.IsUncounted(what) || n == singular && !p.unique)).be()
	k := w.rng.IntN(10)
	switch { // the cases without a body take the form at the end
	case k < 3:
	case k < 6:
		return punctuate(w.request() + " " + what + " " + w.draw("of ", "of ", "for ") + rows + tail)
	case k == 9 && n == plural && tail == "":
		return "I " + w.draw("need ", "am looking for ", "would like to have ") + what + " of " + rows + "."
	case p.unique:
	case n == singular || tail != "":
	case k == 6 && !one:
		each := w.bareRows(p, singular)
		what := w.selected(p, noun, singular)
		return "for " + w.draw("each ", "every ") + each + ", " + w.draw("show ", "give ") + what + "."
	}
	return "what " + be + " " + what + " of " + rows + tail + "?"
}

// selected returns a noun phrase for the selected columns, in the number of their rows: "the names and the ages".
func (w *writer) selected(p *plan, noun string, n number) string {
	parts := lists.Map(p.items, func(it item) string { return w.columnOf(p, it, noun, n) })
	if w.err != nil {
		return ""
	}
	if w.chance(.5) && len(parts) == 2 {
		return "the " + parts[0] + " and the " + parts[1]
	}
	return "the " + english.Enumerate(parts, "and")
}

// columnOf returns the name of a selected column in the number n. For a column of joined rows it includes their noun, which is that of the
// key if the head refers to them: "age", but "stadium name".
func (w *writer) columnOf(p *plan, it item, noun string, n number) string {
	if it.star {
		return w.unsupported("a star among columns")
	}
	if it.calc != nil {
		return w.calculatedColumn(p, it, n)
	}
	name := w.fieldName(it.field)
	if w.err != nil {
		return ""
	}
	if it.field.instance != p.head {
		other := w.instNoun(p, it.field.instance)
		if e, ok := p.edge(p.head, it.field.instance); ok && e.from == p.head {
			other = w.role(e)
		}
		switch {
		case w.selectsLookup(p, p.head): // "the race" for the name of the race
			name = other
		case other != w.instNoun(p, p.head):
			name = ofRows(other, name)
		case p.instances[it.field.instance].table == p.instances[p.head].table: // of two tables they are one thing: a gymnast and the person
			return w.unsupported("columns of two rows that are called the same")
		}
	}
	if n == plural {
		return pluralName(name)
	}
	return name
}

// pluralName returns the plural of a column's name: "numbers of pages", "dates opened",
// "IDs".
func pluralName(name string) string {
	if strings.HasSuffix(name, "ID") {
		return name + "s"
	}
	before, last := english.CutLast(name)
	if isDone(strings.Fields(name)) && english.IsPast(last) {
		return english.Plural(strings.TrimSpace(before)) + " " + last
	}
	return english.Plural(name)
}
