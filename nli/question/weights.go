package question

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/internal/learn/nli/questionpair"
)

// Bounds on a weights file.
const (
	maxInflated = 8 << 20
	maxNets     = 16
	maxUnits    = 1024
)

// Weights are the result of training, as a weights file stores it: packed JSON.
type Weights struct {
	Table questionpair.Table
	// Mean and Scale standardise the inputs: input i becomes (x - Mean[i]) · Scale[i].
	Mean, Scale []float64
	Nets        []*Net // their log-probabilities are averaged
	// Bias is added to the log-probability of entailment, so that 0.5 decides well.
	Bias float64
}

// Encode returns w as a weights file. The same weights give the same bytes. It
// rounds the weights of the networks first, to four digits.
func (w *Weights) Encode() ([]byte, error) {
	for _, n := range w.Nets {
		for _, layer := range [][][]float64{n.Hidden, n.Out} {
			for _, row := range layer {
				round(row)
			}
		}
	}
	round(w.Mean)
	round(w.Scale)
	body, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return packed.Pack(body)
}

// round rounds numbers to four digits, in place.
func round(row []float64) {
	for i, x := range row {
		row[i] = decimal.Round(x)
	}
}

// DecodeWeights decodes a weights file and checks that its parts fit together.
func DecodeWeights(data []byte) (*Weights, error) {
	body, err := packed.Unpack(data, maxInflated)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	w := &Weights{}
	if err := json.Unmarshal(body, w); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	return w, w.check()
}

// check returns an error if a part of the weights is missing or of another shape. A row has a bias after its weights.
func (w *Weights) check() error {
	if len(w.Mean) != questionpair.Inputs() || len(w.Scale) != len(w.Mean) {
		return fmt.Errorf("weights: %d means and %d scales, expected %d of each", len(w.Mean), len(w.Scale), questionpair.Inputs())
	}
	if len(w.Nets) < 1 || len(w.Nets) > maxNets {
		return fmt.Errorf("weights: %d networks, expected 1 to %d", len(w.Nets), maxNets)
	}
	for _, n := range w.Nets {
		hasLayers := n != nil && len(n.Hidden) >= 1 && len(n.Hidden) <= maxUnits && len(n.Out) == Classes
		if !hasLayers {
			return errors.New("weights: a network without its layers")
		}
		for _, row := range n.Hidden {
			if len(row) != len(w.Mean)+1 {
				return fmt.Errorf("weights: a unit of %d weights, expected %d", len(row), len(w.Mean)+1)
			}
		}
		for _, row := range n.Out {
			if len(row) != len(n.Hidden)+1 {
				return fmt.Errorf("weights: a class of %d weights, expected %d", len(row), len(n.Hidden)+1)
			}
		}
	}
	return nil
}

// Standard standardises an input by Mean and Scale, in place.
func (w *Weights) Standard(input []float64) {
	for i := range input {
		input[i] = (input[i] - w.Mean[i]) * w.Scale[i]
	}
}

// Score returns the class probabilities of a pair, by the mean log-probabilities of all networks for its inputs in both
// orders of the questions.
func (w *Weights) Score(orders [2][]float64) [Classes]float64 {
	var mean [Classes]float64
	n := float64(len(orders) * len(w.Nets))
	for _, net := range w.Nets {
		hidden := make([]float64, len(net.Hidden))
		for _, input := range orders {
			for c, x := range net.Forward(hidden, input) {
				mean[c] += x / n
			}
		}
	}
	mean[Entailment] += w.Bias // calibrates: a probability of 0.5 decides well
	return Probabilities(mean)
}
