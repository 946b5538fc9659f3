package train

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
	"github.com/tabperturb/tabperturb/nli/compact/internal/net"
)

// sample is a training pair as the network reads it.
type sample struct {
	pair
	inputs [2]feature.Input // a→b and b→a, standardised
}

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

// extract computes the features of all pairs.
func extract(ctx context.Context, m *maker) ([]sample, error) {
	samples := make([]sample, len(m.pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 1024
	for start := 0; start < len(samples); start += chunk {
		g.Go(func() error {
			for i := start; i < min(start+chunk, len(samples)); i++ {
				s := &samples[i]
				s.pair = m.pairs[i]
				a, b := compact.Columns(s.a, s.b)
				x, y := m.extractor.Name(a), m.extractor.Name(b)
				m.extractor.Pair(&s.inputs[0], x, y)
				m.extractor.Pair(&s.inputs[1], y, x)
			}
			return ctx.Err()
		})
	}
	return samples, g.Wait()
}

// standardise brings all features to mean 0 and deviation 1 and returns how:
// cells, words, phrase.
func standardise(samples []sample) [3]net.Scale {
	widths := [3]int{feature.CellDim, feature.WordDim, feature.PhraseDim}
	var sum, square [3][]float64
	var rows [3]float64
	for k, w := range widths {
		sum[k], square[k] = make([]float64, w), make([]float64, w)
	}
	each := func(f func(k int, x []float32)) {
		for i := range samples {
			for d := range samples[i].inputs {
				in := &samples[i].inputs[d]
				f(0, in.Cells)
				f(1, in.WordsA)
				f(1, in.WordsB)
				f(2, in.Phrase)
			}
		}
	}
	each(func(k int, x []float32) {
		rows[k] += float64(len(x) / widths[k])
		for i, v := range x {
			sum[k][i%widths[k]] += float64(v)
			square[k][i%widths[k]] += float64(v) * float64(v)
		}
	})
	var scales [3]net.Scale
	for k, w := range widths {
		scales[k] = net.Scale{Mean: make([]float32, w), Deviation: make([]float32, w)}
		for i := range w {
			mean := sum[k][i] / rows[k]
			scales[k].Mean[i] = float32(mean)
			// A feature that hardly ever changes must not blow up when it does.
			scales[k].Deviation[i] = float32(max(.05, math.Sqrt(max(0, square[k][i]/rows[k]-mean*mean))))
		}
	}
	each(func(k int, x []float32) {
		for i, v := range x {
			c := i % widths[k]
			x[i] = (v - scales[k].Mean[c]) / scales[k].Deviation[c]
		}
	})
	return scales
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
	decay      = .01
	clip       = 2
	dropout    = .2
	shards     = 8 // of a batch: sums are taken in this order, whatever the workers
	negligible = 1e-6
)

var hideShare, hideRel, hideNeg = envf("HIDE", .3), envf("HIDEREL", 0), envf("HIDENEG", 0)

func envf(n string, d float64) float64 {
	if x, err := strconv.ParseFloat(os.Getenv(n), 64); err == nil {
		return x
	}
	return d
}

// draw is a sample with the randomness of its use.
type draw struct {
	*sample
	hide, rel bool
	keep      [net.Dropout]float32
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
	share := hideNeg
	if judgements[k].positive {
		share = hideShare
	}
	d.hide = f.rng.Float64() < share
	d.rel = f.rng.Float64() < hideRel
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
			if d.hide || d.rel {
				in = hide(&w.hidden[k], in, scales, d.rel)
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

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// hide copies in to dst with the features of word lists as if they were 0, but
// between equal lemmas.
func hide(dst, in *feature.Input, scales [3]net.Scale, rel bool) *feature.Input {
	dst.A, dst.B, dst.WordsA, dst.WordsB = in.A, in.B, in.WordsA, in.WordsB
	dst.Cells = append(dst.Cells[:0], in.Cells...)
	dst.Phrase = append(dst.Phrase[:0], in.Phrase...)
	for cell := range slices.Chunk(dst.Cells, feature.CellDim) {
		if cell[feature.SameLemmaCell] > 0 {
			continue
		}
		for _, f := range feature.LexicalCells {
			cell[f] = -scales[0].Mean[f] / scales[0].Deviation[f]
		}
		if rel {
			for _, f := range feature.RelCells {
				cell[f] = -scales[0].Mean[f] / scales[0].Deviation[f]
			}
		}
	}
	for _, f := range feature.LexicalPhrases {
		dst.Phrase[f] = -scales[2].Mean[f] / scales[2].Deviation[f]
	}
	if rel {
		for _, f := range feature.RelPhrases {
			dst.Phrase[f] = -scales[2].Mean[f] / scales[2].Deviation[f]
		}
	}
	return dst
}

// evaluate calibrates w on held-out pairs and reports how well it does there.
// The samples are standardised, the networks not folded yet.
func evaluate(w *compact.Weights, held []*sample, report *Report) {
	var pass net.Pass
	var logits, targets, weights []float64
	var scores []scored
	right, judged := 0, 0
	for _, s := range held {
		j := judgements[s.kind]
		var both float64
		for k, class := range []int{j.forward, j.backward} {
			mean := w.LogProbabilities(&pass, &s.inputs[k])
			logit := compact.EntailmentLogit(mean)
			target := bit(class == entailment)
			if j.positive {
				target = s.target
			} else {
				judged++
				if argmax(mean) == class {
					right++
				}
			}
			logits, targets, weights = append(logits, logit), append(targets, target), append(weights, j.share)
			both += mean[entailment]
		}
		if j.positive || j.forward == j.backward {
			scores = append(scores, scored{both, j.positive})
		}
	}
	report.HeldOut = len(held)
	report.Area = area(scores)
	if judged > 0 {
		report.Accuracy = float64(right) / float64(judged)
	}
	w.Scale, w.Bias = platt(logits, targets, weights)
	report.Scale, report.Bias = w.Scale, w.Bias
}

func argmax(x [net.Classes]float64) int {
	best := 0
	for i := range x {
		if x[i] > x[best] {
			best = i
		}
	}
	return best
}

type scored struct {
	score    float64
	positive bool
}

// area is the area under the ROC curve of scores; 0 where a class is missing.
func area(scores []scored) float64 {
	slices.SortFunc(scores, func(a, b scored) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	y, classes := make([]float64, len(scores)), make([]bool, len(scores))
	positives := 0
	for i, s := range scores {
		y[i], classes[i] = s.score, s.positive
		if s.positive {
			positives++
		}
	}
	if positives == 0 || positives == len(scores) {
		return 0
	}
	tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
	var sum float64
	for i := 1; i < len(fpr); i++ {
		sum += (fpr[i] - fpr[i-1]) * (tpr[i] + tpr[i-1]) / 2
	}
	return sum
}

// platt fits scale and bias of a logistic curve to graded targets by Newton
// steps.
func platt(logits, targets, weights []float64) (scale, bias float64) {
	scale = 1
	for range 50 {
		var g0, g1, h00, h01, h11 float64
		for i, x := range logits {
			p := 1 / (1 + math.Exp(-(scale*x + bias)))
			d, h := weights[i]*(p-targets[i]), weights[i]*max(p*(1-p), 1e-6)
			g0, g1 = g0+d*x, g1+d
			h00, h01, h11 = h00+h*x*x, h01+h*x, h11+h
		}
		det := h00*h11 - h01*h01
		if det < 1e-9 {
			break
		}
		stepScale, stepBias := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		scale, bias = min(max(scale-stepScale, .1), 10), min(max(bias-stepBias, -10), 10)
		if math.Abs(stepScale)+math.Abs(stepBias) < 1e-9 {
			break
		}
	}
	return scale, bias
}
