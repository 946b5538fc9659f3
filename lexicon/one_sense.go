package lexicon

import (
	"slices"
	"strings"
)

// OneSense returns the synonyms of a name if they show that it has one sense only, else nil. They show it if the synonyms of each
// of them are exactly the name and the others.
func OneSense(d Dictionary, name string) []string {
	name = strings.Join(Words(name), " ")
	synonyms := d.Synonyms(name)
	for _, s := range synonyms {
		others := d.Synonyms(s)
		if len(others) != len(synonyms) || !slices.Contains(others, name) {
			return nil
		}
		if slices.ContainsFunc(others, func(o string) bool { return o != name && !slices.Contains(synonyms, o) }) {
			return nil
		}
	}
	return synonyms
}
