package sqlast

import (
	"fmt"
	"strings"
)

// spelling is how a dialect writes what others write in another way.
type spelling struct {
	position string // the function of the position of a text in another, from 1
	real     string // the type of numbers that are no integers
	padded   func(x Expr, width int) Expr
	differ   string // the condition that %[1]s and %[2]s differ
}

var sqliteSpelling = spelling{
	position: "instr",
	real:     "REAL",
	padded:   func(x Expr, width int) Expr { return NewCall("printf", NewString(fmt.Sprintf("%%0%dd", width)), x) },
	differ:   "%[1]s IS NOT %[2]s OR typeof(%[1]s) <> typeof(%[2]s)", // each cell has a type of its own
}

var postgresqlSpelling = spelling{
	position: "strpos",
	real:     "numeric",
	padded: func(x Expr, width int) Expr {
		return NewCall("to_char", x, NewString("FM"+strings.Repeat("0", width)))
	},
	differ: "%[1]s IS DISTINCT FROM %[2]s",
}

// Position returns the expression for the position of a text in x, from 1.
func (d *Dialect) Position(x Expr, text string) Expr {
	return NewCall(d.spelling.position, x, NewString(text))
}

// Padded returns the expression for the text of an integer with at least width digits.
func (d *Dialect) Padded(x Expr, width int) Expr { return d.spelling.padded(x, width) }

// Real returns the type of numbers that are no integers, as in CAST(x AS REAL).
func (d *Dialect) Real() string { return d.spelling.real }

// Differ returns the condition that two expressions differ in value, or in type where each cell has its own. NULL equals NULL.
func (d *Dialect) Differ(x, y Expr) string {
	return fmt.Sprintf(d.spelling.differ, d.Format(x), d.Format(y))
}

// NewCall returns the call of a function.
func NewCall(name string, args ...Expr) *Call { return &Call{Name: Ident{Name: name}, Args: args} }

// NewString returns a text as a literal.
func NewString(text string) *Literal { return &Literal{Kind: StringLiteral, Text: text} }
