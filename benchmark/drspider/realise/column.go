package realise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// column returns the noun phrase of a column without article, the same in the whole
// question.
func (w *writer) column(c dataset.ColumnRef) string {
	return memo(w.columnNames, c, func() string { return w.drawColumnName(c) })
}

// drawColumnName draws a noun phrase for a column: a synonym, a wording of the phrasebook or, if that has none,
// the column's name. It records in w.manners whether that rewords the name.
func (w *writer) drawColumnName(c dataset.ColumnRef) string {
	w.manners[c] = Named
	others := memo(w.nouns, c, func() []string { return w.synonyms(c) })
	if len(others) > 0 && !w.isName(c) && !w.echoes && w.chance(.3) { // echoes prefers the words of the original question
		w.manners[c] = Reworded
		return w.draw(others...)
	}
	a := w.askedAs(c)
	if len(a.Say) == 0 {
		return w.schemaName(c)
	}
	phrase, name := w.draw(a.Say...), w.lowerName(c)
	if english.SingularPhrase(phrase) == w.rowsOf(c.Table).noun {
		return w.unsupported("column %q is called as its rows are", w.db.Column(c).Name)
	}
	if !sharesWord(phrase, name) && strings.ReplaceAll(phrase, " ", "") != strings.ReplaceAll(name, " ", "") {
		w.manners[c] = Reworded
	}
	return phrase
}

// lowerName returns a column's name in lower case, without a unit in parentheses.
func (k *knowledge) lowerName(c dataset.ColumnRef) string {
	return strings.ToLower(lexicon.Bare(k.db.Column(c).Name))
}

// schemaName returns a column's name as a noun phrase: "age" for the "singer age" of singers, "number of pages" for "num pages". A name
// that is no noun phrase, or that nobody would say, is unsupported.
func (w *writer) schemaName(c dataset.ColumnRef) string {
	col, rows := w.db.Column(c), w.rowsOf(c.Table).noun
	name := w.lowerName(c)
	if rest, ok := strings.CutPrefix(name, rows+" "); ok && !listed("needy", rest) && !w.isID(c) { // but "pet type", not "type", which is too general
		name = rest
	}
	if place, ok := strings.CutSuffix(name, " name"); ok && place != rows && slices.Contains(kindsOf(place), "{place}") {
		name = place // a mountain's country
	}
	if name == rows {
		if w.isNumber(c) {
			return w.unsupported("column %q is called as its rows are", col.Name)
		}
		before, last := english.CutLast(name)
		name = last       // the type of an allergy type
		if before == "" { // the country of a country is its name
			name = "name"
		}
	}
	words := strings.Fields(name)
	if len(words) == 1 && col.Type == dataset.Time && english.IsPast(name) {
		words = []string{"date", name}
	}
	isLetter := func(s string) bool { return len(s) == 1 && s != "a" } // "max dew point f"
	switch {
	case !col.Nameable(), len(words) == 0, len(words) > maxNameWords, slices.ContainsFunc(words, isLetter), slices.ContainsFunc(words, isAbbreviation), slices.ContainsFunc(words, isGlued):
		return w.unsupported("column %q cannot be said", col.Name)
	case !isNounPhrase(words):
		return w.unsupported("column %q is no noun", col.Name)
	}
	return strings.Join(spellOut(words, w.isNumber(c)), " ")
}

// maxNameWords is how many words the noun phrase of a column may have.
const maxNameWords = 6

// isNounPhrase reports whether the words of a column's name are a noun phrase, by
// their forms. "Is active", "assigned" and "price for" are none.
func isNounPhrase(words []string) bool {
	first, last := words[0], words[len(words)-1]
	switch {
	case english.IsFunction(first), english.IsFunction(last):
		return false
	case len(words) == 1:
		return !isParticiple(first) && !adjective.MatchString(first) || listed("participle-like", first)
	}
	return isDone(words) || !slices.ContainsFunc(words[1:], isParticiple)
}

