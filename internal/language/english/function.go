package english

import (
	_ "embed" // function.txt
	"maps"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed function.txt
var functionText string

var functionWords = sync.OnceValue(func() map[string]bool {
	return wordfile.Set(slices.Concat(slices.Collect(maps.Values(wordfile.ReadLists(functionText)))...))
})

// IsFunction tells whether a lower-case word has a grammatical function and names
// nothing.
func IsFunction(word string) bool { return functionWords()[word] }
