package linker

import (
	"math/bits"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// sparse holds the features of the items of an example without zeros. Half of all features are 0, and the
// features of all examples to train from would fill the memory.
type sparse struct {
	nonzero [][2]uint64 // by item: a bit for each feature that is not 0
	values  []float32   // the features that are not 0, item by item
}

// pack returns rows of [Dim] features without zeros: for each row a set of bits, one for each feature that is not 0, and the values
// of these features in order.
func pack(x []float32) sparse {
	n := lists.Count(x, func(v float32) bool { return v != 0 })
	p := sparse{nonzero: make([][2]uint64, len(x)/Dim), values: make([]float32, 0, n)}
	for at, v := range x {
		if v != 0 {
			i, k := at/Dim, at%Dim
			p.nonzero[i][k/64] |= 1 << (k % 64)
			p.values = append(p.values, v)
		}
	}
	return p
}

// unpack writes the features of an item to a row. at is the position of the item's first value; unpack
// returns that of the next item.
func (p *sparse) unpack(row []float32, item, at int) int {
	clear(row[:Dim])
	for w, bitset := range p.nonzero[item] {
		for ; bitset != 0; bitset &= bitset - 1 { // clears the lowest bit
			row[64*w+bits.TrailingZeros64(bitset)] = p.values[at]
			at++
		}
	}
	return at
}
