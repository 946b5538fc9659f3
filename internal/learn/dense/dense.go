// Package dense is what small networks are made of: matrices of float32, layers with
// their gradient, and how these are laid out in one slice. Everything that it computes
// is the same with any number of threads.
package dense

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Layer is y = Wx + b; W is row-major, with a row for each output.
type Layer struct {
	In, Out int
	W, B    []float32
}

// Narrow is the largest number of outputs for which [Layer.Backward] does not transpose matrices: for so
// few that costs more than it saves.
const Narrow = 3

// Shape is the width of a layer.
type Shape struct {
	Layer   *Layer
	In, Out int
}

// Size returns the number of weights of layers.
func Size(shapes []Shape) int {
	return lists.Sum(shapes, func(s Shape) int { return (s.In + 1) * s.Out })
}

// Lay gives each layer its shape and its part of params, in order, and returns the rest of params.
func Lay(params []float32, shapes []Shape) []float32 {
	for _, s := range shapes {
		l := s.Layer
		l.In, l.Out = s.In, s.Out
		l.W, params = params[:l.In*l.Out], params[l.In*l.Out:]
		l.B, params = params[:l.Out], params[l.Out:]
	}
	return params
}

// AppendWeights appends weights to dst as little-endian float32.
func AppendWeights(dst []byte, weights []float32) []byte {
	for _, w := range weights {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(w))
	}
	return dst
}

// ReadWeights sets weights from the beginning of src, which must have 4 bytes for each, and returns the
// rest. It rejects a weight that is not finite or not below 1e6.
func ReadWeights(weights []float32, src []byte) (rest []byte, err error) {
	for i := range weights {
		w := math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		if !(math.Abs(float64(w)) < 1e6) {
			return nil, fmt.Errorf("weight %d is %v, expected a finite number below 1e6", i, w)
		}
		weights[i] = w
	}
	return src[4*len(weights):], nil
}

// Randomize sets the weights of a layer to random ones from which training can start (He et al., 2015).
func (l *Layer) Randomize(rng *rand.Rand) {
	scale := math.Sqrt(2 / float64(l.In))
	for i := range l.W {
		l.W[i] = float32(scale * rng.NormFloat64())
	}
}

// weights returns the weights as a matrix with a row for each output; it shares their memory.
func (l *Layer) weights() Matrix { return Matrix{l.Out, l.In, l.In, l.W} }

// Forward computes y = Wx + b for each row.
func (l *Layer) Forward(y *Matrix, x Matrix) {
	y.Resize(x.Rows, l.Out)
	for r := range y.Rows {
		copy(y.Row(r), l.B)
	}
	AddProduct(*y, x, l.weights())
}

// Transposes are the memory of [Layer.Backward].
type Transposes struct{ w, x, dy Matrix }

// chunk is the number of rows for which Backward computes the gradient of the weights at
// a time, so that they stay in the nearest caches.
const chunk = 256

// Backward adds the gradient of the weights to g, and the gradient of the first inputs, as many as dx has columns, to dx. dy is the
// gradient of the outputs, x has the inputs, a row for each item.
func (l *Layer) Backward(g *Layer, t *Transposes, dx, dy, x Matrix) {
	for r := range dy.Rows {
		Axpy(g.B, 1, dy.Row(r))
	}
	if l.Out <= Narrow {
		l.backwardNarrow(g, dx, dy, x)
		return
	}
	for r := 0; r < dy.Rows; r += chunk {
		end := min(r+chunk, dy.Rows)
		t.dy.Transpose(dy.Span(r, end))
		t.x.Transpose(x.Span(r, end))
		AddProduct(g.weights(), t.dy, t.x)
	}
	if dx.Cols > 0 {
		t.w.Transpose(l.weights().Columns(0, dx.Cols))
		AddProduct(dx, dy, t.w)
	}
}

// backwardNarrow is Backward for few outputs, which are not worth transposing.
func (l *Layer) backwardNarrow(g *Layer, dx, dy, x Matrix) {
	w, gw := l.weights(), g.weights()
	for r := range dy.Rows {
		for o, s := range dy.Row(r) {
			Axpy(gw.Row(o), s, x.Row(r))
			if dx.Cols > 0 {
				Axpy(dx.Row(r), s, w.Row(o))
			}
		}
	}
}

// Scale is the standardisation of features: x becomes (x-Mean)/Deviation.
type Scale struct{ Mean, Deviation []float32 }

// Fold builds the standardisation of the inputs that begin at position at into the
// weights, so that the layer accepts features as they are.
func (l *Layer) Fold(at int, s Scale) {
	for o := range l.Out {
		row := l.W[o*l.In:]
		for i := range s.Mean {
			row[at+i] /= s.Deviation[i]
			l.B[o] -= row[at+i] * s.Mean[i]
		}
	}
}
