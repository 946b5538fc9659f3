package realise

import (
	_ "embed" // nouns.txt
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// rowKind is what is known of the rows of a table.
type rowKind struct {
	noun  string
	kinds []string // the noun, and the classes that it is of
	err   error
}

// rowsOf returns what is known of the rows of a table.
func (k *known) rowsOf(table int) rowKind {
	if r, ok := k.tables[table]; ok {
		return r
	}
	noun, ok := k.call(table)
	r := rowKind{noun: noun, kinds: kindsOf(noun)}
	if !ok {
		r.err = &Abstained{fmt.Sprintf("table %q has no name that says what its rows are", k.db.Tables[table].Name)}
	}
	k.tables[table] = r
	return r
}

// kindsOf returns a noun and its classes, those of its last word where it has none.
func kindsOf(noun string) []string {
	classes := heading.Default().Classes()
	of := classes.Of(noun)
	if len(of) == 0 {
		of = classes.Of(noun[strings.LastIndexByte(noun, ' ')+1:])
	}
	return append(of, lexicon.Normal(noun))
}

// noun returns what a row of a table is called, in the singular.
func (w *writer) noun(table int) string {
	r := w.rowsOf(table)
	if w.err == nil {
		w.err = r.err
	}
	return r.noun
}

// call finds what a row of a table is called; false where the table's name is no noun
// that can be counted.
func (k *known) call(table int) (string, bool) {
	name := strings.ToLower(k.db.Tables[table].Name)
	words := strings.Fields(lexicon.Bare(name))
	for len(words) > 1 && slices.Contains(prefixes, words[0]) {
		words = words[1:]
	}
	verbal := len(words) > 0 && isVerbal(words)
	for i, x := range words[:max(0, len(words)-1)] {
		if !slices.Contains(attributive, x) {
			words[i] = english.Singular(x)
		}
	}
	if last := len(words) - 1; last > 0 && slices.Contains(details, words[last]) && isEntity(english.SingularPhrase(strings.Join(words[:last], " "))) {
		words = words[:last]
	}
	if at := slices.IndexFunc(words, english.IsPreposition); at > 0 && at < len(words)-1 {
		head := english.SingularPhrase(strings.Join(words[:at], " "))
		return head + " " + strings.Join(words[at:], " "), isEntity(head) && len(words) <= 4
	}
	noun := english.SingularPhrase(strings.Join(words, " "))
	if !dataset.Named(name) || len(words) == 0 || len(words) > 4 {
		return noun, false
	}
	last := words[len(words)-1]
	switch {
	case last == "people":
		return strings.TrimSuffix(strings.Join(words, " "), "people") + "person", true
	case last == "staff", last == "faculty" && k.names(table, "first name", "last name"):
		return strings.Join(words, " ") + " member", true
	case english.IsFunction(last), verbal, slices.ContainsFunc(words, english.IsFunction), strings.ContainsAny(noun, "0123456789"):
		return noun, false
	case len(words) > 2 && k.foreignKeys(table) > 1:
		return noun, false // "student enrolment course": what joins tables is called by their names
	case len(words) > 1 && english.IsUncounted(last):
		return noun, false
	case english.IsUncounted(last), slices.Contains(masses, last):
		return noun + " record", true
	case !isEntity(noun):
		return noun, false
	}
	return noun, true
}

// names tells whether a table has a column that goes by one of some names.
func (k *known) names(table int, names ...string) bool {
	return slices.ContainsFunc(k.db.Tables[table].Columns, func(c dataset.Column) bool {
		return slices.Contains(names, strings.ToLower(c.Name)) || slices.Contains(names, strings.ReplaceAll(strings.ToLower(c.Original), "name", " name"))
	})
}

// isEntity tells whether rows can be called by a noun: it, or its last word, is of a class
// of things that there are.
func isEntity(noun string) bool {
	last := noun[strings.LastIndexByte(noun, ' ')+1:]
	if slices.Contains(nouns()["heads"], last) || slices.Contains(nouns()["alone"], noun) {
		return true
	}
	return slices.ContainsFunc(kindsOf(noun), func(k string) bool { return slices.Contains(entities, k) })
}

//go:embed data/nouns.txt
var nounText string

// nouns are lists of nouns by name.
var nouns = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for _, row := range wordfile.Rows(nounText, 2) {
		lists[row[0]] = append(lists[row[0]], strings.Fields(row[1])...)
	}
	return lists
})

var entities = []string{"{person}", "{civilian}", "{performer}", "{organization}", "{place}", "{event}", "{product}", "{document}", "{thing}", "{creation}"}

// prefixes of table names that say nothing of the rows.
var prefixes = []string{"tbl", "table", "ref", "reference", "dim", "fact", "the", "all"}

// details end names of tables that hold what is known of each row.
var details = []string{"detail", "details", "info", "information"}

// attributive are plurals that stand before nouns.
var attributive = strings.Fields("sports sales arts goods news series savings earnings games customs parents women men species works")

// masses are names of tables that no row can be called by.
var masses = strings.Fields("weather history inventory stock budget enrollment finance attendance performance traffic energy demographics statistics stats log treatment personnel equipment furniture music management circulation")

