package adam

import (
	"math"
	"testing"
)

// TestStep finds the least value of a bowl.
func TestStep(t *testing.T) {
	for _, clip := range []float64{0, .1} {
		a := Adam[float64]{Clip: clip}
		w, g := []float64{5, -3}, make([]float64, 2)
		const steps = 2000
		for step := range steps {
			g[0], g[1] = 2*(w[0]-1), 20*(w[1]-2)
			a.Step(w, g, OneCycle(step, steps, .1))
			if g[0] != 0 || g[1] != 0 {
				t.Fatal("the gradient is not cleared")
			}
		}
		if math.Abs(w[0]-1) > .01 || math.Abs(w[1]-2) > .01 {
			t.Errorf("clip %v: weights %v, expected 1, 2", clip, w)
		}
	}
}

func TestDecay(t *testing.T) {
	a := Adam[float32]{Decay: .5}
	w, g := []float32{4}, []float32{0}
	a.Step(w, g, .1)
	if w[0] != 3.8 {
		t.Errorf("weight %v, expected 3.8", w[0])
	}
}

func TestOneCycle(t *testing.T) {
	if first, top, last := OneCycle(0, 100, 2), OneCycle(9, 100, 2), OneCycle(99, 100, 2); first != .2 || top != 2 || last > .01 {
		t.Errorf("rates %v, %v, %v, expected a rise from 0.2 to 2 and a fall to 0", first, top, last)
	}
}
