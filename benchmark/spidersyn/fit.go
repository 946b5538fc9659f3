package spidersyn

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/internal/link"
	"github.com/tabperturb/tabperturb/internal/numeral"
	"github.com/tabperturb/tabperturb/lexicon"
)

// maxSynonym bounds the words of a synonym: longer ones describe.
const maxSynonym = 4

// isRare tells whether people would hardly say a synonym; Spider-Syn uses the 20,000
// most common words. The dictionary has no counts, but what has an entry of its own
// is a word of headers itself ("nation", not "sovereign state"), as are phrases of
// such words. All else is rare, as are abbreviations and long descriptions.
func (f *finder) isRare(synonym string, dict lexicon.Dictionary) bool {
	words := strings.Fields(synonym)
	if len(words) > maxSynonym || !endsInNoun(words) {
		return true
	}
	known := len(dict.Synonyms(synonym)) > 0
	for _, w := range words {
		switch {
		case namesNothing(w):
			continue
		case strings.ContainsAny(w, "0123456789"), len(w) < 4 && len(f.Expand(w)) > 0, !known && len(dict.Synonyms(w)) == 0:
			return true
		}
	}
	return false
}

// Weights of [finder.safety], and the least that a synonym needs. They were chosen
// on Spider-Syn's train set, by the share of substitutions that people made too
// and the share of questions that are left.
const (
	perRank    = 0.1
	perWord    = 0.3
	lastRank   = 4 // counts for all behind it
	minSafety  = 0
	safeSecond = 0.5 // of a second term of a question
)

// Cosines that synonyms need: any; one that seems a homonym, since the term comes at
// place homonym of its synonyms or later; one that comes last among the term's.
// Below them people made one in twenty of the substitutions in the train set, above one in
// six.
const (
	minCosine     = 0.2
	homonym       = 2
	homonymCosine = 0.6
	lastCosine    = 0.8
)

// safety grades a synonym, about 0 to 1: by the cosine of its vector and the term's,
// by where the dictionary of the domain has it among the term's synonyms, by where
// it has the term among the synonym's, which tells homonyms ("land" is ground
// first, a country last), and by the words that it adds. Ok is false for what is
// not safe. Without vectors the cosine counts as 1.
func (f *finder) safety(term, synonym string, rank int, dict lexicon.Dictionary) (grade float64, ok bool) {
	cosine := 1.0
	if f.Vectors != nil {
		a, _, _ := lexicon.Phrase(f.Vectors, term)
		b, _, _ := lexicon.Phrase(f.Vectors, synonym)
		cosine = lexicon.Cosine(a, b)
	}
	back := slices.IndexFunc(dict.Synonyms(synonym), func(s string) bool { return lexicon.Normal(s) == term })
	if back < 0 {
		back = lastRank
	}
	if cosine < minCosine || back >= homonym && cosine < homonymCosine || rank >= lastRank && cosine < lastCosine {
		return 0, false
	}
	more := max(0, len(strings.Fields(synonym))-len(strings.Fields(term)))
	grade = cosine - perRank*float64(min(rank, lastRank)+min(back, lastRank)) - perWord*float64(more)
	return grade, grade >= minSafety
}

// isFixed tells whether the words first to last are, with a neighbour, a phrase of
// its own ("staff member", "gold medal"): the vectors have it as one term, or the
// dictionary has synonyms of it. Phrases with a reserved word ("student name") are
// taken to mean what their words do.
func (f *finder) isFixed(first, last int, dict lexicon.Dictionary) bool {
	return f.isPhrase(first-1, last, dict) || f.isPhrase(first, last+1, dict)
}

func (f *finder) isPhrase(first, last int, dict lexicon.Dictionary) bool {
	var words []string
	for i := first; i <= last; i++ {
		w := f.words.Word(i)
		if w == "" || namesNothing(w) || slices.Contains(lexicon.Reserved(), f.words[i].one) {
			return false
		}
		words = append(words, w)
	}
	words[len(words)-1] = f.words[last].one
	phrase := strings.Join(words, " ")
	return f.HasVector(phrase) || len(dict.Synonyms(phrase)) > 0
}

var regularParticiple = regexp.MustCompile(`^.{2,}[^e]ed$`)

// isParticiple tells whether a phrase that ends in the word is one of headers only:
// "nationality held", "date released".
func isParticiple(w string) bool {
	return is("PARTICIPLE", strings.TrimSuffix(w, "s")) || regularParticiple.MatchString(w)
}

// fits tells whether a synonym can stand in the place of the words first to last
// as far as the words around them tell.
func (f *finder) fits(synonym string, first, last int) bool {
	words := strings.Fields(synonym)
	before, after := f.words.Word(first-1), f.words.Word(last+1)
	if words[0] == before || words[len(words)-1] == after {
		return false
	}
	others := slices.Concat(f.words[:first], f.words[last+1:])
	if slices.ContainsFunc(others, func(w word) bool { return w.text == synonym }) {
		return false // the question says it of something else
	}
	for _, w := range words {
		if is("MEASURE", w) && !hasRun(f.run(first, last), w) {
			return false // "the highest number of seats", of a capacity
		}
	}
	return !slices.ContainsFunc(words[1:], english.IsFunction) || !f.modifies(last) && !isNumeral(before)
}

// run returns the words first to last.
func (f *finder) run(first, last int) string {
	var words []string
	for i := first; i <= last; i++ {
		words = append(words, f.words[i].text)
	}
	return strings.Join(words, " ")
}

// isNumeral tells whether a word is a number, in digits or in words.
func isNumeral(w string) bool {
	_, inWords := numeral.Parse(w)
	return inWords || english.IsNumeric(w)
}

// modifies tells whether the word at i stands before a noun that it belongs to,
// or is a possessive: "country code", "the country's". No phrase with a
// preposition can stand there.
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

// inCaseOf returns text with the capitals of what it stands for. A short word in
// capitals is an abbreviation.
func inCaseOf(was, text string) string {
	const shortest = 4
	letters := english.CaseOf(was)
	if letters == english.UpperCase && len(was) < shortest {
		return text
	}
	return letters.Apply(text)
}

func startsLower(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLower(r)
}
