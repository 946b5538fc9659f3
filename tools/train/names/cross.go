package names

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
	"github.com/tabperturb/tabperturb/nli/compact"
)

// folds of the cross-validation.
const folds = 5

// Prediction is the prediction of networks for a hand-written pair. None of them was trained on the pair, on any
// other pair of its group or on the same pair in another group.
type Prediction struct {
	A, B     string
	Group    string // ADVETA's database, or the column of a hand-written pair
	ADVETA   bool
	Random   bool // two headers of different tables
	Replaces bool
	// Forward and Backward are calibrated entailments; the calibration too has not
	// seen the pair.
	Forward, Backward float64

	fold   int
	logits [2]float64
}

// crossValidate predicts each group by networks whose last stage was trained without it: each fold of the groups is left out in
// turn, with all pairs that are the same as one of its own. It calibrates the predictions of a fold by those of the others.
func (t *trainer) crossValidate(ctx context.Context, base []*net.Net) ([]Prediction, error) {
	fold := t.fold()
	var out []Prediction
	for k := range folds {
		inFold := func(s *sample) bool { return s.group != "" && fold[s.group] == k }
		keys := map[[2]string]bool{}
		for i := range t.samples {
			if s := &t.samples[i]; inFold(s) {
				keys[s.key] = true
			}
		}
		nets, _, err := t.networks(ctx, t.opt.last(), base, func(s *sample) bool { return keys[s.key] })
		if err != nil {
			return nil, err
		}
		out = append(out, t.predict(nets, inFold)...)
	}
	for i := range out {
		out[i].fold = fold[out[i].Group]
	}
	for k := range folds {
		c := calibrate(out, k)
		for i := range out {
			if p := &out[i]; p.fold == k {
				p.Forward, p.Backward = c.of(p.logits[0]), c.of(p.logits[1])
			}
		}
	}
	return out, nil
}

// unseen predicts ADVETA's names by networks that were trained without any of them. The calibration c comes from predictions that
// have seen others of them, so only the order of these predictions is independent of ADVETA.
func (t *trainer) unseen(ctx context.Context, base []*net.Net, c calibration) ([]Prediction, error) {
	nets, _, err := t.networks(ctx, t.opt.last(), base, func(s *sample) bool { return s.kind.adveta() })
	if err != nil {
		return nil, err
	}
	out := t.predict(nets, func(s *sample) bool { return s.kind.adveta() })
	for i := range out {
		p := &out[i]
		p.Forward, p.Backward = c.of(p.logits[0]), c.of(p.logits[1])
	}
	return out, nil
}

// predict returns the predictions of networks for the samples in groups that want accepts, but for those of broader and
// narrower names, which are neither replacements nor distractors. They are not calibrated yet.
func (t *trainer) predict(nets []*net.Net, want func(*sample) bool) []Prediction {
	w := &compact.Weights{Networks: nets}
	var pass net.Pass
	var mean [][net.Classes]float64
	var out []Prediction
	for i := range t.samples {
		s := &t.samples[i]
		if s.group == "" || s.kind == kindBroader || s.kind == kindNarrower || !want(s) {
			continue
		}
		p := Prediction{
			A: s.a, B: s.b, Group: s.group, ADVETA: s.kind.adveta(), Random: s.kind == kindRandom,
			Replaces: s.kind == kindReplacement || s.kind == kindADVETAReplacement,
		}
		mean = w.LogProbabilities(mean, &pass, []*namepair.Input{&s.inputs[0], &s.inputs[1]})
		for d := range p.logits {
			p.logits[d] = compact.EntailmentLogit(mean[d])
		}
		out = append(out, p)
	}
	return out
}

// fold returns the fold of each group. It deals ADVETA's groups and our own out one by one, so that folds have equally many
// of both.
func (t *trainer) fold() map[string]int {
	groups := [2]map[string]bool{{}, {}}
	for i := range t.samples {
		if s := &t.samples[i]; s.group != "" {
			of := groups[0]
			if s.kind.adveta() {
				of = groups[1]
			}
			of[s.group] = true
		}
	}
	fold := map[string]int{}
	for _, of := range groups {
		for i, g := range slices.Sorted(maps.Keys(of)) {
			fold[g] = i % folds
		}
	}
	return fold
}

