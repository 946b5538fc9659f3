package indicator

import (
	_ "embed" // frame.txt
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/wordfile"
)

//go:embed data/frame.txt
var frameText string

var frameWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, row := range wordfile.Rows(frameText, 1) {
		for w := range strings.FieldsSeq(row[0]) {
			m[w] = true
		}
	}
	return m
})

// isFrame tells whether a word is one that questions of any database are made
// of: articles, pronouns, prepositions, auxiliaries, verbs of showing.
func isFrame(word string) bool { return frameWords()[word] }
