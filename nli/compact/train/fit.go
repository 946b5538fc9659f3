package train

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
	"github.com/tabperturb/tabperturb/nli/compact/internal/net"
)

// heldOutShare is one in how many headers is kept for calibration.
const heldOutShare = 10

// fit trains the networks and calibrates them.
func fit(ctx context.Context, w *compact.Weights, m *maker, opt Options, report *Report) error {
	samples, err := extract(ctx, m)
	if err != nil {
		return err
	}
	var held []*sample
	byKind := make([][]*sample, kinds)
	for i := range samples {
		s := &samples[i]
		h := fnv.New32a()
		h.Write([]byte(s.base))
		if h.Sum32()%heldOutShare == 0 {
			held = append(held, s)
		} else {
			byKind[s.kind] = append(byKind[s.kind], s)
		}
	}
	scales := standardise(samples)
	for i := range opt.Networks {
		f := &fitter{opt: opt, byKind: byKind, scales: scales, rng: rand.New(rand.NewPCG(opt.Seed, uint64(i)+2))}
		n, loss, err := f.run(ctx)
		if err != nil {
			return err
		}
		w.Networks = append(w.Networks, n)
		report.Losses = append(report.Losses, loss)
	}
	evaluate(w, held, report)
	for _, n := range w.Networks {
		n.Fold(scales[0], scales[1], scales[2])
	}
	return nil
}

// fitter trains one network.
type fitter struct {
	opt    Options
	byKind [][]*sample
	scales [3]net.Scale
	rng    *rand.Rand
}

// Regularisation of the training.
const (
	decay   = .01
	clip    = 2
	dropout = .2

	// The share of positives and of negatives whose word-list features are
	// hidden, and of all pairs whose taxonomy features are. Pairs come from these
	// very lists; unhidden, they would be all that counts.
	hidePositive = .6
	hideNegative = .3
	hideTaxonomy = .4
)

// shards is the number of parts of a batch. Gradients are summed part by part in
// this order, whatever the workers.
const shards = 8

// negligible is the least probability that a loss takes.
const negligible = 1e-6

// draw is a sample with the randomness of its use.
type draw struct {
	*sample
	hide []feature.Group
	keep [net.Dropout]float32
}

func (f *fitter) run(ctx context.Context) (*net.Net, float64, error) {
	n, total := net.Random(f.rng), net.New()
	adam := net.Adam{Decay: decay, Clip: clip}
	workers := make([]worker, shards)
	for i := range workers {
		workers[i].grad = net.New()
	}
	cumulative, err := f.shares()
	if err != nil {
		return nil, 0, err
	}
	batch := make([]draw, f.opt.Batch)
	var loss float64
	tail := max(1, f.opt.Steps/10)
	for step := range f.opt.Steps {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
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
			if step >= f.opt.Steps-tail {
				loss += workers[i].loss / float64(tail)
			}
		}
		adam.Step(n, total, net.OneCycle(step, f.opt.Steps, f.opt.Rate))
	}
	return n, loss, nil
}

// shares returns the running sum of the shares of those kinds that have pairs.
func (f *fitter) shares() ([]float64, error) {
	cumulative := make([]float64, kinds)
	var sum float64
	for k := range cumulative {
		if len(f.byKind[k]) > 0 {
			sum += judgements[k].share
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

func (f *fitter) draw(d *draw, cumulative []float64) {
	r := f.rng.Float64()
	k := 0
	for k < len(cumulative)-1 && (cumulative[k] <= r || len(f.byKind[k]) == 0) {
		k++
	}
	group := f.byKind[k]
	d.sample = group[f.rng.IntN(len(group))]
	d.hide = d.hide[:0]
	lists := hideNegative
	if judgements[k].positive {
		lists = hidePositive
	}
	if f.rng.Float64() < lists {
		d.hide = append(d.hide, feature.WordLists)
	}
	if f.rng.Float64() < hideTaxonomy {
		d.hide = append(d.hide, feature.Taxonomy)
	}
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
	passes [2]net.Pass
	hidden [2]feature.Input
}

func (w *worker) run(n *net.Net, scales [3]net.Scale, part []draw, batch int) {
	w.loss = 0
	for i := range part {
		d := &part[i]
		var p [2][net.Classes]float64
		for k := range 2 {
			in := &d.inputs[k]
			if len(d.hide) > 0 {
				in = hide(&w.hidden[k], in, scales, d.hide)
			}
			w.passes[k].Keep = d.keep[:]
			p[k] = net.Probabilities(n.Forward(&w.passes[k], in))
		}
		loss, grads := judge(&d.pair, p)
		w.loss += loss / float64(batch)
		for k := range 2 {
			for c := range grads[k] {
				grads[k][c] /= float32(batch)
			}
			n.Backward(w.grad, &w.passes[k], grads[k])
		}
	}
}

// judge returns the loss of a pair and its gradient by both directions' logits.
func judge(p *pair, probs [2][net.Classes]float64) (float64, [2][net.Classes]float32) {
	j := judgements[p.kind]
	var grads [2][net.Classes]float32
	if !j.positive {
		loss := 0.0
		for k, class := range []int{j.forward, j.backward} {
			loss -= j.weight / 2 * math.Log(max(probs[k][class], negligible))
			for c, q := range probs[k] {
				grads[k][c] = float32(j.weight / 2 * (q - bit(c == class)))
			}
		}
		return loss, grads
	}
	mean := math.Sqrt(probs[0][entailment] * probs[1][entailment])
	mean = min(max(mean, negligible), 1-1e-4)
	loss := -j.weight * (p.target*math.Log(mean) + (1-p.target)*math.Log(1-mean))
	slope := j.weight * ((1-p.target)*mean/(1-mean) - p.target) // by log mean
	for k := range 2 {
		for c, q := range probs[k] {
			grads[k][c] = float32(slope / 2 * (bit(c == entailment) - q))
		}
	}
	return loss, grads
}

// hide copies in to dst with groups of features as if they were 0, but between
// equal lemmas.
func hide(dst, in *feature.Input, scales [3]net.Scale, groups []feature.Group) *feature.Input {
	dst.A, dst.B, dst.WordsA, dst.WordsB = in.A, in.B, in.WordsA, in.WordsB
	dst.Cells = append(dst.Cells[:0], in.Cells...)
	dst.Phrase = append(dst.Phrase[:0], in.Phrase...)
	for _, g := range groups {
		for cell := range slices.Chunk(dst.Cells, feature.CellDim) {
			if cell[feature.SameLemmaCell] > 0 { // above the mean: set
				continue
			}
			for _, f := range g.Cells {
				cell[f] = -scales[0].Mean[f] / scales[0].Deviation[f]
			}
		}
		for _, f := range g.Phrase {
			dst.Phrase[f] = -scales[2].Mean[f] / scales[2].Deviation[f]
		}
	}
	return dst
}
