package names

import (
	"context"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
)

// sample is a training pair as the network reads it.
type sample struct {
	pair
	inputs [2]namepair.Input // a→b and b→a, standardised
}

// extract computes the features of all pairs.
func extract(ctx context.Context, m *maker) ([]sample, error) {
	samples := make([]sample, len(m.pairs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 1024
	for start := 0; start < len(samples); start += chunk {
		g.Go(func() error {
			for i := start; i < min(start+chunk, len(samples)); i++ {
				s := &samples[i]
				s.pair = m.pairs[i]
				m.extractor.Pair(&s.inputs[0], m.extractor.Names(namepair.Cut(s.entity, s.a, s.b)))
				m.extractor.Pair(&s.inputs[1], m.extractor.Names(namepair.Cut(s.entity, s.b, s.a)))
			}
			return ctx.Err()
		})
	}
	return samples, g.Wait()
}

// standardise scales all features in place to mean 0 and deviation 1, and returns the scales of the features of cells, words
// and phrases.
func standardise(samples []sample) [3]net.Scale {
	widths := [3]int{namepair.CellDim, namepair.WordDim, namepair.PhraseDim}
	var sum, square [3][]float64
	var rows [3]float64
	for k, w := range widths {
		sum[k], square[k] = make([]float64, w), make([]float64, w)
	}
	each := func(f func(k int, x []float32)) {
		for i := range samples {
			for d := range samples[i].inputs {
				in := &samples[i].inputs[d]
				f(0, in.Cells)
				f(1, in.WordsA)
				f(1, in.WordsB)
				f(2, in.Phrase)
			}
		}
	}
	each(func(k int, x []float32) {
		rows[k] += float64(len(x) / widths[k])
		for i, v := range x {
			sum[k][i%widths[k]] += float64(v)
			square[k][i%widths[k]] += float64(v) * float64(v)
		}
	})
	var scales [3]net.Scale
	for k, w := range widths {
		scales[k] = net.Scale{Mean: make([]float32, w), Deviation: make([]float32, w)}
		for i := range w {
			mean := sum[k][i] / rows[k]
			scales[k].Mean[i] = float32(mean)
			// A feature that hardly ever changes must not blow up when it does.
			scales[k].Deviation[i] = float32(max(.05, math.Sqrt(max(0, square[k][i]/rows[k]-mean*mean))))
		}
	}
	each(func(k int, x []float32) {
		for i, v := range x {
			c := i % widths[k]
			x[i] = (v - scales[k].Mean[c]) / scales[k].Deviation[c]
		}
	})
	return scales
}
