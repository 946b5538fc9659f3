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

// FlatMap returns the results of f for the elements of a list one after the other; nil if there are none.
func FlatMap[T, U any](list []T, f func(T) []U) []U {
	var results []U
	for _, v := range list {
		results = append(results, f(v)...)
	}
	return results
}

// Each calls f for the elements of a list in their order, up to its first error, which it returns.
func Each[T any](list []T, f func(T) error) error {
	for _, v := range list {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// Sum returns the sum of f over the elements of a list.
func Sum[T any, N int | int64 | float64](list []T, f func(T) N) N {
	var sum N
	for _, v := range list {
		sum += f(v)
	}
	return sum
}

// Set returns the set of the keys of a list's elements.
func Set[T any, K comparable](list []T, key func(T) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, v := range list {
		set[key(v)] = true
	}
	return set
}

// Index returns the elements of a list by their keys; of elements with one key, the last.
func Index[T any, K comparable](list []T, key func(T) K) map[K]T {
	index := make(map[K]T, len(list))
	for _, v := range list {
		index[key(v)] = v
	}
	return index
}

// Numbers returns the numbers 0 to n-1.
func Numbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
