package questionpair

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Bounds on what is read of a question; the rest is not looked at.
const (
	maxBytes = 4096
	maxWords = 160
	maxQuote = 120 // bytes between quotation marks that quote a value
)

// word is a word, number or date of a question as written.
type word struct {
	text   string // lower case, without accents
	proper bool   // capital letter inside a sentence
	quoted bool   // between quotation marks
	start  bool   // first of a sentence
	listed bool   // after a comma
}

// split cuts a question into words. Marks are left out; contractions with "not"
// are two words, a possessive 's goes, dates and times stay whole.
func split(question string) []word {
	if len(question) > maxBytes {
		question = question[:maxBytes]
	}
	s := splitter{rest: []rune(fold(question)), start: true}
	for len(s.rest) > 0 && len(s.words) < maxWords {
		s.next()
	}
	return demote(s.words)
}

// fold drops broken bytes and accents and unifies quotation marks.
func fold(s string) string {
	s = norm.NFD.String(strings.ToValidUTF8(s, " "))
	s = strings.NewReplacer("``", `"`, "''", `"`, "’", "'", "‘", "'", "“", `"`, "”", `"`, "`", "'").Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}

// demote clears proper in a question of more than four words most of which have a capital, as in a title: there capitals mark no names.
func demote(words []word) []word {
	capitals := len(lists.Filter(words, func(w word) bool { return w.proper }))
	if 2*capitals > len(words) && len(words) > 4 {
		for i := range words {
			words[i].proper = false
		}
	}
	return words
}

// splitter splits a question into words.
type splitter struct {
	rest  []rune // what is not read yet
	words []word
	start bool // the next word is the first of a sentence
	comma bool // since the last word
	quote rune // the mark that closes the quotation, 0 outside
	prior rune // the last rune taken
}

// next reads a number, a word or a mark.
func (s *splitter) next() {
	r := s.rest[0]
	switch {
	case unicode.IsDigit(r), strings.ContainsRune("-.", r) && s.digitAt(1) && !isWord(s.prior): // "-3" and ".5", but not "a-3"
		s.number()
	case unicode.IsLetter(r):
		s.letters()
	default:
		s.mark(r)
		s.take(1)
	}
}

// digitAt reports whether the rune i of the rest is a digit.
func (s *splitter) digitAt(i int) bool { return i < len(s.rest) && unicode.IsDigit(s.rest[i]) }

// take returns the first n runes of the rest and moves past them.
func (s *splitter) take(n int) string {
	text := string(s.rest[:n])
	s.prior = s.rest[n-1]
	s.rest = s.rest[n:]
	return text
}

// isWord reports whether a rune is a letter or a digit.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// mark reads a mark: it opens or closes a quotation, ends a sentence, or is read as a word ("%" for percent).
func (s *splitter) mark(r rune) {
	switch r {
	case '"', '\'':
		switch {
		case s.quote == r:
			s.quote = 0
		case s.quote == 0 && !isWord(s.prior) && s.closes(r):
			s.quote = r
		}
	case '?', '.', '!', ':', ';':
		s.start = s.quote == 0 // none ends inside a quotation
	case ',':
		s.comma = true
	case '%':
		s.words = append(s.words, word{text: "percent"})
	case '<', '>', '=':
		s.words = append(s.words, word{text: map[rune]string{'<': "below", '>': "above", '=': "equals"}[r]})
	}
}

// closes reports whether the quotation that opens with mark is closed within maxQuote, by the same mark at
// the end of a word.
func (s *splitter) closes(mark rune) bool {
	for i := 2; i < len(s.rest) && i < maxQuote; i++ { // after the mark and a character
		if s.rest[i] == mark && (i+1 == len(s.rest) || !isWord(s.rest[i+1])) {
			return true
		}
	}
	return false
}

// number reads digits with the marks inside a number, a date or a time ("1,200", "2001-05-03",
// "10:30"), and the letters that follow ("3rd").
func (s *splitter) number() {
	n := 1
	for n < len(s.rest) {
		inner := strings.ContainsRune(".,/:-", s.rest[n]) && s.digitAt(n+1)
		if !isWord(s.rest[n]) && !inner {
			break
		}
		n++
	}
	s.add(strings.ToLower(s.take(n)), false)
}

// letters reads a word of letters and digits with what follows an apostrophe in it: "don't" is "do" and
// "not", a possessive or contracted ending is dropped, "O'Neill" is one word.
func (s *splitter) letters() {
	capital := unicode.IsUpper(s.rest[0])
	raw := s.take(leading(s.rest, isWord))
	text := strings.ToLower(raw)
	if raw == "US" {
		text = "usa"
	}
	if len(s.rest) < 2 || s.rest[0] != '\'' || !unicode.IsLetter(s.rest[1]) { // no apostrophe with letters follows
		s.add(text, capital)
		return
	}
	m := 1 + leading(s.rest[1:], unicode.IsLetter)
	tail := strings.ToLower(string(s.rest[1:m]))
	if s.quote == '\'' && len(tail) > 2 {
		s.add(text, capital) // the mark closes the quotation
		return
	}
	s.take(m)
	switch stem, negated := strings.CutSuffix(text, "n"); {
	case tail == "t" && negated:
		if stem == "ca" || stem == "wo" { // "can't", "won't"
			stem += "n"
		}
		if stem != "" { // "do n't", as tokenised text has it
			s.add(stem, capital)
		}
		s.add("not", false)
	case len(tail) <= 2: // 's, 're, 've, 'll, 'd, 'm
		s.add(text, capital)
	default: // O'Neill
		s.add(text+tail, capital)
	}
}

// leading returns the number of runes at the start of text for which holds returns true.
func leading(text []rune, holds func(rune) bool) int {
	n := slices.IndexFunc(text, func(r rune) bool { return !holds(r) })
	if n < 0 {
		return len(text)
	}
	return n
}

// add appends a word with what was read before it: a quotation mark, a comma.
func (s *splitter) add(text string, capital bool) {
	quoted := s.quote != 0
	s.words = append(s.words, word{text: text, proper: capital && !s.start && !quoted, quoted: quoted, start: s.start && !quoted, listed: s.comma})
	s.start, s.comma = false, false
}
