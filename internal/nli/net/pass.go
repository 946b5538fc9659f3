package net

import (
	"math"

	"github.com/tabperturb/tabperturb/internal/nli/namepair"
)

// Pass holds the activations of one forward pass over a batch, for the backward
// pass and to be reused: once grown to the largest batch, it allocates no more.
// The zero value is ready. A Pass serves one goroutine at a time.
type Pass struct {
	// Keep, where not nil, holds Dropout factors a pair on the last hidden layer.
	Keep []float32

	cells, h1, h2     matrix // rows are cells
	logit             matrix // by cell: attention
	sides             [2]sidePass
	x, hidden, logits matrix // rows are pairs
	result            [][Classes]float32
	grad              gradients
}

// sidePass is one side's part of a pass, premises or hypotheses. Rows are words
// unless said otherwise.
type sidePass struct {
	words  []span    // by pair: its words
	cells  []span    // by word: its cells, one with each word of the other name
	share  []float32 // by cell: the attention that its word pays it
	z, u   matrix    // what the word found, with its features; hidden
	weight matrix    // pooling
}

// span is count rows, each step after the last.
type span struct{ first, step, count int }

// rows yields the rows of s.
func (s span) rows(yield func(int) bool) {
	for i, r := 0, s.first; i < s.count; i, r = i+1, r+s.step {
		if !yield(r) {
			return
		}
	}
}

// Dropout is the number of factors a pair in [Pass.Keep].
const Dropout = topHidden

// Forward returns the logits of each input, valid until p's next use.
func (n *Net) Forward(p *Pass, inputs []*namepair.Input) [][Classes]float32 {
	p.load(inputs)
	n.cell1.forward(&p.h1, p.cells)
	p.h1.relu()
	n.cell2.forward(&p.h2, p.h1)
	p.h2.relu()
	n.attend.forward(&p.logit, p.h2)
	for s := range p.sides {
		t := &p.sides[s]
		t.find(p.logit.Data, p.h2)
		n.word[s].forward(&t.u, t.z)
		t.u.relu()
		n.gate[s].forward(&t.weight, t.z.columns(found, wordIn))
		t.pool(p.x.columns(s*side, (s+1)*side))
	}
	n.top.forward(&p.hidden, p.x)
	p.hidden.relu()
	p.drop(p.hidden)
	n.logits.forward(&p.logits, p.hidden)
	p.result = sized(p.result, len(inputs))
	for i := range p.result {
		p.result[i] = [Classes]float32(p.logits.row(i))
	}
	return p.result
}

// load lays the inputs out as rows.
func (p *Pass) load(inputs []*namepair.Input) {
	var cells, a, b int
	for _, in := range inputs {
		cells, a, b = cells+in.A*in.B, a+in.A, b+in.B
	}
	p.cells.resize(cells, namepair.CellDim)
	p.x.resize(len(inputs), topIn)
	p.sides[0].begin(a)
	p.sides[1].begin(b)
	cell := 0
	for i, in := range inputs {
		copy(p.cells.Data[cell*namepair.CellDim:], in.Cells[:in.A*in.B*namepair.CellDim])
		copy(p.x.row(i)[2*side:], in.Phrase[:namepair.PhraseDim])
		p.sides[0].add(in.WordsA, in.A, span{cell, 1, in.B}, in.B)
		p.sides[1].add(in.WordsB, in.B, span{cell, in.B, in.A}, 1)
		cell += in.A * in.B
	}
}

func (t *sidePass) begin(words int) {
	t.words, t.cells = t.words[:0], t.cells[:0]
	t.z.resize(words, wordIn)
}

// add appends a pair's words, given the cells of the first and how far those of
// the next lie from them.
func (t *sidePass) add(features []float32, words int, cells span, next int) {
	t.words = append(t.words, span{len(t.cells), 1, words})
	for i := range words {
		copy(t.z.row(len(t.cells))[found:], features[i*namepair.WordDim:(i+1)*namepair.WordDim])
		t.cells = append(t.cells, cells)
		cells.first += next
	}
}

// find writes what words find in their cells: the mean by attention, where a null
// word of logit 0 takes part, and the maximum.
func (t *sidePass) find(logit []float32, h2 matrix) {
	t.share = sized(t.share, len(logit))
	for w, cells := range t.cells {
		cells.softmax(t.share, logit, 0)
		z := t.z.row(w)[:found]
		clear(z)
		mean, high := z[:cellOut], z[cellOut:]
		for c := range cells.rows {
			share, h := t.share[c], h2.row(c)[:cellOut]
			for k, v := range h {
				mean[k] += share * v
				high[k] = max(high[k], v) // nothing in h2 is below 0
			}
		}
	}
}

// pool turns the words' logits into weights and writes mean, maximum and minimum
// over the words of each pair to x.
func (t *sidePass) pool(x matrix) {
	weight := t.weight.Data
	for i, words := range t.words {
		words.softmax(weight, weight, float32(math.Inf(-1)))
		x := x.row(i)
		clear(x)
		mean, high, low := x[:wordOut], x[wordOut:][:wordOut], x[2*wordOut:][:wordOut]
		for w := range words.rows {
			share, u := weight[w], t.u.row(w)[:wordOut]
			if w == words.first {
				copy(low, u)
			}
			for k, v := range u {
				mean[k] += share * v
				high[k] = max(high[k], v) // nothing in u is below 0
				low[k] = min(low[k], v)
			}
		}
	}
}

// softmax writes the shares of the logits x of s to y, where one more item, of
// the logit null, has a share too.
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

// drop applies Keep to the last hidden layer or its gradient.
func (p *Pass) drop(hidden matrix) {
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
