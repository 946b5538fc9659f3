package questions

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/nli/question"
)

// sample is a pair made ready: standardised inputs in both orders.
type sample struct {
	orders [2][]float64
	class  int
	weight float64
}

// The parameters of Adam.
const (
	beta1   = .9
	beta2   = .999
	epsilon = 1e-8
)

// optimizer fits one network.
type optimizer struct {
	net            *question.Net
	gradient       *question.Net
	first, second  *question.Net // moments
	hidden, behind []float64
	steps          int
	decay          float64
}

func newNet(rng *rand.Rand, inputs, units, classes int) *question.Net {
	layer := func(rows, columns int, scale float64) [][]float64 {
		out := make([][]float64, rows)
		for i := range out {
			out[i] = make([]float64, columns+1)
			for j := range columns {
				out[i][j] = rng.NormFloat64() * scale
			}
		}
		return out
	}
	return &question.Net{
		Hidden: layer(units, inputs, math.Sqrt(2/float64(inputs))),
		Out:    layer(classes, units, math.Sqrt(1/float64(units))),
	}
}

func newOptimizer(net *question.Net, decay float64) *optimizer {
	inputs, units, classes := len(net.Hidden[0])-1, len(net.Hidden), len(net.Out)
	zero := func() *question.Net {
		n := &question.Net{Hidden: make([][]float64, units), Out: make([][]float64, classes)}
		for i := range n.Hidden {
			n.Hidden[i] = make([]float64, inputs+1)
		}
		for i := range n.Out {
			n.Out[i] = make([]float64, units+1)
		}
		return n
	}
	return &optimizer{
		net: net, gradient: zero(), first: zero(), second: zero(),
		hidden: make([]float64, units), behind: make([]float64, units), decay: decay,
	}
}

// accumulate adds the gradient of the loss of one input.
func (o *optimizer) accumulate(input []float64, class int, weight float64) {
	logs := o.net.Forward(o.hidden, input)
	clear(o.behind)
	for c, row := range o.net.Out {
		d := weight * math.Exp(logs[c])
		if c == class {
			d -= weight
		}
		last := len(row) - 1
		floats.AddScaled(o.gradient.Out[c][:last], d, o.hidden)
		o.gradient.Out[c][last] += d
		floats.AddScaled(o.behind, d, row[:last])
	}
	for u, d := range o.behind {
		if o.hidden[u] == 0 {
			continue
		}
		row := o.gradient.Hidden[u]
		last := len(row) - 1
		floats.AddScaled(row[:last], d, input)
		row[last] += d
	}
}

// step moves the weights against the gradient and clears it.
func (o *optimizer) step(rate float64) {
	o.steps++
	c1, c2 := 1-math.Pow(beta1, float64(o.steps)), 1-math.Pow(beta2, float64(o.steps))
	move := func(w, g, m, v []float64) {
		for i, d := range g {
			m[i] = beta1*m[i] + (1-beta1)*d
			v[i] = beta2*v[i] + (1-beta2)*d*d
			w[i] -= rate * (m[i]/c1/(math.Sqrt(v[i]/c2)+epsilon) + o.decay*w[i])
		}
		clear(g)
	}
	for i := range o.net.Hidden {
		move(o.net.Hidden[i], o.gradient.Hidden[i], o.first.Hidden[i], o.second.Hidden[i])
	}
	for i := range o.net.Out {
		move(o.net.Out[i], o.gradient.Out[i], o.first.Out[i], o.second.Out[i])
	}
}

// fit trains a network; the rate falls to nothing as a cosine.
func fit(samples []sample, opt Options, seed uint64) *question.Net {
	rng := rand.New(rand.NewPCG(opt.Seed, seed))
	net := newNet(rng, len(samples[0].orders[0]), opt.Units, question.Classes)
	o := newOptimizer(net, opt.Decay)
	batches := (len(samples) + opt.Batch - 1) / opt.Batch
	total := float64(batches * opt.Epochs)
	for epoch := range opt.Epochs {
		order := rng.Perm(len(samples))
		for b := range batches {
			batch := order[b*opt.Batch : min(len(order), (b+1)*opt.Batch)]
			for _, i := range batch {
				s := samples[i]
				o.accumulate(s.orders[rng.IntN(2)], s.class, s.weight/float64(len(batch)))
			}
			done := float64(epoch*batches+b) / total
			o.step(opt.Rate * (1 + math.Cos(math.Pi*done)) / 2)
		}
	}
	return net
}
