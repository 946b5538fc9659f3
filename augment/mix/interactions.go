package mix

import (
	"errors"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// interactions are those of the data directory: what is left of one of which a turn
// cannot be used is left out.
type interactions struct {
	turns map[int][]int32 // positions in the split, by interaction
	torn  map[int]bool
}

// see takes note of a turn; usable tells whether it can be used. Of a turn that could
// not be read, the gap tells.
func (in *interactions) see(ex *dataset.Example, usable bool) {
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

// leaveOut drops the originals of torn interactions; the error of each goes to report.
func (in *interactions) leaveOut(o *originals, report func(error)) {
	for _, n := range slices.Sorted(maps.Keys(in.torn)) {
		for i, at := range in.turns[n] {
			if _, ok := o.of[at]; !ok {
				continue
			}
			delete(o.of, at)
			if i == 0 {
				o.units--
			}
			report(&dataset.RecordError{File: o.from, Record: int(at) + 1, Err: errors.New("another question of its interaction cannot be used")})
		}
	}
}
