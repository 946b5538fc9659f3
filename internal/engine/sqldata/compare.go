package sqldata

import (
	"cmp"
	"math"
	"slices"
)

// Result is an answer.
type Result struct {
	Columns   []string
	Rows      [][]Value
	Temporary bool // the server made temporary tables for it
}

// Tolerance is how far two numbers may lie apart, relative to the larger, and
// still be equal where one of them is real: sums of the same cells in another
// order differ in their last bits.
const Tolerance = 1e-9

// EqualList reports whether two answers have equal rows in the same order. The
// order of columns matters, their names do not. Numbers compare by value, with
// [Tolerance]: the integer 2 equals the real 2.0. NULL equals NULL.
func EqualList(a, b *Result) bool {
	return sameShape(a, b) && slices.EqualFunc(a.Rows, b.Rows, equalRows)
}

// EqualBag reports whether two answers have equal rows, each equally often, in
// any order. Cells compare as in [EqualList].
func EqualBag(a, b *Result) bool {
	if !sameShape(a, b) {
		return false
	}
	if slices.EqualFunc(a.Rows, b.Rows, equalRows) { // in the same order: no need to sort
		return true
	}
	ra, rb := slices.Clone(a.Rows), slices.Clone(b.Rows)
	slices.SortFunc(ra, compareRows)
	slices.SortFunc(rb, compareRows)
	return slices.EqualFunc(ra, rb, equalRows)
}

// sameShape reports whether two answers have as many columns and rows.
func sameShape(a, b *Result) bool {
	return len(a.Columns) == len(b.Columns) && len(a.Rows) == len(b.Rows)
}

// equalRows reports whether two rows have equal cells in the same order.
func equalRows(a, b []Value) bool { return slices.EqualFunc(a, b, Value.Equal) }

// Equal reports whether two cells are equal as [EqualList] compares them.
func (a Value) Equal(b Value) bool {
	if a == b {
		return true
	}
	if !a.IsNumber() || !b.IsNumber() || a.kind == Integer && b.kind == Integer {
		return false // two integers have no tolerance
	}
	x, y := a.Float(), b.Float()
	if larger := max(math.Abs(x), math.Abs(y)); !math.IsInf(larger, 0) { // an infinite tolerance would accept any number
		return math.Abs(x-y) <= Tolerance*larger
	}
	return x == y
}

// IsNumber reports whether v is an [Integer] or a [Real].
func (v Value) IsNumber() bool { return v.kind == Integer || v.kind == Real }

// compareRows orders rows so that rows which are equal but for the noise of
// floating-point sums lie at the same place of two sorted lists.
func compareRows(a, b []Value) int { return slices.CompareFunc(a, b, compareValues) }

// compareValues orders values by class, then numbers by sortKey and others by their bytes.
func compareValues(a, b Value) int {
	if a.IsNumber() && b.IsNumber() {
		return cmp.Compare(a.sortKey(), b.sortKey())
	}
	return cmp.Or(cmp.Compare(a.class(), b.class()), cmp.Compare(a.str, b.str))
}

// class returns the kind of v, [Integer] for both kinds of numbers.
func (v Value) class() Kind {
	if v.kind == Real {
		return Integer
	}
	return v.kind
}

// sortKey returns a number without the noise of floating-point sums: the whole number within [Tolerance],
// else the number rounded to twelve significant digits.
func (v Value) sortKey() float64 {
	const digits = 12
	f := v.Float()
	whole := math.Round(f)
	if v.kind == Integer || math.Abs(f-whole) <= Tolerance*math.Abs(f) {
		return whole
	}
	scale := math.Pow(10, digits-1-math.Floor(math.Log10(math.Abs(f))))
	if r := math.Round(f*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return f // the scale of a tiny number is infinite
}
