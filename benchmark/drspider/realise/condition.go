package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// modifier is what is said of rows by a condition, in the forms that it has; "" where
// it has none.
type modifier struct {
	behind string // behind the rows: "from France", "older than 20"
	with   string // a noun phrase that the rows have: "an age above 20"
	whose  string // a clause whose subject is a column: "age is above 20"
	clause string // a clause for many whose subject is the rows: "take the course Maths"

	column  dataset.ColumnRef // that the condition is on, and how behind says it; not set for joins
	implied Manner
}

// note notes how the column of a condition is said.
func (w *writer) note(m modifier, behind bool) {
	if m.implied != Named && behind {
		w.said[m.column] = m.implied
	}
}

// after draws what stands behind rows.
func (w *writer) after(m modifier, n number, noun string) string {
	var forms []string
	if m.behind != "" {
		forms = append(forms, m.behind, m.behind)
	}
	if m.with != "" {
		forms = append(forms, "with "+m.with)
	}
	if m.whose != "" {
		forms = append(forms, "whose "+m.whose)
	}
	if m.clause != "" {
		forms = append(forms, who(noun)+" "+n.agree(m.clause))
	}
	text := w.one(forms...)
	w.note(m, text == m.behind)
	return text
}

// predicate draws what is said of rows by a verb.
func (w *writer) predicate(m modifier, n number) string {
	var forms []string
	switch with, ok := strings.CutPrefix(m.behind, "with "); {
	case ok:
		forms = append(forms, n.have()+" "+with)
	case strings.HasPrefix(m.behind, "that "), strings.HasPrefix(m.behind, "who "):
		_, clause, _ := strings.Cut(m.behind, " ")
		forms = append(forms, clause)
	case m.behind != "" && !strings.HasPrefix(m.behind, "whose ") && !strings.HasPrefix(m.behind, "of "):
		forms = append(forms, n.be()+" "+m.behind)
	}
	if m.with != "" {
		forms = append(forms, n.have()+" "+m.with)
	}
	if m.clause != "" {
		forms = append(forms, n.agree(m.clause))
	}
	if len(forms) == 0 {
		return w.abstain("a condition that is no predicate")
	}
	text := w.one(forms...)
	w.note(m, m.behind != "" && text == forms[0])
	return text
}

// modify says a condition on a column of a table.
func (w *writer) modify(c cond) modifier {
	col := c.item.field.ref
	if c.item.agg != "" || c.item.star {
		return w.nothing("a condition on an aggregate")
	}
	if c.sub != nil {
		return w.nested(c)
	}
	name := w.column(col)
	if w.err != nil {
		return modifier{}
	}
	an := a(name)
	switch c.op {
	case "null":
		if c.not {
			return modifier{with: "a known " + name, whose: name + is(name) + "known"}
		}
		return modifier{with: "no known " + name, whose: name + is(name) + "not known"}
	case "like":
		return w.like(c, name)
	case "between":
		low, high := w.value(col, c.values[0]), w.value(col, c.values[1])
		return modifier{with: an + " between " + low + " and " + high, whose: name + is(name) + w.one("between ", "from ") + low + " and " + high}.fixed("from "+low+" and", "from "+low+" to")
	case "=":
		return w.equal(c, name)
	case "!=":
		v := w.value(col, c.values[0])
		return modifier{whose: name + is(name) + w.one("not ", "other than ") + v, with: an + " other than " + v}
	}
	return w.compare(c, name, an)
}

// a puts an article before what has one.
func a(name string) string {
	if english.IsPlural(name) || english.IsUncounted(name) {
		return name
	}
	return english.Article(name) + " " + name
}

// is agrees with a column.
func is(name string) string {
	if english.IsPlural(name) {
		return " are "
	}
	return " is "
}

// fixed repairs a wording that two draws put together.
func (m modifier) fixed(from, to string) modifier {
	m.whose = strings.ReplaceAll(m.whose, from, to)
	return m
}

func (w *writer) like(c cond, name string) modifier {
	p := c.values[0].Text
	inner := strings.Trim(p, "%")
	if inner == "" || strings.ContainsAny(inner, "%_") || strings.ContainsRune(p, '_') {
		return w.nothing("a pattern that is more than a part of a word")
	}
	v := "'" + inner + "'"
	starts, ends := !strings.HasPrefix(p, "%"), !strings.HasSuffix(p, "%")
	verb := w.one("contains ", "includes ")
	with := "containing "
	switch {
	case starts && ends:
		return w.equal(cond{item: c.item, op: "=", not: c.not, values: c.values}, name)
	case starts:
		verb, with = w.one("starts with ", "begins with "), "starting with "
	case ends:
		verb, with = "ends with ", "ending with "
	}
	if c.not {
		return modifier{whose: name + " does not " + english.Lemmas(strings.Fields(verb)[0], func(string) bool { return true })[0] + strings.TrimPrefix(verb, strings.Fields(verb)[0]) + v}
	}
	if english.IsPlural(name) {
		verb = english.Lemmas(strings.Fields(verb)[0], func(string) bool { return true })[0] + strings.TrimPrefix(verb, strings.Fields(verb)[0])
	}
	return modifier{whose: name + " " + verb + v, with: a(name) + " " + with + v}
}

