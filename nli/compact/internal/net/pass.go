package net

import (
	"math"

	"github.com/tabperturb/tabperturb/internal/vec"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
)

// Pass holds the activations of one forward pass, for the backward pass and to
// be reused. The zero value is ready.
type Pass struct {
	in     *feature.Input
	h1, h2 []float32 // cells × cellHidden, cells × cellOut
	sides  [2]sidePass
	x      []float32 // topIn
	hidden []float32 // topHidden
	// Keep, where not nil, holds topHidden factors on the last hidden layer, for
	// dropout.
	Keep []float32
	dH2  []float32
	dTmp []float32
	dTop []float32
	dX   []float32
}

// sidePass is one name's part of a pass.
type sidePass struct {
	share  []float32 // words × other words: attention
	best   []int32   // words × cellOut: the other word with the maximum
	z      []float32 // words × wordIn
	u      []float32 // words × wordOut
	weight []float32 // words: pooling
	high   [wordOut]int32
	low    [wordOut]int32
}

// Dropout is the width of [Pass.Keep].
const Dropout = topHidden

// Forward returns the logits of in.
func (n *Net) Forward(p *Pass, in *feature.Input) [Classes]float32 {
	p.in = in
	cells := in.A * in.B
	p.h1, p.h2 = sized(p.h1, cells*cellHidden), sized(p.h2, cells*cellOut)
	for c := range cells {
		h1, h2 := p.h1[c*cellHidden:(c+1)*cellHidden], p.h2[c*cellOut:(c+1)*cellOut]
		n.cell1.forward(h1, in.Cells[c*feature.CellDim:(c+1)*feature.CellDim])
		relu(h1)
		n.cell2.forward(h2, h1)
		relu(h2)
	}
	p.x = sized(p.x, topIn)
	for s := range 2 {
		n.forwardSide(p, s)
	}
	copy(p.x[2*side:], in.Phrase)
	p.hidden = sized(p.hidden, topHidden)
	n.top.forward(p.hidden, p.x)
	relu(p.hidden)
	for i, k := range p.Keep {
		p.hidden[i] *= k
	}
	var logits [Classes]float32
	n.logits.forward(logits[:], p.hidden)
	return logits
}

// layout returns the number of words of side s, of the other side, the steps
// from cell to cell along each, and the words' features.
func layout(in *feature.Input, s int) (words, others, step, stride int, features []float32) {
	if s == 0 {
		return in.A, in.B, in.B, 1, in.WordsA
	}
	return in.B, in.A, 1, in.B, in.WordsB
}

func (n *Net) forwardSide(p *Pass, s int) {
	words, others, step, stride, features := layout(p.in, s)
	t := &p.sides[s]
	t.share, t.best = sized(t.share, words*others), sized(t.best, words*cellOut)
	t.z, t.u, t.weight = sized(t.z, words*wordIn), sized(t.u, words*wordOut), sized(t.weight, words)
	for i := range words {
		z, u := t.z[i*wordIn:(i+1)*wordIn], t.u[i*wordOut:(i+1)*wordOut]
		share, best := t.share[i*others:(i+1)*others], t.best[i*cellOut:(i+1)*cellOut]
		for j := range others {
			c := i*step + j*stride
			n.attend.forward(share[j:j+1], p.h2[c*cellOut:(c+1)*cellOut])
		}
		softmax(share, true)
		clear(z[:found])
		for j := range others {
			c := i*step + j*stride
			h2 := p.h2[c*cellOut : (c+1)*cellOut]
			axpy(z[:cellOut], share[j], h2)
			for k, v := range h2 {
				if j == 0 || v > z[cellOut+k] {
					z[cellOut+k], best[k] = v, int32(j)
				}
			}
		}
		copy(z[found:], features[i*feature.WordDim:(i+1)*feature.WordDim])
		n.word[s].forward(u, z)
		relu(u)
		n.gate[s].forward(t.weight[i:i+1], features[i*feature.WordDim:(i+1)*feature.WordDim])
	}
	softmax(t.weight, false)
	t.pool(p.x[s*side:(s+1)*side], words)
}

