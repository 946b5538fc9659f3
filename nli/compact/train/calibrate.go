package train

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/compact/internal/net"
)

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
	slices.SortFunc(scores, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
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

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
