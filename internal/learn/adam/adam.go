// Package adam is the optimiser of all trainings.
package adam

import "math"

// Adam is the AdamW optimiser of one network's weights.
type Adam[F float32 | float64] struct {
	Decay float64   // weight decay, per step times the rate
	Clip  float64   // greatest length of the gradient; 0 for any
	m, v  []float64 // moving averages of the gradient and of its square
	step  int
}

// Step moves weights against their gradient at the given rate, and clears the
// gradient.
func (a *Adam[F]) Step(weights, gradient []F, rate float64) {
	const beta1, beta2, tiny = 0.9, 0.999, 1e-8
	if a.m == nil {
		a.m, a.v = make([]float64, len(weights)), make([]float64, len(weights))
	}
	a.step++
	scale := 1.0
	if a.Clip > 0 {
		scale = min(1, a.Clip/(length(gradient)+tiny))
	}
	c1, c2 := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for i, x := range gradient {
		d := scale * float64(x)
		// Conversions keep processors that fuse a product and a sum from rounding otherwise.
		a.m[i] = float64(beta1*a.m[i]) + float64((1-beta1)*d)
		a.v[i] = float64(beta2*a.v[i]) + float64((1-beta2)*d*d)
		move := a.m[i]/c1/(math.Sqrt(a.v[i]/c2)+tiny) + float64(a.Decay*float64(weights[i]))
		weights[i] -= F(rate * move)
	}
	clear(gradient)
}

// length returns the Euclidean length of a vector.
func length[F float32 | float64](v []F) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// OneCycle returns the learning rate at a step, from 0, of a number of steps: it rises to top over the first
// tenth and falls to 0 by a cosine.
func OneCycle(step, steps int, top float64) float64 {
	warm := max(1, steps/10)
	if step < warm {
		return top * float64(step+1) / float64(warm)
	}
	return top / 2 * (1 + math.Cos(math.Pi*float64(step-warm)/float64(max(1, steps-warm))))
}
