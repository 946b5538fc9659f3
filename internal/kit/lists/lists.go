// Package lists has the loops over a slice that the standard library has no function for.
package lists

// Map returns the results of f for the elements of a list, in their order; nil for an empty list.
func Map[T, U any](list []T, f func(T) U) []U {
	var results []U
	for _, v := range list {
		results = append(results, f(v))
	}
	return results
}

// Filter returns a new list of the elements that keep accepts, in their order; nil if there are none.
func Filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, v := range list {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// Count returns the number of elements that matches accepts.
func Count[T any](list []T, matches func(T) bool) int {
	n := 0
	for _, v := range list {
		if matches(v) {
			n++
		}
	}
	return n
}
