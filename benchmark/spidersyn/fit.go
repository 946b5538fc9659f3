package spidersyn

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
)

// maxSynonym bounds the words of a synonym: longer ones describe.
const maxSynonym = 4

// isPhrase reports whether a name of headings fits a sentence: a noun phrase of at most maxSynonym words without digits, whose
// only function words are "of", "in" and "per", and not in front. "Is active", "year sold", "bill to country" and "q2 time" do not fit.
func isPhrase(name string) bool {
	words := strings.Fields(name)
	isForbidden := func(w string) bool { return english.IsFunction(w) && !isOfClass("INNER", w) }
	switch {
	case len(words) > maxSynonym, !endsInNoun(words), strings.ContainsAny(name, "0123456789"):
		return false
	}
	return !english.IsFunction(words[0]) && !slices.ContainsFunc(words, isForbidden)
}

// rewords reports whether a name puts other, a name in normal form, into different words. It does not if it only adds words, leaves
// words out, or changes their spelling or order; but "date of birth" rewords "birth date", unlike "name of country". Nor does it if
// one of the two ends in an identifier and the other does not: a "room number" is no classroom.
func rewords(name, other string) bool {
	normal := lexicon.Normal(name)
	was, now := strings.Fields(other), strings.Fields(normal)
	switch {
	case len(was) == 0, len(now) == 0, lexicon.SameSpelling(name, other):
		return false
	}
	isIn := func(words []string) func(string) bool {
		return func(w string) bool { return english.IsFunction(w) || slices.Contains(words, w) }
	}
	lacks, adds := !all(was, isIn(now)), !all(now, isIn(was))
	identifies := func(words []string) bool { return isOfClass("IDENTIFIER", words[len(words)-1]) }
	hasOf := slices.Contains(now, "of")
	switch {
	case adds != lacks:
		return false
	case !adds: // the same words in another order
		return hasOf && isOfClass("OF", now[0]) // "date of" and the like
	}
	return hasOf || identifies(now) == identifies(was) // with "of" the last word is not the head
}

// all reports whether a condition holds for every word.
func all(words []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !holds(w) })
}

// inNumber returns a synonym in the singular or plural of the words that it replaces. ok is
// false if they are plural and the synonym has no plural ("pay", "number of rooms").
func inNumber(synonym, words string) (text string, ok bool) {
	text = lexicon.InNumber(synonym, words)
	if !english.IsPlural(words) {
		return text, true
	}
	return text, !isMass(synonym) && !strings.HasPrefix(synonym, counting)
}

// counting begins the names of counts: "number of rooms".
const counting = "number of "

// isMass reports whether a phrase has a noun that does not count single things.
func isMass(phrase string) bool {
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(phrase)), func(w string) bool { return isOfClass("MASS", w) })
}

// isFixed reports whether the words first to last form, with the word before or after them, a
// phrase of its own meaning ("staff member", "gold medal") that [finder.isKnown] finds.
func (f *finder) isFixed(first, last int, dict lexicon.Dictionary) bool {
	return f.isKnown(first-1, last, dict) || f.isKnown(first, last+1, dict)
}

// isKnown reports whether the words first to last are one phrase for the vectors, which have it as a term, or for the
// dictionary, which has synonyms of it. Marks, function words and the end of the question are in no such phrase, and one with a
// reserved word ("student name") means what its words do.
func (f *finder) isKnown(first, last int, dict lexicon.Dictionary) bool {
	var words []string
	for i := first; i <= last; i++ {
		w := f.words.Word(i)
		switch {
		case w == "", namesNothing(w), slices.Contains(lexicon.Reserved(), f.words[i].singular):
			return false
		}
		words = append(words, w)
	}
	words[len(words)-1] = f.words[last].singular // phrases are looked up in the singular
	phrase := strings.Join(words, " ")
	return f.HasVector(phrase) || len(dict.Synonyms(phrase)) > 0
}

// regularParticiple matches words like "released", but not "speed".
var regularParticiple = lazyregexp.New(`^.{2,}[^e]ed$`)

