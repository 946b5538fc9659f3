package cybertron

import (
	"math"

	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/nn/activation"
)

// activations maps hidden_act of config.json to a function. Spago's GELU is the tanh
// approximation, which Hugging Face calls gelu_new; its "gelu" is the exact one.
var activations = map[string]nn.StandardModel{
	"gelu":              exactGELU{},
	"gelu_new":          activation.New(activation.GELU),
	"gelu_pytorch_tanh": activation.New(activation.GELU),
	"relu":              activation.New(activation.ReLU),
}

// exactGELU computes x·Φ(x), with the exact cumulative normal distribution Φ.
type exactGELU struct{ nn.Module }

// Forward returns the activations. They have no gradient, so it serves inference alone.
func (exactGELU) Forward(xs ...mat.Tensor) []mat.Tensor {
	ys := make([]mat.Tensor, len(xs))
	for i, x := range xs {
		ys[i] = x.Value().(mat.Matrix).Apply(func(_, _ int, v float64) float64 {
			return v / 2 * (1 + math.Erf(v/math.Sqrt2))
		})
	}
	return ys
}
