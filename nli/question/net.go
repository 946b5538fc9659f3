package question

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Classes of a pair of questions, in the order of nli.Scores.
const (
	Entailment = iota
	Neutral
	Contradiction
	Classes
)

// Net is a network with one hidden layer of rectified units and an output for each class. A
// row holds the weights of one unit, then its bias.
type Net struct {
	Hidden [][]float64 // units × (inputs + 1)
	Out    [][]float64 // classes × (units + 1)
}

// Forward returns the logarithms of the class probabilities. It stores the values of the
// hidden units in hidden, whose length is their number.
func (n *Net) Forward(hidden, input []float64) [Classes]float64 {
	for u, row := range n.Hidden {
		last := len(row) - 1 // of the bias
		hidden[u] = max(0, row[last]+floats.Dot(row[:last], input))
	}
	var out [Classes]float64
	for c, row := range n.Out {
		last := len(row) - 1
		out[c] = row[last] + floats.Dot(row[:last], hidden)
	}
	total := floats.LogSumExp(out[:])
	for c := range out {
		out[c] -= total
	}
	return out
}

// Probabilities returns the probabilities that are in proportion to exp(logs).
func Probabilities(logs [Classes]float64) [Classes]float64 {
	total := floats.LogSumExp(logs[:])
	for c := range logs {
		logs[c] = math.Exp(logs[c] - total)
	}
	return logs
}
