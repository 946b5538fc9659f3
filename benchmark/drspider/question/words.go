package question

import (
	_ "embed" // words.txt

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/words.txt
var wordsText string

// words are the lists of data/words.txt.
var words = wordfile.ReadLists(wordsText)
