// Package net is the compact model's network: a perceptron over each pair of
// words, attention and maximum over the words of the other name, a perceptron
// over each word with what it found, pooling over the words of a name, and a
// perceptron over both names and their phrase features to three logits. Pairs go
// through it in batches; the result of a pair does not depend on its batch. It
// has its gradient ([Net.Backward]) in the same package.
package net

import (
	"fmt"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/internal/learn/dense"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

// Widths of the layers.
const (
	cellHidden = 32
	cellOut    = 16
	foundWidth = 2 * cellOut // attention's mean and the maximum
	wordIn     = foundWidth + namepair.WordDim
	wordOut    = 24
	sideWidth  = 3 * wordOut // mean, maximum and minimum over words
	topIn      = 2*sideWidth + namepair.PhraseDim
	topHidden  = 48
	// Classes is the number of logits: entailment, neutral, contradiction.
	Classes = 3
)

// Net is a network, or a gradient of the same layout. All its weights lie in
// one slice.
type Net struct {
	params       []float32
	cell1, cell2 dense.Layer
	attend       dense.Layer // cell to attention logit; the null word has logit 0
	word         [2]dense.Layer
	gate         [2]dense.Layer // word features to pooling logit
	top, logits  dense.Layer
}

// New returns a network of zeros.
func New() *Net {
	n := &Net{}
	shapes := n.shapes()
	n.params = make([]float32, dense.Size(shapes))
	dense.Lay(n.params, shapes)
	return n
}

// shapes returns the layers with their widths, in the order of their weights.
func (n *Net) shapes() []dense.Shape {
	return []dense.Shape{
		{Layer: &n.cell1, In: namepair.CellDim, Out: cellHidden}, {Layer: &n.cell2, In: cellHidden, Out: cellOut}, {Layer: &n.attend, In: cellOut, Out: 1},
		{Layer: &n.word[0], In: wordIn, Out: wordOut}, {Layer: &n.word[1], In: wordIn, Out: wordOut},
		{Layer: &n.gate[0], In: namepair.WordDim, Out: 1}, {Layer: &n.gate[1], In: namepair.WordDim, Out: 1},
		{Layer: &n.top, In: topIn, Out: topHidden}, {Layer: &n.logits, In: topHidden, Out: Classes},
	}
}

// Random returns a network of random weights, from which training starts.
func Random(rng *rand.Rand) *Net {
	n := New()
	for _, s := range n.shapes() {
		s.Layer.Randomize(rng)
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
func (n *Net) Append(dst []byte) []byte { return dense.AppendWeights(dst, n.params) }

// Decode reads what [Net.Append] wrote and returns the bytes after it.
func Decode(src []byte) (*Net, []byte, error) {
	n := New()
	if len(src) < 4*len(n.params) {
		return nil, nil, fmt.Errorf("net: %d bytes, expected at least %d", len(src), 4*len(n.params))
	}
	rest, err := dense.ReadWeights(n.params, src)
	if err != nil {
		return nil, nil, fmt.Errorf("net: %w", err)
	}
	return n, rest, nil
}

// Scale is the standardisation of features.
type Scale = dense.Scale

// Fold builds the standardisation of cell, word and phrase features into the weights, so that n reads
// features without it. The first argument of [dense.Layer.Fold] is the position of the features among the layer's
// inputs: pooled values precede them.
func (n *Net) Fold(cell, word, phrase Scale) {
	n.cell1.Fold(0, cell)
	for s := range 2 {
		n.word[s].Fold(foundWidth, word)
		n.gate[s].Fold(0, word)
	}
	n.top.Fold(2*sideWidth, phrase)
}
