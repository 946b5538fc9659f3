// Package verdict defines the result of judging a prediction: right, wrong or not judged.
// [Read] reads the files of `tabperturb eval --verdicts`.
package verdict

// Verdict is the result of judging a prediction by a metric.
type Verdict uint8

// The verdicts. Unjudged is what the gold's fault or the lack of a database
// leaves open.
const (
	Wrong Verdict = iota
	Right
	Unjudged
)

// Of returns Right or Wrong.
func Of(right bool) Verdict {
	if right {
		return Right
	}
	return Wrong
}

// Points returns 1 for Right and 0 for the others.
func (v Verdict) Points() int {
	if v == Right {
		return 1
	}
	return 0
}

// String returns "wrong", "right" or "unjudged".
func (v Verdict) String() string { return [...]string{"wrong", "right", "unjudged"}[v] }

// Mark returns the verdict as files of verdicts have it: "0", "1" or "-".
func (v Verdict) Mark() string { return [...]string{"0", "1", "-"}[v] }

// FromMark is the inverse of [Verdict.Mark]; ok is false for other texts.
func FromMark(mark string) (v Verdict, ok bool) {
	for v := range Unjudged + 1 {
		if v.Mark() == mark {
			return v, true
		}
	}
	return Unjudged, false
}
