// Package link finds which spans of a question mention which tables and
// columns of a database: schema linking without a trained parser.
//
// [Methods] lists the linkers: exact (the whole name of an item is in the
// question), partial (so does part of it, as IRNet and RAT-SQL match n-grams)
// and embedding (the vectors of a span and of a name are near). They differ in
// the spans and items that they propose; which of overlapping spans, and which
// of the items that a span may mention, is decided in one way for all: a schema
// often has several items of one name ("name", "id").
//
// Values are not linked: the linkers know names, no cells, and pass over what
// is in quotes. Weights and thresholds were chosen on Spider dev with the
// links of SLSQL, and matter little there: F1 moves by less than a point around
// them.
package link

import (
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Item is a table or a column of a database, by position.
type Item struct {
	Table  int
	Column int // position in the table, from 0; -1 for the table itself
}

// IsTable reports whether the item is a table.
func (i Item) IsTable() bool { return i.Column < 0 }

// Span links the tokens from Start to before End to an item.
type Span struct {
	Start, End int // positions in the question's tokens, from 0
	Item       Item
}

// Linker links the questions of one database. It is safe for concurrent use.
type Linker interface {
	// Link returns spans in the order of the question's tokens. Two of them share
	// a token only where that token holds several words ("section_name").
	Link(tokens []string) []Span
}

// Method is a way to make linkers.
type Method struct {
	Name, Doc string
	New       func(*dataset.Database) Linker
}

// Methods returns the built-in linkers, the strictest first, with their default
// thresholds.
func Methods(v lexicon.Vectors) []Method {
	return []Method{
		{"exact", "The whole name of a table or column stands in the question.", Exact},
		{"partial", "The whole name of a table or column stands in the question, or a part of it.", Partial{DefaultMinShare}.Linker},
		{"embedding", "The whole name stands in the question, or a word of near vector.", Embedding{v, DefaultThreshold}.Linker},
	}
}
