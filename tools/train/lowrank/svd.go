package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

const (
	oversample = 32 // extra columns of the random projection
	powers     = 4  // subspace iterations: the spectrum falls slowly
	// singularPower weights the dimensions by powers of the singular values:
	// between 0, all alike, and 1, as the rows have them.
	singularPower = 0.5
)

// Factorise returns the rows of m in its first dim left singular vectors,
// weighted by the singular values to the power singularPower (Halko, Martinsson
// and Tropp 2011, algorithm 4.4). The signs are fixed, so that equal matrices
// give equal vectors.
func Factorise(ctx context.Context, m *Matrix, dim int, seed uint64) ([][]float64, error) {
	width := min(dim+oversample, m.Rows(), m.cols)
	if width < dim {
		return nil, fmt.Errorf("%d terms with %d features: too few for vectors of %d components", m.Rows(), m.cols, dim)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(dim)))
	omega := mat.NewDense(m.cols, width, nil)
	for i := range m.cols {
		row := omega.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
	}
	t := m.transpose()
	q, err := orthonormal(m.times(omega))
	for range powers {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			q, err = orthonormal(t.times(q))
		}
		if err == nil {
			q, err = orthonormal(m.times(q))
		}
	}
	if err != nil {
		return nil, err
	}
	// m ≈ q × bᵀ with b = mᵀq; the left singular vectors of m are q times the
	// right ones of b, and those come from the small bᵀb.
	b := t.times(q)
	var eig mat.EigenSym
	if !eig.Factorize(gram(b), true) {
		return nil, errors.New("eigenvalues of the projected matrix did not converge")
	}
	values := eig.Values(nil) // ascending
	var basis, left mat.Dense
	eig.VectorsTo(&basis)
	left.Mul(q, &basis)
	return weighted(&left, values, dim), nil
}

// weighted returns the last dim columns of left, the one of the largest singular value first, as a vector for each row. Each column
// is scaled by a power of its singular value, and has the sign that makes its largest entry positive, because the
// decomposition leaves the sign open. squares are the squared singular values.
func weighted(left *mat.Dense, squares []float64, dim int) [][]float64 {
	rows, width := left.Dims()
	scale := make([]float64, dim)
	for d := range dim {
		col := width - 1 - d
		scale[d] = math.Pow(math.Max(0, squares[col]), singularPower/2)
		top := 0.0
		for i := range rows {
			if x := left.At(i, col); math.Abs(x) > math.Abs(top) {
				top = x
			}
		}
		if top < 0 {
			scale[d] = -scale[d]
		}
	}
	out := make([][]float64, rows)
	for i := range out {
		v := make([]float64, dim)
		for d := range v {
			v[d] = scale[d] * left.At(i, width-1-d)
		}
		out[i] = v
	}
	return out
}

// orthonormal returns an orthonormal basis of the columns of a: twice Cholesky
// QR, which needs nothing but products of matrices and small triangles.
func orthonormal(a *mat.Dense) (*mat.Dense, error) {
	for range 2 {
		g := gram(a)
		// A small shift keeps the product of a matrix without full rank factorisable.
		shift := mat.Trace(g) * 1e-12
		for i := range g.SymmetricDim() {
			g.SetSym(i, i, g.At(i, i)+shift)
		}
		var chol mat.Cholesky
		if !chol.Factorize(g) {
			return nil, errRank
		}
		var r, inv mat.TriDense
		chol.UTo(&r)
		if err := inv.InverseTri(&r); err != nil {
			return nil, fmt.Errorf("%w: %w", errRank, err)
		}
		var q mat.Dense
		q.Mul(a, &inv)
		a = &q
	}
	return a, nil
}

var errRank = errors.New("features are linearly dependent: expected more distinct terms")

// gram returns aᵀa. The general product is used because gonum spreads it over
// the processors, block by block, without changing the order of any sum.
func gram(a *mat.Dense) *mat.SymDense {
	_, n := a.Dims()
	var full mat.Dense
	full.Mul(a.T(), a)
	return mat.NewSymDense(n, full.RawMatrix().Data)
}
