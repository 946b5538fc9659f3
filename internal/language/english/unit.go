package english

import (
	_ "embed" // units.txt
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed units.txt
var unitText string

var units = sync.OnceValue(func() map[string]bool { return wordfile.Set(slices.Collect(wordfile.Lines(unitText))) })

// IsUnit reports whether a lower-case word is a unit of measure, as "kg" in the column name "weight kg".
func IsUnit(word string) bool { return units()[word] }

// WithoutUnit returns the words of a name without the unit that they end in: "weight" of "weight in kg" and "area" of "area sq ft".
func WithoutUnit(words []string) []string {
	last := len(words) - 1
	if last < 1 || !IsUnit(words[last]) {
		return words
	}
	if slices.Contains([]string{"square", "sq", "cubic"}, words[last-1]) {
		if last == 1 {
			return words // nothing but a unit
		}
		last--
	}
	if last > 1 && words[last-1] == "in" {
		last--
	}
	return words[:last]
}
