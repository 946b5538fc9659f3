package dataset

// Side is one of the two lists of a [Bucket]; "" is neither.
type Side string

// The sides of a bucket.
const (
	Replace Side = "replace" // names that may replace the column
	Add     Side = "add"     // names of columns that may be added to its table
)

// Sides returns both sides.
func Sides() [2]Side { return [2]Side{Replace, Add} }

// Other returns the other side.
func (s Side) Other() Side {
	if s == Replace {
		return Add
	}
	return Replace
}

// Of returns the candidates of a bucket on this side.
func (s Side) Of(b *Bucket) *[]Candidate {
	if s == Add {
		return &b.Add
	}
	return &b.Replace
}
