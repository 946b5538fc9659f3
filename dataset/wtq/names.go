package wtq

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// NaturalName returns the natural name of a header: in lower case, on one line, with blanks for
// hyphens, slashes and underscores, like ADVETA's headers of these tables. Other marks stay ("# of
// accidents") if there is a letter or digit; a header of marks only is spelled out. Position, from
// 1, names a column without a header.
func NaturalName(header string, position int) string {
	name := strings.ToLower(strings.Join(strings.FieldsFunc(header, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("-_/", r)
	}), " "))
	if strings.ContainsFunc(name, isAlphanumeric) {
		return name
	}
	if words := strings.Fields(dataset.SpellSymbols(header)); strings.ContainsFunc(strings.Join(words, ""), isAlphanumeric) {
		return strings.Join(words, " ")
	}
	return placeholder(position)
}

// isAlphanumeric reports whether a character is a letter or a digit.
func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// placeholder returns the natural name of a column without a header, by its position from 1. A
// column with such a header keeps it in [dataset.Column.Header].
func placeholder(position int) string { return "column " + strconv.Itoa(position) }

// isPlaceholder matches a [placeholder].
var isPlaceholder = lazyregexp.New(`^column [0-9]+$`)

// HeaderOf returns the [dataset.Column.Header] of a column from its header in the file and its
// natural name: "" if both are equal. A header that looks like a [placeholder] is kept, because [Header], the inverse,
// takes a placeholder for the name of a column without a header.
func HeaderOf(header, name string) string {
	if header == name && !isPlaceholder.MatchString(name) {
		return ""
	}
	return header
}

// Header returns the header of a column in the file that it was read from, or in a new file; "" for a column without one.
func Header(c *dataset.Column) string {
	switch {
	case c.Header != "":
		return c.Header
	case isPlaceholder.MatchString(c.Name): // [NaturalName] made it for a column without a header
		return ""
	}
	return c.Name
}
