package net

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabperturb/tabperturb/internal/learn/dense"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

// TestForward compares Forward with the definition of the network, written
// plainly for one pair.
func TestForward(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	n := Random(rng)
	inputs := raggedInputs(rng, 50)
	var p Pass
	p.Keep = make([]float32, len(inputs)*Dropout)
	for i := range p.Keep {
		p.Keep[i] = float32(i % 3)
	}
	for i, got := range n.Forward(&p, inputs) {
		want := plain(n, inputs[i], p.Keep[i*Dropout:(i+1)*Dropout])
		for c := range want {
			if math.Abs(float64(got[c])-want[c]) > 1e-4*(1+math.Abs(want[c])) {
				t.Fatalf("pair %d, %d by %d words: logits %v, expected %v", i, inputs[i].A, inputs[i].B, got, want)
			}
		}
	}
}

func plain(n *Net, in *namepair.Input, keep []float32) []float64 {
	cells := make([][]float64, in.A*in.B)
	for c := range cells {
		x := wide(in.Cells[c*namepair.CellDim : (c+1)*namepair.CellDim])
		cells[c] = plainDense(&n.cell2, plainDense(&n.cell1, x, true), true)
	}
	row := func(i int) [][]float64 {
		return cells[i*in.B : (i+1)*in.B]
	}
	column := func(j int) (of [][]float64) {
		for i := range in.A {
			of = append(of, cells[i*in.B+j])
		}
		return of
	}
	x := plainSide(n, 0, in.WordsA, in.A, row)
	x = append(x, plainSide(n, 1, in.WordsB, in.B, column)...)
	hidden := plainDense(&n.top, append(x, wide(in.Phrase)...), true)
	for i, k := range keep {
		hidden[i] *= float64(k)
	}
	return plainDense(&n.logits, hidden, false)
}

// plainSide returns a side's mean, maximum and minimum over its words.
func plainSide(n *Net, s int, features []float32, words int, cellsOf func(word int) [][]float64) []float64 {
	us, logits := make([][]float64, words), make([]float64, words)
	for w := range us {
		f := wide(features[w*namepair.WordDim : (w+1)*namepair.WordDim])
		cells := cellsOf(w)
		attention := []float64{0} // the null word
		for _, c := range cells {
			attention = append(attention, plainDense(&n.attend, c, false)[0])
		}
		nothing := make([]float64, cellOut)
		mean, high, _ := plainPool(append([][]float64{nothing}, cells...), attention)
		z := append(append(mean, high...), f...)
		us[w] = plainDense(&n.word[s], z, true)
		logits[w] = plainDense(&n.gate[s], f, false)[0]
	}
	mean, high, low := plainPool(us, logits)
	return append(append(mean, high...), low...)
}

// plainPool returns the mean of xs by the softmax of logits, the maximum and the
// minimum.
func plainPool(xs [][]float64, logits []float64) (mean, high, low []float64) {
	var sum float64
	for _, l := range logits {
		sum += math.Exp(l)
	}
	mean = make([]float64, len(xs[0]))
	high, low = append(high, xs[0]...), append(low, xs[0]...)
	for i, x := range xs {
		for k, v := range x {
			mean[k] += math.Exp(logits[i]) / sum * v
			high[k], low[k] = max(high[k], v), min(low[k], v)
		}
	}
	return mean, high, low
}

func plainDense(d *dense.Layer, x []float64, rectified bool) []float64 {
	y := wide(d.B)
	for o := range y {
		for i, v := range x {
			y[o] += float64(d.W[o*d.In+i]) * v
		}
		if rectified {
			y[o] = max(y[o], 0)
		}
	}
	return y
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
