package recode

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Map maps the values of a recoded column: by Cells or by Linear, not both. It is one to one, so
// equality, groups and sets stay, and NULL becomes NULL.
type Map struct {
	// Cells lists the distinct values in SQLite's order, numbers before text.
	Cells []Cell `json:"cells,omitempty"`
	// Linear computes numbers.
	Linear *Linear `json:"linear,omitempty"`
}

// Cell maps one value to a value of each new column. In JSON it is [old, [new, …]]; integers have
// no point there, and reals do.
type Cell struct {
	Old sqldata.Value
	New []sqldata.Value
}

// Linear maps a number x to (Scale*x + Offset) / Over, computed over the decimal
// digits: what is no whole number becomes the real number nearest to the result.
type Linear struct {
	Scale  int64 `json:"scale"` // not 0
	Offset int64 `json:"offset"`
	Over   int64 `json:"over,omitempty"` // a power of ten; 0 for 1
	// Digits is for numbers that are stored as text: how many digits each has, no
	// sign and no point, for only then do texts sort as their numbers do. It is 0
	// for numbers.
	Digits int `json:"digits,omitempty"`
}

// Bounds on maps, which are data that anyone may have written.
const (
	maxCells  = 10_000
	maxLinear = 1_000_000_000 // of Scale and Offset
	maxDigits = 9
)

// divisor returns the divisor of a linear map.
func (l *Linear) divisor() int64 { return cmp.Or(l.Over, 1) }

