package stats

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Number is a figure that may be undefined: NaN here, null in JSON, "-" in text.
type Number float64

// Undefined returns the undefined Number.
func Undefined() Number { return Number(math.NaN()) }

// Share returns part/whole, which is undefined if whole is 0.
func Share(part, whole int) Number {
	if whole == 0 {
		return Undefined()
	}
	return Number(float64(part) / float64(whole))
}

// Ratio returns part/whole, 0 if whole is 0.
func Ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Defined reports whether n has a value.
func (n Number) Defined() bool { return !math.IsNaN(float64(n)) }

// Percent returns a share in percent with one decimal, as the papers print it.
func (n Number) Percent() string {
	if !n.Defined() {
		return "-"
	}
	s := fmt.Sprintf("%.1f", 100*float64(n))
	if s == "-0.0" { // of a small negative difference
		return "0.0"
	}
	return s
}

// PercentOrEmpty returns what [Number.Percent] does, or "" if n is undefined, as
// programs read it.
func (n Number) PercentOrEmpty() string {
	if !n.Defined() {
		return ""
	}
	return n.Percent()
}

// Cell returns the share for a table, in percent.
func (n Number) Cell() table.Cell { return table.Cell{Text: n.Percent(), Value: n.value()} }

// value returns the number, or nil if it is undefined.
func (n Number) value() *float64 {
	if !n.Defined() {
		return nil
	}
	v := float64(n)
	return &v
}

// PCell returns the probability for a table.
func (n Number) PCell() table.Cell { return table.Cell{Text: n.PValue(), Value: n.value()} }

// PValue returns a probability with three decimals, and "<0.001" below that.
func (n Number) PValue() string {
	switch {
	case !n.Defined():
		return "-"
	case n < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", float64(n))
}

// MarshalJSON returns the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON is the inverse of [Number.MarshalJSON].
func (n *Number) UnmarshalJSON(data []byte) error {
	v := math.NaN() // which null leaves
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*n = Number(v)
	return nil
}

// Interval is a confidence interval; both ends are undefined if the data
// give none.
type Interval struct {
	Low  Number `json:"low"`
	High Number `json:"high"`
}

// Estimate is a figure with its interval.
type Estimate struct {
	Value Number `json:"value"`
	Interval
}

// Percent returns the estimate in percent: "73.0 [70.1, 75.9]", or without the
// brackets if there is no interval.
func (e Estimate) Percent() string {
	if !e.Low.Defined() {
		return e.Value.Percent()
	}
	return e.Value.Percent() + " [" + e.Low.Percent() + ", " + e.High.Percent() + "]"
}

// Points returns a difference in percentage points: "+1.2 [+0.3, +2.1]", or without the brackets where
// there is no interval.
func (e Estimate) Points() string {
	if !e.Low.Defined() {
		return fmt.Sprintf("%+.1f", 100*float64(e.Value))
	}
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", 100*float64(e.Value), 100*float64(e.Low), 100*float64(e.High))
}

// Cell returns the estimate for a table, in percent.
func (e Estimate) Cell() table.Cell {
	return table.Cell{Text: e.Percent(), Value: e.Value.value(), Low: e.Low.value(), High: e.High.value()}
}

// Summary describes how a figure varies among files of predictions.
type Summary struct {
	Mean Number `json:"mean"`
	// Std is the standard deviation of these files (divided by their number, not by one less), because they
	// are not a sample of others.
	Std Number `json:"std"`
	Max Number `json:"max"`
}
