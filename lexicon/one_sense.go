package lexicon

import (
	"slices"
	"strings"
)

// OneSense returns the synonyms of a name that a dictionary knows in one sense only:
// each of them has the name and the others for synonyms and nothing else, so that
// whichever sense is meant they mean it too. For other names it returns nil.
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
