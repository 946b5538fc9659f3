package heading

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// unsaid are nouns of headings that nobody says in a question for what the heading names, or that mean another thing there: the
// "learner id" of a student, the "display label" of a user.
var unsaid = []string{"learner", "note", "remark", "kind", "label", "sum", "monetary", "header", "cruise", "principal", "class", "identifier", "town"}

// IsUnsaid reports whether a name that replaces another has a noun that no question would say in its place.
func IsUnsaid(name, other string) bool {
	own := strings.Fields(lexicon.Normal(other))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(name)), func(w string) bool {
		return slices.Contains(unsaid, w) && !slices.Contains(own, w)
	})
}
