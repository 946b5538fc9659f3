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
	*english.Sentence                   // its words are hidden inside text constants
	numerals          []numeral.Numeral // outside text constants
}

// newQuestion splits the question of an example into tokens and finds its numerals. Neither includes the mentions of text constants: the
// words in them are hidden.
func newQuestion(ex *perturb.Example) *question {
	q := &question{Sentence: english.NewSentence(ex.Question)}
	var blocked []english.Token
	for _, c := range constants(ex) {
		if !c.isNumber {
			blocked = append(blocked, mentions(q.Text, strings.Trim(c.text, "%"))...)
		}
	}
	free := func(start, end int) bool {
		return !slices.ContainsFunc(blocked, func(b english.Token) bool { return start < b.End && end > b.Start })
	}
	for i, t := range q.Tokens {
		if !free(t.Start, t.End) {
			q.Hide(i, i+1)
		}
	}
	q.numerals = lists.Filter(numeral.Find(q.Text), func(n numeral.Numeral) bool { return free(n.Start, n.End) })
	return q
}

// numeralAt returns the numeral that begins with token i.
func (q *question) numeralAt(i int) (n numeral.Numeral, ok bool) {
	if i < 0 || i >= len(q.Tokens) {
		return n, false
	}
	at := slices.IndexFunc(q.numerals, func(n numeral.Numeral) bool { return n.Start == q.Tokens[i].Start })
	if at < 0 {
		return n, false
	}
	return q.numerals[at], true
}

// numeralsOf returns the numerals with the value v: of 3, "3" and "three".
func (q *question) numeralsOf(v float64) []numeral.Numeral {
	return lists.Filter(q.numerals, func(n numeral.Numeral) bool { return n.Value == v })
}

// replace replaces the tokens from first to before end by a text in their letter case,
// and corrects an article before them: "an older" → "a younger". Rule names the rule
// that wrote the text.
func (q *question) replace(first, end int, with, rule string) []perturb.ReplaceSpan {
	return q.replaceBytes(q.Tokens[first].Start, q.Tokens[end-1].End, english.CaseOf(q.Span(first, end)).Apply(with), rule)
}

// replaceBytes replaces the bytes from start to before end by a text as it is, and corrects an article before them.
func (q *question) replaceBytes(start, end int, with, rule string) []perturb.ReplaceSpan {
	span := func(start, end int, with, rule string) perturb.ReplaceSpan {
		return perturb.ReplaceSpan{Start: start, End: end, Was: q.Text[start:end], With: with, From: perturb.Certain(with, "rules", rule)}
	}
	spans := []perturb.ReplaceSpan{span(start, end, with, rule)}
	i := q.From(start)
	if i <= 0 || q.Tokens[i].Start != start {
		return spans
	}
	before := q.Tokens[i-1]
	if article, ok := english.FitArticle(before.Of(q.Text), with); ok {
		spans = append(spans, span(before.Start, before.End, article, "article"))
	}
	return spans
}

// addClause returns the edit that inserts a clause at the end of the sentence in which the given edits are, before its mark.
func (q *question) addClause(edits []perturb.ReplaceSpan, clause, rule string) perturb.ReplaceSpan {
	at := len(strings.TrimRight(q.Text, " "))
	for _, t := range q.Tokens {
		if t.Start >= edits[0].End && slices.Contains([]string{"?", ".", "!"}, t.Of(q.Text)) {
			at = t.Start
			break
		}
	}
	for at > 0 && q.Text[at-1] == ' ' { // "concerts ?"
		at--
	}
	return perturb.ReplaceSpan{Start: at, End: at, With: clause, From: perturb.Certain(clause, "rules", rule)}
}

// mentions returns the places where a question has a text verbatim, as whole words. A possessive ending may
// follow: "Ann's". The places may overlap.
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
	// wordBefore matches the end of a word, with a hyphen or apostrophe that may follow it.
	wordBefore = lazyregexp.New(`[\pL\p{Nd}_][-'’]?$`)
	// wordAfter matches the beginning of a word, with a hyphen or apostrophe that may precede it.
	wordAfter = lazyregexp.New(`^[-'’]?[\pL\p{Nd}_]`)
	// possessive matches the ending of a possessive: "'s", "'".
	possessive = lazyregexp.New(`^['’]s?([^\pL]|$)`)
)

// bounded reports whether the part of s from byte start to before byte end begins and ends at word
// boundaries, so that it is made of whole words. A possessive "'s" may follow.
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

// wordsOf returns the set of all words of some names, in lower case and singular.
func wordsOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		for _, w := range lexicon.Words(name) {
			set[english.Singular(w)] = true
		}
	}
	return set
}
