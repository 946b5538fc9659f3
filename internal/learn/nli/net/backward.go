package net

import (
	"github.com/tabperturb/tabperturb/internal/learn/dense"
	"github.com/tabperturb/tabperturb/lexicon"
)

// gradients are the gradients by the activations of a [Pass], in matrices of the same names and shapes.
type gradients struct {
	logits, hidden, x dense.Matrix
	u, gate, z        dense.Matrix // of one side at a time; z without the columns of word features
	logit, h2, h1     dense.Matrix
	transposes        dense.Transposes
}

// Backward adds to g the gradient of the pass last run on p, from the gradients
// of its logits, one an input.
func (n *Net) Backward(g *Net, p *Pass, grads [][Classes]float32) {
	d := &p.grad
	t := &d.transposes
	d.logits.Resize(len(grads), Classes) // first the layers over pairs, the last one first
	for i := range grads {
		copy(d.logits.Row(i), grads[i][:])
	}
	d.hidden.Zero(len(grads), topHidden)
	n.logits.Backward(&g.logits, t, d.hidden, d.logits, p.hidden)
	p.drop(d.hidden)
	d.hidden.Mask(p.hidden)
	d.x.Zero(len(grads), 2*sideWidth)
	n.top.Backward(&g.top, t, d.x, d.hidden, p.x)

	d.logit.Zero(p.logit.Rows, 1) // then those over words and cells
	d.h2.Zero(p.h2.Rows, cellOut)
	for s := range p.sides {
		n.backwardSide(g, p, s)
	}
	n.attend.Backward(&g.attend, t, d.h2, d.logit, p.h2)
	d.h2.Mask(p.h2)
	d.h1.Zero(p.h1.Rows, cellHidden)
	n.cell2.Backward(&g.cell2, t, d.h1, d.h2, p.h1)
	d.h1.Mask(p.h1)
	n.cell1.Backward(&g.cell1, t, dense.Matrix{}, d.h1, p.cells)
}

// backwardSide adds to g the gradient of the layers of one side, 0 for premises and 1 for hypotheses, and
// passes the gradient on to the cells. It goes back through the steps of the pass: the pooling of words (the columns
// of x for this side), its gate, the word layer, and the attention that pooled the cells.
func (n *Net) backwardSide(g *Net, p *Pass, s int) {
	t, d := &p.sides[s], &p.grad
	d.unpool(t, d.x.Columns(s*sideWidth, (s+1)*sideWidth), p.x.Columns(s*sideWidth, (s+1)*sideWidth))
	// The gate reads the word features alone, and these need no gradient.
	n.gate[s].Backward(&g.gate[s], &d.transposes, dense.Matrix{}, d.gate, t.z.Columns(foundWidth, wordIn))
	d.u.Mask(t.u)
	d.z.Zero(t.z.Rows, foundWidth)
	n.word[s].Backward(&g.word[s], &d.transposes, d.z, d.u, t.z)
	d.unattend(t, p.h2)
}

// unpool passes the gradient dx of the pooled words x on to the words and to the logits of their weights.
// A row of x, and of its gradient, has the mean, the maximum and the minimum of the words of a pair, in this order;
// [dense.Take] passes on the gradient of a maximum or minimum.
func (d *gradients) unpool(t *sidePass, dx, x dense.Matrix) {
	d.u.Zero(t.u.Rows, wordOut)
	d.gate.Resize(t.u.Rows, 1)
	for i, words := range t.words {
		x, dx := x.Row(i), dx.Row(i)
		dMean := dx[:wordOut]
		centre := lexicon.Dot(dMean, x[:wordOut]) // the derivative of a softmax is relative to the weighted mean
		for w := range words.rows {
			u, du, share := t.u.Row(w), d.u.Row(w), t.weight.Data[w]
			d.gate.Data[w] = share * (lexicon.Dot(dMean, u) - centre)
			dense.Axpy(du, share, dMean)
			dense.Take(du, dx[wordOut:2*wordOut], u, x[wordOut:2*wordOut])
			dense.Take(du, dx[2*wordOut:], u, x[2*wordOut:])
		}
	}
}

// unattend passes d.z, the gradient of the cells that attention pooled for each word, on to the cells and to
// the logits of their attention. It overwrites d.z.
func (d *gradients) unattend(t *sidePass, h2 dense.Matrix) {
	for w, cells := range t.cells {
		z, dz := t.z.Row(w), d.z.Row(w)
		dMean := dz[:cellOut]
		centre := lexicon.Dot(dMean, z[:cellOut]) // as in unpool
		for c := range cells.rows {
			h, dh, share := h2.Row(c), d.h2.Row(c), t.share[c]
			d.logit.Data[c] += share * (lexicon.Dot(dMean, h) - centre)
			dense.Axpy(dh, share, dMean)
			dense.Take(dh, dz[cellOut:], h, z[cellOut:foundWidth])
		}
	}
}

// Add adds the gradient h to the gradient g, and clears h.
func (g *Net) Add(h *Net) {
	for i, x := range h.params {
		g.params[i] += x
	}
	clear(h.params)
}
