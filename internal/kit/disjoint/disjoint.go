// Package disjoint keeps values in disjoint sets, which can be joined.
package disjoint

// Sets maps each value to another one of its set, except for the representative of the set, which
// has no entry. A value that was never joined is a set of its own.
type Sets[T comparable] map[T]T

// Find returns the representative of the set of x.
func (s Sets[T]) Find(x T) T {
	for {
		next, ok := s[x]
		if !ok {
			return x
		}
		x = next
	}
}

// Join joins the sets of a and b. The representative of b's set represents both.
func (s Sets[T]) Join(a, b T) {
	if a, b = s.Find(a), s.Find(b); a != b {
		s[a] = b
	}
}
