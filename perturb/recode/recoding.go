// Package recode rewrites gold SQL and answers for columns whose values took another form: an
// age that became a birth year, a name that became a first and a last name.
//
// A [Recoding] says which columns replace a column and maps its values. A [Rewriter] rewrites
// one query under recodings ([Rewriter.Query]) and computes the answer that the rewritten query
// must give ([Rewriter.Answer]).
package recode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Category is a kind of content equivalence (Dr.Spider, table 11).
type Category string

// The categories.
const (
	TextToTexts    Category = "text to texts"    // name to first name and last name
	BooleanToText  Category = "boolean to text"  // is male to gender
	TextToBoolean  Category = "text to boolean"  // hand to is right handed
	TextToBooleans Category = "text to booleans" // degree to is bachelor, is master, is PhD
	NumberToNumber Category = "number to number" // age to birth year
)

// Categories lists them in the order of the paper.
var Categories = []Category{TextToTexts, BooleanToText, TextToBoolean, TextToBooleans, NumberToNumber}

// maxColumns bounds the columns that replace one.
const maxColumns = 16

// Recoding replaces a column by one or several columns that hold the same in another form.
type Recoding struct {
	Table    string   `json:"table"`  // SQL name
	Column   string   `json:"column"` // SQL name of the column that is replaced
	Category Category `json:"category"`
	Into     []Column `json:"into"` // at the end of the table, in order
	Map      Map      `json:"map"`
}

// Column is a new column of a [Recoding].
type Column struct {
	Name    string       `json:"name"` // SQL name
	Natural string       `json:"natural"`
	Type    dataset.Type `json:"type"` // Number and Boolean hold numbers, all others text
}

// Validate returns an error if the recoding is not one that can be made, whatever the schema.
func (r *Recoding) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("recoding of %s.%s: %w", r.Table, r.Column, fmt.Errorf(format, args...))
	}
	switch {
	case !slices.Contains(Categories, r.Category):
		return fail("category %q, expected one of %q", r.Category, Categories)
	case len(r.Into) == 0, len(r.Into) > maxColumns:
		return fail("%d columns, expected 1 to %d", len(r.Into), maxColumns)
	}
	if slices.ContainsFunc(r.Into, func(c Column) bool { return c.Name == "" }) {
		return fail("a new column has no name")
	}
	if err := r.Map.validate(r.Into); err != nil {
		return fail("%w", err)
	}
	return nil
}

// Declared returns the type to declare for the column in SQL: its affinity leaves the values of
// the map as they are.
func (c Column) Declared() string {
	switch c.Type {
	case dataset.Number:
		return "NUMERIC"
	case dataset.Boolean:
		return "BOOLEAN"
	}
	return "TEXT"
}

// accepts reports whether a value has the kind of the column: a number, or else text.
func (c Column) accepts(v sqldata.Value) bool {
	if slices.Contains([]dataset.Type{dataset.Number, dataset.Boolean}, c.Type) {
		return v.IsNumber()
	}
	return v.Kind() == sqldata.Text
}

var errOutsideMap = errors.New("outside the map of values")