// isParticiple reports whether a word has the form of a verb in the past, and is no plural noun: "spent", but not "feet".
func isParticiple(word string) bool { return english.IsPast(word) && !english.IsPlural(word) }

// adjective matches words that are no nouns by their ends: "hilarious".
var adjective = lazyregexp.New(`(?:ous|ful|less)$`)

// spellOut completes the words of a column's name: "years working" of a number gives
// "number of years working", "length feet" gives "length in feet", "num pages" gives
// "number of pages", "id" gives "ID", and an abbreviation that stands for no words "IGA".
func spellOut(words []string, isNumber bool) []string {
	if isNumber && len(words) == 2 && strings.HasSuffix(words[1], "ing") && english.IsPlural(words[0]) {
		words = append([]string{"number", "of"}, words...)
	}
	if n := len(english.WithoutUnit(words)); n < len(words) && words[n] != "in" && words[n-1] != "per" && !strings.HasPrefix(words[n], "percent") {
		between := []string{"in"} // "length in feet", but not "price per in kg"
		isVerb := isParticiple(words[n-1]) || strings.HasSuffix(words[n-1], "ing") && !isEntity(words[n-1])
		if isVerb && slices.Contains(timeUnits, words[n]) && !slices.Contains(words, "time") {
			between = []string{"time", "in"} // "estimated time in minutes"
		}
		words = slices.Insert(words, n, between...)
	}
	words[0] = spellNumber(words)
	for i, x := range words {
		if x == "id" || isAbbreviation(x) && len(lexicon.DefaultAbbreviations().ExpandListed(x)) == 0 {
			words[i] = strings.ToUpper(x)
		}
	}
	return words
}

// timeUnits are units of which the quantity is a time.
var timeUnits = []string{"second", "seconds", "minute", "minutes", "hour", "hours", "day", "days"}

// spellNumber returns the first word of a column's name with "no", "num" and "number" spelt out: "number of" for "no pages" and
// "number pages", "number" for "num". It returns other first words as they are.
func spellNumber(words []string) string {
	first, next := words[0], ""
	if len(words) > 1 {
		next = words[1]
	}
	abbreviated := first == "no" || first == "num"
	switch {
	case next == "", next == "of":
		if first == "num" {
			return "number"
		}
	case abbreviated, first == "number" && english.IsPlural(next):
		return "number of"
	}
	return first
}

// isDone reports whether a name is a noun and a participle after it: "amount paid", "date opened", "games played".
func isDone(words []string) bool {
	last := len(words) - 1
	if last == 1 && listed("done", words[0]) { // "amount paid"
		return true
	}
	return last > 0 && english.IsPast(words[last]) && english.IsPlural(words[last-1]) && !slices.ContainsFunc(words[:last], english.IsPast)
}

// isDoneBy reports whether a name is a participle and a preposition: "directed by", "founded in".
func isDoneBy(words []string) bool {
	return len(words) == 2 && english.IsPast(words[0]) && slices.Contains([]string{"by", "in", "at", "from"}, words[1])
}

// sharesWord reports whether two phrases have a word in common, other than "of".
func sharesWord(x, y string) bool {
	words := strings.Fields(lexicon.Normal(y))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(x)), func(w string) bool { return w != "of" && slices.Contains(words, w) })
}

// notAsked has the wordings of columns that the phrasebook lacks: none.
var notAsked = &heading.Asked{}

// askedAs returns the phrasebook's wordings of a column that no other column of its table has too, or [notAsked].
func (w *writer) askedAs(c dataset.ColumnRef) *heading.Asked {
	return memo(w.phrases, c, func() *heading.Asked {
		r := w.rowsOf(c.Table)
		name := w.lowerName(c)
		phrases := heading.DefaultPhrases()
		a := cmp.Or(phrases.Of(name, r.kinds...), phrases.Of(strings.TrimPrefix(name, r.noun+" "), r.kinds...)) // "singer age", or else "age"
		if a == nil {
			return notAsked
		}
		return w.withoutSharedWordings(c, a)
	})
}

