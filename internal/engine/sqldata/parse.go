package sqldata

import (
	"math"
	"strconv"
)

// ParseNumber returns the integer or real number that a text spells, false for any other text.
// "NaN" and "Inf" are no numbers: web tables write them for missing cells.
func ParseNumber(text string) (Value, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return NewInt(n), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}, false
	}
	return NewFloat(f), true
}
