package net

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
)

func randomInput(rng *rand.Rand, a, b int) *feature.Input {
	fill := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(rng.NormFloat64())
		}
		return s
	}
	return &feature.Input{
		A: a, B: b, Cells: fill(a * b * feature.CellDim),
		WordsA: fill(a * feature.WordDim), WordsB: fill(b * feature.WordDim), Phrase: fill(feature.PhraseDim),
	}
}

// TestGradient compares Backward with differences of Forward.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, g := Random(rng), New()
	in := randomInput(rng, 2, 3)
	weights := [Classes]float32{.7, -1.3, .4}
	var p Pass
	p.Keep = make([]float32, Dropout)
	for i := range p.Keep {
		p.Keep[i] = float32(i%3) * .8
	}
	loss := func() float64 {
		var sum float64
		for i, l := range n.Forward(&p, in) {
			sum += float64(weights[i]) * float64(l)
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
	if limit := len(n.params) / 200; wrong > limit {
		t.Errorf("%d of %d gradients are off, expected at most %d", wrong, len(n.params), limit)
	}
}

func TestFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	scale := func(n int) Scale {
		s := Scale{make([]float32, n), make([]float32, n)}
		for i := range n {
			s.Mean[i], s.Deviation[i] = float32(rng.NormFloat64()), .5+rng.Float32()
		}
		return s
	}
	cell, word, phrase := scale(feature.CellDim), scale(feature.WordDim), scale(feature.PhraseDim)
	raw := randomInput(rng, 3, 2)
	scaled := &feature.Input{A: 3, B: 2}
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
	want := n.Forward(&p, scaled)
	n.Fold(cell, word, phrase)
	got := n.Forward(&p, raw)
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
	inputs := make([]*feature.Input, 24)
	for i := range inputs {
		inputs[i] = randomInput(rng, 1+i%3, 1+i%2)
	}
	adam := Adam{Clip: 2}
	var p Pass
	run := func(train bool) (loss float64) {
		for i, in := range inputs {
			probs := Probabilities(n.Forward(&p, in))
			loss -= math.Log(probs[i%Classes])
			if train {
				var d [Classes]float32
				for k := range d {
					d[k] = float32(probs[k])
				}
				d[i%Classes]--
				n.Backward(g, &p, d)
			}
		}
		return loss
	}
	before := run(false)
	for range 60 {
		run(true)
		adam.Step(n, g, .01)
	}
	if after := run(false); after > before/10 {
		t.Errorf("loss %v after training, %v before", after, before)
	}
}
