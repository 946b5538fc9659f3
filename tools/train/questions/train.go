package questions

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/internal/learn/nli/questionpair"
	"github.com/tabperturb/tabperturb/nli/question"
)

// Options steer the training. Zero fields take the default in parentheses.
type Options struct {
	Seed   uint64  // of all randomness
	Units  int     // hidden units of a network (48)
	Nets   int     // trained from different starts, averaged (3)
	Epochs int     // (12)
	Batch  int     // pairs in a batch (64)
	Rate   float64 // highest learning rate (0.002)
	Decay  float64 // of weights, by the learning rate (0.05)
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	o.Units, o.Nets, o.Epochs = cmp.Or(o.Units, 48), cmp.Or(o.Nets, 3), cmp.Or(o.Epochs, 12)
	o.Batch, o.Rate, o.Decay = cmp.Or(o.Batch, 64), cmp.Or(o.Rate, .002), cmp.Or(o.Decay, .05)
	return o
}

// folds is the number of parts of the databases, for the tables that pairs are
// trained with and for the cross-validation.
const folds = 5

// data is all that networks are fitted to.
type data struct {
	pairs   []Pair
	fold    []int // of each pair, by its database
	samples []sample
	weights *question.Weights // table and scale
}

// Train makes a weights file. A pair is trained with the table of the other
// folds, so that the networks learn what a table is worth for databases that it
// was not made from. The bias is chosen on the predictions of the
// cross-validation, which the report holds.
func Train(ctx context.Context, src Sources, opt Options) ([]byte, *Report, error) {
	opt = opt.withDefaults()
	d, err := prepare(ctx, src, opt)
	if err != nil {
		return nil, nil, err
	}
	scores, err := d.crossValidate(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	d.weights.Bias = bias(d.pairs, scores)
	for i := range scores {
		scores[i] = shifted(scores[i], d.weights.Bias)
	}
	report := newReport(d.pairs, scores)
	if d.weights.Nets, err = fitAll(ctx, d.samples, opt, 0); err != nil {
		return nil, nil, err
	}
	out, err := d.weights.Encode()
	return out, report, err
}

// crossValidate scores the pairs of each fold by networks fitted to the others.
func (d *data) crossValidate(ctx context.Context, opt Options) ([][question.Classes]float64, error) {
	scores := make([][question.Classes]float64, len(d.pairs))
	for k := range folds {
		nets, err := fitAll(ctx, d.without(k), opt, uint64(k+1)<<8)
		if err != nil {
			return nil, err
		}
		w := *d.weights
		w.Nets = nets
		for i, fold := range d.fold {
			if fold == k {
				scores[i] = w.Score(d.samples[i].orders)
			}
		}
	}
	return scores, nil
}

// shifted returns probabilities with a number added to the log-odds of entailment.
func shifted(p [question.Classes]float64, by float64) [question.Classes]float64 {
	for c := range p {
		p[c] = math.Log(max(p[c], 1e-12))
	}
	p[question.Entailment] += by
	return question.Probabilities(p)
}

// without returns the samples of the other folds.
func (d *data) without(fold int) []sample {
	var out []sample
	for i, s := range d.samples {
		if d.fold[i] != fold {
			out = append(out, s)
		}
	}
	return out
}

// fitAll fits opt.Nets networks to the samples, each from a start of its own.
func fitAll(ctx context.Context, samples []sample, opt Options, seed uint64) ([]*question.Net, error) {
	nets := make([]*question.Net, opt.Nets)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range nets {
		g.Go(func() error {
			nets[i] = fit(samples, opt, seed+uint64(i))
			return ctx.Err()
		})
	}
	return nets, g.Wait()
}

// prepare makes the pairs, the tables, the inputs and their scale.
func prepare(ctx context.Context, src Sources, opt Options) (*data, error) {
	pairs, err := Pairs(src, opt.Seed)
	if err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s: no pairs, expected questions that share databases", src.Spider)
	}
	e, _, err := question.NewExtractor()
	if err != nil {
		return nil, err
	}
	read := make(map[string]questionpair.Question)
	for _, p := range pairs {
		for _, q := range []string{p.A, p.B} {
			if _, ok := read[q]; !ok {
				read[q] = e.Read(q)
			}
		}
	}
	d := &data{pairs: pairs, weights: &question.Weights{}}
	tables := d.tables(e, read)
	d.weights.Table = *tables[folds]
	raw, err := inputs(ctx, e, pairs, d.fold, tables, read)
	if err != nil {
		return nil, err
	}
	d.scale(raw, read)
	return d, nil
}

