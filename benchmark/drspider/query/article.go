package query

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// definiteName matches names that go with "the" wherever they stand.
var definiteName = lazyregexp.New("(?i)^(united .+|(.* )?(" + strings.Join(words.Words("with the at the end"), "|") + ")|" +
	strings.ReplaceAll(strings.Join(words.Words("with the"), "|"), ".", `\.`) + ")$")

func goesWithThe(name string) bool {
	return definiteName.MatchString(strings.Join(strings.Fields(name), " "))
}

// takesArticle tells whether a text may take the place of the one at a place of the
// question as far as the article goes: "the" before the old one must go with the new
// one too, and where there is none the new one must not need it. Where a noun
// follows, as in "the Alton airport", the article is the noun's.
func (q *question) takesArticle(at english.Token, text string) bool {
	if q.beforeNoun(at) || quoted(q.text, at) {
		return true
	}
	was := q.text[at.Start:at.End]
	if q.word(q.tokenFrom(at.Start)-1) == "the" {
		return goesWithThe(text) || sameHead(was, text)
	}
	return goesWithThe(was) || !goesWithThe(text)
}

// beforeNoun tells whether a name is followed by the noun that it belongs to, rather
// than by a mark or a word of grammar. A possessive is no such noun.
func (q *question) beforeNoun(name english.Token) bool {
	for _, t := range q.tokens {
		if t.End <= name.End {
			continue
		}
		next := q.text[t.Start:t.End]
		switch {
		case t.Start < name.End, !inWord([]rune(next)[0]), listed("after nouns", strings.ToLower(next)):
			return false
		}
		return true
	}
	return false
}

// sameHead tells whether two names of several words end in the same noun: "the
// Ford Motor Company", "the Toyota Company".
func sameHead(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return min(len(x), len(y)) > 1 && strings.EqualFold(x[len(x)-1], y[len(y)-1])
}
