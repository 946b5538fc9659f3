// Package net is the compact model's network: a perceptron over each pair of
// words, attention and maximum over the words of the other name, a perceptron
// over each word with what it found, pooling over the words of a name, and a
// perceptron over both names and their phrase features to three logits. Pairs go
// through it in batches; the result of a pair does not depend on its batch. It
// has its gradient ([Net.Backward]) beside it.
package net

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/internal/nli/namepair"
)

// Widths of the layers.
const (
	cellHidden = 32
	cellOut    = 16
	found      = 2 * cellOut // attention's mean and the maximum
	wordIn     = found + namepair.WordDim
	wordOut    = 24
	side       = 3 * wordOut // mean, maximum and minimum over words
	topIn      = 2*side + namepair.PhraseDim
	topHidden  = 48
	// Classes is the number of logits: entailment, neutral, contradiction.
	Classes = 3
)

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
		{&n.cell1, namepair.CellDim, cellHidden}, {&n.cell2, cellHidden, cellOut}, {&n.attend, cellOut, 1},
		{&n.word[0], wordIn, wordOut}, {&n.word[1], wordIn, wordOut},
		{&n.gate[0], namepair.WordDim, 1}, {&n.gate[1], namepair.WordDim, 1},
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

// Clone returns a copy of n.
func (n *Net) Clone() *Net {
	c := New()
	copy(c.params, n.params)
	return c
}

// Params returns the weights, which n shares.
func (n *Net) Params() []float32 { return n.params }

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
