package questions

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/internal/learn/adam"
	"github.com/tabperturb/tabperturb/nli/question"
)

// sample is a pair made ready: standardised inputs in both orders.
type sample struct {
	orders [2][]float64
	class  int
	weight float64
}

// optimizer fits one network.
type optimizer struct {
	adam                 adam.Adam[float64]
	net, gradient        *question.Net
	weights, derivatives []float64 // of net and gradient
	hidden, behind       []float64
}

// newNet returns a network of zeros, whose weights all lie in one slice.
func newNet(inputs, units int) (*question.Net, []float64) {
	weights := make([]float64, units*(inputs+1)+question.Classes*(units+1))
	rest := weights
	layer := func(rows, columns int) [][]float64 {
		out := make([][]float64, rows)
		for i := range out {
			out[i], rest = rest[:columns], rest[columns:]
		}
		return out
	}
	return &question.Net{Hidden: layer(units, inputs+1), Out: layer(question.Classes, units+1)}, weights
}

// newOptimizer returns an optimizer of a network with random weights.
func newOptimizer(rng *rand.Rand, inputs, units int, decay float64) *optimizer {
	o := &optimizer{adam: adam.Adam[float64]{Decay: decay}, hidden: make([]float64, units), behind: make([]float64, units)}
	o.net, o.weights = newNet(inputs, units)
	o.gradient, o.derivatives = newNet(inputs, units)
	draw := func(layer [][]float64, scale float64) {
		for _, row := range layer {
			for i := range row[:len(row)-1] {
				row[i] = rng.NormFloat64() * scale
			}
		}
	}
	draw(o.net.Hidden, math.Sqrt(2/float64(inputs)))
	draw(o.net.Out, math.Sqrt(1/float64(units)))
	return o
}

// accumulate adds the gradient of the loss of one input, of a known class and with a weight, to that of the batch. The last entry of
// each row of a layer is its bias, and hidden units are rectified: one at 0 passes nothing on.
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

// fit trains a network; the rate falls to nothing as a cosine.
func fit(samples []sample, opt Options, seed uint64) *question.Net {
	rng := rand.New(rand.NewPCG(opt.Seed, seed))
	o := newOptimizer(rng, len(samples[0].orders[0]), opt.Units, opt.Decay)
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
			o.adam.Step(o.weights, o.derivatives, opt.Rate*(1+math.Cos(math.Pi*done))/2)
		}
	}
	return o.net
}
