package realise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// rowKind is what the rows of a table are.
type rowKind struct {
	noun  string   // what a row is called, in the singular
	kinds []string // see [kindsOf]
	err   error    // why a row cannot be called by the noun
}

// rowsOf returns the noun and the kinds of the rows of a table. Rows that describe those of another table are called as these are.
func (k *knowledge) rowsOf(table int) rowKind {
	return memo(k.tables, table, func() rowKind {
		if entity, ok := k.entityOf(table); ok {
			return k.rowsOf(entity)
		}
		noun, ok := k.tableNoun(table)
		r := rowKind{noun: noun, kinds: kindsOf(noun)}
		if !ok {
			r.err = &Unsupported{fmt.Sprintf("table %q has no name that says what its rows are", k.db.Tables[table].Name)}
		}
		return r
	})
}

// kindsOf returns the classes of a noun in the phrasebook, or those of its last word if it
// has none, and last the noun itself: "{person}", "{performer}", "singer".
func kindsOf(noun string) []string {
	classes := heading.Default().Classes()
	kinds := classes.Of(noun)
	if len(kinds) == 0 {
		_, last := english.CutLast(noun)
		kinds = classes.Of(last)
	}
	return append(kinds, lexicon.Normal(noun))
}

// noun returns the noun for a row of a table, in the singular. It sets w.err if there is none.
func (w *writer) noun(table int) string {
	r := w.rowsOf(table)
	w.fail(r.err)
	return r.noun
}

// instNoun returns what a row of an instance is called.
func (w *writer) instNoun(p *plan, inst int) string { return w.noun(p.instances[inst].table) }

// rowNoun returns the noun for a row that a plan asks for. Counted or grouped rows that describe others are called records, "patient
// record". Those that are only counted are not if the original question has the plural of the noun.
func (w *writer) rowNoun(p *plan) string {
	if other, ok := w.behindGroups(p); ok {
		return w.noun(other)
	}
	noun := w.instNoun(p, p.head)
	if p.asRecords && (len(p.groups) > 0 || !w.askedWords[english.Plural(noun)]) {
		return noun + " record"
	}
	return noun
}

// behindGroups returns the table whose rows a plan counts if the table of its head, which it counts in SQL, only joins them to the rows that it
// groups by: keyphrases, for "paper keyphrases" grouped by paper. Ok is false for other plans.
func (w *writer) behindGroups(p *plan) (other int, ok bool) {
	table := p.instances[p.head].table
	keys := w.keysOf(table)
	if len(p.groups) == 0 || w.hasOwnColumn(table) || len(keys) != 2 {
		return 0, false
	}
	grouped := w.targetOf(p.groups[0].ref).Table
	behind := lists.Filter(keys, func(fk dataset.ForeignKey) bool { return fk.Target.Table != grouped })
	if len(behind) != 1 || p.joins(behind[0].Target.Table) { // the plan has joined keyphrases itself
		return 0, false
	}
	return behind[0].Target.Table, true
}

// joins reports whether a table is among those of a plan.
func (p *plan) joins(table int) bool {
	return slices.ContainsFunc(p.instances, func(i instance) bool { return i.table == table })
}

// maxNounWords is how many words a noun for rows may have.
const maxNounWords = 4

