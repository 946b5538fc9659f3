// Package dense is what small networks are made of: matrices of float32, layers with
// their gradient, and how these are laid out in one slice. Everything that it computes
// is the same with any number of threads.
package dense

import (
	"math"
	"math/rand/v2"
)

// Layer is y = Wx + b; W is row-major, one row an output.
type Layer struct {
	In, Out int
	W, B    []float32
}

// Narrow is the greatest number of outputs for which the gradient is computed without
// transposing: of so few that would cost more than it saves.
const Narrow = 3

// Shape is the width of a layer.
type Shape struct {
	Layer   *Layer
	In, Out int
}

// Size is the number of weights of layers.
func Size(shapes []Shape) int {
	size := 0
	for _, s := range shapes {
		size += (s.In + 1) * s.Out
	}
	return size
}

// Lay gives each layer its part of params, in order, and returns what is left.
func Lay(params []float32, shapes []Shape) []float32 {
	for _, s := range shapes {
		l := s.Layer
		l.In, l.Out = s.In, s.Out
		l.W, params = params[:l.In*l.Out], params[l.In*l.Out:]
		l.B, params = params[:l.Out], params[l.Out:]
	}
	return params
}

// Randomize sets the weights of a layer to ones from which training can start.
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

// Backward adds the gradient of the weights to g, and W'dy to as many columns as
// dx has.
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
