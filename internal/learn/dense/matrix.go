package dense

import "math"

// Matrix has a row for each item of a batch (cell, word or pair) and a column for
// each feature, unless said otherwise.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float32
}

// Resize gives m a shape, reusing its memory. Its elements are unspecified.
func (m *Matrix) Resize(rows, cols int) {
	*m = Matrix{rows, cols, cols, Sized(m.Data, rows*cols)}
}

// Zero gives m a shape with all elements 0.
func (m *Matrix) Zero(rows, cols int) {
	m.Resize(rows, cols)
	clear(m.Data)
}

// Row returns a row; it shares its memory.
func (m Matrix) Row(r int) []float32 { return m.Data[r*m.Stride:][:m.Cols:m.Cols] }

// Columns returns the columns from c to before end; it shares their memory.
func (m Matrix) Columns(c, end int) Matrix {
	return Matrix{m.Rows, end - c, m.Stride, m.Data[min(c, len(m.Data)):]}
}

// Span returns the rows from r to before end; it shares their memory.
func (m Matrix) Span(r, end int) Matrix {
	return Matrix{end - r, m.Cols, m.Stride, m.Data[r*m.Stride:]}
}

// Transpose makes t the transpose of m. Its rows begin at multiples of 16 bytes:
// the order in which blas32 sums depends on their alignment.
func (t *Matrix) Transpose(m Matrix) {
	stride := (m.Rows + 3) &^ 3 // rounded up to a multiple of 4 elements
	*t = Matrix{m.Cols, m.Rows, stride, Sized(t.Data, m.Cols*stride)}
	r := 0
	for ; r+4 <= m.Rows; r += 4 {
		r0, r1, r2, r3 := m.Row(r), m.Row(r+1), m.Row(r+2), m.Row(r+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		for c := range r0 {
			*(*[4]float32)(t.Data[c*stride+r:]) = [4]float32{r0[c], r1[c], r2[c], r3[c]}
		}
	}
	for ; r < m.Rows; r++ {
		for c, v := range m.Row(r) {
			t.Data[c*stride+r] = v
		}
	}
}

// What follows picks elements by their bits, because a branch on the sign of an
// activation is guessed wrong half the time.

// Relu cuts what is below 0, -0 included.
func (m Matrix) Relu() {
	for i, v := range m.Data {
		b := math.Float32bits(v) // the sign bit, shifted, is a mask of all bits or none
		m.Data[i] = math.Float32frombits(b &^ uint32(int32(b)>>31))
	}
}

// Mask clears the elements of the gradient m where the rectified output y is 0, as Relu cut it.
func (m Matrix) Mask(y Matrix) {
	d := m.Data[:len(y.Data)]
	for i, v := range y.Data {
		positive := uint32(-int32(math.Float32bits(v)) >> 31) // all bits if v > 0, else none
		d[i] = math.Float32frombits(math.Float32bits(d[i]) & positive)
	}
}

// Take passes the gradient de of a maximum or minimum on: where x equals the extreme, it moves the
// component of de to dx. The caller calls it for one item after the other: of items with equal extremes, the
// first takes the whole gradient. Like Relu, it picks by bits.
func Take(dx, de, x, extreme []float32) {
	x, de, extreme = x[:len(dx)], de[:len(dx)], extreme[:len(dx)]
	for k := range dx {
		all := math.Float32bits(de[k])
		taken := all
		if x[k] != extreme[k] {
			taken = 0
		}
		dx[k] += math.Float32frombits(taken)
		de[k] = math.Float32frombits(all ^ taken)
	}
}

// Axpy adds s·x to y.
func Axpy(y []float32, s float32, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float32(s * x[i])
	}
}

// Sized returns a slice of n elements with unspecified values, in the memory of s if that is large enough.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
