package indicator

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed data/frame.txt
var frameText string

var frameWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(frameText) {
		if !strings.HasPrefix(line, "#") {
			for w := range strings.FieldsSeq(line) {
				m[w] = true
			}
		}
	}
	return m
})

// isFrame tells whether a word is one that questions of any database are made
// of: articles, pronouns, prepositions, auxiliaries, verbs of showing.
func isFrame(word string) bool { return frameWords()[word] }
