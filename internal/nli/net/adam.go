package net

import "math"

// Adam is the AdamW optimiser with clipping of the gradient's length.
type Adam struct {
	Decay float64 // weight decay, per step times the rate
	Clip  float64 // greatest length of the gradient
	m, v  []float64
	step  int
}

// Step moves n against gradient g at the given rate, and clears g.
func (a *Adam) Step(n, g *Net, rate float64) {
	const beta1, beta2, tiny = 0.9, 0.999, 1e-8
	if a.m == nil {
		a.m, a.v = make([]float64, len(n.params)), make([]float64, len(n.params))
	}
	a.step++
	var length float64
	for _, x := range g.params {
		length += float64(x) * float64(x)
	}
	scale := min(1, a.Clip/(math.Sqrt(length)+tiny))
	c1, c2 := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for i, x := range g.params {
		d := scale * float64(x)
		a.m[i] = beta1*a.m[i] + (1-beta1)*d
		a.v[i] = beta2*a.v[i] + (1-beta2)*d*d
		move := a.m[i]/c1/(math.Sqrt(a.v[i]/c2)+tiny) + a.Decay*float64(n.params[i])
		n.params[i] -= float32(rate * move)
	}
	clear(g.params)
}

// Add adds gradient h to g and clears h.
func (g *Net) Add(h *Net) {
	for i, x := range h.params {
		g.params[i] += x
	}
	clear(h.params)
}

// OneCycle is the learning rate at a step of steps: a rise over the first tenth
// and a cosine fall to nothing.
func OneCycle(step, steps int, top float64) float64 {
	warm := max(1, steps/10)
	if step < warm {
		return top * float64(step+1) / float64(warm)
	}
	return top / 2 * (1 + math.Cos(math.Pi*float64(step-warm)/float64(max(1, steps-warm))))
}
