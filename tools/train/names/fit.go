package names

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/learn/adam"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
)

// stage is one of the two parts of a training.
type stage struct {
	steps  int
	rate   float64                   // the highest
	share  func(j judgement) float64 // of a kind in a batch
	stream uint64                    // of randomness
	people bool                      // whether it learns from pairs of a group
}

// first returns the first stage, on automatic pairs.
func (o Options) first() stage {
	return stage{o.Steps, o.Rate, func(j judgement) float64 { return j.first }, 1, false}
}

// last returns the last stage, which also learns from the pairs that people wrote.
func (o Options) last() stage {
	return stage{o.LastSteps, o.LastRate, func(j judgement) float64 { return j.last }, 2, true}
}

// trainer trains networks on samples that are standardised.
type trainer struct {
	opt     Options
	samples []sample
	scales  [3]net.Scale
}

// networks trains a stage of all networks, which begin with the weights of start or, if that is nil, with random ones. It
// leaves out samples of test sets and those that hold, which may be nil, accepts. It returns the networks with their
// losses.
func (t *trainer) networks(ctx context.Context, s stage, start []*net.Net, hold func(*sample) bool) ([]*net.Net, []float64, error) {
	byKind := make([][]*sample, kinds)
	for i := range t.samples {
		p := &t.samples[i]
		if !p.held && (s.people || p.group == "") && (hold == nil || !hold(p)) {
			byKind[p.kind] = append(byKind[p.kind], p)
		}
	}
	var out []*net.Net
	var losses []float64
	for i := range t.opt.Networks {
		f := &fitter{opt: t.opt, stage: s, byKind: byKind, scales: t.scales, rng: rand.New(rand.NewPCG(t.opt.Seed, s.stream<<32+uint64(i)))}
		n := net.Random(f.rng)
		if start != nil {
			n = start[i].Clone()
		}
		loss, err := f.run(ctx, n)
		if err != nil {
			return nil, nil, err
		}
		out, losses = append(out, n), append(losses, loss)
	}
	return out, losses, nil
}

// fitter trains one network.
type fitter struct {
	opt    Options
	stage  stage
	byKind [][]*sample
	scales [3]net.Scale
	rng    *rand.Rand
}

// Regularisation of the training.
const (
	decay   = .01
	clip    = 2
	dropout = .2

	// The share of automatic positives, of automatic negatives, and of what people
	// wrote, whose word-list features are hidden. Automatic pairs come from these
	// very lists; unhidden, they would be all that counts.
	hidePositive = .6
	hideNegative = .3
	hideHand     = .1
)

// shards is the number of parts of a batch. Gradients are summed part by part in
// this order, whatever the workers.
const shards = 8

// negligible is the least probability that a loss takes.
const negligible = 1e-6

// draw is a sample with the randomness of its use.
type draw struct {
	*sample
	hide bool // the word lists
	keep [net.Dropout]float32
}

// run trains a network and returns its mean loss over the last tenth of the steps. The gradients of a batch are computed in
// parallel, part by part.
func (f *fitter) run(ctx context.Context, n *net.Net) (float64, error) {
	total := net.New()
	optimiser := adam.Adam[float32]{Decay: decay, Clip: clip}
	workers := make([]worker, shards)
	for i := range workers {
		workers[i].grad = net.New()
	}
	cumulative, err := f.shares()
	if err != nil {
		return 0, err
	}
	batch := make([]draw, f.opt.Batch)
	var loss float64
	tail := max(1, f.stage.steps/10)
	for step := range f.stage.steps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for i := range batch {
			f.draw(&batch[i], cumulative)
		}
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i := range workers {
			part := batch[i*len(batch)/shards : (i+1)*len(batch)/shards]
			g.Go(func() error {
				workers[i].run(n, f.scales, part, len(batch))
				return nil
			})
		}
		g.Wait()
		for i := range workers {
			total.Add(workers[i].grad)
			if step >= f.stage.steps-tail {
				loss += workers[i].loss / float64(tail)
			}
		}
		optimiser.Step(n.Params(), total.Params(), adam.OneCycle(step, f.stage.steps, f.stage.rate))
	}
	return loss, nil
}

// shares returns the running sum of the shares of those kinds that have pairs.
func (f *fitter) shares() ([]float64, error) {
	cumulative := make([]float64, kinds)
	var sum float64
	for k := range cumulative {
		if len(f.byKind[k]) > 0 {
			sum += f.stage.share(judgements[k])
		}
		cumulative[k] = sum
	}
	if sum == 0 {
		return nil, fmt.Errorf("no training pairs could be made from the sources")
	}
	for k := range cumulative {
		cumulative[k] /= sum
	}
	return cumulative, nil
}

