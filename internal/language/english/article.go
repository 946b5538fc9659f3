package english

import (
	_ "embed" // articles.txt
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed articles.txt
var articleText string

// beginnings maps the beginning of a word to the article before the word, where
// its first letter would give the other one.
var beginnings = sync.OnceValue(func() map[string]string {
	m := make(map[string]string)
	for article, list := range wordfile.ReadLists(articleText) {
		for _, beginning := range list {
			m[beginning] = article
		}
	}
	return m
})

// Article returns the indefinite article before a text, "a" or "an", by how its
// first word is probably spoken: by a list of beginnings ("hour"), else by its first letter or digit.
func Article(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, "\"'` "), " ")
	lower := strings.ToLower(word)
	for n := len(lower); n > 0; n-- {
		if article, ok := beginnings()[lower[:n]]; ok {
			return article
		}
	}
	vowels := "aeiou8" // "eight"
	if isSpelled(word) {
		vowels = "aefhilmnorsx8" // by the names of the letters: "an FBI"
	}
	if eleven.MatchString(lower) || strings.IndexAny(lower, vowels) == 0 {
		return "an"
	}
	return "a"
}

// isSpelled reports whether a word seems to be spoken letter by letter: "FBI".
func isSpelled(word string) bool {
	return len(word) > 1 && len(word) < 5 && strings.ToUpper(word) == word
}

// eleven matches numbers that are spoken with "eleven" or "eighteen" first: "18th",
// "11,000".
var eleven = lazyregexp.New(`^1[18]\pL*(,|$)`)

// otherArticle maps each indefinite article to the one that it may have to become.
var otherArticle = map[string]string{"a": "an", "an": "a"}

// FitArticle returns the indefinite article for a text in the place of was, the article before it, with the capitals of
// was: "An" for "A" before "old car". ok is false if was fits, or is no indefinite article.
func FitArticle(was, text string) (article string, ok bool) {
	article = Article(text)
	if otherArticle[strings.ToLower(was)] != article {
		return "", false
	}
	if startsUpper(was) {
		article = Capital(article)
	}
	return article, true
}
