package question

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// sentence is a question for rules that match words.
type sentence struct{ *english.Sentence }

// newSentence splits a question into its tokens.
func newSentence(text string) sentence { return sentence{english.NewSentence(text)} }

// last returns the position after the last token that is no closing mark.
func (s sentence) last() int {
	n := len(s.Words)
	for n > 0 && s.Is(n-1, ".", "?", "!") {
		n--
	}
	return n
}

// with returns the question with other words for the tokens from i to before j,
// and with the article before them fitted ("an" before "older"). For positions outside the question it returns the question.
func (s sentence) with(i, j int, words string) string {
	if i < 0 || j < i || j > len(s.Tokens) {
		return s.Text
	}
	before, after := s.Text, ""
	if i < len(s.Tokens) {
		before = s.Text[:s.Tokens[i].Start]
	}
	if j > 0 {
		after = s.Text[s.Tokens[j-1].End:]
	}
	if next := words; s.Is(i-1, "a", "an") {
		if next == "" { // the article is that of the words left
			next = strings.TrimSpace(after)
		}
		before = s.Text[:s.Tokens[i-1].Start] + matchCase(english.Article(next), s.Span(i-1, i)) + " "
	}
	if strings.HasSuffix(words, ".") { // "in the U.S." ends the sentence, too
		after = strings.TrimPrefix(after, ".")
	}
	return english.Tidy(before + words + after)
}

// isContent reports whether the token i is a word that is no function word.
func (s sentence) isContent(i int) bool {
	w := s.Word(i)
	if w == "" || functionWords[w] {
		return false
	}
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLetter(r)
}

// functionWords end noun phrases. Verbs that begin questions are among them.
var functionWords = wordfile.Set(words.Words("function"))

// matchCase returns words with a capital where was begins with one.
func matchCase(words, was string) string {
	switch english.CaseOf(was) {
	case english.Capitalized, english.TitleCase:
		return english.Capital(words)
	}
	return words
}

// asQuestion returns words as a sentence that ends with a question mark.
func asQuestion(words string) string { return english.Tidy(trimEnd(words) + "?") }

// asRequest returns words as a sentence that ends with a full stop.
func asRequest(words string) string { return english.Tidy(trimEnd(words) + ".") }

// trimEnd returns words without blanks and marks at their end.
func trimEnd(words string) string { return strings.TrimRight(words, " .?!,;") }

// isPerson reports whether a noun phrase is of people.
func isPerson(noun string) bool {
	noun = strings.ToLower(english.SingularPhrase(noun))
	return people()[noun[strings.LastIndexByte(noun, ' ')+1:]]
}
