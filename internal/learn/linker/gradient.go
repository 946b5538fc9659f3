package linker

import (
	"math"

	"github.com/tabperturb/tabperturb/internal/learn/dense"
)

// backward adds to g the gradient of the loss of the last forward pass of p by the weights of n, and returns that loss. It goes from the
// logits back through the layers.
func (n *net) backward(g *net, p *pass) (loss float64) {
	var d [2]dense.Matrix // by the logits
	for k := range d {
		d[k].Zero(p.logits[k].Rows, 1)
	}
	for _, group := range p.groups {
		for i, gold := range group.sample.gold {
			k, row := group.row(i)
			l, slope := crossEntropy(p.logits[k].Data[row], gold)
			d[k].Data[row] = group.sample.weight * slope
			loss += float64(group.sample.weight) * l
		}
	}
	for k := range n.kinds {
		p.dh[k].Zero(p.h[rounds][k].Rows, hidden)
		n.kinds[k].logit.Backward(&g.kinds[k].logit, &p.transposes, p.dh[k], d[k], p.h[rounds][k])
	}
	for r := rounds - 1; r >= 0; r-- { // from p.dh, the gradient by the states after round r, to p.dnext, that by those before it
		for k := range p.dnext {
			p.dnext[k].Zero(p.h[r][k].Rows, hidden)
		}
		for k := range n.kinds {
			p.dh[k].Mask(p.h[r+1][k])
			p.dm.Zero(p.dh[k].Rows, slots*hidden)
			n.kinds[k].rounds[r].Backward(&g.kinds[k].rounds[r], &p.transposes, p.dm, p.dh[k], p.m[r][k])
			p.scatter(r, k)
		}
		p.dh, p.dnext = p.dnext, p.dh
	}
	for k := range n.kinds {
		if p.keep != nil { // dropout
			multiply(p.dh[k].Data, p.mask[k])
		}
		p.dh[k].Mask(p.h[0][k])
		p.dx[k].Zero(p.dh[k].Rows, inputDim)
		n.kinds[k].first.Backward(&g.kinds[k].first, &p.transposes, p.dx[k], p.dh[k], p.x[k])
	}
	n.wordGradients(g, p)
	return loss
}

// crossEntropy returns the loss of a logit against whether the item is gold, and the derivative of the loss by the logit.
func crossEntropy(logit float32, gold bool) (loss float64, slope float32) {
	x := float64(logit)
	if gold {
		x = -x
	}
	loss = max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) // log(1+exp(x)), without overflow
	p := float32(1 / (1 + math.Exp(-float64(logit))))
	return loss, p - bit(gold)
}

// scatter adds the gradient dm of the states that items of a kind received in round r to the gradients of
// the items from which they were taken. An item received a state of hidden components in each of its slots; p.from has, for
// each component, the row of the item from which [net.forward] took it, or -1.
func (p *pass) scatter(r, kind int) {
	for row := range p.dm.Rows {
		for at, source := range sources[kind] { // the slot, and the kind of items that it was filled from
			first := (row*slots + at) * hidden
			to := p.dnext[source]
			for k, from := range p.from[r][kind][first : first+hidden] {
				if from >= 0 {
					to.Data[int(from)*hidden+k] += p.dm.Data[first+k]
				}
			}
		}
	}
}

// wordGradients adds to g the gradient by the embeddings of words, from p.dx, the gradient by the inputs that [net.input] makes of them: the
// name, 4 times its product with the question's mean, that mean, and the product of the name with the best word of the question.
func (n *net) wordGradients(g *net, p *pass) {
	var dname, dquestion [embedded]float32 // by the mean embedding of a name's words, and of the question's
	for q, group := range p.groups {
		mean := p.means.Row(q)
		clear(dquestion[:])
		for i := range group.sample.schema.tableOf {
			k, row := group.row(i)
			x, dx := p.x[k].Row(row)[Dim:], p.dx[k].Row(row)[Dim:]
			copy(dname[:], dx[:embedded])
			for e := range embedded {
				dname[e] += float32(4 * dx[embedded+e] * mean[e])
				dquestion[e] += float32(4*dx[embedded+e]*x[e]) + dx[2*embedded+e]
			}
			if best := p.bestWord[k][row]; best >= 0 {
				fit := dx[3*embedded]
				dense.Axpy(dname[:], fit, n.question[int(best)*embedded:][:embedded])
				dense.Axpy(g.question[int(best)*embedded:][:embedded], fit, x[:embedded])
			}
			names := group.sample.names[i]
			for _, w := range names {
				dense.Axpy(g.names[int(w)*embedded:][:embedded], 1/float32(len(names)), dname[:])
			}
		}
		for _, w := range group.sample.words {
			dense.Axpy(g.question[int(w)*embedded:][:embedded], 1/float32(len(group.sample.words)), dquestion[:])
		}
	}
	clear(g.question[:embedded]) // the embeddings of unknown words stay 0
	clear(g.names[:embedded])
}