// equal says that a column is one of some values.
func (w *writer) equal(c cond, name string) modifier {
	col := c.item.field.ref
	var values []string
	for _, v := range c.values {
		values = append(values, w.value(col, v))
	}
	v := list(values, "or")
	if c.not {
		if len(values) > 1 {
			return modifier{whose: name + is(name) + "neither " + list(values, "nor")}
		}
		return modifier{whose: name + is(name) + "not " + v, with: a(name) + " other than " + v}
	}
	m := modifier{whose: name + is(name) + v}
	if len(values) == 1 && (w.isID(col) || w.isName(col) || !w.isNumber(col) && labels(name)) {
		m.with = "the " + name + " " + v
	}
	if w.isNumber(col) && !w.isID(col) {
		m.with = a(name) + " of " + v
		if counts(name) {
			m.with = v + " " + name
		}
	}
	a := w.asked(col)
	if a == nil {
		return m
	}
	wordings := slices.DeleteFunc(slices.Clone(a.Is), func(s string) bool { return strings.Contains(s, "number {v}") && !english.IsNumeric(v) })
	if len(wordings) > 0 && v != "" {
		wording := w.one(wordings...)
		m.behind, m.column, m.implied = strings.ReplaceAll(wording, "{v}", v), col, Valued
		if saysMore(wording) {
			m.implied = Reworded
		}
	}
	if len(a.Flag) > 0 && len(values) == 1 {
		switch strings.ToLower(strings.Trim(values[0], "'")) {
		case "1", "t", "y", "yes", "true":
			m = modifier{behind: w.one(a.Flag...), column: col, implied: Carried}
		case "0", "f", "n", "no", "false":
			if len(a.Not) > 0 {
				m = modifier{behind: w.one(a.Not...), column: col, implied: Carried}
			}
		}
	}
	return m
}

// counts tells whether a column's name says what is counted: a rating with 5 stars, but
// earnings of 100.
func counts(name string) bool {
	return english.IsPlural(name) && !strings.Contains(name, " ") && !slices.Contains(nouns()["amount"], name)
}

// labels tells whether a value can stand behind the name of its column: "the status
// Completed", but not "the continent Africa".
func labels(name string) bool {
	return slices.Contains(nouns()["label"], name[strings.LastIndexByte(name, ' ')+1:])
}

// comparative matches what compares by an adjective: "older than {v}".
var comparative = lazyregexp.New(`^(?:[a-z-]+er|(?:more|less) [a-z-]+) than `)

// saysMore tells whether a wording names what the value is of: it has words beside
// prepositions.
func saysMore(wording string) bool {
	return slices.ContainsFunc(strings.Fields(wording), func(s string) bool { return s != "{v}" && !english.IsFunction(s) })
}

// words of comparisons: after "is", and behind "an age".
var comparisons = map[string]struct{ is, of []string }{
	">":  {[]string{"greater than", "above", "more than", "over"}, []string{"above", "greater than", "of more than", "over"}},
	"<":  {[]string{"less than", "below", "under", "smaller than"}, []string{"below", "of less than", "under"}},
	">=": {[]string{"at least", "greater than or equal to", "no less than"}, []string{"of at least", "of no less than"}},
	"<=": {[]string{"at most", "less than or equal to", "no more than"}, []string{"of at most", "of no more than"}},
}

var times = map[string][]string{">": {"after", "later than"}, "<": {"before", "earlier than"}, ">=": {"no earlier than"}, "<=": {"no later than"}}

func (w *writer) compare(c cond, name, an string) modifier {
	col := c.item.field.ref
	v := w.value(col, c.values[0])
	var m modifier
	switch {
	case w.isTime(col):
		how := w.one(times[c.op]...)
		m = modifier{whose: name + is(name) + how + " " + v, with: an + " " + how + " " + v}
	case c.values[0].Kind == sqlast.NumberLiteral:
		words := comparisons[c.op]
		m = modifier{whose: name + is(name) + w.one(words.is...) + " " + v, with: an + " " + w.one(words.of...) + " " + v}
		if counts(name) {
			m = modifier{with: amounts[c.op] + v + " " + name}
		}
	default:
		w.abstain("a comparison of words")
	}
	if a := w.asked(col); a != nil {
		wordings := map[string][]string{">": a.More, "<": a.Less}[c.op]
		if len(wordings) > 0 {
			wording := w.one(wordings...)
			m.behind, m.column, m.implied = strings.ReplaceAll(wording, "{v}", v), col, Reworded
			if comparative.MatchString(wording) {
				m.implied = Attributed
			}
		}
	}
	return m
}

// value says a constant as the data has it.
func (w *writer) value(col dataset.ColumnRef, lit *sqlast.Literal) string {
	text := strings.TrimSpace(lit.Text)
	switch {
	case text == "" || lit.Kind == sqlast.NullLiteral || strings.ContainsAny(text, "\n\r\t"):
		return w.abstain("a value that cannot be said")
	case lit.Kind == sqlast.NumberLiteral:
		return text
	case isPlain(text) && !english.IsFunction(strings.ToLower(text)):
		return text
	}
	return "'" + text + "'"
}

// isPlain tells whether a value reads as words of a sentence.
func isPlain(text string) bool {
	first := rune(text[0])
	if len(text) < 2 || len(strings.Fields(text)) > 4 {
		return false
	}
	for _, r := range text {
		if !(r == ' ' || r == '-' || r == '.' || r == '&' || r == '\'' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127) {
			return false
		}
	}
	return first >= 'A' && first <= 'Z' || first >= '0' && first <= '9' || first > 127
}
