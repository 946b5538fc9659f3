package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Defaults of [Bootstrap].
const (
	DefaultDraws = 2000
	DefaultLevel = 0.95
)

// Bootstrap makes percentile intervals by drawing clusters with replacement.
//
// The clusters of text-to-SQL are databases: verdicts on questions of one database, and on
// several perturbed versions of one question, depend on each other, so records drawn one
// by one would give intervals that are too narrow. All versions of an example are in the
// same cluster.
type Bootstrap struct {
	Draws int     `json:"draws"` // 0: [DefaultDraws]
	Level float64 `json:"level"` // share of the draws within the interval; 0: [DefaultLevel]
	Seed  uint64  `json:"seed"`
}

// WithDefaults returns b with its zero fields filled in.
func (b Bootstrap) WithDefaults() Bootstrap {
	return Bootstrap{cmp.Or(b.Draws, DefaultDraws), cmp.Or(b.Level, DefaultLevel), b.Seed}
}

// Interval returns the interval of a statistic. times[i] is how often cluster i was drawn;
// draws for which the statistic is NaN are left out. Intervals of the same seed and number
// of clusters use the same draws. With fewer than two clusters the interval is undefined.
func (b Bootstrap) Interval(clusters int, statistic func(times []int) float64) Interval {
	b = b.WithDefaults()
	var values []float64
	if clusters > 1 {
		rng := rand.New(rand.NewPCG(b.Seed, 0))
		times := make([]int, clusters)
		for range b.Draws {
			clear(times)
			for range clusters {
				times[rng.IntN(clusters)]++
			}
			if v := statistic(times); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return Interval{Undefined(), Undefined()}
	}
	slices.Sort(values)
	tail := (1 - b.Level) / 2 // share of the draws on each side of the interval
	return Interval{
		Number(stat.Quantile(tail, stat.Empirical, values, nil)),
		Number(stat.Quantile(1-tail, stat.Empirical, values, nil)),
	}
}

// Estimate returns the statistic of all clusters, each taken once, with its
// interval.
func (b Bootstrap) Estimate(clusters int, statistic func(times []int) float64) Estimate {
	once := slices.Repeat([]int{1}, clusters)
	return Estimate{Number(statistic(once)), b.Interval(clusters, statistic)}
}

// EstimateCrossed estimates a statistic as [Bootstrap.Estimate] does, but draws two kinds of clusters independently of each
// other, such as databases and the seeds of models.
func (b Bootstrap) EstimateCrossed(clusters, others int, statistic func(times, otherTimes []int) float64) Estimate {
	rng := rand.New(rand.NewPCG(b.Seed, 1)) // another stream than that of [Bootstrap.Interval]
	otherTimes := make([]int, others)
	interval := b.Interval(clusters, func(times []int) float64 {
		clear(otherTimes)
		for range others {
			otherTimes[rng.IntN(others)]++
		}
		return statistic(times, otherTimes)
	})
	return Estimate{Number(statistic(slices.Repeat([]int{1}, clusters), slices.Repeat([]int{1}, others))), interval}
}