// powerOfTen reports whether n is 1, 10, 100 and so on.
func powerOfTen(n int64) bool {
	for n > 1 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// validate returns an error if the map does not fit columns of the types of into.
func (m Map) validate(into []Column) error {
	if (len(m.Cells) > 0) == (m.Linear != nil) {
		return errors.New("expected a map of cells or a linear one")
	}
	switch {
	case m.Linear != nil:
		return m.Linear.validate(into)
	case len(m.Cells) > maxCells:
		return fmt.Errorf("%d cells, expected at most %d", len(m.Cells), maxCells)
	}
	return m.validateCells(into)
}

// validate returns an error if factors are out of bounds or into is not one column of numbers.
func (l *Linear) validate(into []Column) error {
	large := func(n int64) bool { return n > maxLinear || n < -maxLinear }
	switch {
	case l.Scale == 0, large(l.Scale), large(l.Offset):
		return fmt.Errorf("linear map %d*x + %d, expected factors up to %d", l.Scale, l.Offset, maxLinear)
	case l.Over > maxLinear, !powerOfTen(l.divisor()):
		return fmt.Errorf("linear map over %d, expected a power of ten up to %d", l.Over, maxLinear)
	case l.Digits < 0, l.Digits > maxDigits:
		return fmt.Errorf("%d digits, expected at most %d", l.Digits, maxDigits)
	case len(into) != 1, into[0].Type != dataset.Number:
		return errors.New("a linear map has not one column of numbers")
	}
	return nil
}

// validateCells returns an error if the cells are not in order, do not fit the columns, or two of
// them become the same.
func (m Map) validateCells(into []Column) error {
	images := map[string]sqldata.Value{} // old values by their new ones, quoted
	for i, c := range m.Cells {
		if c.Old.IsNull() {
			return errors.New("NULL is among the cells, expected it left out: it becomes NULL")
		}
		if i > 0 && compareValues(m.Cells[i-1].Old, c.Old) >= 0 {
			return fmt.Errorf("%s after %s, expected distinct values in order", c.Old, m.Cells[i-1].Old)
		}
		if len(c.New) != len(into) {
			return fmt.Errorf("%s becomes %d values, expected %d", c.Old, len(c.New), len(into))
		}
		key := ""
		for j, v := range c.New {
			if !into[j].accepts(v) {
				return fmt.Errorf("%s becomes %s in the column %s of type %s", c.Old, v, into[j].Name, into[j].Type)
			}
			text := v.String()
			if v.Kind() == sqldata.Real {
				text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
			}
			key += strconv.Quote(text)
		}
		if other, ok := images[key]; ok {
			return fmt.Errorf("%s and %s become the same, expected a map that is one to one", other, c.Old)
		}
		images[key] = c.Old
	}
	return nil
}

// Apply returns the new values for v, one for each of width columns. It returns an error if v is
// not in the map.
func (m Map) Apply(v sqldata.Value, width int) ([]sqldata.Value, error) {
	switch {
	case v.IsNull():
		return make([]sqldata.Value, width), nil
	case m.Linear != nil:
		now, err := m.Linear.cell(v)
		return []sqldata.Value{now}, err
	}
	i, ok := slices.BinarySearchFunc(m.Cells, v, func(c Cell, v sqldata.Value) int { return compareValues(c.Old, v) })
	if !ok {
		return nil, fmt.Errorf("value %s: %w", v, errOutsideMap)
	}
	return m.Cells[i].New, nil
}

// constant is Apply for a constant of a query that is compared with the column,
// after the conversion that SQLite makes then: a number that meets text becomes
// text, and a text that meets numbers a number.
func (m Map) constant(v sqldata.Value, width int) ([]sqldata.Value, error) {
	now, err := m.Apply(v, width)
	if err == nil || v.IsNull() {
		return now, err
	}
	if converted, ok := m.convert(v); ok {
		return m.Apply(converted, width)
	}
	return nil, err
}

// convert returns a constant as SQLite converts it before it compares it with the column: a number to text for a column of
// text, text to a number for one of numbers. It returns false if SQLite compares it as it is.
func (m Map) convert(v sqldata.Value) (sqldata.Value, bool) {
	text, numbers := m.kinds()
	switch {
	case text && v.Kind() == sqldata.Integer:
		return sqldata.NewText(v.String()), true
	case numbers && v.Kind() == sqldata.Text:
		return sqldata.ParseNumber(strings.TrimSpace(v.Bytes()))
	}
	return sqldata.Value{}, false
}

// kinds reports whether the old column holds only text or only numbers. Cells are sorted with
// numbers before text, so the first and the last one decide.
func (m Map) kinds() (text, numbers bool) {
	if m.Linear != nil {
		return m.Linear.Digits > 0, m.Linear.Digits == 0
	}
	first, last := m.Cells[0].Old, m.Cells[len(m.Cells)-1].Old
	return first.Kind() == sqldata.Text, last.IsNumber()
}

// cell maps a value of the old column: a number, or the digits of one if the column stores text.
func (l *Linear) cell(v sqldata.Value) (sqldata.Value, error) {
	if l.Digits == 0 {
		return l.number(v)
	}
	digits := "" // which ParseUint rejects
	if v.Kind() == sqldata.Text && len(v.Bytes()) == l.Digits {
		digits = v.Bytes()
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return sqldata.Value{}, fmt.Errorf("value %s: %w", v, errOutsideMap)
	}
	return l.number(sqldata.NewInt(int64(n)))
}

// number maps a number x, which is a value of the old column or an average or sum of such values, to
// (x × Scale + Offset) ÷ divisor, in exact fractions. A whole result becomes an integer.
func (l *Linear) number(v sqldata.Value) (sqldata.Value, error) {
	x, ok := rational(v)
	if !ok {
		return sqldata.Value{}, fmt.Errorf("value %s: %w", v, errOutsideMap)
	}
	x.Mul(x, new(big.Rat).SetInt64(l.Scale))
	x.Add(x, new(big.Rat).SetInt64(l.Offset))
	x.Quo(x, new(big.Rat).SetInt64(l.divisor()))
	if x.IsInt() && x.Num().IsInt64() {
		return sqldata.NewInt(x.Num().Int64()), nil
	}
	f, _ := x.Float64()
	if math.IsInf(f, 0) {
		return sqldata.Value{}, fmt.Errorf("value %s: %w", v, errOutsideMap)
	}
	return sqldata.NewFloat(f), nil
}

// rational returns a number as the exact value of its decimal digits, false for any other value.
func rational(v sqldata.Value) (*big.Rat, bool) {
	switch v.Kind() {
	case sqldata.Integer:
		return new(big.Rat).SetInt64(v.Int()), true
	case sqldata.Real:
		return new(big.Rat).SetString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return nil, false
}

// order returns 1 if the new values sort as the old ones, compared column by column, -1 if they sort
// in the opposite order, and else 0.
func (m Map) order() int {
	if m.Linear != nil {
		return cmp.Compare(m.Linear.Scale, 0)
	}
	order := 0
	for i := 1; i < len(m.Cells); i++ {
		step := slices.CompareFunc(m.Cells[i].New, m.Cells[i-1].New, compareValues)
		if slices.Contains([]int{0, -order}, step) { // equal values, or a step against the order so far
			return 0
		}
		order = step
	}
	return cmp.Or(order, 1) // a single cell keeps the order
}

// equal reports whether two maps are the same function.
func (m Map) equal(o Map) bool {
	var a, b Linear // stays zero for a map of cells; a linear map has another scale than 0
	if m.Linear != nil {
		a = *m.Linear
	}
	if o.Linear != nil {
		b = *o.Linear
	}
	return a == b && slices.EqualFunc(m.Cells, o.Cells, func(a, b Cell) bool { return a.Old == b.Old && slices.Equal(a.New, b.New) })
}

// Samples maps sample cells of the old column to sample cells of the new column at position i:
// at most as many as the old column has, each once.
func (m Map) Samples(old []string, i int) []string {
	var out []string
	add := func(v sqldata.Value) {
		if s := v.String(); len(out) < len(old) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, c := range m.Cells {
		if slices.Contains(old, strings.TrimSpace(c.Old.String())) {
			add(c.New[i])
		}
	}
	if m.Linear == nil {
		return out
	}
	for _, s := range old {
		v, _ := sqldata.ParseNumber(s)
		if now, err := m.Linear.number(v); err == nil {
			add(now)
		}
	}
	return out
}

// compareValues orders values as SQLite does: NULL, numbers, text by its bytes,
// blobs.
func compareValues(a, b sqldata.Value) int {
	switch {
	case a.Kind() == sqldata.Integer && b.Kind() == sqldata.Integer:
		return cmp.Compare(a.Int(), b.Int())
	case a.IsNumber() && b.IsNumber():
		return cmp.Compare(a.Float(), b.Float())
	}
	return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Bytes(), b.Bytes()))
}
