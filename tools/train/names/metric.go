package names

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/lexicon"
)

const (
	metricDim = 48
	// ridge keeps directions in which synonyms hardly differ from counting without
	// end, as a share of the mean spread.
	ridge = .3
)

// metric learns the directions of word vectors in which words that exclude each
// other differ most for how little synonyms do: a linear discriminant analysis of
// differences.
func metric(v lexicon.Vectors, same, apart [][2]string) (knowledge.Metric, error) {
	within, between := spread(v, same), spread(v, apart)
	if within == nil || between == nil {
		return knowledge.Metric{}, nil
	}
	n := v.Dim()
	shift := ridge * mat.Trace(within) / float64(n)
	for i := range n {
		within.SetSym(i, i, within.At(i, i)+shift)
	}
	var chol mat.Cholesky
	if !chol.Factorize(within) {
		return knowledge.Metric{}, fmt.Errorf("metric: differences of synonyms are degenerate")
	}
	// With within = LLᵀ the directions are L⁻ᵀ times the eigenvectors of L⁻¹ between L⁻ᵀ.
	var l, inverse mat.TriDense
	chol.LTo(&l)
	if err := inverse.InverseTri(&l); err != nil {
		return knowledge.Metric{}, fmt.Errorf("metric: %w", err)
	}
	var left, whitened mat.Dense
	left.Mul(&inverse, between)
	whitened.Mul(&left, inverse.T())
	symmetric := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			symmetric.SetSym(i, j, (whitened.At(i, j)+whitened.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return knowledge.Metric{}, fmt.Errorf("metric: eigenvalues did not converge")
	}
	var vectors, directions mat.Dense
	eigen.VectorsTo(&vectors)
	directions.Mul(inverse.T(), &vectors)
	out := knowledge.Metric{In: n, Out: min(metricDim, n)}
	for d := range out.Out {
		column := mat.Col(nil, n-1-d, &directions)
		// The sign of an eigenvector is free.
		top := slices.MaxFunc(column, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
		for _, x := range column {
			if top < 0 {
				x = -x
			}
			out.Rows = append(out.Rows, float32(x))
		}
	}
	return out, nil
}

// spread returns the mean outer product of the differences between the vectors of each pair of words, or nil if no pair has
// vectors for both.
func spread(v lexicon.Vectors, pairs [][2]string) *mat.SymDense {
	n := v.Dim()
	sum := mat.NewSymDense(n, nil)
	known := 0.0
	difference := mat.NewVecDense(n, nil)
	for _, p := range pairs {
		a, ok := v.Lookup(nil, p[0])
		b, also := v.Lookup(nil, p[1])
		if !ok || !also {
			continue
		}
		known++
		for i := range n {
			difference.SetVec(i, float64(a[i])-float64(b[i]))
		}
		sum.SymRankOne(sum, 1, difference)
	}
	if known == 0 {
		return nil
	}
	sum.ScaleSym(1/known, sum)
	return sum
}
