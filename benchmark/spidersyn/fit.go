package spidersyn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/lexicon"
)

// isVerb tells whether the words first to last seem to be used as a verb, as the
// word before tells ("do they teach", "to order"), or the imperative of a
// question ("Show the …").
func (f *finder) isVerb(first, last int) bool {
	if first == 0 {
		return slices.Contains([]string{"the", "all", "each", "every", "me", "us", "how", "what", "which"}, f.text(last+1))
	}
	switch f.text(first - 1) {
	case "they", "we", "i", "you", "he", "she", "it", "who", "not", "please":
		return true
	case "to": // "flights to airports"
		return f.words[first].text == f.words[first].one
	}
	return false
}

// text returns the i-th word, or "" for marks and beyond the question.
func (f *finder) text(i int) string {
	if i < 0 || i >= len(f.words) {
		return ""
	}
	return f.words[i].text
}

// maxSynonym bounds the words of a synonym: longer ones describe.
const maxSynonym = 4

// Ranks of [finder.rarity].
const (
	usual = iota
	plain
	rare
)

// rarity ranks a synonym by whether people would say it; Spider-Syn uses the 20,000
// most common words. The dictionary has no counts, but what has an entry of its own
// is a word of headers itself ("nation", not "sovereign state"); then come phrases
// of such words. All else is rare, as are abbreviations and long descriptions.
func (f *finder) rarity(synonym string, dict lexicon.Dictionary) int {
	words := strings.Fields(synonym)
	if len(words) == 0 || len(words) > maxSynonym || isFunction(words[len(words)-1]) || isParticiple(words[len(words)-1]) {
		return rare
	}
	known := len(dict.Synonyms(synonym)) > 0
	for _, w := range words {
		if isFunction(w) || isMeasure(w) {
			continue
		}
		if strings.ContainsAny(w, "0123456789") || len(w) < 4 && f.abbreviates(w) || !known && len(dict.Synonyms(w)) == 0 {
			return rare
		}
	}
	if known {
		return usual
	}
	return plain
}

// isParticiple tells whether a phrase that ends in the word is one of headers only:
// "nationality held", "date released".
func isParticiple(w string) bool {
	switch strings.TrimSuffix(w, "s") {
	case "born", "held", "given", "won", "lost", "made", "paid", "sold", "spent", "known", "taken", "written", "sent", "bought", "begun", "left", "met":
		return true
	}
	return len(w) > 4 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed")
}

func (f *finder) abbreviates(w string) bool {
	return f.Abbreviations != nil && len(f.Abbreviations.Expand(w)) > 0
}

// fits tells whether a synonym can stand in the place of the words first to last
// as far as the words around them tell.
func (f *finder) fits(synonym string, first, last int) bool {
	words := strings.Fields(synonym)
	before, after := f.text(first-1), f.text(last+1)
	if words[0] == before || words[len(words)-1] == after {
		return false
	}
	for i, w := range f.words {
		if (i < first || i > last) && w.text != "" && !isFunction(w.text) && len(words) == 1 && w.text == words[0] {
			return false // the question says it of something else
		}
	}
	switch {
	case !slices.ContainsFunc(words[1:], isFunction):
		return true
	case f.modifies(last) || isNumeral(before):
		return false
	}
	return !isMeasure(words[0]) || before != "many" && (before != "of" || !isMeasure(f.text(first-2)))
}

// isNumeral tells whether a word is a number in digits, or one of the first in
// words.
func isNumeral(w string) bool {
	return w != "" && (w[0] >= '0' && w[0] <= '9' ||
		slices.Contains([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}, w))
}

// modifies tells whether the word at i stands before a noun that it belongs to,
// or is a possessive: "country code", "the country's". No phrase with a
// preposition can stand there.
func (f *finder) modifies(i int) bool {
	w := f.words[i]
	if rest := f.question[w.end:]; strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’") {
		return true
	}
	if i+1 >= len(f.words) || f.words[i+1].text == "" {
		return false
	}
	next := f.words[i+1].token
	for _, s := range f.spans {
		if next >= s.Start && next < s.End {
			return true
		}
	}
	return false
}

// inCaseOf returns text with capitals where was has them: in all of its letters,
// at the beginning of each word, or at its beginning.
func inCaseOf(was, text string) string {
	const shout = 4 // shorter words in capitals are abbreviations
	words := strings.Fields(was)
	switch first, _ := utf8.DecodeRuneInString(was); {
	case was == strings.ToUpper(was) && len(was) >= shout:
		return strings.ToUpper(text)
	case !unicode.IsUpper(first) || was == strings.ToUpper(was) && len(was) > 1:
		return text
	case len(words) > 1 && !slices.ContainsFunc(words, startsLower):
		parts := strings.Fields(text)
		for i, p := range parts {
			parts[i] = capital(p)
		}
		return strings.Join(parts, " ")
	}
	return capital(text)
}

func startsLower(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLower(r)
}

func capital(w string) string {
	r, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[size:]
}

// article returns the form of an indefinite article before text, in the case of
// was; ok is false where was is none or has the form already.
func article(was, text string) (form string, ok bool) {
	form = "a"
	if startsWithVowel(strings.ToLower(text)) {
		form = "an"
	}
	if lower := strings.ToLower(was); lower != "a" && lower != "an" || lower == form {
		return "", false
	}
	if unicode.IsUpper(rune(was[0])) {
		form = capital(form)
	}
	return form, true
}

// startsWithVowel tells whether a word begins with the sound of a vowel.
func startsWithVowel(w string) bool {
	for _, p := range []string{"uni", "use", "usa", "usu", "uti", "euro", "one ", "once", "ubi"} {
		if strings.HasPrefix(w, p) && !strings.HasPrefix(w, "unin") && !strings.HasPrefix(w, "unim") {
			return false
		}
	}
	for _, p := range []string{"hour", "honor", "honour", "honest", "heir"} {
		if strings.HasPrefix(w, p) {
			return true
		}
	}
	return w != "" && strings.ContainsRune("aeiou", rune(w[0]))
}
