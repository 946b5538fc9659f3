package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got Number, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(want) != !got.Defined() || math.Abs(float64(got)-want) > tolerance {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		broken, fixed int
		want          float64
	}{
		{0, 0, 1},
		{3, 3, 1},
		{1, 0, 1},
		{0, 6, 2.0 / 64},
		{6, 16, 2 * 110056.0 / (1 << 22)},        // the binomial sum by hand
		{24, 0, 2.0 / (1 << 24)},                 // the last that is exact
		{25, 0, math.Erfc(math.Sqrt(576. / 50))}, // (25-1)²/25
		{86, 150, math.Erfc(math.Sqrt(3969. / 236 / 2))},
		{121, 59, math.Erfc(math.Sqrt(3721. / 180 / 2))},
		{50, 50, 1},
	} {
		near(t, "McNemar", McNemar(c.broken, c.fixed), c.want, 1e-4*c.want)
		if McNemar(c.broken, c.fixed) != McNemar(c.fixed, c.broken) {
			t.Errorf("McNemar(%d, %d) is not symmetric", c.broken, c.fixed)
		}
	}
}

// Of two tables with as many discordant pairs the less balanced is the less
// probable.
func TestMcNemarOrder(t *testing.T) {
	for n := 1; n < 60; n++ {
		for k := 0; k < n/2; k++ {
			p, q := McNemar(k, n-k), McNemar(k+1, n-k-1)
			if !(p > 0 && p <= 1) || p > q {
				t.Errorf("McNemar(%d, %d) = %v, McNemar(%d, %d) = %v", k, n-k, p, k+1, n-k-1, q)
			}
		}
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		part, whole     int
		value, low, top float64
	}{
		{0, 0, math.NaN(), math.NaN(), math.NaN()},
		{0, 10, 0, 0, 0.2775},
		{10, 10, 1, 0.7225, 1},
		{81, 263, 0.3080, 0.2553, 0.3662}, // Newcombe 1998, table I
		{15, 148, 0.1014, 0.0624, 0.1605},
		{1, 29, 0.0345, 0.0061, 0.1718},
	} {
		e := Wilson(c.part, c.whole)
		near(t, "share", e.Value, c.value, 5e-5)
		near(t, "low", e.Low, c.low, 5e-5)
		near(t, "high", e.High, c.top, 5e-5)
	}
}