// tables returns for each fold the table that is learnt from all other folds, and as the last one the table of all. It sets
// the fold of each pair, which its database determines.
func (d *data) tables(e *questionpair.Extractor, read map[string]questionpair.Question) []*questionpair.Table {
	byFold := make([]*counts, folds+1)
	for k := range byFold {
		byFold[k] = newCounts()
	}
	for start := 0; start < len(d.pairs); {
		end := start
		for end < len(d.pairs) && d.pairs[end].DB == d.pairs[start].DB {
			end++
		}
		own := int(hash(d.pairs[start].DB) % folds)
		c := countDatabase(e, d.pairs[start:end], read)
		for k := range byFold {
			if k != own {
				byFold[k].merge(c)
			}
		}
		for ; start < end; start++ {
			d.fold = append(d.fold, own)
		}
	}
	out := make([]*questionpair.Table, folds+1)
	for k, c := range byFold {
		out[k] = c.table()
	}
	return out
}

// inputs returns the features of all pairs. Each pair uses the table that was learnt without its fold. Every other pair
// uses it without pairs of words and with doubt, because the words of a new domain are not in the table. The questions
// of a pair are sorted, so that their order does not matter.
func inputs(ctx context.Context, e *questionpair.Extractor, pairs []Pair, fold []int, tables []*questionpair.Table, read map[string]questionpair.Question) ([]*questionpair.Features, error) {
	out := make([]*questionpair.Features, len(pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 1024
	for start := 0; start < len(pairs); start += chunk {
		g.Go(func() error {
			for i := start; i < min(start+chunk, len(pairs)); i++ {
				a, b := read[pairs[i].A], read[pairs[i].B]
				if strings.Compare(a.Text, b.Text) > 0 {
					a, b = b, a
				}
				table := *tables[fold[i]]
				if i%2 == 0 {
					table.Pairs, table.Doubt = nil, .5
				}
				out[i] = e.Pair(&table, a, b)
			}
			return ctx.Err()
		})
	}
	return out, g.Wait()
}

// scale sets mean and scale of the inputs, and the weights of the samples: those
// that ask the same weigh as much together as the others, and slips nothing.
func (d *data) scale(raw []*questionpair.Features, read map[string]questionpair.Question) {
	n := questionpair.Inputs()
	columns := make([][]float64, n)
	d.samples = make([]sample, len(raw))
	var number [2]float64
	for i, f := range raw {
		s := &d.samples[i]
		s.orders = [2][]float64{f.Input(nil, false), f.Input(nil, true)}
		s.class = d.pairs[i].Class
		number[min(s.class, 1)] += kindWeight(d.pairs[i].Kind)
		for c, x := range s.orders[i%2] {
			columns[c] = append(columns[c], x)
		}
	}
	for _, column := range columns {
		mean, deviation := stat.MeanStdDev(column, nil)
		d.weights.Mean = append(d.weights.Mean, mean)
		d.weights.Scale = append(d.weights.Scale, 1/max(deviation, .1))
	}
	for i, p := range d.pairs {
		s := &d.samples[i]
		if p.Class != question.Entailment || !questionpair.Contradicts(read[p.A], read[p.B]) {
			s.weight = kindWeight(d.pairs[i].Kind) * (number[0] + number[1]) / 2 / number[min(s.class, 1)]
		}
		for _, order := range s.orders {
			d.weights.Standard(order)
		}
	}
}

// writtenWeight is how much a pair written by hand counts: there are few, and they are
// what drafts are like.
const writtenWeight = 6

// kindWeight is how much a pair of a kind counts.
func kindWeight(kind string) float64 {
	if strings.HasPrefix(kind, Written) {
		return writtenWeight
	}
	switch kind {
	case RandomSQL:
		return .3
	case SameSQL, "order", "~order", "aggregate", "~aggregate", "lost condition", "~lost condition":
		return 2
	case "lost column", "~lost column":
		return 3
	}
	return 1
}

// rejected is the share of changed questions that the model is to reject; what
// that leaves it to keep, it keeps.
const rejected = .9

// bias returns the number to add to the log-odds of entailment so that a threshold of 0.5 rejects the share rejected of the
// changed questions.
func bias(pairs []Pair, scores [][question.Classes]float64) float64 {
	var changed []float64
	for i, p := range pairs {
		if isFlip(p.Kind) {
			s := scores[i]
			changed = append(changed, math.Log(max(s[1]+s[2], 1e-12))-math.Log(max(s[0], 1e-12)))
		}
	}
	if len(changed) == 0 {
		return 0
	}
	slices.Sort(changed)
	return changed[int((1-rejected)*float64(len(changed)))]
}
