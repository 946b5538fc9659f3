package realise

import (
	_ "embed" // words.txt
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/words.txt
var wordText string

// words returns the lists of data/words.txt.
var words = sync.OnceValue(func() wordfile.Lists { return wordfile.ReadLists(wordText) })

// listed reports whether a word is in a list of data/words.txt.
func listed(list, word string) bool { return slices.Contains(words().Words(list), word) }
