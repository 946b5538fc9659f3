// Package lowrank factorises large sparse matrices: rows of named features become
// vectors of a few hundred components. Rows are summed in an [Accumulator] and
// collected in a [Matrix]; [Factorise] is a seeded randomised singular value
// decomposition. The same input gives the same bytes, with one processor or many.
package lowrank

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Matrix is a sparse matrix in compressed rows: row i holds idx and val from
// ptr[i] to ptr[i+1], by ascending column.
type Matrix struct {
	cols int
	ptr  []int
	idx  []int32
	val  []float64
}

// Rows is the number of rows.
func (m *Matrix) Rows() int { return len(m.ptr) - 1 }

// Cols is the number of columns.
func (m *Matrix) Cols() int { return m.cols }

// Values is the number of values that are not zero.
func (m *Matrix) Values() int { return len(m.val) }

// Row returns the columns and values of row i, which must not be changed.
func (m *Matrix) Row(i int) ([]int32, []float64) {
	lo, hi := m.ptr[i], m.ptr[i+1]
	return m.idx[lo:hi], m.val[lo:hi]
}

// Accumulator sums sparse rows into one.
type Accumulator struct {
	sum   []float64
	touch []int32
	seen  []bool
}

// NewAccumulator returns an empty sum over the given number of columns.
func NewAccumulator(cols int) *Accumulator {
	return &Accumulator{sum: make([]float64, cols), seen: make([]bool, cols)}
}

// Add adds x in one column.
func (a *Accumulator) Add(col int32, x float64) {
	if !a.seen[col] {
		a.seen[col] = true
		a.touch = append(a.touch, col)
	}
	a.sum[col] += x
}

// AddRow adds a scaled row.
func (a *Accumulator) AddRow(idx []int32, val []float64, scale float64) {
	for k, c := range idx {
		a.Add(c, scale*val[k])
	}
}

// Flush appends the sum to m as its next row, of unit length and without
// values below floor, and clears it.
func (a *Accumulator) Flush(m *Matrix, floor float64) {
	slices.Sort(a.touch)
	norm := lists.Sum(a.touch, func(c int32) float64 { return a.sum[c] * a.sum[c] })
	norm = math.Sqrt(norm)
	for _, c := range a.touch {
		if x := a.sum[c] / norm; norm > 0 && math.Abs(x) > floor {
			m.idx = append(m.idx, c)
			m.val = append(m.val, x)
		}
		a.sum[c], a.seen[c] = 0, false
	}
	a.touch = a.touch[:0]
	m.ptr = append(m.ptr, len(m.idx))
}

// New returns a matrix without rows.
func New(cols int) *Matrix { return &Matrix{cols: cols, ptr: []int{0}} }

// InverseFrequency weights each column by ln(rows/rows with it), drops columns
// of one row, and scales the rows to unit length.
func (m *Matrix) InverseFrequency() *Matrix {
	count := make([]int, m.cols)
	for _, c := range m.idx {
		count[c]++
	}
	out := New(m.cols)
	acc := NewAccumulator(m.cols)
	for i := range m.Rows() {
		idx, val := m.Row(i)
		for k, c := range idx {
			if count[c] > 1 {
				acc.Add(c, val[k]*math.Log(float64(m.Rows())/float64(count[c])))
			}
		}
		acc.Flush(out, 0)
	}
	return out
}

// Take returns the given rows of m, in order.
func (m *Matrix) Take(rows []int) *Matrix {
	out := New(m.cols)
	for _, i := range rows {
		idx, val := m.Row(i)
		out.idx = append(out.idx, idx...)
		out.val = append(out.val, val...)
		out.ptr = append(out.ptr, len(out.idx))
	}
	return out
}

// DropEmptyColumns renumbers the columns that hold anything.
func (m *Matrix) DropEmptyColumns() *Matrix {
	used := make([]int32, m.cols)
	for _, c := range m.idx {
		used[c] = 1
	}
	n := int32(0)
	for c, u := range used {
		used[c] = n
		n += u
	}
	for k, c := range m.idx {
		m.idx[k] = used[c]
	}
	m.cols = int(n)
	return m
}

// transpose returns the transposed matrix.
func (m *Matrix) transpose() *Matrix {
	t := &Matrix{cols: m.Rows(), ptr: make([]int, m.cols+1), idx: make([]int32, len(m.idx)), val: make([]float64, len(m.val))}
	for _, c := range m.idx {
		t.ptr[c+1]++
	}
	for c := range m.cols {
		t.ptr[c+1] += t.ptr[c]
	}
	next := slices.Clone(t.ptr)
	for i := range m.Rows() {
		idx, val := m.Row(i)
		for k, c := range idx {
			t.idx[next[c]], t.val[next[c]] = int32(i), val[k]
			next[c]++
		}
	}
	return t
}

// times returns m × d. Each row is summed by one goroutine in the order of its
// columns, so the result does not depend on their number.
func (m *Matrix) times(d *mat.Dense) *mat.Dense {
	_, k := d.Dims()
	out := mat.NewDense(m.Rows(), k, nil)
	raw := d.RawMatrix()
	eachRow(m.Rows(), func(i int) {
		dst := blas64.Vector{N: k, Inc: 1, Data: out.RawRowView(i)}
		idx, val := m.Row(i)
		for j, c := range idx {
			lo := int(c) * raw.Stride
			blas64.Axpy(val[j], blas64.Vector{N: k, Inc: 1, Data: raw.Data[lo : lo+k]}, dst)
		}
	})
	return out
}

// eachRow calls do for 0..n-1, in blocks spread over the processors.
func eachRow(n int, do func(i int)) {
	const block = 512
	starts := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for lo := range starts {
				for i := lo; i < min(lo+block, n); i++ {
					do(i)
				}
			}
		})
	}
	for lo := 0; lo < n; lo += block {
		starts <- lo
	}
	close(starts)
	wg.Wait()
}
