package spidersyn

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
)

// maxSynonym bounds the words of a synonym: longer ones describe.
const maxSynonym = 4

// isPhrase reports whether a name of headings fits a sentence: it is a short noun phrase of words. "Is active", "year sold",
// "bill to country" and "q2 time" are none.
func isPhrase(name string) bool {
	words := strings.Fields(name)
	isOther := func(w string) bool { return english.IsFunction(w) && !isOfClass("INNER", w) }
	switch {
	case len(words) > maxSynonym, !endsInNoun(words), strings.ContainsAny(name, "0123456789"):
		return false
	}
	return !english.IsFunction(words[0]) && !slices.ContainsFunc(words, isOther)
}

// rewords reports whether a name has other words than another name, in normal form, for the same thing. It does not if it only
// adds words, leaves words out, spells them otherwise or changes their order ("name of country", but "date of birth" does). A
// name that ends with an identifier ("room number", for a classroom) does not name the thing.
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
	case !adds:
		return hasOf && isOfClass("OF", now[0])
	}
	return hasOf || identifies(now) == identifies(was)
}

// all reports whether a condition holds for every word.
func all(words []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !holds(w) })
}

// inNumber returns a synonym in the number of the words that it replaces. Ok is
// false if it has no plural ("pay").
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

// isFixed reports whether the words first to last are, with a neighbour, a phrase of
// its own ("staff member", "gold medal"): the vectors have it as one term, or the
// dictionary has synonyms of it. Phrases with a reserved word ("student name") are
// taken to mean what their words do.
func (f *finder) isFixed(first, last int, dict lexicon.Dictionary) bool {
	return f.isKnown(first-1, last, dict) || f.isKnown(first, last+1, dict)
}

// isKnown reports whether the vectors or the dictionary have the words first to last as one phrase.
func (f *finder) isKnown(first, last int, dict lexicon.Dictionary) bool {
	var words []string
	for i := first; i <= last; i++ {
		w := f.words.Word(i)
		switch {
		case w == "", namesNothing(w), slices.Contains(lexicon.Reserved(), f.words[i].one):
			return false
		}
		words = append(words, w)
	}
	words[len(words)-1] = f.words[last].one
	phrase := strings.Join(words, " ")
	return f.HasVector(phrase) || len(dict.Synonyms(phrase)) > 0
}

// regularParticiple matches words like "released", but not "speed".
var regularParticiple = lazyregexp.New(`^.{2,}[^e]ed$`)

// isParticiple reports whether a phrase that ends in the word is one of headers only:
// "nationality held", "date released".
func isParticiple(w string) bool {
	return isOfClass("PARTICIPLE", strings.TrimSuffix(w, "s")) || regularParticiple.MatchString(w)
}

// fits reports whether the words around the words first to last allow a synonym in their place.
func (f *finder) fits(synonym string, first, last int) bool {
	words := strings.Fields(synonym)
	before, after := f.words.Word(first-1), f.words.Word(last+1)
	others := slices.Concat(f.words[:first], f.words[last+1:])
	isNewMeasure := func(w string) bool { return isOfClass("MEASURE", w) && !hasRun(f.run(first, last), w) }
	measures := words
	if before != "of" && strings.HasPrefix(synonym, counting) {
		measures = words[1:]
	}
	switch {
	case isOfClass("SCHEMA", after):
		return false // "the fare table"
	case words[0] == before, words[len(words)-1] == after, slices.ContainsFunc(measures, isNewMeasure):
		return false
	case slices.ContainsFunc(others, func(w word) bool { return w.text == synonym }):
		return false // the question has the synonym for something else
	case len(words) > last-first+1 && f.modifies(last):
		return false // "research field names"
	case slices.Contains([]string{"and", "or"}, before) && isOfClass("MEASURE", f.words.Word(first)):
		return false // "the first and last name"
	case !slices.ContainsFunc(words[1:], english.IsFunction):
		return true
	}
	isFree := before == "" || namesNothing(before) && !slices.Contains([]string{"and", "or"}, before)
	return isFree && !f.modifies(last) && !isNumeral(before)
}

// run returns the words first to last.
func (f *finder) run(first, last int) string {
	var words []string
	for i := first; i <= last; i++ {
		words = append(words, f.words[i].text)
	}
	return strings.Join(words, " ")
}

// isNumeral reports whether a word is a number, in digits or in words.
func isNumeral(w string) bool {
	_, inWords := numeral.Parse(w)
	return inWords || english.IsNumeric(w)
}

// modifies reports whether the word at i modifies the noun after it,
// or is a possessive: "country code", "the country's". No phrase with a
// preposition fits there.
func (f *finder) modifies(i int) bool {
	w := f.words[i]
	if rest := f.question[w.end:]; strings.IndexAny(rest, "'’") == 0 {
		return true
	}
	if f.words.Word(i+1) == "" {
		return false
	}
	return slices.ContainsFunc(f.spans, func(s link.Span) bool { return f.words[i+1].in(s) })
}

// inCaseOf returns text with the capitals of the words that it replaces. A short word in
// capitals is an abbreviation, whose capitals text does not take.
func inCaseOf(was, text string) string {
	const shortest = 4
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
