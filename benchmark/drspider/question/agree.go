package question

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// agree returns a verb in the number asked for.
func agree(verb string, many bool) (string, bool) {
	for _, p := range [][2]string{{"is", "are"}, {"was", "were"}, {"has", "have"}, {"does", "do"}, {"doesn't", "don't"}, {"isn't", "aren't"}} {
		if slices.Contains(p[:], verb) {
			return map[bool]string{false: p[0], true: p[1]}[many], true
		}
	}
	if uninflected.MatchString(verb) {
		return verb, true
	}
	return "", false
}

// uninflected matches verbs of one form for one and for many.
var uninflected = lazyregexp.New(`(ed|^(had|did|can|could|will|won|went|got|made|took|came))$`)