// calibration turns the logit of entailment into a probability.
type calibration struct{ scale, bias float64 }

// of returns the calibrated probability of a logit.
func (c calibration) of(logit float64) float64 { return 1 / (1 + math.Exp(-(c.scale*logit + c.bias))) }

// proposals are the shares of replacements, distractors, and names that have
// nothing to do with the column, that probabilities are calibrated for. At these
// odds the paper's two thresholds keep what they promise.
var proposals = [3]float64{.18, .13, .69}

// calibrate fits a logistic curve to the predictions outside the fold except. It weighs replacements, distractors and random
// pairs by the shares, proposals, that they have among proposed names. If there are names of ADVETA, our own
// replacements and distractors do not count, because the thresholds are for ADVETA's task.
func calibrate(predictions []Prediction, except int) calibration {
	adveta := slices.ContainsFunc(predictions, func(p Prediction) bool { return p.ADVETA })
	var logits, targets []float64
	var class []int
	var counts [3]float64
	for _, p := range predictions {
		if p.fold == except || !p.Random && p.ADVETA != adveta {
			continue
		}
		c := 1
		switch {
		case p.Replaces:
			c = 0
		case p.Random:
			c = 2
		}
		for _, l := range p.logits {
			logits, targets, class = append(logits, l), append(targets, bit(p.Replaces)), append(class, c)
			counts[c]++
		}
	}
	weights := make([]float64, len(class))
	for i, c := range class {
		weights[i] = proposals[c] / counts[c] * float64(len(class))
	}
	return platt(logits, targets, weights)
}

// Select returns the predictions that want accepts.
func Select(predictions []Prediction, want func(Prediction) bool) []Prediction {
	return slices.DeleteFunc(slices.Clone(predictions), func(p Prediction) bool { return !want(p) })
}

// Area is the area under the ROC curve of the geometric mean of both
// entailments, of replacements against distractors; 0 if a class is missing.
func Area(predictions []Prediction) float64 {
	sorted := slices.SortedFunc(slices.Values(predictions), func(a, b Prediction) int {
		return cmp.Compare(a.Forward*a.Backward, b.Forward*b.Backward)
	})
	y, classes := make([]float64, len(sorted)), make([]bool, len(sorted))
	positives := 0
	for i, p := range sorted {
		y[i], classes[i] = p.Forward*p.Backward, p.Replaces
		if p.Replaces {
			positives++
		}
	}
	if positives == 0 || positives == len(sorted) {
		return 0
	}
	tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
	var sum float64
	for i := 1; i < len(fpr); i++ {
		sum += (fpr[i] - fpr[i-1]) * (tpr[i] + tpr[i-1]) / 2
	}
	return sum
}

// platt fits scale and bias of a logistic curve to weighted logits and their targets, 0 to 1, by Newton's method. g is the gradient
// of the loss and h its second derivatives.
func platt(logits, targets, weights []float64) calibration {
	c := calibration{scale: 1}
	for range 50 {
		var g0, g1, h00, h01, h11 float64
		for i, x := range logits {
			p := c.of(x)
			d, h := weights[i]*(p-targets[i]), weights[i]*max(p*(1-p), 1e-6)
			g0, g1 = g0+d*x, g1+d
			h00, h01, h11 = h00+h*x*x, h01+h*x, h11+h
		}
		det := h00*h11 - h01*h01
		if det < 1e-9 {
			break
		}
		stepScale, stepBias := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		c = calibration{min(max(c.scale-stepScale, .1), 10), min(max(c.bias-stepBias, -10), 10)}
		if math.Abs(stepScale)+math.Abs(stepBias) < 1e-9 {
			break
		}
	}
	return c
}

// bit returns 1 for true and 0 for false.
func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
