// Package sqldata holds what SQL databases are about, whichever engine runs them:
// values, answers and how they compare, and the schemas of tables.
package sqldata

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Kind is the type of a value: one of SQLite's storage classes.
type Kind uint8

// The storage classes.
const (
	Null Kind = iota
	Integer
	Real
	Text
	Blob
)

// Value is a cell. Values compare with ==: equal storage class, equal content.
// The zero Value is NULL.
type Value struct {
	kind Kind
	bits uint64 // of a number
	str  string // of a text or a blob; the fraction of a decimal that no floating-point number represents exactly
}

// NewInt returns an integer.
func NewInt(i int64) Value { return Value{kind: Integer, bits: uint64(i)} }

// NewFloat returns a real number; NaN becomes NULL, as in SQLite.
func NewFloat(f float64) Value {
	switch {
	case math.IsNaN(f):
		return Value{}
	case f == 0:
		f = 0 // of the two zeros, the positive
	}
	return Value{kind: Real, bits: math.Float64bits(f)}
}

// NewDecimal returns the real number nearest to a decimal, false for other text. If that is not exactly the decimal, as for 31.2, the value
// also stores its fraction, so that only equal decimals are ==, as in Python. [Value.Equal] ignores the fraction.
func NewDecimal(text string) (Value, bool) {
	f, err := strconv.ParseFloat(text, 64)
	decimal, ok := new(big.Rat).SetString(text)
	if err != nil || !ok {
		return Value{}, false
	}
	v := NewFloat(f)
	if decimal.Cmp(new(big.Rat).SetFloat64(f)) != 0 { // f is rounded
		v.str = decimal.RatString()
	}
	return v, true
}

// NewText returns text. It may hold any bytes: databases exist whose text is
// not UTF-8.
func NewText(s string) Value { return Value{kind: Text, str: s} }

// NewBlob returns a blob of the bytes of s.
func NewBlob(s string) Value { return Value{kind: Blob, str: s} }

// Kind returns the storage class.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.kind == Null }

// Int returns the value of an [Integer].
func (v Value) Int() int64 { return int64(v.bits) }

// Float returns the value of an [Integer] or a [Real].
func (v Value) Float() float64 {
	if v.kind == Integer {
		return float64(int64(v.bits))
	}
	return math.Float64frombits(v.bits)
}

// Bytes returns the bytes of a [Text] or a [Blob] as they are, and the fraction of a [NewDecimal] that no float64 represents exactly.
func (v Value) Bytes() string { return v.str }

// String returns the value as UTF-8 text for people: NULL as "NULL", numbers
// as SQLite's text, text that is not UTF-8 read as Windows-1252, blobs as X'…'.
func (v Value) String() string {
	switch v.kind {
	case Integer:
		return strconv.FormatInt(v.Int(), 10)
	case Real:
		s := strconv.FormatFloat(v.Float(), 'g', 15, 64)
		if _, err := strconv.ParseInt(s, 10, 64); err == nil {
			s += ".0" // a whole number: 2.0, not 2
		}
		return s
	case Text:
		if utf8.ValidString(v.str) {
			return v.str
		}
		s, _ := charmap.Windows1252.NewDecoder().String(v.str) // a character map has no errors
		return s
	case Blob:
		return fmt.Sprintf("X'%X'", v.str)
	}
	return "NULL"
}

// Size returns about how many bytes the value takes in memory.
func (v Value) Size() int64 { return 32 + int64(len(v.str)) }
