package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// value returns a constant as the data writes it, in quotes if it does not read as
// words of a sentence. Texts that nobody would say, such as a code of one letter, are unsupported.
func (w *writer) value(lit *sqlast.Literal) string {
	text := strings.TrimSpace(lit.Text)
	switch {
	case text == "" || lit.Kind == sqlast.NullLiteral || strings.ContainsAny(text, "\n\r\t"):
		return w.unsupported("a value that cannot be said")
	case len(text) == 1 && lit.Kind == sqlast.StringLiteral && !w.asks(text): // a code that the original question lacks
		return w.unsupported("a code in the place of a word")
	case lit.Kind == sqlast.NumberLiteral:
		return text
	case isPlain(text) && !english.IsFunction(strings.ToLower(text)):
		return text
	}
	return "'" + text + "'"
}

// asks reports whether the original question has a word in this letter case. Without an original question it returns true.
func (w *writer) asks(word string) bool {
	return w.question == "" || slices.ContainsFunc(english.Tokens(w.question), func(t english.Token) bool { return t.Of(w.question) == word })
}

// plainForm matches texts of letters and digits that begin with a capital or a digit.
var plainForm = lazyregexp.New(`^[A-Z0-9[:^ascii:]][-A-Za-z0-9 ./&'[:^ascii:]]*$`)

// isPlain reports whether a value reads as words of a sentence: "New York", not "n/a".
func isPlain(text string) bool {
	return len(text) > 1 && len(strings.Fields(text)) <= 4 && plainForm.MatchString(text)
}
