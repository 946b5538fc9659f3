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

var functionLists = sync.OnceValue(func() wordfile.Lists { return wordfile.ReadLists(functionText) })

var functionWords = sync.OnceValue(func() map[string]bool {
	return wordfile.Set(slices.Concat(slices.Collect(maps.Values(functionLists()))...))
})

var ties = sync.OnceValue(func() map[string]bool { return wordfile.Set(functionLists().Words("tie")) })

var prepositions = sync.OnceValue(func() map[string]bool { return wordfile.Set(functionLists().Words("preposition")) })

// IsFunction reports whether a lower-case word has a grammatical function and names nothing: "the", "of", "does".
func IsFunction(word string) bool { return functionWords()[word] }

// IsPreposition reports whether a lower-case word is a preposition that can follow the head of a noun phrase, as "of"
// follows "date" in "date of birth".
func IsPreposition(word string) bool { return ties()[word] || prepositions()[word] }

// IsTie reports whether a lower-case word is one of the few prepositions that tie a noun to what it is of, as in "date of
// birth" and "points per game". The weights of the model of column names were trained with these.
func IsTie(word string) bool { return ties()[word] }
