package lexicon

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// Attribute is a column that tables about an entity have.
type Attribute struct {
	Name      string // natural name, lower case
	Type      string // text, number, time, boolean or others, as Spider names types
	Inherited bool   // whether it is one of a wider entity: the altitude of any place, for a station
	Special   bool   // whether only some rows called so have it: the pole positions of a driver

	choices []template // listed values, to draw one from
	span    *span      // the range that a value is drawn from, instead of choices; nil for a list
}

// Value draws a plausible value, such as a cell of the column may have. Equal
// streams give equal values.
func (a Attribute) Value(rng *rand.Rand) string {
	switch {
	case a.span != nil:
		return a.span.draw(rng)
	case len(a.choices) > 0:
		return a.choices[rng.IntN(len(a.choices))].draw(rng)
	}
	return "" // the zero Attribute
}

// maxSpread is the largest factor between two values of a steady attribute.
const maxSpread = 100

// IsSteady reports whether a drawn value is plausible for any row, whatever its other cells: a flag, a point in time, or a number
// of a range whose ends differ by a factor of up to maxSpread. A text is not, as it names or classifies the row. Nor is a number of
// a wider range, which depends on the size of what the row is: the households of a village are not those of a capital.
func (a Attribute) IsSteady() bool {
	switch {
	case a.Type == typeBoolean:
		return true
	case a.span == nil:
		return false
	}
	return a.Type == typeTime || a.span.spread() <= maxSpread
}

// Attributes holds the columns that tables about an entity (singer, invoice, flight) usually have: the has-a of a knowledge
// graph. It is read from plain text:
//
//	# a comment
//	<city>: Lisbon, Oslo, Quito
//
//	performer = entertainer is person
//	- stage name text: The <city> Kid, Ace ##
//	- active since time: 1960..2020
//
//	singer is performer
//	- debut date time: 1975-01-01..2020-12-31
//	- is touring boolean
//	- net worth number: 100000..5000000 by 1000
//	- vocal range text: alto, bass, soprano, tenor
//
// A line without a mark begins an entity, with its other names after equals signs and after "is" the
// entities whose attributes are its own too. A dash gives an attribute of the entity above: name,
// type, values. A star gives one that only some of what is called so has, as the pole positions of a
// driver. Values are a list or a range. A range of numbers has the decimals of its ends; one of type
// time has years, dates, times of day or both as ends, and steps of a year, a day, a minute or a
// second; "by" makes the steps longer. In a listed value # means a digit, ^ a capital letter and
// <city> a value of the list with that name, defined on any line; these lists do not refer to lists. A
// boolean without values has T and F.
//
// Attributes is safe for concurrent use.
type Attributes struct {
	file  *attributeFile
	named map[string]Attribute // by Normal of the name; the first entity of the file that has one wins
}

// ReadAttributes reads the format that [Attributes] describes; name is the file's name in messages. It skips and reports
// ill-formed lines, an ill-formed entity with its attributes, and returns an error only if reading fails.
func ReadAttributes(name string, r io.Reader, report func(error)) (*Attributes, error) {
	f, err := parseAttributes(name, r, report)
	if err != nil {
		return nil, err
	}
	named := make(map[string]Attribute) // by the normal form of the name, for lookups without an entity
	for _, e := range f.entities {
		for _, a := range e.attributes {
			if key := Normal(a.Name); named[key].Name == "" {
				named[key] = a.Attribute
			}
		}
	}
	return &Attributes{f, named}, nil
}

// Named returns the attribute with a name, that of the first entity in the file if several have one.
func (t *Attributes) Named(name string) (Attribute, bool) {
	a, ok := t.named[Normal(name)]
	return a, ok
}

// Like returns the attribute whose name is the longest end of a name: that of "birth date" for "student birth date". A last
// word "name" may be missing: for "manager name" it returns "manager" if there is no "manager name".
func (t *Attributes) Like(name string) (Attribute, bool) {
	words := strings.Fields(Normal(name))
	for i := range words {
		rest := words[i:]
		if a, ok := t.named[strings.Join(rest, " ")]; ok {
			return a, true
		}
		if last := len(rest) - 1; last > 0 && rest[last] == "name" {
			if a, ok := t.named[strings.Join(rest[:last], " ")]; ok {
				return a, true
			}
		}
	}
	return Attribute{}, false
}

// Of returns the attributes of an entity, its own before the inherited ones, or nil if it is unknown. The entity may be
// the name of a table: any of its names, in the plural, with words before it ("pop singers") or with a word after it that
// only means table ("singer_info").
func (t *Attributes) Of(entity string) []Attribute {
	words := rowWords(entity)
	for i := range words {
		if e, ok := t.file.byName[strings.Join(words[i:], " ")]; ok {
			return t.file.allAttributes(e)
		}
	}
	return nil
}

// OfTable returns the attributes of the entity that a table's name means, as [Attributes.Of] does, or nil if it means none. If
// only the end of the name is an entity, as in "turbine_model", one of the columns must be such an attribute, else it returns
// nil: a model of turbines is not one of fashion. If one of the columns is a special attribute, it returns all attributes as
// not special: the table is of the kind that has them.
func (t *Attributes) OfTable(name string, columns []string) []Attribute {
	attributes := t.Of(name)
	_, isEntity := t.file.byName[strings.Join(rowWords(name), " ")] // the whole name
	isAttribute := func(column string) bool {
		return !meansLittle(column) && slices.ContainsFunc(attributes, func(a Attribute) bool { return Normal(a.Name) == Normal(column) })
	}
	if !isEntity && !slices.ContainsFunc(columns, isAttribute) {
		return nil
	}
	isSpecial := func(a Attribute) bool {
		return a.Special && slices.ContainsFunc(columns, func(column string) bool { return Normal(column) == Normal(a.Name) })
	}
	if slices.ContainsFunc(attributes, isSpecial) {
		for i := range attributes {
			attributes[i].Special = false
		}
	}
	return attributes
}

// rowWords returns the normal words of a table's name without last words that do not describe its rows: "singer_info" → "singer".
func rowWords(name string) []string {
	words := strings.Fields(Normal(name))
	for len(words) > 1 && meansTable(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return words
}

// meansLittle reports whether columns of this name are common in tables of any entity, so that one does not suggest an entity.
func meansLittle(name string) bool {
	return slices.Contains(strings.Fields("name id date number type code time status count total year average level rate title reference description"), Normal(name))
}

// tableNouns are last words of a table's name, singular, that do not describe its rows.
var tableNouns = []string{
	"table", "tbl", "data", "info", "information", "detail", "list", "record", "entry", "attribute", "ref", "dim", "fact", "master", "view",
}

// meansTable reports whether the last word of a table's name, in the singular, does not describe the table's rows.
func meansTable(word string) bool { return slices.Contains(tableNouns, word) || isNumber(word) }
