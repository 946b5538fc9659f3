package linker

import (
	"cmp"
	"slices"
)

// Ranked is an item with its probability.
type Ranked struct {
	P    float32
	Gold bool // whether the gold SQL uses it
}

// Area returns the area under the ROC curve: the share of pairs of a used and an unused item in which the
// used one has the greater probability, equal ones counting half. It is 0 without any pair.
func Area(items []Ranked) float64 {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b Ranked) int { return cmp.Compare(a.P, b.P) })
	var below, used, sum float64 // unused and used items so far, and pairs in order
	for i := 0; i < len(items); {
		j := i // items i to j have one probability
		var gold, rest float64
		for ; j < len(items) && items[j].P == items[i].P; j++ {
			if items[j].Gold {
				gold++
			} else {
				rest++
			}
		}
		sum += gold * (below + rest/2)
		below, used, i = below+rest, used+gold, j
	}
	if below == 0 || used == 0 {
		return 0
	}
	return sum / below / used
}
