package cybertron

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// reference computes a BERT or RoBERTa sequence classifier from the state dict in double
// precision, straight from the definition, independently of cybertron.
type reference struct {
	*tiny
	hidden, layers, heads int
	eps                   float64
	act                   func(float64) float64
}

// referenceActivations are config.json's, by their definitions.
var referenceActivations = map[string]func(float64) float64{
	"gelu": func(v float64) float64 { return v * 0.5 * math.Erfc(-v/math.Sqrt2) },
	"gelu_new": func(v float64) float64 {
		return v * 0.5 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	},
	"relu": func(v float64) float64 { return max(v, 0) },
}

// logits returns the logits of tokens whose segments are given.
func (r reference) logits(tokens []string, segments []int) []float64 {
	dense, out := "bert.pooler.dense", "classifier"
	if r.merges != nil {
		dense, out = "classifier.dense", "classifier.out_proj"
	}
	pooled := r.linear(dense, r.encode(tokens, segments)[0])
	for i, v := range pooled {
		pooled[i] = math.Tanh(v)
	}
	return r.linear(out, pooled)
}

// encode returns the last layer's state of each token.
func (r reference) encode(tokens []string, segments []int) [][]float64 {
	model, first := "bert", 0
	if r.merges != nil {
		model, first = "roberta", 2
	}
	xs := make([][]float64, len(tokens))
	for i, t := range tokens {
		xs[i] = r.row(model+".embeddings.word_embeddings.weight", slices.Index(r.vocab, t))
		floats.Add(xs[i], r.row(model+".embeddings.position_embeddings.weight", first+i))
		floats.Add(xs[i], r.row(model+".embeddings.token_type_embeddings.weight", segments[i]))
		xs[i] = r.norm(model+".embeddings.LayerNorm", xs[i])
	}
	for l := range r.layers {
		prefix := fmt.Sprintf("%s.encoder.layer.%d.", model, l)
		attended := r.attend(prefix+"attention.self.", xs)
		for i, x := range xs {
			y := r.linear(prefix+"attention.output.dense", attended[i])
			floats.Add(y, x)
			y = r.norm(prefix+"attention.output.LayerNorm", y)
			z := r.linear(prefix+"intermediate.dense", y)
			for k, v := range z {
				z[k] = r.act(v)
			}
			z = r.linear(prefix+"output.dense", z)
			floats.Add(z, y)
			xs[i] = r.norm(prefix+"output.LayerNorm", z)
		}
	}
	return xs
}

func (r reference) attend(prefix string, xs [][]float64) [][]float64 {
	width := r.hidden / r.heads
	out := make([][]float64, len(xs))
	all := func(name string) [][]float64 {
		return lists.Map(xs, func(x []float64) []float64 { return r.linear(prefix+name, x) })
	}
	queries, keys, values := all("query"), all("key"), all("value")
	for i, q := range queries {
		out[i] = make([]float64, r.hidden)
		for h := range r.heads {
			part := func(v []float64) []float64 { return v[h*width : (h+1)*width] }
			weights := make([]float64, len(xs))
			for j, k := range keys {
				weights[j] = floats.Dot(part(q), part(k)) / math.Sqrt(float64(width))
			}
			total := floats.LogSumExp(weights)
			for j, v := range values {
				floats.AddScaled(part(out[i]), math.Exp(weights[j]-total), part(v))
			}
		}
	}
	return out
}

func (r reference) linear(name string, x []float64) []float64 {
	y := r.row(name+".bias", -1)
	for i := range y {
		for j, v := range x {
			y[i] += float64(r.state[name+".weight"][i*len(x)+j]) * v
		}
	}
	return y
}

func (r reference) norm(name string, x []float64) []float64 {
	mean := floats.Sum(x) / float64(len(x))
	variance := 0.0
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	w, y := r.row(name+".weight", -1), r.row(name+".bias", -1)
	for i, v := range x {
		y[i] += w[i] * (v - mean) / math.Sqrt(variance+r.eps)
	}
	return y
}

// row copies a row of a table, or all of a vector where i is negative.
func (r reference) row(name string, i int) []float64 {
	data := r.state[name]
	if i >= 0 {
		data = data[i*r.hidden : (i+1)*r.hidden]
	}
	out := make([]float64, len(data))
	for k, v := range data {
		out[k] = float64(v)
	}
	return out
}
