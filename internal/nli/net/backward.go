package net

import "github.com/tabperturb/tabperturb/lexicon"

// gradients are by the activations of a pass, of their shapes.
type gradients struct {
	logits, hidden, x matrix
	u, gate, z        matrix // of one side at a time; of z what was found alone
	logit, h2, h1     matrix
	transposes        transposes
}

// Backward adds to g the gradient of the pass last run on p, from the gradients
// of its logits, one an input.
func (n *Net) Backward(g *Net, p *Pass, grads [][Classes]float32) {
	d := &p.grad
	t := &d.transposes
	d.logits.resize(len(grads), Classes)
	for i := range grads {
		copy(d.logits.row(i), grads[i][:])
	}
	d.hidden.zero(len(grads), topHidden)
	n.logits.backward(&g.logits, t, d.hidden, d.logits, p.hidden)
	p.drop(d.hidden)
	d.hidden.mask(p.hidden)
	d.x.zero(len(grads), 2*side)
	n.top.backward(&g.top, t, d.x, d.hidden, p.x)

	d.logit.zero(p.logit.Rows, 1)
	d.h2.zero(p.h2.Rows, cellOut)
	for s := range p.sides {
		n.backwardSide(g, p, s)
	}
	n.attend.backward(&g.attend, t, d.h2, d.logit, p.h2)
	d.h2.mask(p.h2)
	d.h1.zero(p.h1.Rows, cellHidden)
	n.cell2.backward(&g.cell2, t, d.h1, d.h2, p.h1)
	d.h1.mask(p.h1)
	n.cell1.backward(&g.cell1, t, matrix{}, d.h1, p.cells)
}

func (n *Net) backwardSide(g *Net, p *Pass, s int) {
	t, d := &p.sides[s], &p.grad
	d.pool(t, d.x.columns(s*side, (s+1)*side), p.x.columns(s*side, (s+1)*side))
	n.gate[s].backward(&g.gate[s], &d.transposes, matrix{}, d.gate, t.z.columns(found, wordIn))
	d.u.mask(t.u)
	d.z.zero(t.z.Rows, found)
	n.word[s].backward(&g.word[s], &d.transposes, d.z, d.u, t.z)
	d.find(t, p.h2)
}

// pool passes the gradient dx of the pooled words x on to the words and to the
// logits of their weights. It uses dx up.
func (d *gradients) pool(t *sidePass, dx, x matrix) {
	d.u.zero(t.u.Rows, wordOut)
	d.gate.resize(t.u.Rows, 1)
	for i, words := range t.words {
		x, dx := x.row(i), dx.row(i)
		dMean := dx[:wordOut]
		centre := lexicon.Dot(dMean, x[:wordOut])
		for w := range words.rows {
			u, du, share := t.u.row(w), d.u.row(w), t.weight.Data[w]
			d.gate.Data[w] = share * (lexicon.Dot(dMean, u) - centre)
			axpy(du, share, dMean)
			take(du, dx[wordOut:2*wordOut], u, x[wordOut:2*wordOut])
			take(du, dx[2*wordOut:], u, x[2*wordOut:])
		}
	}
}

// find passes the gradient of what the words found on to the cells and to the
// logits of their shares. It uses that gradient up.
func (d *gradients) find(t *sidePass, h2 matrix) {
	for w, cells := range t.cells {
		z, dz := t.z.row(w), d.z.row(w)
		dMean := dz[:cellOut]
		centre := lexicon.Dot(dMean, z[:cellOut])
		for c := range cells.rows {
			h, dh, share := h2.row(c), d.h2.row(c), t.share[c]
			d.logit.Data[c] += share * (lexicon.Dot(dMean, h) - centre)
			axpy(dh, share, dMean)
			take(dh, dz[cellOut:], h, z[cellOut:found])
		}
	}
}

// Add adds gradient h to g and clears h.
func (g *Net) Add(h *Net) {
	for i, x := range h.params {
		g.params[i] += x
	}
	clear(h.params)
}
