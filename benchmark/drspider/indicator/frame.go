package indicator

import (
	_ "embed" // frame.txt
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/frame.txt
var frameText string

var frameWords = sync.OnceValue(func() map[string]bool { return wordfile.ReadSet(frameText) })

// isFrame reports whether a word is one that questions of any database are made
// of: articles, pronouns, prepositions, auxiliaries, verbs of showing.
func isFrame(word string) bool { return frameWords()[word] }