// isParticiple reports whether a word looks like a past participle, by the list or by its ending. Only headers end in
// one: "nationality held", "date released".
func isParticiple(w string) bool {
	return isOfClass("PARTICIPLE", strings.TrimSuffix(w, "s")) || regularParticiple.MatchString(w)
}

// fits reports whether the words around the words first to last allow a synonym in their place.
func (f *finder) fits(synonym string, first, last int) bool {
	words := strings.Fields(synonym)
	before, after := f.words.Word(first-1), f.words.Word(last+1)
	others := slices.Concat(f.words[:first], f.words[last+1:])
	isNewMeasure := func(w string) bool { return isOfClass("MEASURE", w) && !hasRun(f.run(first, last), w) }
	followsConjunction := before == "and" || before == "or"
	head, newHead := english.Singular(f.words.Word(last)), english.Singular(words[len(words)-1])
	isHead := func(w word) bool { return english.Singular(w.text) == head }
	checked := words // for measures
	if before != "of" && strings.HasPrefix(synonym, counting) {
		checked = words[1:] // "number of rooms" may replace "seats", though "number" is a measure; not after "of": "the total of number of rooms"
	}
	switch {
	case isOfClass("SCHEMA", after):
		return false // "the fare table" is a name of the schema
	case words[0] == before, words[len(words)-1] == after:
		return false // a word would be there twice
	case slices.ContainsFunc(checked, isNewMeasure):
		return false // "total" and the like would ask for an aggregate
	case slices.ContainsFunc(others, func(w word) bool { return w.text == synonym }):
		return false // the question has the synonym for something else
	case last > first && newHead != head && slices.ContainsFunc(others, isHead):
		return false // the question has the noun once more: "client categories" for "customer types", and then "give the type"
	case len(words) > last-first+1 && f.modifies(last):
		return false // a longer phrase before a noun: "research field names"
	case followsConjunction && isOfClass("MEASURE", f.words.Word(first)):
		return false // in "the first and last name", "first" needs the word "name" too
	case !slices.ContainsFunc(words[1:], english.IsFunction):
		return true
	}
	// A phrase with a preposition ("place of residence") takes no modifier or number before it, and modifies nothing. After "and" or "or",
	// the words behind the preposition could be read with both nouns.
	beginsPhrase := before == "" || namesNothing(before) && !followsConjunction
	return beginsPhrase && !f.modifies(last) && !isNumeral(before)
}

// run returns the words first to last in lower case, joined by blanks.
func (f *finder) run(first, last int) string {
	return strings.Join(lists.Map(f.words[first:last+1], func(w word) string { return w.text }), " ")
}

// isNumeral reports whether a word is a number, in digits or in words.
func isNumeral(w string) bool {
	_, inWords := numeral.Parse(w)
	return inWords || english.IsNumeric(w)
}

// modifies reports whether the word at i modifies a noun after it: it is a possessive
// ("the country's") or comes before a word that the linker links ("country code").
func (f *finder) modifies(i int) bool {
	if strings.IndexAny(f.question[f.words[i].end:], "'’") == 0 {
		return true
	}
	if f.words.Word(i+1) == "" {
		return false
	}
	return slices.ContainsFunc(f.spans, func(s link.Span) bool { return f.words[i+1].in(s) })
}

// inCaseOf returns text in the letter case of was, the words that it replaces: "Pupils" for "Students". A short word in
// capitals is an abbreviation, whose capitals text does not take. Words of was that text keeps are spelled as in was.
func inCaseOf(was, text string) string {
	const shortest = 4 // bytes of a word in capitals that is no abbreviation
	letters := english.CaseOf(was)
	if letters == english.UpperCase && len(was) < shortest {
		return text
	}
	text = letters.Apply(text)
	for w := range strings.FieldsSeq(was) { // "TV channel" becomes "TV station"
		text = wordOf(w).ReplaceAllLiteralString(text, w)
	}
	return text
}

// wordOf matches a word in any case.
func wordOf(w string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(w) + `\b`)
}

// startsLower reports whether a word begins with a small letter.
func startsLower(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLower(r)
}
