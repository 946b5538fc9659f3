package mix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQuotas holds the shares to the formulas of MT-TEQL, section 4.
func TestQuotas(t *testing.T) {
	for _, test := range []struct {
		strategy Strategy
		n        int
		counts   []int
		rates    []float64
		want     []int
	}{
		{All, 9, []int{4, 5}, nil, []int{4, 5}},
		{Random, 9, []int{4, 5}, nil, []int{0, 0}},
		{Stratified, 6, []int{10, 10, 10}, nil, []int{2, 2, 2}},
		{Stratified, 7, []int{10, 10, 10}, nil, []int{2, 2, 2}},       // the rest is drawn
		{Stratified, 12, []int{1, 10, 0, 10}, nil, []int{1, 3, 0, 3}}, // those without records count in k
		{Stratified, 2, []int{10, 10, 10}, nil, []int{0, 0, 0}},
		{Adaptive, 100, []int{90, 90}, []float64{0.3, 0.1}, []int{75, 25}},
		{Adaptive, 100, []int{50, 90}, []float64{0.3, 0.1}, []int{50, 25}},
		{Adaptive, 10, []int{90, 90, 90}, []float64{0.2, 0.2, 0.2}, []int{3, 3, 3}},
		{Adaptive, 10, []int{90, 90}, []float64{0, 0.5}, []int{0, 10}},
		// 0.1+0.2 is not quite 0.3, but the shares of 30 are 10 and 20.
		{Adaptive, 30, []int{90, 90}, []float64{0.1, 0.2}, []int{10, 20}},
	} {
		got, err := quotas(test.strategy, test.n, test.counts, test.rates)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s, n %d, m %v, r %v: shares %v (%v), want %v", test.strategy, test.n, test.counts, test.rates, got, err, test.want)
		}
	}
	for _, test := range []struct {
		strategy Strategy
		want     string
	}{
		{Adaptive, "no perturbation has an error rate above 0, expected one at least for strategy adaptive"},
		{"best", `strategy "best" is unknown, expected one of [all random stratified adaptive]`},
	} {
		if _, err := quotas(test.strategy, 1, []int{1}, []float64{0}); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.strategy, err, test.want)
		}
	}
}

// relationsOf makes perturbations of which every third record is the same as an
// earlier one.
func relationsOf(records []int) (all []*relation, distinct []int) {
	for i, n := range records {
		r := &relation{name: fmt.Sprint("family/", i), fresh: make([]bool, n)}
		for j := range r.fresh {
			if j%3 != 2 {
				r.fresh[j] = true
				r.distinct++
			}
		}
		all, distinct = append(all, r), append(distinct, r.distinct)
	}
	return all, distinct
}

func drawn(r *relation) (n int) {
	for i, taken := range r.taken {
		if taken {
			n++
		}
		if taken && !r.fresh[i] {
			return -1
		}
	}
	return n
}

// TestPick draws from perturbations of many sizes: as many as asked for, each at
// least its share, none twice, the same for the same seed.
func TestPick(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(300) {
		records := make([]int, 1+random.IntN(12))
		rates := make([]float64, len(records))
		for i := range records {
			records[i], rates[i] = random.IntN(60), 0.01+random.Float64()
		}
		all, distinct := relationsOf(records)
		there := 0
		for _, n := range distinct {
			there += n
		}
		for _, s := range Strategies() {
			n := there
			if s != All {
				n = random.IntN(there + 1)
			}
			first, err := quotas(s, n, distinct, rates)
			if err != nil {
				t.Fatal(err)
			}
			drawRecords(seed, all, first, n)
			sum := 0
			var before [][]bool
			for i, r := range all {
				got := drawn(r)
				if got < first[i] {
					t.Fatalf("%s of %v: %d drawn of relation %d, want %d at least", s, distinct, got, i, first[i])
				}
				sum += got
				before = append(before, r.taken)
			}
			if sum != n {
				t.Fatalf("%s of %v: %d drawn, want %d", s, distinct, sum, n)
			}
			drawRecords(seed, all, first, n)
			for i, r := range all {
				if !slices.Equal(r.taken, before[i]) {
					t.Fatalf("%s: seed %d draws otherwise the second time", s, seed)
				}
			}
		}
	}
}

// TestPickIsUniform draws often and counts how often each record comes up.
func TestPickIsUniform(t *testing.T) {
	all, distinct := relationsOf([]int{30, 15})
	const draws, n = 4000, 10
	times := make([][]int, len(all))
	for i, r := range all {
		times[i] = make([]int, len(r.fresh))
	}
	for seed := range uint64(draws) {
		drawRecords(seed, all, []int{0, 0}, n)
		for i, r := range all {
			for j, taken := range r.taken {
				if taken {
					times[i][j]++
				}
			}
		}
	}
	p := float64(n) / float64(distinct[0]+distinct[1])
	limit := 4.5 * math.Sqrt(draws*p*(1-p))
	for i, r := range all {
		for j, fresh := range r.fresh {
			if fresh && math.Abs(float64(times[i][j])-draws*p) > limit {
				t.Errorf("record %d of relation %d was drawn %d times, want about %.0f", j, i, times[i][j], draws*p)
			}
		}
	}
}