func TestKendallTau(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		x, y []float64
		want float64
	}{
		{"Hollander and Wolfe, example 8.1", []float64{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1},
			[]float64{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8}, 16. / 36},
		{"ties on both sides", []float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -4 / math.Sqrt(72)},
		{"equal", []float64{1, 2, 3}, []float64{10, 20, 30}, 1},
		{"opposed", []float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{"constant", []float64{1, 1, 1}, []float64{3, 2, 1}, nan},
		{"one", []float64{1}, []float64{3}, nan},
		{"none", nil, nil, nan},
	} {
		near(t, c.name, KendallTau(c.x, c.y), c.want, 1e-12)
		near(t, c.name+", swapped", KendallTau(c.y, c.x), c.want, 1e-12)
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	near(t, "mean", s.Mean, 5, 0)
	near(t, "std", s.Std, 2, 1e-15)
	near(t, "max", s.Max, 9, 0)
	if s := Summarize(nil); s.Mean.Defined() || s.Std.Defined() || s.Max.Defined() {
		t.Errorf("Summarize(nil) = %v, want undefined", s)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		n                Number
		percent, p, json string
	}{
		{0.4567, "45.7", "0.457", "0.4567"},
		{1, "100.0", "1.000", "1"},
		{0, "0.0", "<0.001", "0"},
		{-0.0001, "0.0", "<0.001", "-0.0001"},
		{-0.125, "-12.5", "<0.001", "-0.125"},
		{Undefined(), "-", "-", "null"},
		{Share(1, 0), "-", "-", "null"},
	} {
		data, err := json.Marshal(c.n)
		if err != nil || string(data) != c.json || c.n.Percent() != c.percent || c.n.PValue() != c.p {
			t.Errorf("%v: %s, %s, %s, %v; want %s, %s, %s", c.n, c.n.Percent(), c.n.PValue(), data, err, c.percent, c.p, c.json)
		}
		var back Number
		if err := json.Unmarshal(data, &back); err != nil || back != c.n && (back.Defined() || c.n.Defined()) {
			t.Errorf("%s reads back as %v, %v", data, back, err)
		}
	}
}

func mean(values []float64) func([]int) float64 {
	return func(times []int) float64 {
		var sum, n float64
		for i, k := range times {
			sum += float64(k) * values[i]
			n += float64(k)
		}
		return sum / n
	}
}

func TestBootstrap(t *testing.T) {
	values := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	b := Bootstrap{Seed: 7}
	e := b.Estimate(len(values), mean(values))
	near(t, "value", e.Value, 4.5, 0)
	// Near the normal interval: the deviation of the mean is sqrt(8.25/10).
	near(t, "low", e.Low, 4.5-1.96*math.Sqrt(0.825), 0.15)
	near(t, "high", e.High, 4.5+1.96*math.Sqrt(0.825), 0.15)
	if again := b.Estimate(len(values), mean(values)); again != e {
		t.Errorf("the same seed gives %v and %v", e, again)
	}
	if other := (Bootstrap{Seed: 8}).Estimate(len(values), mean(values)); other == e {
		t.Errorf("seeds 7 and 8 both give %v", e)
	}
	if same := (Bootstrap{Draws: DefaultDraws, Level: DefaultLevel, Seed: 7}).Estimate(len(values), mean(values)); same != e {
		t.Errorf("the defaults spelt out give %v, want %v", same, e)
	}
	narrow := Bootstrap{Level: 0.5, Seed: 7}.Interval(len(values), mean(values))
	if !(narrow.Low > e.Low && narrow.High < e.High) {
		t.Errorf("50%% interval %v is not within the 95%% interval %v", narrow, e.Interval)
	}
}

func TestBootstrapUndefined(t *testing.T) {
	for _, clusters := range []int{0, 1} {
		if got := (Bootstrap{}).Interval(clusters, func([]int) float64 { return 1 }); got.Low.Defined() || got.High.Defined() {
			t.Errorf("%d clusters: %v, want no interval", clusters, got)
		}
	}
	never := Bootstrap{}.Interval(3, func([]int) float64 { return math.NaN() })
	if never.Low.Defined() {
		t.Errorf("never defined: %v, want no interval", never)
	}
	sometimes := Bootstrap{}.Interval(3, func(times []int) float64 {
		if times[0] == 0 {
			return math.NaN()
		}
		return float64(times[0])
	})
	if sometimes.Low != 1 || sometimes.High != 3 {
		t.Errorf("draws that define the statistic: %v, want 1 to 3", sometimes)
	}
}

// Records that come in bunches need an interval by bunch: it covers the truth
// about as often as it says, where one by record does not.
func TestBootstrapCoverage(t *testing.T) {
	const runs, clusters, size, truth = 200, 40, 25, 0.6
	rng := rand.New(rand.NewPCG(1, 2))
	byCluster, byRecord := 0, 0
	for run := range runs {
		right := make([]float64, clusters)
		for i := range right {
			if rng.Float64() < truth {
				right[i] = 1
			}
		}
		within := func(i Interval) int {
			if i.Low <= truth && truth <= i.High {
				return 1
			}
			return 0
		}
		byCluster += within(Bootstrap{Draws: 400, Seed: uint64(run)}.Interval(clusters, mean(right)))
		sum := 0.0
		for _, r := range right {
			sum += r
		}
		share := sum / clusters
		half := 1.96 * math.Sqrt(share*(1-share)/(clusters*size))
		byRecord += within(Interval{Number(share - half), Number(share + half)})
	}
	if byCluster < runs*88/100 {
		t.Errorf("intervals by cluster cover the truth in %d of %d runs, want at least 88%%", byCluster, runs)
	}
	if byRecord > runs/2 {
		t.Errorf("intervals by record cover the truth in %d of %d runs: the test shows nothing", byRecord, runs)
	}
}

// TestCrossed: where two kinds of clusters differ, both widen the interval; where one of them
// is all alike, the other alone does.
func TestCrossed(t *testing.T) {
	rows, columns := []float64{1, 2, 3, 4, 5, 6}, []float64{0, 10, 20, 30}
	mean := func(values []float64, times []int) (sum float64) {
		for i, v := range values {
			sum += v * float64(times[i]) / float64(len(values))
		}
		return sum
	}
	b := Bootstrap{Seed: 3}
	alone := b.Estimate(len(rows), func(times []int) float64 { return mean(rows, times) })
	alike := b.EstimateCrossed(len(rows), 4, func(times, _ []int) float64 { return mean(rows, times) })
	if alike != alone {
		t.Errorf("%v with clusters that are alike, expected %v", alike, alone)
	}
	both := b.EstimateCrossed(len(rows), len(columns), func(times, others []int) float64 { return mean(rows, times) + mean(columns, others) })
	if math.Abs(float64(both.Value-18.5)) > 1e-9 || both.High-both.Low < 2*(alone.High-alone.Low) {
		t.Errorf("%v, expected 18.5 and an interval much wider than %v", both, alone)
	}
}