// askedOfRows returns the wordings of [writer.askedAs] for a column of the rows that a plan asks for. For columns of joined rows, and for
// parts of times, it returns [notAsked].
func (w *writer) askedOfRows(p *plan, f field) *heading.Asked {
	if f.instance != p.head || f.timePart != "" {
		return notAsked
	}
	return w.askedAs(f.ref)
}

// withoutSharedWordings returns the wordings of a column without those that another column of the
// table has too. In a table with a length in feet and one in metres, "how long" would be ambiguous.
func (w *writer) withoutSharedWordings(c dataset.ColumnRef, a *heading.Asked) *heading.Asked {
	kinds := w.rowsOf(c.Table).kinds
	own := *a
	if listed("area", lexicon.Normal(w.db.Column(c).Name)) && w.hasColumn(c.Table, words().Words("placed")...) {
		own.How, own.Is = nil, nil // "from Rome" may mean the region or the city
	}
	without := func(list, taken []string) []string {
		return lists.Filter(list, func(s string) bool { return !slices.Contains(taken, s) })
	}
	for i := range w.db.Tables[c.Table].Columns {
		other := dataset.ColumnRef{Table: c.Table, Column: i}
		b := heading.DefaultPhrases().Of(w.lowerName(other), kinds...)
		switch {
		case other == c, b == nil, w.isTime(c) != w.isTime(other): // "how long" of a duration does not mean a date
			continue
		}
		own.How = without(own.How, b.How)
		if !w.isPlace(c) { // "from Rome" is clear for a city, whatever other columns have "from"
			own.Is = without(own.Is, b.Is)
		}
		own.More, own.Less = without(own.More, b.More), without(own.Less, b.Less)
		own.Most, own.Least = without(own.Most, b.Most), without(own.Least, b.Least)
	}
	return &own
}

// isPlace reports whether a column's name is listed as one of places, such as "city".
func (w *writer) isPlace(c dataset.ColumnRef) bool {
	return listed("place", lexicon.Normal(w.db.Column(c).Name))
}

// isName reports whether a column holds the names by which people know the rows of its table: "name", "song title", "display name" if the
// table has no other column of names.
func (w *writer) isName(c dataset.ColumnRef) bool {
	name, row := lexicon.Normal(w.db.Column(c).Name), lexicon.Normal(w.rowsOf(c.Table).noun)
	if kind, last := english.CutLast(strings.TrimPrefix(name, row+" ")); last == "name" && listed("naming", strings.TrimSpace(kind)) {
		other := func(o dataset.Column) bool { return o.Name != w.db.Column(c).Name && strings.HasSuffix(o.Name, "name") }
		return !slices.ContainsFunc(w.db.Tables[c.Table].Columns, other) // "the plants" have a common and a botanical name
	}
	if kind, ok := strings.CutSuffix(name, " name"); ok && strings.HasSuffix(row, kind) {
		return true // the power name of a superpower
	}
	return slices.Contains([]string{"name", "full name", "title", row, row + " title", "name of " + row}, name)
}

// isNumber reports whether a column's values are numbers.
func (w *writer) isNumber(c dataset.ColumnRef) bool { return w.db.Column(c).Type == dataset.Number }

// isQuantity reports whether a column's values are numbers that can be compared: no keys.
func (w *writer) isQuantity(c dataset.ColumnRef) bool { return w.isNumber(c) && !w.isID(c) }

// isTime reports whether a column's values are times: its type is time, or a word of its name, such as "year",
// is listed as one. Columns of years have the type of numbers.
func (k *knowledge) isTime(c dataset.ColumnRef) bool {
	if k.db.Column(c).Type == dataset.Time {
		return true
	}
	words := strings.Fields(strings.ToLower(k.db.Column(c).Name))
	return slices.ContainsFunc(words, func(s string) bool { return listed("time", s) })
}

// isID reports whether a column holds identifiers, by the last word of its name: "singer id".
func (w *writer) isID(c dataset.ColumnRef) bool {
	_, last := english.CutLast(lexicon.Normal(w.db.Column(c).Name))
	return listed("identifier", last)
}
