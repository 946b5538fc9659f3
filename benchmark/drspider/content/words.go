package content

import (
	_ "embed"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

var (
	//go:embed data/words.txt
	wordText string
	//go:embed data/opposites.txt
	oppositeText string
	//go:embed data/abbreviated.txt
	abbreviatedText string
	//go:embed data/doers.txt
	doerText string
	//go:embed data/units.txt
	unitText string
)

// words are the lists of data/words.txt.
var words = wordfile.ReadLists(wordText)