// draw draws a sample into d: first its kind, by the cumulative shares of the kinds, then one of the kind. It also draws
// whether the lists of words are hidden from the network, and its dropout.
func (f *fitter) draw(d *draw, cumulative []float64) {
	r := f.rng.Float64()
	k := 0
	for k < len(cumulative)-1 && (cumulative[k] <= r || len(f.byKind[k]) == 0) {
		k++
	}
	group := f.byKind[k]
	d.sample = group[f.rng.IntN(len(group))]
	lists := hideNegative
	switch {
	case kind(k).handmade(), kind(k) == kindWords:
		lists = hideHand
	case judgements[k].forward.entails > 0:
		lists = hidePositive
	}
	d.hide = f.rng.Float64() < lists
	for i := range d.keep {
		d.keep[i] = 0
		if f.rng.Float64() >= dropout {
			d.keep[i] = 1 / (1 - dropout)
		}
	}
}

// worker sums the gradient of its part of a batch.
type worker struct {
	grad   *net.Net
	loss   float64
	pass   net.Pass
	hidden []namepair.Input
	inputs []*namepair.Input
	keep   []float32
	probs  [][net.Classes]float64
	grads  [][net.Classes]float32
}

// run computes loss and gradient of a part of a batch; batch is the size of the whole.
func (w *worker) run(n *net.Net, scales [3]net.Scale, part []draw, batch int) {
	if w.hidden == nil {
		w.hidden = make([]namepair.Input, 2*len(part)+2)
	}
	w.inputs, w.keep, w.probs, w.grads = w.inputs[:0], w.keep[:0], w.probs[:0], w.grads[:0]
	for i := range part {
		d := &part[i]
		for k := range 2 {
			in := &d.inputs[k]
			if d.hide {
				in = hide(&w.hidden[2*i+k], in, scales, namepair.WordLists)
			}
			w.inputs, w.keep = append(w.inputs, in), append(w.keep, d.keep[:]...)
		}
	}
	w.pass.Keep = w.keep
	for _, logits := range n.Forward(&w.pass, w.inputs) {
		w.probs = append(w.probs, net.Probabilities(logits))
	}
	w.loss = 0
	for i := range part {
		loss, grads := judge(&part[i].pair, [2][net.Classes]float64(w.probs[2*i:]))
		w.loss += loss / float64(batch)
		for _, g := range grads {
			for c := range g {
				g[c] /= float32(batch)
			}
			w.grads = append(w.grads, g)
		}
	}
	n.Backward(w.grad, &w.pass, w.grads)
}

// judge returns the loss of a pair, the cross-entropy of the probabilities of both directions with the targets of the pair, and
// its gradient by their logits. If a target leaves open which class the rest is, neutral and contradiction together must
// have it.
func judge(p *pair, probs [2][net.Classes]float64) (float64, [2][net.Classes]float32) {
	var loss float64
	var grads [2][net.Classes]float32
	weight := judgements[p.kind].weight / 2
	for k, t := range p.targets {
		q := probs[k]
		rest := 1 - q[entailment] // probability of what the target's rest means
		if t.rest != open_ {
			rest = q[t.rest]
		}
		loss -= weight * (t.entails*math.Log(max(q[entailment], negligible)) + (1-t.entails)*math.Log(max(rest, negligible)))
		for c := range q {
			want := t.entails * bit(c == entailment)
			switch {
			case t.rest == c:
				want += 1 - t.entails
			case t.rest == open_ && c != entailment:
				want += (1 - t.entails) * q[c] / max(rest, negligible)
			}
			grads[k][c] = float32(weight * (q[c] - want))
		}
	}
	return loss, grads
}

// hide copies in to dst with a group of features as if they were 0, but between
// equal lemmas.
func hide(dst, in *namepair.Input, scales [3]net.Scale, g namepair.Group) *namepair.Input {
	dst.A, dst.B, dst.WordsA, dst.WordsB = in.A, in.B, in.WordsA, in.WordsB
	dst.Cells = append(dst.Cells[:0], in.Cells...)
	dst.Phrase = append(dst.Phrase[:0], in.Phrase...)
	for cell := range slices.Chunk(dst.Cells, namepair.CellDim) {
		if cell[namepair.SameLemmaCell] > 0 { // above the mean: set
			continue
		}
		for _, f := range g.Cells {
			cell[f] = -scales[0].Mean[f] / scales[0].Deviation[f]
		}
	}
	for _, f := range g.Phrase {
		dst.Phrase[f] = -scales[2].Mean[f] / scales[2].Deviation[f]
	}
	return dst
}
