package lowrank

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// blocks has rows 0 and 1 alike, 2 and 3 alike, and nothing between them.
func blocks() *Matrix {
	m, acc := New(6), NewAccumulator(6)
	for _, row := range [][]float64{{2, 1, 0, 0, 0, 0}, {4, 2, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 1, 2, 1, 0}} {
		for c, x := range row {
			if x != 0 {
				acc.Add(int32(c), x)
			}
		}
		acc.Flush(m, 0)
	}
	return m
}

func TestMatrix(t *testing.T) {
	m := blocks()
	if m.Rows() != 4 || m.Cols() != 6 || m.Values() != 9 {
		t.Fatalf("%d rows, %d columns, %d values, expected 4, 6, 9", m.Rows(), m.Cols(), m.Values())
	}
	for i := range m.Rows() {
		var square float64
		_, val := m.Row(i)
		for _, x := range val {
			square += x * x
		}
		if math.Abs(square-1) > 1e-12 {
			t.Errorf("row %d has length² %v, expected 1", i, square)
		}
	}
	if cols := m.Take([]int{2, 0}).DropEmptyColumns().Cols(); cols != 4 {
		t.Errorf("%d columns hold anything in rows 2 and 0, expected 4", cols)
	}
	if n := m.InverseFrequency().Values(); n != 8 {
		t.Errorf("%d values without the column of a single row, expected 8", n)
	}
}

func TestFactorise(t *testing.T) {
	first, err := Factorise(context.Background(), blocks(), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	cosine := func(a, b []float64) float64 {
		return (a[0]*b[0] + a[1]*b[1]) / math.Sqrt((a[0]*a[0]+a[1]*a[1])*(b[0]*b[0]+b[1]*b[1]))
	}
	if c := cosine(first[0], first[1]); c < .999 {
		t.Errorf("equal rows have cosine %v", c)
	}
	if c := cosine(first[0], first[2]); math.Abs(c) > .001 {
		t.Errorf("rows without a common column have cosine %v", c)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := Factorise(context.Background(), blocks(), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("with one processor:\n%s", diff)
	}
	if _, err := Factorise(context.Background(), blocks(), 5, 1); err == nil {
		t.Error("5 components of 4 rows: expected an error")
	}
}

// TestExact compares the products of the short vectors with those of an
// exact decomposition.
func TestExact(t *testing.T) {
	const rows, cols, dim = 60, 45, 5
	rng := rand.New(rand.NewPCG(1, 2))
	dense := mat.NewDense(rows, cols, nil)
	m := New(cols)
	for i := range rows {
		for j := range cols {
			if rng.IntN(3) == 0 {
				x := rng.Float64() * float64(1+j%7)
				dense.Set(i, j, x)
				m.idx, m.val = append(m.idx, int32(j)), append(m.val, x)
			}
		}
		m.ptr = append(m.ptr, len(m.idx))
	}
	got, err := Factorise(context.Background(), m, dim, 3)
	if err != nil {
		t.Fatal(err)
	}
	var svd mat.SVD
	if !svd.Factorize(dense, mat.SVDThin) {
		t.Fatal("no decomposition")
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	for i := range rows {
		for d := range dim {
			want := math.Abs(u.At(i, d)) * math.Pow(values[d], singularPower)
			if math.Abs(math.Abs(got[i][d])-want) > 1e-6*values[0] {
				t.Fatalf("row %d, component %d: %.6f, want ±%.6f", i, d, got[i][d], want)
			}
		}
	}
}

func TestSparse(t *testing.T) {
	m := &Matrix{cols: 4, ptr: []int{0, 2, 2, 4}, idx: []int32{0, 3, 1, 3}, val: []float64{1, 2, 3, 4}}
	d := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	if want := mat.NewDense(3, 2, []float64{15, 18, 0, 0, 37, 44}); !mat.Equal(m.times(d), want) {
		t.Errorf("m × d = %v, want %v", m.times(d), want)
	}
	e := mat.NewDense(3, 1, []float64{1, 1, 1})
	if want := mat.NewDense(4, 1, []float64{1, 3, 0, 6}); !mat.Equal(m.transpose().times(e), want) {
		t.Errorf("mᵀ × e = %v, want %v", m.transpose().times(e), want)
	}
	if got := m.Take([]int{2, 0}).DropEmptyColumns(); got.Cols() != 3 || got.Rows() != 2 || got.idx[1] != 2 {
		t.Errorf("taken rows %+v", got)
	}
}
