package perturb

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
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

// maxRecoded bounds the columns that take the place of one.
const maxRecoded = 16

// RecodeColumn puts one or several columns, which hold the same in another form,
// in the place of a column that is part of no key (Dr.Spider, section 3.1).
type RecodeColumn struct {
	Table    string            `json:"table"`  // SQL name
	Column   string            `json:"column"` // SQL name of the column that gives way
	Category Category          `json:"category"`
	Into     []RecodedColumn   `json:"into"` // at the end of the table, in order
	Map      ValueMap          `json:"map"`
	From     dataset.Candidate `json:"from"` // Evidence says how the map was found
}

// RecodedColumn is a column that [RecodeColumn] makes.
type RecodedColumn struct {
	Name    string       `json:"name"` // SQL name
	Natural string       `json:"natural"`
	Type    dataset.Type `json:"type"` // Number and Boolean hold numbers, all others text
}

func (RecodeColumn) op() string                { return "recode-column" }
func (e RecodeColumn) from() dataset.Candidate { return e.From }

func (e RecodeColumn) schema(before, after *dataset.Database) error {
	if err := e.check(); err != nil {
		return err
	}
	ref, err := free(before, after, e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be recoded", err)
	}
	t := &after.Tables[ref.Table]
	for i, into := range e.Into {
		if hasColumn(before, after, ref.Table, into.Name) {
			return fmt.Errorf("table %s has a column %s already", e.Table, into.Name)
		}
		t.Columns = append(t.Columns, dataset.Column{
			Name: into.Natural, Original: into.Name, Type: into.Type, Samples: e.Map.samples(before.Column(ref).Samples, i),
		})
	}
	t.Columns[ref.Column].Original = dropped
	return nil
}

// check returns what is wrong with the edit itself.
func (e RecodeColumn) check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("recoding of %s.%s: %w", e.Table, e.Column, fmt.Errorf(format, args...))
	}
	switch {
	case !slices.Contains(Categories, e.Category):
		return fail("category %q, expected one of %q", e.Category, Categories)
	case len(e.Into) == 0, len(e.Into) > maxRecoded:
		return fail("%d columns, expected 1 to %d", len(e.Into), maxRecoded)
	}
	for _, into := range e.Into {
		if into.Name == "" {
			return fail("a new column has no name")
		}
	}
	if err := e.Map.check(e.Into); err != nil {
		return fail("%w", err)
	}
	return nil
}

func (e RecodeColumn) content() []sqlite.Write {
	var writes []sqlite.Write
	for i, into := range e.Into {
		writes = append(writes, sqlite.DeriveColumn{
			Table: e.Table, Column: e.Column, Name: into.Name, Type: into.declared(),
			Cell: func(v sqldata.Value) (sqldata.Value, error) {
				now, err := e.Map.Apply(v, len(e.Into))
				if err != nil {
					return sqldata.Value{}, err
				}
				return now[i], nil
			},
		})
	}
	return append(writes, sqlite.DropColumn{Table: e.Table, Column: e.Column})
}

// declared returns a declared type whose affinity leaves the values of the map
// as they are.
func (c RecodedColumn) declared() string {
	switch c.Type {
	case dataset.Number:
		return "NUMERIC"
	case dataset.Boolean:
		return "BOOLEAN"
	}
	return "TEXT"
}

// holds tells whether a value is one of the column: a number, or else a text.
func (c RecodedColumn) holds(v sqldata.Value) bool {
	switch c.Type {
	case dataset.Number, dataset.Boolean:
		return isNumber(v)
	}
	return v.Kind() == sqldata.Text
}

var errOutsideMap = errors.New("outside the map of values")