// tableNoun returns the noun for a row of a table, by the table's name: "pet type" for "ref_pet_types", "weather record" for "weather". Ok is
// false if the name gives no noun that can be counted.
func (k *knowledge) tableNoun(table int) (noun string, ok bool) {
	name := strings.ToLower(k.db.Tables[table].Name)
	words := strings.Fields(lexicon.Bare(name))
	for len(words) > 1 && listed("prefix", words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return "", false
	}
	last := len(words) - 1
	verbal := isVerbal(words)                      // a predicate: "takes", "lives in"
	if last > 0 && listed("suffix", words[last]) { // without "details"
		verbal = isVerbal(words[:last])
	}
	for i, x := range words[:last] { // "pets types" are "pet types"
		if !english.IsAttributive(x) {
			words[i] = english.Singular(x)
		}
	}
	if last > 0 && listed("suffix", words[last]) && isEntity(english.SingularPhrase(strings.Join(words[:last], " "))) { // "product details" are products
		words = words[:last]
	}
	if at := slices.IndexFunc(words, english.IsPreposition); at > 0 && at < len(words)-1 { // "countries in europe"
		head := english.SingularPhrase(strings.Join(words[:at], " "))
		return head + " " + strings.Join(words[at:], " "), len(words) <= maxNounWords && isEntity(head)
	}
	noun = english.SingularPhrase(strings.Join(words, " "))
	if len(words) > maxNounWords || !dataset.Named(name) || slices.ContainsFunc(words, k.isUnknown) { // too long, "table 1", "satscores"
		return noun, false
	}
	switch last := words[len(words)-1]; {
	case last == "people":
		return strings.TrimSuffix(strings.Join(words, " "), "people") + "person", true
	case last == "staff", last == "faculty" && k.hasColumn(table, "first name", "last name"):
		return strings.Join(words, " ") + " member", true
	case verbal:
		return noun, false
	case isEntity(noun) && k.isCountable(table, words), k.isCounted(table, noun):
		return noun, true
	}
	// Rows without a noun of their own are records, if they have more than keys.
	return noun + " record", k.hasOwnColumn(table) && !strings.ContainsAny(noun, "0123456789") && !slices.ContainsFunc(words, english.IsFunction)
}

// isUnknown reports whether a word is [isUnknown] and in the name of at most one table of the schema.
func (k *knowledge) isUnknown(word string) bool {
	tables := lists.Filter(k.db.Tables, func(t dataset.Table) bool {
		return slices.Contains(strings.Fields(lexicon.Normal(t.Name)), lexicon.Normal(word))
	})
	return isUnknown(word) && len(tables) < 2
}

// isUnknown reports whether a word of a name is no English word but, say, an abbreviation or several words in one: "satscores". Words of one
// or two letters, and forms of verbs, are never unknown.
func isUnknown(word string) bool {
	_, known := lexicon.Default().Index(english.Singular(word))
	return !known && len(word) > 2 && !verbal.MatchString(word) && !listed("heads", english.Singular(word))
}

// isAbbreviation reports whether a word of a name is no English word and no rare one either, because it has only three letters or no vowel:
// "gpt".
func isAbbreviation(word string) bool {
	return isUnknown(word) && (len(word) <= 3 || !strings.ContainsAny(word, "aeiouy"))
}

// isGlued reports whether a word of a name is several words in one, by its beginning or end: "numcitedby".
func isGlued(word string) bool { return glued.MatchString(word) && isUnknown(word) }

// glued matches words that begin or end with one that few others do.
var glued = lazyregexp.New(`^num[a-z]{4}|[a-z]{4}(?:id|by|of)$`)

// verbal matches forms of verbs, which the vectors have by their base.
var verbal = lazyregexp.New(`[a-z]{3}(?:ing|ed)$`)

// hasOwnColumn reports whether a table has a column that is no key, so that it does more than join rows of other tables.
func (k *knowledge) hasOwnColumn(table int) bool { return len(k.nonKeyColumns(table)) > 0 }

// nonKeyColumns returns the indices of a table's own columns that are no keys.
func (k *knowledge) nonKeyColumns(table int) []int {
	return lists.Filter(k.db.Tables[table].OwnColumns(), func(c int) bool {
		return !isKeyColumn(k.db, dataset.ColumnRef{Table: table, Column: c})
	})
}

// isCounted reports whether a schema treats the rows of a table as things that can be counted by a noun: the table's name is the plural of the
// noun, or the table has a column for the key or the name of such a thing ("singer id"). A lookup table counts also if its column is called
// by the noun or its end: "power name" for a "superpower".
func (k *knowledge) isCounted(table int, noun string) bool {
	_, last := english.CutLast(noun)
	names := func(c dataset.Column) bool {
		words, ok := strings.CutSuffix(strings.ToLower(c.Name), " name")
		return ok && strings.HasSuffix(noun, words) || strings.EqualFold(c.Name, noun)
	}
	if k.isLookup(table) && slices.ContainsFunc(k.db.Tables[table].Columns, names) {
		return true
	}
	if english.IsUncounted(last) || listed("mass", last) || len(strings.Fields(noun)) > 2 {
		return false
	}
	name := lexicon.Bare(strings.ToLower(k.db.Tables[table].Name))
	if noun != name && english.IsPlural(name) {
		return true
	}
	return k.hasColumn(table, noun, last+" id", last+" name", noun+" id", noun+" name", noun+" number")
}