// isVerbal tells whether a table's name is a predicate, as "takes", "lives in" and "has allergy" are.
func isVerbal(words []string) bool {
	first := words[0]
	thirdPerson := len(words) > 1 && english.IsPlural(first) && !slices.Contains(attributive, first) && !english.IsPlural(words[len(words)-1]) // "visits restaurant"
	return thirdPerson || slices.Contains(verbs, first) || len(words) == 1 && strings.HasSuffix(first, "ed") || slices.Contains(verbs, words[len(words)-1]) || english.IsPreposition(words[len(words)-1])
}

var verbs = strings.Fields("has have is lives takes teaches plays participates belongs contains includes assigned affiliated trained undergoes prescribes enrolled works serves writes cite cites wrote follows owns likes rates")

func isPerson(noun string) bool {
	return strings.HasSuffix(noun, " member") || slices.ContainsFunc(kindsOf(noun), func(k string) bool { return slices.Contains(persons, k) })
}

var persons = []string{"{person}", "{civilian}", "{performer}"}

// who is the relative pronoun for rows.
func who(noun string) string {
	if isPerson(noun) {
		return "who"
	}
	return "that"
}

// number is how many rows a phrase speaks of.
type number bool

const (
	many number = false
	one  number = true
)

func (n number) of(noun string) string {
	if n == one {
		return noun
	}
	return english.Plural(noun)
}

func (n number) be() string {
	if n == one {
		return "is"
	}
	return "are"
}

func (n number) have() string {
	if n == one {
		return "has"
	}
	return "have"
}

// agree inflects the first word of a predicate that is written for many.
func (n number) agree(predicate string) string {
	first, rest, _ := strings.Cut(predicate, " ")
	if n == one {
		switch {
		case first == "are":
			first = "is"
		case first == "have":
			first = "has"
		case first == "were":
			first = "was"
		case first == "do":
			first = "does"
		case isPast(first):
		case strings.HasSuffix(first, "s"), strings.HasSuffix(first, "x"), strings.HasSuffix(first, "ch"), strings.HasSuffix(first, "sh"), strings.HasSuffix(first, "o"):
			first += "es"
		case strings.HasSuffix(first, "y") && !strings.ContainsAny(first[max(0, len(first)-2):len(first)-1], "aeiou"):
			first = first[:len(first)-1] + "ies"
		default:
			first += "s"
		}
	}
	return strings.TrimSpace(first + " " + rest)
}

// isPast tells whether a verb is in the past tense, as far as its form says.
func isPast(verb string) bool { return english.IsPast(verb) }

// column returns the noun phrase of a column, without article: the same wherever the
// question says it.
func (w *writer) column(c dataset.ColumnRef) string {
	if said, ok := w.called[c]; ok {
		return said
	}
	w.called[c] = w.nameOf(c)
	return w.called[c]
}

// nameOf draws a noun phrase for a column.
func (w *writer) nameOf(c dataset.ColumnRef) string {
	col := w.db.Column(c)
	name := strings.ToLower(lexicon.Bare(col.Name))
	w.said[c] = Named
	if others := w.others(c); len(others) > 0 && !w.isName(c) && w.chance(.3) {
		w.said[c] = Reworded
		return w.one(others...)
	}
	if a := w.asked(c); a != nil && len(a.Say) > 0 {
		said := w.one(a.Say...)
		if english.SingularPhrase(said) == w.rowsOf(c.Table).noun {
			return w.abstain("column %q is called as its rows are", col.Name)
		}
		if !sharesWord(said, name) && strings.ReplaceAll(said, " ", "") != strings.ReplaceAll(name, " ", "") {
			w.said[c] = Reworded
		}
		return said
	}
	if rest, ok := strings.CutPrefix(name, w.rowsOf(c.Table).noun+" "); ok && !slices.Contains(needy, rest) {
		name = rest
	}
	switch {
	case name != w.rowsOf(c.Table).noun:
	case w.isNumber(c):
		return w.abstain("column %q is called as its rows are", col.Name)
	case strings.Contains(name, " "): // the type of an allergy type
		_, name = english.CutLast(name)
	default:
		name = "name"
	}
	words := strings.Fields(name)
	switch {
	case len(words) == 0 || len(words) > 6 || !col.Nameable():
		return w.abstain("column %q cannot be said", col.Name)
	case slices.ContainsFunc(words, func(s string) bool { return len(s) == 1 && s != "a" }): // "max dew point f"
		return w.abstain("column %q cannot be said", col.Name)
	case words[0] == "is", words[0] == "has", words[0] == "if":
		return w.abstain("column %q is no noun", col.Name)
	case len(words) == 1 && strings.HasSuffix(name, "ed") && name != "speed" && name != "seed" && name != "breed":
		return w.abstain("column %q is no noun", col.Name)
	case english.IsFunction(words[len(words)-1]), english.IsFunction(words[0]), slices.ContainsFunc(words[1:], english.IsPast) && !isDone(words):
		return w.abstain("column %q is no noun", col.Name)
	}
	if w.isNumber(c) && english.IsPlural(words[0]) && strings.HasSuffix(words[len(words)-1], "ing") && len(words) == 2 { // "years working"
		words = append([]string{"number", "of"}, words...)
	}
	if last := len(words) - 1; last > 0 && slices.Contains(units, words[last]) && words[last-1] != "in" {
		words = slices.Insert(words, last, "in")
	}
	for i, x := range words {
		switch {
		case x == "id":
			words[i] = "ID"
		case (x == "no" || x == "num" || x == "number" && len(words) > 1 && english.IsPlural(words[1])) && i == 0 && len(words) > 1 && words[1] != "of":
			words[i] = "number of"
		case x == "num" && i == 0:
			words[i] = "number"
		}
	}
	return strings.Join(words, " ")
}