// pool writes mean, maximum and minimum over words.
func (t *sidePass) pool(x []float32, words int) {
	mean, high, low := x[:wordOut], x[wordOut:2*wordOut], x[2*wordOut:]
	clear(mean)
	for i := range words {
		u := t.u[i*wordOut : (i+1)*wordOut]
		axpy(mean, t.weight[i], u)
		for k, v := range u {
			if i == 0 || v > high[k] {
				high[k], t.high[k] = v, int32(i)
			}
			if i == 0 || v < low[k] {
				low[k], t.low[k] = v, int32(i)
			}
		}
	}
}

// Backward adds to g the gradient of the pass last run on p, from the gradient
// of its logits.
func (n *Net) Backward(g *Net, p *Pass, dLogits [Classes]float32) {
	p.dTop, p.dX = cleared(p.dTop, topHidden), cleared(p.dX, topIn)
	n.logits.backward(&g.logits, p.dTop, dLogits[:], p.hidden)
	for i, k := range p.Keep {
		p.dTop[i] *= k
	}
	mask(p.dTop, p.hidden)
	n.top.backward(&g.top, p.dX, p.dTop, p.x)
	p.dH2 = cleared(p.dH2, len(p.h2))
	for s := range 2 {
		n.backwardSide(g, p, s)
	}
	for c := range p.in.A * p.in.B {
		h1, h2, d2 := p.h1[c*cellHidden:(c+1)*cellHidden], p.h2[c*cellOut:(c+1)*cellOut], p.dH2[c*cellOut:(c+1)*cellOut]
		p.dTmp = cleared(p.dTmp, cellHidden)
		mask(d2, h2)
		n.cell2.backward(&g.cell2, p.dTmp, d2, h1)
		mask(p.dTmp, h1)
		n.cell1.backward(&g.cell1, nil, p.dTmp, p.in.Cells[c*feature.CellDim:(c+1)*feature.CellDim])
	}
}

func (n *Net) backwardSide(g *Net, p *Pass, s int) {
	words, _, _, _, features := layout(p.in, s)
	t := &p.sides[s]
	dx := p.dX[s*side : (s+1)*side]
	mean := p.x[s*side : s*side+wordOut]
	for i := range words {
		u, z := t.u[i*wordOut:(i+1)*wordOut], t.z[i*wordIn:(i+1)*wordIn]
		// d softmax: weight·(dmean·u − dmean·mean).
		dGate := t.weight[i] * (vec.Dot(dx[:wordOut], u) - vec.Dot(dx[:wordOut], mean))
		n.gate[s].backward(&g.gate[s], nil, []float32{dGate}, features[i*feature.WordDim:(i+1)*feature.WordDim])
		var du [wordOut]float32
		axpy(du[:], t.weight[i], dx[:wordOut])
		for k := range du {
			if t.high[k] == int32(i) {
				du[k] += dx[wordOut+k]
			}
			if t.low[k] == int32(i) {
				du[k] += dx[2*wordOut+k]
			}
		}
		mask(du[:], u)
		var dz [wordIn]float32
		n.word[s].backward(&g.word[s], dz[:], du[:], z)
		n.backwardFound(g, p, s, i, z, dz[:found])
	}
}

// backwardFound passes the gradient of what word i of side s found on to the
// cells.
func (n *Net) backwardFound(g *Net, p *Pass, s, i int, z, dz []float32) {
	_, others, step, stride, _ := layout(p.in, s)
	t := &p.sides[s]
	dMean, dMax := dz[:cellOut], dz[cellOut:]
	centre := vec.Dot(dMean, z[:cellOut])
	for j := range others {
		c := i*step + j*stride
		h2, dh2 := p.h2[c*cellOut:(c+1)*cellOut], p.dH2[c*cellOut:(c+1)*cellOut]
		share := t.share[i*others+j]
		axpy(dh2, share, dMean)
		dLogit := share * (vec.Dot(dMean, h2) - centre)
		n.attend.backward(&g.attend, dh2, []float32{dLogit}, h2)
		for k := range dMax {
			if t.best[i*cellOut+k] == int32(j) {
				dh2[k] += dMax[k]
			}
		}
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

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func cleared(s []float32, n int) []float32 {
	s = sized(s, n)
	clear(s)
	return s
}
