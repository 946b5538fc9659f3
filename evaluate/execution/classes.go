package execution

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// classes numbers the cells of two answers so that equal cells have equal
// numbers.
type classes map[sqldata.Value]uint32

// number returns the number of each cell of an answer, by column and row. A cell that equals no earlier one gets a new number.
func (c classes) number(res *sqldata.Result) [][]uint32 {
	columns := make([][]uint32, len(res.Columns))
	for i := range columns {
		column := make([]uint32, len(res.Rows))
		for row, cells := range res.Rows {
			v := exact(cells[i])
			class, ok := c[v]
			if !ok {
				class = uint32(len(c))
				c[v] = class
			}
			column[row] = class
		}
		columns[i] = column
	}
	return columns
}

// exact returns a real that is a whole number as the integer of its value. Reals beyond 64 bits equal no
// integer and stay.
func exact(v sqldata.Value) sqldata.Value {
	if v.Kind() != sqldata.Real {
		return v
	}
	if f := v.Float(); f == math.Trunc(f) && f >= math.MinInt64 && f < -math.MinInt64 { // -math.MinInt64 is 2^63
		return sqldata.NewInt(int64(f))
	}
	return v
}

// merge joins the classes of numbers that may be equal, given that floating-point sums differ in
// their last bits. It returns the new number of each class, or nil if none were joined. A chain of
// near numbers becomes one class, so not all numbers of a class are equal.
func (c classes) merge() []uint32 {
	type number struct {
		value sqldata.Value
		class uint32
	}
	var numbers []number
	anyReal := false
	for v, class := range c {
		switch v.Kind() {
		case sqldata.Real:
			anyReal = true
			fallthrough
		case sqldata.Integer:
			numbers = append(numbers, number{v, class})
		}
	}
	if !anyReal { // integers of different classes differ
		return nil
	}
	slices.SortFunc(numbers, func(a, b number) int {
		return cmp.Or(cmp.Compare(a.value.Float(), b.value.Float()), cmp.Compare(a.class, b.class))
	})
	merged := make([]uint32, len(c))
	for class := range merged {
		merged[class] = uint32(class)
	}
	anyMerged := false
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1].value.Equal(numbers[i].value) {
			merged[numbers[i].class] = merged[numbers[i-1].class]
			anyMerged = true
		}
	}
	if !anyMerged {
		return nil
	}
	return merged
}
