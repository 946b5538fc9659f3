package net

import (
	"math/rand/v2"
	"testing"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

const benchmarkBatch = 512

func benchmarkInputs(rng *rand.Rand) []*namepair.Input {
	inputs := make([]*namepair.Input, benchmarkBatch)
	for i := range inputs {
		inputs[i] = randomInput(rng, 2, 2)
	}
	return inputs
}

func BenchmarkForward(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, inputs := Random(rng), benchmarkInputs(rng)
	var p Pass
	for b.Loop() {
		n.Forward(&p, inputs)
	}
	b.ReportMetric(float64(b.N*benchmarkBatch)/b.Elapsed().Seconds(), "pairs/s")
}

func BenchmarkForwardSingle(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, inputs := Random(rng), benchmarkInputs(rng)[:1]
	var p Pass
	for b.Loop() {
		n.Forward(&p, inputs)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

func BenchmarkBackward(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, g, inputs := Random(rng), New(), benchmarkInputs(rng)
	grads := make([][Classes]float32, len(inputs))
	for i := range grads {
		grads[i] = [Classes]float32{.1, .2, -.3}
	}
	var p Pass
	n.Forward(&p, inputs)
	for b.Loop() {
		n.Backward(g, &p, grads)
	}
	b.ReportMetric(float64(b.N*benchmarkBatch)/b.Elapsed().Seconds(), "pairs/s")
}
