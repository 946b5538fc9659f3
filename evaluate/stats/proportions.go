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

// z95 is the quantile of the normal distribution for intervals of 95%.
var z95 = distuv.UnitNormal.Quantile(0.975)

// Wilson returns part/whole with Wilson's 95% score interval (Wilson 1927), which holds for
// few cases and for shares near 0 and 1 too. It takes the cases as independent.
func Wilson(part, whole int) Estimate {
	e := Estimate{Share(part, whole), Interval{Undefined(), Undefined()}}
	if whole > 0 {
		n, p := float64(whole), float64(e.Value)
		middle := p + z95*z95/(2*n)
		half := z95 * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
		scale := 1 + z95*z95/n
		e.Low, e.High = Number(max(0, (middle-half)/scale)), Number(min(1, (middle+half)/scale))
	}
	return e
}
