package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/numeral"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// question is a question as tokens. Tokens that belong to a text constant of the
// gold SQL are words of no other kind.
type question struct {
	text     string
	tokens   []perturb.Token
	words    []string // the tokens in lower case, "" inside text constants
	numerals []numeral.Numeral
}

func newQuestion(ex *perturb.Example) *question {
	q := &question{text: ex.Question, tokens: perturb.Tokens(ex.Question)}
	var blocked []perturb.Token
	for _, c := range constants(ex) {
		if !c.isNumber {
			blocked = append(blocked, mentions(q.text, strings.Trim(c.text, "%"))...)
		}
	}
	free := func(start, end int) bool {
		return !slices.ContainsFunc(blocked, func(b perturb.Token) bool { return start < b.End && end > b.Start })
	}
	for _, t := range q.tokens {
		word := ""
		if free(t.Start, t.End) {
			word = strings.ToLower(q.text[t.Start:t.End])
		}
		q.words = append(q.words, word)
	}
	for _, n := range numeral.Find(q.text) {
		if free(n.Start, n.End) {
			q.numerals = append(q.numerals, n)
		}
	}
	return q
}

// word returns the token i in lower case, or "" outside the question.
func (q *question) word(i int) string {
	if i < 0 || i >= len(q.words) {
		return ""
	}
	return q.words[i]
}

// holds tells whether the words of a phrase stand from token i on, and where
// they end.
func (q *question) holds(i int, phrase string) (end int, ok bool) {
	for w := range strings.FieldsSeq(phrase) {
		if q.word(i) != w {
			return 0, false
		}
		i++
	}
	return i, true
}

// numeralAt returns the numeral that begins with token i.
func (q *question) numeralAt(i int) (numeral.Numeral, bool) {
	for _, n := range q.numerals {
		if i >= 0 && i < len(q.tokens) && n.Start == q.tokens[i].Start {
			return n, true
		}
	}
	return numeral.Numeral{}, false
}

// stating returns the numerals with the value v.
func (q *question) stating(v float64) (found []numeral.Numeral) {
	for _, n := range q.numerals {
		if n.Value == v {
			found = append(found, n)
		}
	}
	return found
}

// replace puts with in the place of the tokens from first to before end, with
// their capitals, and mends an article before them.
func (q *question) replace(first, end int, with, rule string) []perturb.ReplaceSpan {
	return q.replaceBytes(q.tokens[first].Start, q.tokens[end-1].End, like(with, q.text[q.tokens[first].Start:q.tokens[end-1].End]), rule)
}

func (q *question) replaceBytes(start, end int, with, rule string) []perturb.ReplaceSpan {
	spans := []perturb.ReplaceSpan{{Start: start, End: end, Was: q.text[start:end], With: with, From: written(with, rule)}}
	for i, t := range q.tokens {
		if t.Start != start || i == 0 {
			continue
		}
		before := q.tokens[i-1]
		was := q.text[before.Start:before.End]
		article := "a"
		if vowelSound(with) {
			article = "an"
		}
		if w := strings.ToLower(was); (w == "a" || w == "an") && w != article {
			article = like(article, was)
			if len(was) == 1 && was == "A" {
				article = "An"
			}
			spans = append(spans, perturb.ReplaceSpan{Start: before.Start, End: before.End, Was: was, With: article, From: written(article, "article")})
		}
	}
	return spans
}

// like gives a text the capitals of the one whose place it takes.
func like(text, was string) string {
	first, _ := utf8.DecodeRuneInString(was)
	switch {
	case text == "" || !unicode.IsUpper(first):
		return text
	case len(was) > 1 && strings.ToUpper(was) == was && strings.ToLower(was) != was:
		return strings.ToUpper(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}

// vowelSound tells whether a text is spoken with a vowel first, as far as its
// letters tell.
func vowelSound(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	if digits := strings.TrimRight(strings.TrimRight(first, "abcdefghijklmnopqrstuvwxyz"), ","); digits != "" && digits[0] >= '0' && digits[0] <= '9' {
		return digits[0] == '8' || digits == "11" || digits == "18"
	}
	lower := strings.ToLower(first)
	for _, p := range []string{"uni", "use", "usu", "eu", "one", "once"} {
		if strings.HasPrefix(lower, p) {
			return false
		}
	}
	for _, p := range []string{"hour", "honest", "honor", "heir"} {
		if strings.HasPrefix(lower, p) {
			return true
		}
	}
	if len(first) > 1 && len(first) < 5 && strings.ToUpper(first) == first {
		return strings.ContainsAny(first[:1], "AEFHILMNORSX") // spelt out: "an FBI", "a UN"
	}
	return lower != "" && strings.ContainsAny(lower[:1], "aeiou")
}

// mentions returns where a text stands in a question as it is, bounded by what
// is no part of a word. A possessive may follow.
func mentions(question, text string) (found []perturb.Token) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for at := 0; ; {
		i := strings.Index(question[at:], text)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(text)
		if bounded(question, start, end) {
			found = append(found, perturb.Token{Start: start, End: end})
		}
		at = start + 1
	}
}

func bounded(s string, start, end int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:start])
	beyond, _ := utf8.DecodeLastRuneInString(s[:start-size])
	after, size := utf8.DecodeRuneInString(s[end:])
	rest := s[end+size:]
	further, _ := utf8.DecodeRuneInString(rest)
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	possessive := (after == '\'' || after == '’') && (strings.HasPrefix(rest, "s") && !letterAt(rest, 1) || !letterAt(rest, 0))
	switch {
	case inWord(first) && inWord(before), inWord(last) && inWord(after):
		return false
	case joins(before) && inWord(beyond) && inWord(first):
		return false
	case joins(after) && inWord(further) && inWord(last):
		return possessive
	}
	return true
}

func letterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[min(i, len(s)):])
	return unicode.IsLetter(r)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func joins(r rune) bool { return r == '-' || r == '\'' || r == '’' }

// wordsOf returns the words of names, singular, as a set.
func wordsOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		for _, w := range lexicon.Words(name) {
			set[lexicon.Singular(w)] = true
		}
	}
	return set
}
