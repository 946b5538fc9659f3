package heading

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/unsaid.txt
var unsaidText string

var unsaid = sync.OnceValue(func() map[string]bool { return wordfile.ReadSet(unsaidText) })

// IsUnsaid reports whether a name has a word that questions do not use (data/unsaid.txt) and that other, the name it replaces,
// does not have.
func IsUnsaid(name, other string) bool {
	own := strings.Fields(lexicon.Normal(other))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(name)), func(w string) bool { return unsaid()[w] && !slices.Contains(own, w) })
}
