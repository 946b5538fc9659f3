package lexicon

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Near is a term of a [Table] with its cosine to what it is near to.
type Near struct {
	Term   string
	Cosine float64 // -1..1
}

// Nearest returns up to k terms, those of highest cosine to vec, best first; terms of equal
// cosine are in the order of the table. It leaves out cosines of 0 and less. vec has t.Dim()
// components, as [Phrase] returns them; for another length the result is nil.
// vec is quantized as the rows are, so each component is off by at most 1/254 of
// the largest.
func (t *Table) Nearest(vec []float32, k int) []Near {
	quantized := make([]int8, t.dim)
	if len(vec) != t.dim || !Quantize(quantized, vec) {
		return nil
	}
	row := make([]byte, t.dim)
	for i, x := range quantized {
		row[i] = byte(x)
	}
	k = min(k, t.count)
	if k <= 0 {
		return nil
	}
	return lists.Map(t.nearRows(row, k), func(n neighbour) Near { return Near{t.Term(n.index), n.cosine} })
}

// neighbour is a row with its cosine to another.
type neighbour struct {
	index  int
	cosine float64
}

// nearRows returns up to k rows, those of highest cosine above 0 to an int8 row, best first.
func (t *Table) nearRows(row []byte, k int) []neighbour {
	scale := float64(inverseNorm(row))
	near := make([]neighbour, 0, 2*k)
	lowest := 0.0 // at least k rows found so far have this cosine or more, once it is above 0
	for i := range t.count {
		dot, squared := dotNorm(row, t.row(i))
		if dot <= 0 {
			continue
		}
		cosine := float64(dot) * scale / math.Sqrt(float64(squared))
		if cosine < lowest {
			continue
		}
		if near = append(near, neighbour{i, cosine}); len(near) == 2*k { // so it sorts once for every k rows
			near = nearest(near, k)
			lowest = near[k-1].cosine
		}
	}
	return nearest(near, k)
}

// nearest sorts neighbours by falling cosine and returns the first k.
func nearest(near []neighbour, k int) []neighbour {
	slices.SortFunc(near, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.index, b.index))
	})
	return near[:min(k, len(near))]
}

// dotNorm returns the dot product of two int8 rows and the squared length of b.
func dotNorm(a, b []byte) (dot, squared int) {
	b = b[:len(a)]
	for i := range a {
		y := int(int8(b[i]))
		dot += int(int8(a[i])) * y
		squared += y * y
	}
	return dot, squared
}
