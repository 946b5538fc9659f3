package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Further is what a data directory's tables.json has of a schema in addition to Spider's own
// members: lists with a text for each column, including the star, or for each table. A list
// without any text is nil.
type Further struct {
	Headers      []string        `json:"column_headers,omitempty"`
	Bases        []string        `json:"column_bases,omitempty"`
	Descriptions []string        `json:"column_descriptions,omitempty"`
	Values       []string        `json:"column_values,omitempty"`
	Captions     []string        `json:"table_captions,omitempty"`
	Fixed        []int           `json:"fixed_columns,omitempty"` // positions in column_names
	Dialect      string          `json:"dialect,omitempty"`
	Source       json.RawMessage `json:"source,omitempty"`
}

// newFurther returns the members of a schema that Spider lacks.
func newFurther(db *Database) Further {
	// The lists of texts for columns begin with an empty one for the star.
	f := Further{Headers: []string{""}, Bases: []string{""}, Descriptions: []string{""}, Values: []string{""}, Dialect: db.Dialect, Source: db.Source}
	for _, t := range db.Tables {
		f.Captions = append(f.Captions, t.Caption)
		for _, c := range t.Columns {
			f.Headers, f.Bases = append(f.Headers, c.Header), append(f.Bases, c.Base)
			f.Descriptions, f.Values = append(f.Descriptions, c.Description), append(f.Values, c.Values)
			if c.Fixed {
				f.Fixed = append(f.Fixed, len(f.Headers)-1) // the position of c
			}
		}
	}
	for _, list := range []*[]string{&f.Headers, &f.Bases, &f.Descriptions, &f.Values, &f.Captions} {
		if strings.Join(*list, "") == "" { // no text in it: the member is left out
			*list = nil
		}
	}
	return f
}

// textAt returns the text at an index of a list, or "" if the list is nil.
func textAt(list []string, i int) string {
	if list == nil {
		return ""
	}
	return list[i]
}

// check returns an error if a list does not have one text for each of the columns, the star included, or tables of a
// schema, if a fixed column does not exist, or if the dialect is unknown. A nil list has no texts.
func (f *Further) check(columns, tables int) error {
	for _, l := range []struct {
		name string
		list []string
		want int
	}{
		{"column_headers", f.Headers, columns}, {"column_bases", f.Bases, columns}, {"column_descriptions", f.Descriptions, columns},
		{"column_values", f.Values, columns}, {"table_captions", f.Captions, tables},
	} {
		if l.list != nil && len(l.list) != l.want {
			return fmt.Errorf("%s has %d texts, expected %d, one each", l.name, len(l.list), l.want)
		}
	}
	for _, i := range f.Fixed {
		if i < 1 || i >= columns {
			return fmt.Errorf("fixed_columns holds column %d, expected 1 to %d", i, columns-1)
		}
	}
	if sqlast.DialectNamed(f.Dialect) == nil {
		return fmt.Errorf("dialect is %q, expected %s", Clip(f.Dialect), strings.Join(lists.Map(sqlast.Dialects(), (*sqlast.Dialect).Name), " or "))
	}
	return nil
}
