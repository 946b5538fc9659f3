package net

import (
	"math"

	"github.com/tabperturb/tabperturb/internal/learn/dense"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

// Pass holds the activations of one forward pass over a batch, for the backward
// pass and to be reused: once grown to the largest batch, it allocates no more.
// The zero value is ready. A Pass serves one goroutine at a time.
type Pass struct {
	// Keep, if not nil, holds Dropout factors a pair on the last hidden layer.
	Keep []float32

	cells, h1, h2     dense.Matrix // rows are cells
	logit             dense.Matrix // by cell: attention
	sides             [2]sidePass
	x, hidden, logits dense.Matrix // rows are pairs
	result            [][Classes]float32
	grad              gradients
}

// sidePass is one side's part of a pass, premises or hypotheses. Rows are words
// unless said otherwise.
type sidePass struct {
	words  []span       // by pair: its words
	cells  []span       // by word: its cells, one with each word of the other name
	share  []float32    // by cell: the attention of its word
	z      dense.Matrix // inputs: what the word found in its cells, and its features
	u      dense.Matrix // outputs of the hidden layer
	weight dense.Matrix // weights in the pooling of a name's words
}

// span is count rows of a matrix: first, first+step, and so on.
type span struct{ first, step, count int }

// rows yields the numbers of the rows of s.
func (s span) rows(yield func(int) bool) {
	for i, r := 0, s.first; i < s.count; i, r = i+1, r+s.step {
		if !yield(r) {
			return
		}
	}
}

// Dropout is the number of factors a pair in [Pass.Keep].
const Dropout = topHidden

// Forward returns the logits of each input, valid until p's next use. It encodes the cells of word pairs in two layers, pools
// them by attention to a vector for each word and the words by gates to one for each name, and classifies the pair.
func (n *Net) Forward(p *Pass, inputs []*namepair.Input) [][Classes]float32 {
	p.load(inputs)
	n.cell1.Forward(&p.h1, p.cells)
	p.h1.Relu()
	n.cell2.Forward(&p.h2, p.h1)
	p.h2.Relu()
	n.attend.Forward(&p.logit, p.h2)
	for s := range p.sides {
		t := &p.sides[s]
		t.attend(p.logit.Data, p.h2)
		n.word[s].Forward(&t.u, t.z)
		t.u.Relu()
		n.gate[s].Forward(&t.weight, t.z.Columns(foundWidth, wordIn))
		t.pool(p.x.Columns(s*sideWidth, (s+1)*sideWidth))
	}
	n.top.Forward(&p.hidden, p.x)
	p.hidden.Relu()
	p.drop(p.hidden)
	n.logits.Forward(&p.logits, p.hidden)
	p.result = dense.Sized(p.result, len(inputs))
	for i := range p.result {
		p.result[i] = [Classes]float32(p.logits.Row(i))
	}
	return p.result
}

// load lays the inputs out as rows.
func (p *Pass) load(inputs []*namepair.Input) {
	var cells, a, b int
	for _, in := range inputs {
		cells, a, b = cells+in.A*in.B, a+in.A, b+in.B
	}
	p.cells.Resize(cells, namepair.CellDim)
	p.x.Resize(len(inputs), topIn)
	p.sides[0].begin(a)
	p.sides[1].begin(b)
	cell := 0
	for i, in := range inputs { // the cells of a word of A lie in a row of the matrix A×B, those of a word of B in a column
		copy(p.cells.Data[cell*namepair.CellDim:], in.Cells[:in.A*in.B*namepair.CellDim])
		copy(p.x.Row(i)[2*sideWidth:], in.Phrase[:namepair.PhraseDim])
		// A span is a first row, the step to the next, and the number of rows.
		p.sides[0].add(in.WordsA, in.A, span{cell, 1, in.B}, in.B)
		p.sides[1].add(in.WordsB, in.B, span{cell, in.B, in.A}, 1)
		cell += in.A * in.B
	}
}

// begin clears the side and makes room for a number of words.
func (t *sidePass) begin(words int) {
	t.words, t.cells = t.words[:0], t.cells[:0]
	t.z.Resize(words, wordIn)
}

// add appends the words of a pair, with a row of features each. cells are those of the first word; those
// of each further word begin next rows later. t.words has for each pair the rows of its words, t.cells for each word the rows of its cells.
func (t *sidePass) add(features []float32, words int, cells span, next int) {
	t.words = append(t.words, span{len(t.cells), 1, words})
	for i := range words {
		copy(t.z.Row(len(t.cells))[foundWidth:], features[i*namepair.WordDim:(i+1)*namepair.WordDim])
		t.cells = append(t.cells, cells)
		cells.first += next
	}
}

// attend writes for each word what it finds in its cells: their mean, weighted by attention, and their
// maximum. A null word of logit 0 takes a share of the attention, so that a word may match none.
func (t *sidePass) attend(logit []float32, h2 dense.Matrix) {
	t.share = dense.Sized(t.share, len(logit))
	for w, cells := range t.cells {
		cells.softmax(t.share, logit, 0)
		z := t.z.Row(w)[:foundWidth]
		clear(z)
		mean, high := z[:cellOut], z[cellOut:]
		for c := range cells.rows {
			share, h := t.share[c], h2.Row(c)[:cellOut]
			for k, v := range h {
				mean[k] += float32(share * v)
				high[k] = max(high[k], v) // nothing in h2 is below 0
			}
		}
	}
}

// pool turns the words' logits into weights and writes mean, maximum and minimum
// over the words of each pair to x.
func (t *sidePass) pool(x dense.Matrix) {
	weight := t.weight.Data
	for i, words := range t.words {
		words.softmax(weight, weight, float32(math.Inf(-1)))
		x := x.Row(i)
		clear(x)
		mean, high, low := x[:wordOut], x[wordOut:][:wordOut], x[2*wordOut:][:wordOut]
		for w := range words.rows {
			share, u := weight[w], t.u.Row(w)[:wordOut]
			if w == words.first { // the others can only lower it
				copy(low, u)
			}
			for k, v := range u {
				mean[k] += float32(share * v)
				high[k] = max(high[k], v) // nothing in u is below 0
				low[k] = min(low[k], v)
			}
		}
	}
}

// softmax sets y to the softmax of x at the rows of s. One more item with the logit null takes a share;
// none does for -Inf.
func (s span) softmax(y, x []float32, null float32) {
	top := null
	for r := range s.rows {
		top = max(top, x[r])
	}
	sum := math.Exp(float64(null - top))
	for r := range s.rows {
		e := math.Exp(float64(x[r] - top))
		sum += e
		y[r] = float32(e)
	}
	for r := range s.rows {
		y[r] = float32(float64(y[r]) / sum)
	}
}

// drop multiplies the last hidden layer, or its gradient, by the factors of Keep.
func (p *Pass) drop(hidden dense.Matrix) {
	for i, k := range p.Keep {
		hidden.Data[i] *= k
	}
}

// Probabilities returns the softmax of logits.
func Probabilities(logits [Classes]float32) [Classes]float64 {
	top := max(logits[0], logits[1], logits[2])
	var p [Classes]float64
	var sum float64
	for i, l := range logits {
		p[i] = math.Exp(float64(l - top))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
