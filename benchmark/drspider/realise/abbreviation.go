package realise

import (
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// spoken returns a name with its abbreviations written out: "turb model nm" becomes "turbine model name".
func (k *knowledge) spoken(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		words[i] = k.writtenOut(strings.ToLower(word), word)
	}
	return strings.Join(words, " ")
}

// speakNames writes out the abbreviations in the names of the schema. It collects in k.unsaid those that are left and that nobody says,
// except the words of the original question.
func (k *knowledge) speakNames() {
	k.unsaid = map[string]bool{}
	speak := func(name *string) {
		*name = k.spoken(*name)
		for _, word := range strings.Fields(strings.ToLower(*name)) {
			if !k.askedWords[word] && isUnsaid(word) {
				k.unsaid[word], k.unsaid[english.Plural(word)] = true, true
			}
		}
	}
	for t := range k.db.Tables {
		speak(&k.db.Tables[t].Name)
		for c := range k.db.Tables[t].Columns {
			speak(&k.db.Tables[t].Columns[c].Name)
		}
	}
}

// hasUnsaid reports whether a text has a word of k.unsaid. It compares the letter case: names are in lower case, and a
// value such as "M" is no abbreviation.
func (k *knowledge) hasUnsaid(text string) bool {
	return slices.ContainsFunc(english.Tokens(text), func(t english.Token) bool { return k.unsaid[t.Of(text)] })
}

// withAcronyms returns a text with the words in capitals that a question has in capitals, and with the article that fits their letters:
// "an FTE" for "a fte".
func withAcronyms(text, question string) string {
	capitals := map[string]string{}
	for _, t := range english.Tokens(question) {
		if w := t.Of(question); len(w) > 1 && acronym.MatchString(w) {
			capitals[strings.ToLower(w)], capitals[strings.ToLower(w)+"s"] = w, w+"s"
		}
	}
	tokens := english.Tokens(text)
	for i, t := range slices.Backward(tokens) {
		w, ok := capitals[t.Of(text)]
		if !ok || strings.HasSuffix(text[:t.Start], "'") { // a value in quotes stays
			continue
		}
		text = text[:t.Start] + w + text[t.End:]
		if i == 0 {
			continue
		}
		before := tokens[i-1]
		if article, ok := english.FitArticle(before.Of(text), w); ok {
			text = text[:before.Start] + article + text[before.End:]
		}
	}
	return text
}

// acronym matches a word in capitals.
var acronym = lazyregexp.New(`^[A-Z]+$`)

// writtenOut returns the word that an abbreviation, lower in lower case, is short for: a word of the original question or, if that has none,
// the only listed reading. It returns other words as they are.
func (k *knowledge) writtenOut(lower, word string) string {
	readings := lexicon.DefaultAbbreviations().ExpandListed(lower)
	isSaid := k.askedWords[lower] || english.IsFunction(lower) || english.IsUnit(lower) // people use the short form
	if isSaid || len(readings) == 0 && !isUnknown(lower) {
		return word
	}
	for _, asked := range slices.Sorted(maps.Keys(k.askedWords)) {
		if noun := english.Singular(asked); noun != lower && (slices.Contains(readings, noun) || isBeginningOf(lower, noun)) {
			return noun
		}
	}
	if len(readings) == 1 && !strings.Contains(readings[0], " ") && !isWord(lower) && isReadable(lower, readings[0]) {
		return readings[0]
	}
	return word
}

// isWord reports whether the dictionary has a word of three letters or more. Such an abbreviation may also be meant as the word: "net".
func isWord(word string) bool {
	return len(word) > 2 && len(lexicon.DefaultDictionary().Synonyms(word)) > 0
}

// isReadable reports whether people understand an abbreviation of a word: it has three letters or more, or is a usual short form of the
// word ("dt", but not "pp").
func isReadable(short, word string) bool {
	return len(short) > 2 || slices.Contains(lexicon.DefaultAbbreviations().Abbreviate(word), short)
}

// isBeginningOf reports whether short is the beginning of a longer word, of three letters or more and no English word itself: "turb".
func isBeginningOf(short, word string) bool {
	return len(short) > 2 && len(short) < len(word) && strings.HasPrefix(word, short) && isUnknown(short)
}

// isUnsaid reports whether a word is a listed abbreviation that nobody says: no word of the dictionary, function word or unit, and not
// listed as spoken ("id").
func isUnsaid(word string) bool {
	isListed := len(lexicon.DefaultAbbreviations().ExpandListed(word)) > 0
	return isListed && !isWord(word) && !english.IsFunction(word) && !english.IsUnit(word) && !listed("spoken", word)
}
