package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jinzhu/inflection"

	"github.com/tabperturb/tabperturb/internal/english"
)

// sentence is a question by its tokens, for rules that match words.
type sentence struct {
	text string
	toks []english.Token
	low  []string // the tokens in lower case
}

func newSentence(text string) sentence {
	s := sentence{text: text, toks: english.Tokens(text)}
	s.low = make([]string, len(s.toks))
	for i, t := range s.toks {
		s.low[i] = strings.ToLower(text[t.Start:t.End])
	}
	return s
}

// at returns the token i in lower case, "" outside the question.
func (s sentence) at(i int) string {
	if i < 0 || i >= len(s.low) {
		return ""
	}
	return s.low[i]
}

// is tells whether the token i is one of the words.
func (s sentence) is(i int, words ...string) bool {
	return i >= 0 && i < len(s.low) && slices.Contains(words, s.low[i])
}

// skip returns the first position from i on whose token is none of the words.
func (s sentence) skip(i int, words ...string) int {
	for s.is(i, words...) {
		i++
	}
	return i
}

// has tells whether the words of the phrase stand at i.
func (s sentence) has(i int, phrase string) bool {
	n := i
	for w := range strings.FieldsSeq(phrase) {
		if s.at(n) != w {
			return false
		}
		n++
	}
	return n > i
}

// firstOf returns the end of the first of the phrases that stands at i, longer
// ones before shorter, or false.
func (s sentence) firstOf(i int, phrases []string) (end int, ok bool) {
	for _, p := range phrases {
		if s.has(i, p) {
			return i + strings.Count(p, " ") + 1, true
		}
	}
	return i, false
}

// span returns the text of the tokens from i to before j.
func (s sentence) span(i, j int) string {
	if i < 0 || j > len(s.toks) || i >= j {
		return ""
	}
	return s.text[s.toks[i].Start:s.toks[j-1].End]
}

// from returns the first token that begins at a position or behind it, or -1.
func (s sentence) from(start int) int {
	return slices.IndexFunc(s.toks, func(t english.Token) bool { return t.Start >= start })
}

// last returns the position after the last token that is no closing mark.
func (s sentence) last() int {
	n := len(s.low)
	for n > 0 && s.is(n-1, ".", "?", "!") {
		n--
	}
	return n
}

// with returns the question with other words for the tokens from i to before j,
// and the article before them fitted; the question itself where there are none.
func (s sentence) with(i, j int, words string) string {
	if i < 0 || j < i || j > len(s.toks) {
		return s.text
	}
	before, after := s.text, ""
	if i < len(s.toks) {
		before = s.text[:s.toks[i].Start]
	}
	if j > 0 {
		after = s.text[s.toks[j-1].End:]
	}
	if next := words; s.is(i-1, "a", "an") {
		if next == "" {
			next = strings.TrimSpace(after)
		}
		before = s.text[:s.toks[i-1].Start] + matchCase(article(next), s.span(i-1, i)) + " "
	}
	if strings.HasSuffix(words, ".") { // "in the U.S." ends the sentence, too
		after = strings.TrimPrefix(after, ".")
	}
	return tidy(before + words + after)
}

// isContent tells whether the token i is a word that is no function word.
func (s sentence) isContent(i int) bool {
	w := s.at(i)
	if w == "" || functionWords[w] {
		return false
	}
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsLetter(r)
}

func isNumeric(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// functionWords end noun phrases. Verbs that begin questions are among them.
var functionWords = wordSet(words.Words("function"))

func wordSet(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// article returns the indefinite article before words.
func article(words string) string {
	w, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(words, `"' `)), " ")
	for _, p := range []string{"hour", "honest", "honor", "honour", "heir"} {
		if strings.HasPrefix(w, p) {
			return "an"
		}
	}
	for _, p := range []string{"uni", "use", "usa", "euro", "one", "once", "u.s", "us", "ufo", "url", "utility"} {
		if strings.HasPrefix(w, p) && !strings.HasPrefix(w, "unin") && !strings.HasPrefix(w, "unim") && w != "usher" {
			return "a"
		}
	}
	if w != "" && strings.ContainsRune("aeiou8", rune(w[0])) || w == "11" || w == "18" || w == "mpg" {
		return "an"
	}
	return "a"
}

// matchCase returns words with a capital where was begins with one.
func matchCase(words, was string) string {
	r, _ := utf8.DecodeRuneInString(was)
	if !unicode.IsUpper(r) || len(was) > 1 && strings.ToUpper(was) == was {
		return words
	}
	return capital(words)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// tidy leaves one blank between words, none before a mark that closes, and
// begins the question with a capital.
func tidy(q string) string {
	q = strings.Join(strings.Fields(q), " ")
	for _, mark := range []string{",", ".", "?", "!", ";"} {
		q = strings.ReplaceAll(q, " "+mark, mark)
	}
	return capital(q)
}

// asked returns words as a question, ordered as a request.
func asked(words string) string   { return tidy(trimEnd(words) + "?") }
func ordered(words string) string { return tidy(trimEnd(words) + ".") }

func trimEnd(words string) string { return strings.TrimRight(words, " .?!,;") }

// plural and singular inflect the last word of a noun phrase. What has no other
// form stays.
func plural(noun string) string {
	head, last := cutLast(noun)
	if isPlural(last) {
		return noun
	}
	switch lower := strings.ToLower(last); {
	case slices.Contains(words.Words("uncounted"), lower):
		return noun
	case lower == "person":
		return head + "people"
	case slices.Contains(words.Words("latin"), lower):
		return head + last + "s"
	}
	return head + inflection.Plural(last)
}

func singular(noun string) string {
	head, last := cutLast(noun)
	if !isPlural(last) {
		return noun
	}
	if s := english.Singular(strings.ToLower(last)); !strings.EqualFold(s, last) {
		return head + matchCase(s, last)
	}
	return noun
}

func cutLast(noun string) (head, last string) {
	if i := strings.LastIndexByte(noun, ' '); i >= 0 {
		return noun[:i+1], noun[i+1:]
	}
	return "", noun
}

// isPlural tells whether a noun phrase ends with a plural.
func isPlural(noun string) bool {
	_, last := cutLast(strings.ToLower(noun))
	switch last {
	case "people", "men", "women", "children", "staff":
		return true
	case "series", "species", "news", "gas", "status", "address", "class", "bus":
		return false
	}
	return english.Singular(last) != last
}

// isPerson tells whether a noun phrase is of people.
func isPerson(noun string) bool {
	_, last := cutLast(strings.ToLower(singular(noun)))
	return people()[last]
}