// isCountable reports whether the words of a table's name can be a noun phrase for its rows: "singer" and "weather" (for "weather
// records"), but not "office furniture", whose last word has no plural.
func (k *knowledge) isCountable(table int, words []string) bool {
	switch {
	case slices.ContainsFunc(words, english.IsFunction), strings.ContainsAny(strings.Join(words, " "), "0123456789"):
		return false
	case len(words) > 2 && k.foreignKeys(table) > 1:
		return false // "student enrolment course": what joins tables is called by their names
	}
	return len(words) == 1 || !english.IsUncounted(words[len(words)-1])
}

// hasColumn reports whether a table has a column whose natural or SQL name is one of names.
func (k *knowledge) hasColumn(table int, names ...string) bool {
	return slices.ContainsFunc(k.db.Tables[table].Columns, func(c dataset.Column) bool {
		original := strings.ReplaceAll(strings.ToLower(c.Original), "name", " name") // "lname"
		return slices.Contains(names, strings.ToLower(c.Name)) || slices.Contains(names, original)
	})
}

// isEntity reports whether a noun is one for single things, so that rows can be called by it: it is listed, or the phrasebook has it in a
// class of such things.
func isEntity(noun string) bool {
	_, last := english.CutLast(noun)
	return listed("heads", last) || listed("alone", noun) || isOfClass(noun, "entity")
}

// isPerson reports whether a noun is for people.
func isPerson(noun string) bool {
	return strings.HasSuffix(noun, " member") || isOfClass(noun, "person")
}

// isOfClass reports whether a noun is of one of the classes in a list of data/words.txt.
func isOfClass(noun, list string) bool {
	return slices.ContainsFunc(kindsOf(noun), func(k string) bool { return listed(list, k) })
}

// isVerbal reports whether the words of a table's name are a predicate: "takes", "lives in", "visits
// restaurant".
func isVerbal(words []string) bool {
	first, last := words[0], words[len(words)-1]
	switch {
	case listed("verb", first), listed("verb", last), english.IsPreposition(last):
		return true
	case len(words) == 1:
		return strings.HasSuffix(first, "ed")
	}
	return english.IsPlural(first) && !english.IsPlural(last) && !english.IsAttributive(first) // "visits restaurant", but not "sports club"
}

// who returns the relative pronoun for rows that are called noun: "who" for people, else "that".
func who(noun string) string {
	if isPerson(noun) {
		return "who"
	}
	return "that"
}

// number is the grammatical number of rows.
type number bool

const (
	plural   number = false
	singular number = true
)

// inflect returns a noun, given in the singular, in the number n.
func (n number) inflect(noun string) string {
	if n == singular {
		return noun
	}
	return english.Plural(noun)
}

// form returns one in the singular and several in the plural.
func (n number) form(one, several string) string {
	if n == singular {
		return one
	}
	return several
}

// be returns the form of "be" for the number.
func (n number) be() string { return n.form("is", "are") }

// beOf returns the form of "be" for a number of columns of rows in the number n: "is" only for one column of one row.
func (n number) beOf(columns int) string { return number(n == singular && columns == 1).be() }

// have returns the form of "have" for the number.
func (n number) have() string { return n.form("has", "have") }

// thirdPersons are the irregular verbs in the third person singular.
var thirdPersons = map[string]string{"are": "is", "have": "has", "were": "was", "do": "does"}

var (
	sibilantEnd = lazyregexp.New(`(s|x|ch|sh|o)$`) // "teach", "go"
	consonantY  = lazyregexp.New(`(^|[^aeiou])y$`) // "carry"
)

// agree puts the first word, the verb, of a plural predicate into the number: "take a
// course" gives "takes a course".
func (n number) agree(predicate string) string {
	if n == plural || predicate == "" {
		return predicate
	}
	verb, rest, _ := strings.Cut(predicate, " ")
	switch {
	case thirdPersons[verb] != "":
		verb = thirdPersons[verb]
	case english.IsPast(verb): // one form for both numbers
	case sibilantEnd.MatchString(verb):
		verb += "es"
	case consonantY.MatchString(verb):
		verb = verb[:len(verb)-1] + "ies"
	default:
		verb += "s"
	}
	return strings.TrimSpace(verb + " " + rest)
}
