package mix

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Strategy is a scheme by which records are drawn.
type Strategy string

// The strategies. With n records to draw, k perturbations, m_i records of
// perturbation i and its error rate r_i (MT-TEQL, section 4):
const (
	All        Strategy = "all"        // every record (ADVETA, section 5.3)
	Random     Strategy = "random"     // n of all records
	Stratified Strategy = "stratified" // min(m_i, n/k) of each, the rest of n from what is left of all
	Adaptive   Strategy = "adaptive"   // min(m_i, n·r_i/Σr) of each, the rest of n from what is left of all
)

// Strategies returns all of them.
func Strategies() []Strategy { return []Strategy{All, Random, Stratified, Adaptive} }

// quotas returns the number of records to draw from each perturbation before the rest is drawn
// from all. It rounds shares down, which the paper leaves open; the rest makes up for it.
func quotas(s Strategy, n int, counts []int, rates []float64) ([]int, error) {
	first := make([]int, len(counts))
	switch s {
	case All:
		return slices.Clone(counts), nil
	case Random:
		return first, nil
	case Stratified:
		for i, m := range counts {
			first[i] = min(m, n/len(counts))
		}
		return first, nil
	case Adaptive:
		sum := 0.0
		for _, r := range rates {
			sum += r
		}
		if sum == 0 {
			return nil, fmt.Errorf("no perturbation has an error rate above 0, expected one at least for strategy %s", s)
		}
		// A share that is whole but for the error of floating point counts as whole.
		const slip = 1e-9
		for i, m := range counts {
			first[i] = min(m, int(math.Floor(rates[i]/sum*float64(n)+slip)))
		}
		return first, nil
	}
	return nil, fmt.Errorf("strategy %q is unknown, expected one of %v", s, Strategies())
}

// drawRecords draws first[i] records of perturbation i, then the rest of n from the remaining records
// of all. Each draw is uniform and has its own random stream.
func drawRecords(seed uint64, all []*relation, first []int, n int) {
	left := 0 // records that the first draws leave
	for i, r := range all {
		r.taken = make([]bool, len(r.fresh))
		takeRandom(stream(seed, "first", r.name), []*relation{r}, r.distinct, first[i])
		n -= first[i]
		left += r.distinct - first[i]
	}
	takeRandom(stream(seed, "rest"), all, left, n)
}

// takeRandom marks as taken n of the records that are fresh and not taken yet; left is their
// number. It is selection sampling in one pass: each record is taken with probability n/left.
func takeRandom(random *rand.Rand, relations []*relation, left, n int) {
	for _, r := range relations {
		for i, fresh := range r.fresh {
			if !fresh || r.taken[i] {
				continue
			}
			if n > 0 && random.IntN(left) < n {
				r.taken[i] = true
				n--
			}
			left--
		}
	}
}

// stream returns the random numbers of a seed and keys.
func stream(seed uint64, keys ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "mix %d %q", seed, keys))))
}
