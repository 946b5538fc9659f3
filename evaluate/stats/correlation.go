package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// KendallTau returns Kendall's rank correlation of paired figures in its form
// tau-b, -1 to 1, in which ties count for neither side; gonum's is tau-a, which
// takes a tie for a rise. It is undefined for fewer than two pairs and where all
// figures of a side are equal. The slices must be of one length.
func KendallTau(x, y []float64) Number {
	var score, untiedX, untiedY float64
	for i := range x {
		for j := range i {
			dx, dy := float64(cmp.Compare(x[i], x[j])), float64(cmp.Compare(y[i], y[j]))
			score += dx * dy // 1 for a pair in the same order on both sides, -1 in the reverse, 0 for a tie
			untiedX += dx * dx
			untiedY += dy * dy
		}
	}
	untied := untiedX * untiedY
	if untied == 0 {
		return Undefined()
	}
	return Number(score / math.Sqrt(untied))
}

// Summarize returns mean, deviation and maximum of figures; all are undefined for none.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		return Summary{Undefined(), Undefined(), Undefined()}
	}
	mean, std := stat.PopMeanStdDev(x, nil)
	return Summary{Number(mean), Number(std), Number(slices.Max(x))}
}
