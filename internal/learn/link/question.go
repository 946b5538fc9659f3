package link

import (
	_ "embed" // words.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed words.txt
var wordText string

var (
	lists   = wordfile.ReadLists(wordText)
	common  = wordfile.Set(lists.Words("common")) // words that are no mention by themselves
	generic = wordfile.Set(lists.Words("table"))  // words for tables, such as "list"
)

// Bounds on the work on one question; what is longer is text.
const (
	maxTokens = 256
	maxWords  = 512
)

// word is a word of a question. A token may hold several ("section_name") or
// none ("?").
type word struct {
	token int
	text  string // lower case, as written
	form  string // as the schema's names have it, see [vocabulary.form]
}

// blocked reports whether no span may hold the word, because it replaces a quotation or a
// punctuation mark.
func (w word) blocked() bool { return w.text == "" }

// vocabulary is the words of a schema's names, singular.
type vocabulary map[string]bool

// form returns the form of a question's word by which it is compared with names: its singular, or a base form
// of it that a name has ("name" for "named").
func (v vocabulary) form(w string) string {
	one := english.Singular(w)
	if v[one] {
		return one
	}
	if lemmas := english.Lemmas(w, func(s string) bool { return v[s] }); len(lemmas) > 0 {
		return lemmas[0]
	}
	return one
}

// words splits the tokens of a question into words. A quotation, or a token without letters and digits, becomes one word
// that no span holds.
func (v vocabulary) words(tokens []string) []word {
	tokens = tokens[:min(len(tokens), maxTokens)]
	words := make([]word, 0, len(tokens))
	for i := 0; i < len(tokens); i++ {
		if end := quotation(tokens, i); end > i {
			words = append(words, word{token: i}) // one blocked word for the whole quotation
			i = end - 1
			continue
		}
		parts := lexicon.Words(strings.ToLower(tokens[i]))
		if len(parts) == 0 {
			words = append(words, word{token: i})
		}
		for _, w := range parts {
			words = append(words, word{token: i, text: w, form: v.form(w)})
		}
	}
	return words[:min(len(words), maxWords)]
}

// quotation returns the position behind the quotation that opens with token i, or
// i where none does or nothing closes it. Spider's tokens have double quotes as
// “ and ”, single ones before the word that they open on ("'Summer", "Show", "'").
func quotation(tokens []string, i int) int {
	t := tokens[i]
	closes := isDoubleQuote
	switch {
	case isDoubleQuote(t):
	case isSingleQuoted(t):
		if len(t) > 2 && endsSingle(t) {
			return i + 1
		}
		closes = func(t string) bool { return slices.Contains([]string{"'", "’"}, t) }
	default:
		return i
	}
	for j := i + 1; j < len(tokens); j++ {
		if closes(tokens[j]) {
			return j + 1
		}
	}
	return i
}

// isDoubleQuote reports whether a token is a double quote in one of its spellings.
func isDoubleQuote(t string) bool { return slices.Contains([]string{"``", "''", `"`, "“", "”"}, t) }

// isSingleQuoted reports whether a single quote opens on the token; clitics ("'s")
// have one too.
func isSingleQuoted(t string) bool {
	return strings.IndexAny(t, "'‘") == 0 && !slices.Contains([]string{"'", "‘", "'s", "'re", "'ll", "'ve", "'d", "'m"}, strings.ToLower(t))
}

// endsSingle reports whether a token ends with a single quote.
func endsSingle(t string) bool { return strings.HasSuffix(t, "'") || strings.HasSuffix(t, "’") }
