package mix

import (
	"errors"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// interactions finds the interactions of the data directory that lack a turn. All their turns
// are left out.
type interactions struct {
	turns map[int][]int32 // positions in the split, by interaction
	torn  map[int]bool    // by interaction: a turn is missing
}

// add adds a turn; an example outside of interactions is ignored. The interaction is torn if the turn is not
// usable, or if the number of the turn shows that an earlier one could not be read.
func (in *interactions) add(ex *dataset.Example, usable bool) {
	if ex.Interaction == 0 {
		return
	}
	if in.turns == nil {
		in.turns, in.torn = map[int][]int32{}, map[int]bool{}
	}
	in.turns[ex.Interaction] = append(in.turns[ex.Interaction], int32(ex.Index))
	if !usable || ex.Turn != len(in.turns[ex.Interaction]) {
		in.torn[ex.Interaction] = true
	}
}

// dropTorn removes the originals of torn interactions, and reports an error for each.
func (in *interactions) dropTorn(o *originals, report func(error)) {
	for _, n := range slices.Sorted(maps.Keys(in.torn)) {
		for i, at := range in.turns[n] {
			if _, ok := o.fingerprints[at]; !ok {
				continue
			}
			delete(o.fingerprints, at)
			if i == 0 { // its first turn was counted as a unit
				o.units--
			}
			report(&dataset.RecordError{File: o.from, Record: int(at) + 1, Err: errors.New("another question of its interaction cannot be used")})
		}
	}
}
