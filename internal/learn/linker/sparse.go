package linker

import "math/bits"

// sparse are the features of the items of an example without zeros, which half of them are:
// as many examples as a linker is trained from fill the memory otherwise.
type sparse struct {
	there  [][2]uint64 // by item: which of its features are not 0
	values []float32   // these, in order
}

// pack packs rows of [Dim] features.
func pack(x []float32) sparse {
	p := sparse{there: make([][2]uint64, len(x)/Dim)}
	n := 0
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	p.values = make([]float32, 0, n)
	for at, v := range x {
		if v != 0 {
			i, k := at/Dim, at%Dim
			p.there[i][k/64] |= 1 << (k % 64)
			p.values = append(p.values, v)
		}
	}
	return p
}

// unpack writes the features of an item, whose values begin at a place, to a row and returns
// where those of the next begin.
func (p *sparse) unpack(row []float32, item, at int) int {
	clear(row[:Dim])
	for w, there := range p.there[item] {
		for ; there != 0; there &= there - 1 {
			row[64*w+bits.TrailingZeros64(there)] = p.values[at]
			at++
		}
	}
	return at
}
