package english

import (
	_ "embed" // function.txt
	"sync"

	"github.com/tabperturb/tabperturb/internal/wordfile"
)

//go:embed function.txt
var functionText string

var functionWords = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool)
	for _, list := range wordfile.ReadLists(functionText) {
		for _, w := range list {
			m[w] = true
		}
	}
	return m
})

// IsFunction tells whether a lower-case word has a grammatical function and names
// nothing.
func IsFunction(word string) bool { return functionWords()[word] }
