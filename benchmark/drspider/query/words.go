package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// question is a question as tokens. A token within a mention of a text constant of the
// gold SQL is no word: in "the movie The Last Day", "last" is no superlative.
type question struct {
	text     string
	tokens   []english.Token
	words    []string // the tokens in lower case, "" inside text constants
	numerals []numeral.Numeral
}

// newQuestion splits the question of an example.
func newQuestion(ex *perturb.Example) *question {
	q := &question{text: ex.Question, tokens: english.Tokens(ex.Question)}
	var blocked []english.Token
	for _, c := range constants(ex) {
		if !c.isNumber {
			blocked = append(blocked, mentions(q.text, strings.Trim(c.text, "%"))...)
		}
	}
	free := func(start, end int) bool {
		return !slices.ContainsFunc(blocked, func(b english.Token) bool { return start < b.End && end > b.Start })
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

// tokenFrom returns the first token that begins at or after a byte, or -1.
func (q *question) tokenFrom(start int) int {
	return slices.IndexFunc(q.tokens, func(t english.Token) bool { return t.Start >= start })
}

// numeralAt returns the numeral that begins with token i.
func (q *question) numeralAt(i int) (n numeral.Numeral, ok bool) {
	if i < 0 || i >= len(q.tokens) {
		return n, false
	}
	at := slices.IndexFunc(q.numerals, func(n numeral.Numeral) bool { return n.Start == q.tokens[i].Start })
	if at < 0 {
		return n, false
	}
	return q.numerals[at], true
}

// stating returns the numerals with the value v: of 3, "3" and "three".
func (q *question) stating(v float64) []numeral.Numeral {
	return lists.Filter(q.numerals, func(n numeral.Numeral) bool { return n.Value == v })
}

// replace replaces the tokens from first to before end by a text in their letter case,
// and corrects an article before them: "an older" → "a younger". Rule names the rule
// that wrote the text.
func (q *question) replace(first, end int, with, rule string) []perturb.ReplaceSpan {
	return q.replaceBytes(q.tokens[first].Start, q.tokens[end-1].End, english.CaseOf(q.text[q.tokens[first].Start:q.tokens[end-1].End]).Apply(with), rule)
}

// replaceBytes is [question.replace] by positions in bytes, with the text as it is.
func (q *question) replaceBytes(start, end int, with, rule string) []perturb.ReplaceSpan {
	span := func(start, end int, with, rule string) perturb.ReplaceSpan {
		return perturb.ReplaceSpan{Start: start, End: end, Was: q.text[start:end], With: with, From: perturb.Certain(with, "rules", rule)}
	}
	spans := []perturb.ReplaceSpan{span(start, end, with, rule)}
	i := q.tokenFrom(start)
	if i <= 0 || q.tokens[i].Start != start {
		return spans
	}
	before := q.tokens[i-1]
	was := q.text[before.Start:before.End]
	if article, ok := english.FitArticle(was, with); ok {
		spans = append(spans, span(before.Start, before.End, article, "article"))
	}
	return spans
}

// mentions returns where a question has a text verbatim, as whole words. A possessive may
// follow: "Ann's".
func mentions(question, text string) (found []english.Token) {
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
			found = append(found, english.Token{Start: start, End: end})
		}
		at = start + 1
	}
}

var (
	wordBefore = lazyregexp.New(`[\pL\p{Nd}_][-'’]?$`)
	wordAfter  = lazyregexp.New(`^[-'’]?[\pL\p{Nd}_]`)
	possessive = lazyregexp.New(`^['’]s?([^\pL]|$)`)
)

// bounded reports whether a part of a text ends where words do.
func bounded(s string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	switch {
	case inWord(first) && wordBefore.MatchString(s[:start]):
		return false
	case inWord(last) && wordAfter.MatchString(s[end:]):
		return possessive.MatchString(s[end:])
	}
	return true
}

// inWord reports whether a rune is part of a word.
func inWord(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.Nd) }

// wordsOf returns the words of names as a set, in lower case and singular.
func wordsOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		for _, w := range lexicon.Words(name) {
			set[english.Singular(w)] = true
		}
	}
	return set
}