// isDone tells whether a name is a measure and what was done: "amount paid", "date opened".
func isDone(words []string) bool {
	return len(words) == 2 && slices.Contains([]string{"amount", "date", "year", "time", "number", "price"}, words[0])
}

// needy are names of columns that say too little without what they are of.
var needy = []string{"id", "code", "number", "no", "type", "key", "record", "count"}

// isPlace tells whether a column's values are known as places wherever they stand.
func (w *writer) isPlace(c dataset.ColumnRef) bool {
	return slices.Contains([]string{"city", "country", "nation", "town"}, lexicon.Normal(w.db.Column(c).Name))
}

// areas are columns whose values are often called as the places in them are.
var areas = []string{"county", "district", "region", "state", "province", "area"}

// sharesWord tells whether two phrases have a word in common.
func sharesWord(x, y string) bool {
	words := strings.Fields(lexicon.Normal(y))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(x)), func(w string) bool { return w != "of" && slices.Contains(words, w) })
}

// units at the end of a column's name.
var units = strings.Fields("mph kmh km kg lbs cm mm mi ft miles feet inches meters metres minutes seconds hours days usd dollars euros pounds percent percentage celsius fahrenheit kb mb gb mhz ghz million millions billion billions thousand thousands")

// asked returns how a column is asked of the rows of its table, or nil.
func (w *writer) asked(c dataset.ColumnRef) *heading.Asked {
	if a, ok := w.phrases[c]; ok {
		return a
	}
	r := w.rowsOf(c.Table)
	name := strings.ToLower(lexicon.Bare(w.db.Column(c).Name))
	a := heading.DefaultPhrases().Of(name, r.kinds...)
	if rest, ok := strings.CutPrefix(name, r.noun+" "); ok && a == nil {
		a = heading.DefaultPhrases().Of(rest, r.kinds...)
	}
	if a != nil {
		a = w.alone(c, a)
	}
	w.phrases[c] = a
	return a
}

// alone returns of what is known of a column only what tells it from the table's others:
// with a length in feet and one in metres nobody knows which "how long" asks for.
func (w *writer) alone(c dataset.ColumnRef, a *heading.Asked) *heading.Asked {
	r := w.rowsOf(c.Table)
	kept := *a
	if slices.Contains(areas, lexicon.Normal(w.db.Column(c).Name)) && w.names(c.Table, "city", "location", "town", "state", "country", "address", "venue") {
		kept.How, kept.Is = nil, nil
	}
	for i, other := range w.db.Tables[c.Table].Columns {
		b := heading.DefaultPhrases().Of(strings.ToLower(lexicon.Bare(other.Name)), r.kinds...)
		if i == c.Column || b == nil || w.isTime(c) != w.isTime(dataset.ColumnRef{Table: c.Table, Column: i}) {
			continue
		}
		without := func(list, taken []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(taken, s) })
		}
		kept.How = without(kept.How, b.How)
		if !w.isPlace(c) {
			kept.Is = without(kept.Is, b.Is)
		}
		kept.More, kept.Less = without(kept.More, b.More), without(kept.Less, b.Less)
		kept.Most, kept.Least = without(kept.Most, b.Most), without(kept.Least, b.Least)
	}
	return &kept
}

// isName tells whether a column names the rows of its table.
func (w *writer) isName(c dataset.ColumnRef) bool {
	name, row := lexicon.Normal(w.db.Column(c).Name), lexicon.Normal(w.rowsOf(c.Table).noun)
	return slices.Contains([]string{"name", "full name", "title", row, row + " name", row + " title", "name of " + row}, name)
}

// isNumber, isTime and isID tell what the values of a column are.
func (w *writer) isNumber(c dataset.ColumnRef) bool { return w.db.Column(c).Type == dataset.Number }

func (w *writer) isTime(c dataset.ColumnRef) bool {
	words := strings.Fields(strings.ToLower(w.db.Column(c).Name)) // years are a number
	return w.db.Column(c).Type == dataset.Time || slices.ContainsFunc(words, func(s string) bool { return s == "date" || s == "year" || s == "dob" || s == "birthday" })
}

func (w *writer) isID(c dataset.ColumnRef) bool {
	words := strings.Fields(lexicon.Normal(w.db.Column(c).Name))
	return len(words) > 0 && slices.Contains([]string{"id", "code", "key"}, words[len(words)-1])
}
