// Package net is the compact model's network: a perceptron over each pair of
// words, attention and maximum over the words of the other name, a perceptron
// over each word with what it found, pooling over the words of a name, and a
// perceptron over both names and their phrase features to three logits. It has
// its gradient ([Net.Backward]) and an optimiser ([Adam]) beside it.
package net

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/internal/vec"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
)

// Widths of the layers.
const (
	cellHidden = 32
	cellOut    = 16
	found      = 2 * cellOut // attention's mean and the maximum
	wordIn     = found + feature.WordDim
	wordOut    = 24
	side       = 3 * wordOut // mean, maximum and minimum over words
	topIn      = 2*side + feature.PhraseDim
	topHidden  = 48
	// Classes is the number of logits: entailment, neutral, contradiction.
	Classes = 3
)

// dense is a layer y = Wx + b; w is row-major, one row an output.
type dense struct {
	in, out int
	w, b    []float32
}

// Net is a network, or a gradient of the same layout. All its weights lie in
// one slice.
type Net struct {
	params       []float32
	cell1, cell2 dense
	attend       dense // cell to attention logit; the null word has logit 0
	word         [2]dense
	gate         [2]dense // word features to pooling logit
	top, logits  dense
}

// New returns a network of zeros.
func New() *Net {
	n := &Net{}
	layers := []struct {
		d       *dense
		in, out int
	}{
		{&n.cell1, feature.CellDim, cellHidden}, {&n.cell2, cellHidden, cellOut}, {&n.attend, cellOut, 1},
		{&n.word[0], wordIn, wordOut}, {&n.word[1], wordIn, wordOut},
		{&n.gate[0], feature.WordDim, 1}, {&n.gate[1], feature.WordDim, 1},
		{&n.top, topIn, topHidden}, {&n.logits, topHidden, Classes},
	}
	size := 0
	for _, l := range layers {
		size += (l.in + 1) * l.out
	}
	n.params = make([]float32, size)
	rest := n.params
	for _, l := range layers {
		l.d.in, l.d.out = l.in, l.out
		l.d.w, rest = rest[:l.in*l.out], rest[l.in*l.out:]
		l.d.b, rest = rest[:l.out], rest[l.out:]
	}
	return n
}

// Random returns a network with weights to start training from.
func Random(rng *rand.Rand) *Net {
	n := New()
	for _, d := range []*dense{&n.cell1, &n.cell2, &n.attend, &n.word[0], &n.word[1], &n.gate[0], &n.gate[1], &n.top, &n.logits} {
		scale := math.Sqrt(2 / float64(d.in))
		for i := range d.w {
			d.w[i] = float32(scale * rng.NormFloat64())
		}
	}
	return n
}

// Size is the number of weights.
func (n *Net) Size() int { return len(n.params) }

// Append encodes the weights at the end of dst, little-endian float32.
func (n *Net) Append(dst []byte) []byte {
	for _, p := range n.params {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(p))
	}
	return dst
}

// Decode reads what [Net.Append] wrote and returns the bytes after it.
func Decode(src []byte) (*Net, []byte, error) {
	n := New()
	if len(src) < 4*len(n.params) {
		return nil, nil, fmt.Errorf("net: %d bytes, expected at least %d", len(src), 4*len(n.params))
	}
	for i := range n.params {
		p := math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		if p != p || math.Abs(float64(p)) > 1e6 {
			return nil, nil, fmt.Errorf("net: weight %d is %v, expected a finite number below 1e6", i, p)
		}
		n.params[i] = p
	}
	return n, src[4*len(n.params):], nil
}

// Scale is the standardisation of features: x becomes (x-Mean)/Deviation.
type Scale struct{ Mean, Deviation []float32 }

// Fold builds the standardisation of cell, word and phrase features into the
// weights, so that n reads features as they are.
func (n *Net) Fold(cell, word, phrase Scale) {
	n.cell1.fold(0, cell)
	for s := range 2 {
		n.word[s].fold(found, word)
		n.gate[s].fold(0, word)
	}
	n.top.fold(2*side, phrase)
}

func (d *dense) fold(at int, s Scale) {
	for o := range d.out {
		row := d.w[o*d.in:]
		for i := range s.Mean {
			row[at+i] /= s.Deviation[i]
			d.b[o] -= row[at+i] * s.Mean[i]
		}
	}
}

// forward computes y = Wx + b.
func (d *dense) forward(y, x []float32) {
	for o := range d.out {
		y[o] = d.b[o] + vec.Dot(d.w[o*d.in:(o+1)*d.in], x)
	}
}

// backward adds the gradient of the weights to g, and W'dy to dx unless nil.
func (d *dense) backward(g *dense, dx, dy, x []float32) {
	for o, s := range dy[:d.out] {
		if s == 0 {
			continue
		}
		g.b[o] += s
		axpy(g.w[o*d.in:(o+1)*d.in], s, x)
		if dx != nil {
			axpy(dx, s, d.w[o*d.in:(o+1)*d.in])
		}
	}
}

func relu(x []float32) {
	for i, v := range x {
		if v < 0 {
			x[i] = 0
		}
	}
}

// mask clears the gradient where the rectified output y was cut.
func mask(dy, y []float32) {
	for i, v := range y {
		if v <= 0 {
			dy[i] = 0
		}
	}
}

// axpy adds s·x to y.
func axpy(y []float32, s float32, x []float32) {
	x = x[:len(y)]
	for i := range y {
		y[i] += s * x[i]
	}
}

// softmax turns logits into shares in place. With null, a further logit of 0
// takes part without being returned.
func softmax(x []float32, null bool) {
	top := float32(math.Inf(-1))
	if null {
		top = 0
	}
	for _, v := range x {
		top = max(top, v)
	}
	var sum float64
	if null {
		sum = math.Exp(float64(-top))
	}
	for i, v := range x {
		e := math.Exp(float64(v - top))
		sum += e
		x[i] = float32(e)
	}
	for i := range x {
		x[i] = float32(float64(x[i]) / sum)
	}
}
