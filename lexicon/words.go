package lexicon

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// signs maps characters that people write in a column name in place of a word to that word.
var signs = map[rune]string{
	'#': "number",
	'№': "number",
	'%': "percent",
	'$': "dollar",
	'€': "euro",
	'£': "pound",
	'¥': "yen",
	'&': "and",
	'@': "at",
}

// Words splits a column name, of SQL or of a web table, into lower-case words:
//
//	"Home_Town"    home town        "date of birth (UTC)"  date of birth utc
//	"StuID"        stu id           "address1"             address 1
//	"HTTPServers"  http servers     "men's 4x100"          men 4 x 100
//	"No. of wins"  number of wins   "% change"             percent change
//
// It splits at punctuation and blanks, where camel case changes, and between
// letters and digits, but keeps ordinals ("1st"), decimals ("3.5") and plural
// acronyms ("IDs") whole. '#', "no." and "nr." read "number"; '%', '$' and '&'
// read as words. Accents on Latin letters are dropped; other scripts stay.
// Text that is not valid UTF-8 loses the broken bytes.
func Words(name string) []string {
	s := scanner{rest: []rune(fold(name))}
	for len(s.rest) > 0 {
		s.next()
	}
	return s.words
}

// NaturalName returns the words of an SQL name with blanks between them, or the name as it is if it has no words.
func NaturalName(name string) string {
	return cmp.Or(strings.Join(Words(name), " "), name)
}

// Normal is the form in which two names are the same name: their words in
// order, each singular, joined by blanks. It ignores case, punctuation and
// plurals, not word order.
func Normal(name string) string {
	words := Words(name)
	for i, w := range words {
		words[i] = english.Singular(w)
	}
	return strings.Join(words, " ")
}

// WordSet returns the words of a name in their singular, sorted, without "of". Names with equal sets
// differ only in the order of their words: "birth date", "date of birth".
func WordSet(name string) string {
	words := slices.DeleteFunc(strings.Fields(Normal(name)), func(w string) bool { return w == "of" })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// SameSpelling reports whether two synonyms are spellings of one word, by their consonants: "adviser" and "advisor", "colour" and
// "color", "enrolment" and "enrollment". It is also true of some words that are no synonyms ("data", "date").
func SameSpelling(a, b string) bool { return consonants(a) == consonants(b) }

// consonants returns the letters that spellings of one word share: those of its normal form without vowels and y, with s for z
// and l for ll.
func consonants(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(Normal(name), "z", "s"), "ll", "l")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiouy ", r) {
			return -1
		}
		return r
	}, name)
}

// asides are parts of headers that are no part of a name: units, footnotes, the
// plural in "note (s)".
var asides = lazyregexp.New(`\([^()]*\)|\[[^\[\]]*\]`)

// Bare returns a header without units, footnotes and other text in brackets: "price (USD)" → "price"; "" if nothing is left.
func Bare(header string) string {
	if !strings.ContainsAny(header, "([") {
		return strings.Join(strings.Fields(header), " ")
	}
	return strings.Join(strings.Fields(asides.ReplaceAllString(header, " ")), " ")
}

// fold drops broken bytes and the accents of Latin letters, and writes ’ as '.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	s = norm.NFD.String(strings.ToValidUTF8(s, ""))
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36f: // a combining accent
			return -1
		case r == '’':
			return '\''
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

// isASCII reports whether a text has ASCII characters only.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// scanner splits off words from the front of rest.
type scanner struct {
	rest  []rune // what was not read yet
	words []string
}

// next takes a number, a word or one other character.
func (s *scanner) next() {
	r := s.rest[0]
	switch {
	case unicode.IsDigit(r):
		s.scanNumber()
	case unicode.IsLetter(r):
		s.scanLetters()
	default:
		if w, ok := signs[r]; ok {
			s.words = append(s.words, w)
		}
		s.rest = s.rest[1:]
	}
}

// scanNumber takes digits with inner points and thousands commas, and the suffix of
// an ordinal.
func (s *scanner) scanNumber() {
	var b strings.Builder
	i := 0
	for ; i < len(s.rest); i++ {
		r, after := s.rest[i], s.rest[i+1:]
		inner := len(after) > 0 && unicode.IsDigit(after[0])
		if r == ',' && countLeading(after, unicode.IsDigit) == 3 { // thousands
			continue
		}
		if isPoint := r == '.' && inner; !isPoint && !unicode.IsDigit(r) {
			break
		}
		b.WriteRune(r)
	}
	if n := ordinalSuffix(s.rest[i:]); n > 0 {
		b.WriteString(strings.ToLower(string(s.rest[i : i+n])))
		i += n
	}
	s.words = append(s.words, b.String())
	s.rest = s.rest[i:]
}

// countLeading returns the number of runes at the front that satisfy is.
func countLeading(runes []rune, is func(rune) bool) int {
	for i, r := range runes {
		if !is(r) {
			return i
		}
	}
	return len(runes)
}

// ordinalSuffix returns the length of the ordinal suffix, such as "st", that rest starts with, or 0.
func ordinalSuffix(rest []rune) int {
	switch {
	case len(rest) < 2, len(rest) > 2 && unicode.IsLetter(rest[2]):
		return 0
	case slices.Contains([]string{"st", "nd", "rd", "th"}, strings.ToLower(string(rest[:2]))):
		return 2
	}
	return 0
}

// scanLetters takes one word of a run of letters: up to the next camel-case change, with an inner apostrophe ("o'clock"),
// without a possessive one ("men's" → "men"). "no." and "nr." are "number".
func (s *scanner) scanLetters() {
	n := camelWord(s.rest[:countLeading(s.rest, isWordRune)])
	word := strings.ToLower(string(s.rest[:n]))
	s.rest = s.rest[n:]
	if len(s.rest) > 1 && s.rest[0] == '\'' && isWordRune(s.rest[1]) {
		tail := s.rest[1:] // after the apostrophe
		n := countLeading(tail, isWordRune)
		if n > 1 || unicode.ToLower(tail[0]) != 's' { // not the possessive 's, which is dropped
			word += "'" + strings.ToLower(string(tail[:n]))
		}
		s.rest = tail[n:]
	}
	if (word == "no" || word == "nr") && len(s.rest) > 0 && s.rest[0] == '.' {
		word = "number"
	}
	s.words = append(s.words, word)
}

// isWordRune reports whether a rune is a letter or a combining mark of one.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// camelWord returns the length of the first camel-case word of a run of letters: 4 for "homeTown", 4 for "HTTPServer", 3 for
// "IDs" and 2 for "kW".
func camelWord(run []rune) int {
	upper := func(i int) bool { return unicode.IsUpper(run[i]) }
	if len(run) <= 3 && len(run) > 1 && !upper(0) && upper(1) {
		return len(run) // units: pH, kW, kHz
	}
	for i := 1; i < len(run); i++ {
		beforeLower := i+1 < len(run) && !upper(i+1) && !unicode.IsMark(run[i+1])
		switch {
		case !upper(i-1) && upper(i):
			return i
		case upper(i-1) && upper(i) && beforeLower: // a word begins after an acronym
			if i+2 == len(run) && run[i+1] == 's' {
				return len(run) // plural acronym: IDs
			}
			return i
		}
	}
	return len(run)
}

// Key returns the form under which a [Vectors] table holds a term: the term's
// words joined by single blanks. Case does not split words here.
func Key(term string) string { return strings.Join(Words(strings.ToLower(term)), " ") }
