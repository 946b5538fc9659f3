package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// definiteName matches names that go with "the" wherever they stand.
var definiteName = lazyregexp.New("(?i)^(united .+|(.* )?(" + strings.Join(words.Words("with the at the end"), "|") + ")|" +
	strings.ReplaceAll(strings.Join(words.Words("with the"), "|"), ".", `\.`) + ")$")

// goesWithThe reports whether a name takes "the" in every sentence: "the United States".
func goesWithThe(name string) bool {
	return definiteName.MatchString(strings.Join(strings.Fields(name), " "))
}

// fitsArticle reports whether a text may replace the one at a place of the question
// without a change of article: after "the" the new text must go with "the", as in "in the
// United States", elsewhere it must not need it.
func (q *question) fitsArticle(at english.Token, text string) bool {
	if q.beforeNoun(at) || quoted(q.Text, at) { // the article is the noun's, as in "the Alton airport"
		return true
	}
	old := q.Text[at.Start:at.End]
	if q.Word(q.From(at.Start)-1) == "the" {
		return goesWithThe(text) || sameHead(old, text)
	}
	return goesWithThe(old) || !goesWithThe(text) // where "United States" does without, other such names do too
}

// beforeNoun reports whether a name is followed by the noun that it belongs to ("Alton
// airport"), not by a mark, a possessive ("Alton's") or a function word.
func (q *question) beforeNoun(name english.Token) bool {
	i := slices.IndexFunc(q.Tokens, func(t english.Token) bool { return t.End > name.End })
	if i < 0 || q.Tokens[i].Start < name.End { // nothing follows, or the name ends within a token
		return false
	}
	next := q.Tokens[i].Of(q.Text)
	first, _ := utf8.DecodeRuneInString(next)
	return inWord(first) && !listed("after nouns", strings.ToLower(next))
}

// sameHead reports whether two names of several words end in the same noun: "the
// Ford Motor Company", "the Toyota Company". A text b with a preposition, as "out of town", does not end in its noun.
func sameHead(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	isPhrase := slices.ContainsFunc(y, func(w string) bool { return english.IsPreposition(strings.ToLower(w)) })
	return min(len(x), len(y)) > 1 && !isPhrase && strings.EqualFold(x[len(x)-1], y[len(y)-1])
}
