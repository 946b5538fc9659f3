package lexicon

import (
	"slices"
	"strings"
)

// OneSense returns the synonyms of a name that a dictionary knows in one sense only:
// the synonyms of each of them are the name and the others, and nothing else. Whichever sense is meant, they share it. For
// other names it returns nil.
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
