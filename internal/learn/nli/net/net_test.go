package net

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/learn/adam"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

func randomInput(rng *rand.Rand, a, b int) *namepair.Input {
	fill := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(rng.NormFloat64())
		}
		return s
	}
	return &namepair.Input{
		A: a, B: b, Cells: fill(a * b * namepair.CellDim),
		WordsA: fill(a * namepair.WordDim), WordsB: fill(b * namepair.WordDim), Phrase: fill(namepair.PhraseDim),
	}
}

// raggedInputs are pairs of names of 1 to 4 words.
func raggedInputs(rng *rand.Rand, n int) []*namepair.Input {
	inputs := make([]*namepair.Input, n)
	for i := range inputs {
		inputs[i] = randomInput(rng, 1+rng.IntN(4), 1+rng.IntN(4))
	}
	return inputs
}

// TestGradient compares Backward with differences of Forward.
func TestGradient(t *testing.T) {
	for _, pairs := range []int{1, 3} {
		t.Run(fmt.Sprint(pairs), func(t *testing.T) { testGradient(t, pairs) })
	}
}

func testGradient(t *testing.T, pairs int) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, g := Random(rng), New()
	inputs := raggedInputs(rng, pairs)
	weights := make([][Classes]float32, pairs)
	for i := range weights {
		weights[i] = [Classes]float32{.7, -1.3 + .2*float32(i), .4}
	}
	var p Pass
	p.Keep = make([]float32, pairs*Dropout)
	for i := range p.Keep {
		p.Keep[i] = float32(i%3) * .8
	}
	loss := func() float64 {
		var sum float64
		for i, logits := range n.Forward(&p, inputs) {
			for c, l := range logits {
				sum += float64(weights[i][c]) * float64(l)
			}
		}
		return sum
	}
	loss()
	n.Backward(g, &p, weights)
	const h = 1e-3
	wrong := 0
	for i := range n.params {
		old := n.params[i]
		n.params[i] = old + h
		up := loss()
		n.params[i] = old - h
		down := loss()
		n.params[i] = old
		want, got := (up-down)/(2*h), float64(g.params[i])
		if math.Abs(want-got) > .02+.02*math.Abs(want) {
			wrong++
		}
	}
	// A step of h may cross a kink of a rectifier or a maximum.
	if limit := pairs * len(n.params) / 200; wrong > limit {
		t.Errorf("%d of %d gradients are off, expected at most %d", wrong, len(n.params), limit)
	}
}

// TestBackwardSums checks that the gradient of a batch is the sum of its pairs'.
func TestBackwardSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	n, batch, sum := Random(rng), New(), New()
	inputs := raggedInputs(rng, 300)
	grads := make([][Classes]float32, len(inputs))
	for i := range grads {
		for c := range grads[i] {
			grads[i][c] = float32(rng.NormFloat64()) / float32(len(inputs))
		}
	}
	var p Pass
	for i := range inputs {
		n.Forward(&p, inputs[i:i+1])
		n.Backward(sum, &p, grads[i:i+1])
	}
	n.Forward(&p, inputs)
	n.Backward(batch, &p, grads)
	for i, want := range sum.params {
		if got := batch.params[i]; math.Abs(float64(got-want)) > 1e-4*(1+math.Abs(float64(want))) {
			t.Fatalf("gradient %d: %v in a batch, %v pair by pair", i, got, want)
		}
	}
}

// TestForwardAlone checks that a pair's result does not depend on its batch.
func TestForwardAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	n := Random(rng)
	inputs := raggedInputs(rng, 200) // more than a tile of cells
	var p, alone Pass
	if got := n.Forward(&p, nil); len(got) != 0 {
		t.Errorf("%d results without inputs", len(got))
	}
	all := slices.Clone(n.Forward(&p, inputs))
	for i := range inputs {
		if got := n.Forward(&alone, inputs[i:i+1])[0]; got != all[i] {
			t.Fatalf("pair %d: %v alone, %v in a batch", i, got, all[i])
		}
	}
	if diff := cmp.Diff(all[57:60], n.Forward(&p, inputs[57:60])); diff != "" {
		t.Error(diff)
	}
}

func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	n, g := Random(rng), New()
	inputs := raggedInputs(rng, 100)
	grads := make([][Classes]float32, len(inputs))
	var p Pass
	run := func() {
		n.Forward(&p, inputs)
		n.Backward(g, &p, grads)
	}
	if got := testing.AllocsPerRun(3, run); got != 0 {
		t.Errorf("%v allocations a batch, expected none", got)
	}
}

func TestFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	scale := func(n int) Scale {
		s := Scale{Mean: make([]float32, n), Deviation: make([]float32, n)}
		for i := range n {
			s.Mean[i], s.Deviation[i] = float32(rng.NormFloat64()), .5+rng.Float32()
		}
		return s
	}
	cell, word, phrase := scale(namepair.CellDim), scale(namepair.WordDim), scale(namepair.PhraseDim)
	raw := randomInput(rng, 3, 2)
	scaled := &namepair.Input{A: 3, B: 2}
	apply := func(x []float32, s Scale) (out []float32) {
		for i, v := range x {
			k := i % len(s.Mean)
			out = append(out, (v-s.Mean[k])/s.Deviation[k])
		}
		return out
	}
	scaled.Cells, scaled.WordsA, scaled.WordsB = apply(raw.Cells, cell), apply(raw.WordsA, word), apply(raw.WordsB, word)
	scaled.Phrase = apply(raw.Phrase, phrase)
	n := Random(rng)
	var p Pass
	want := n.Forward(&p, []*namepair.Input{scaled})[0]
	n.Fold(cell, word, phrase)
	got := n.Forward(&p, []*namepair.Input{raw})[0]
	for i := range want {
		if math.Abs(float64(want[i]-got[i])) > 1e-3 {
			t.Errorf("logit %d: %v folded, expected %v", i, got[i], want[i])
		}
	}
}

func TestCodec(t *testing.T) {
	n := Random(rand.New(rand.NewPCG(5, 6)))
	data := n.Append(nil)
	got, rest, err := Decode(append(data, 7))
	if err != nil || len(rest) != 1 {
		t.Fatalf("Decode: %v, rest %d", err, len(rest))
	}
	if diff := cmp.Diff(n.params, got.params); diff != "" {
		t.Error(diff)
	}
	if _, _, err := Decode(data[:len(data)-1]); err == nil {
		t.Error("truncated weights: expected an error")
	}
	for i := range 4 {
		data[i] = 0xff
	}
	if _, _, err := Decode(data); err == nil {
		t.Error("not a number: expected an error")
	}
}

func TestAdamLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	n, g := Random(rng), New()
	inputs := raggedInputs(rng, 24)
	optimiser := adam.Adam[float32]{Clip: 2}
	var p Pass
	grads := make([][Classes]float32, len(inputs))
	run := func() (loss float64) {
		for i, logits := range n.Forward(&p, inputs) {
			probs := Probabilities(logits)
			loss -= math.Log(probs[i%Classes])
			for k := range probs {
				grads[i][k] = float32(probs[k])
			}
			grads[i][i%Classes]--
		}
		return loss
	}
	before := run()
	for range 60 {
		n.Backward(g, &p, grads)
		optimiser.Step(n.params, g.params, .01)
		run()
	}
	if after := run(); after > before/10 {
		t.Errorf("loss %v after training, %v before", after, before)
	}
}
