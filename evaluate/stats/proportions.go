package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactBelow is the number of discordant pairs from which the chi-square
// distribution is near enough to the binomial one, by the usual rule.
const exactBelow = 25

// McNemar returns the two-sided p of McNemar's test for paired verdicts: broken
// pairs are right before and wrong after, fixed ones the reverse. Below 25
// discordant pairs it is the exact binomial test, from there on the chi-square
// test with Edwards' continuity correction. The test takes the pairs as
// independent.
func McNemar(broken, fixed int) Number {
	n := broken + fixed
	if n == 0 {
		return 1
	}
	if n < exactBelow {
		p := 2 * distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(broken, fixed)))
		return Number(min(p, 1))
	}
	d := max(math.Abs(float64(broken-fixed))-1, 0)
	return Number(distuv.ChiSquared{K: 1}.Survival(d * d / float64(n)))
}
