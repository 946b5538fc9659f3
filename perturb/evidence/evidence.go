// Package evidence finds the names of tables and columns in texts about a database, such as
// the evidence of BIRD's examples, and replaces them after edits of the schema.
package evidence

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Link is a place in a text that names a table or column of the database.
type Link struct {
	Start, End    int    // of the name without its quotes, in bytes
	Table, Column string // SQL names as the schema spells them; Column is empty for a table
	Quote         byte   // around the name: '`', '"' or '['; 0 for a name without quotes
}

// Links returns the links of an example's evidence, in their order. A word is a link only
// if it clearly names a column, and only one column:
//
//   - It equals the name of the schema, without case, as a whole identifier. A part of a
//     longer word or of a quoted value is no link.
//   - A bare name is looked up among the columns that the gold SQL uses for more than joins,
//     then in the tables that it mentions, and last in the whole schema, unless the name is an
//     ordinary word. A name that two columns share on one of these steps is no link.
//     "Country in the gasstations table" names the table too.
//   - A name that could be a word of English ("date", "name", "Country") is a link in a
//     formula, after "refers to", or with a capital that prose would not give it.
//
// A table is a link before ".column", next to the word "table", after FROM, or if its name is
// no ordinary word.
func Links(ex *perturb.Example, db *dataset.Database) []Link {
	return linkText(ex.Evidence, goldScope(ex, db))
}

// Carry returns the example's evidence after edits of the schema: each link gets the new name
// of its table or column, in the quotes that it had, or in backticks if the new name needs
// quotes. The rest of the text stays byte for byte. Before is the schema of the example, after
// the one that [perturb.ApplySchema] returned for the edits. It returns an error if after lacks
// a new name.
func Carry(ex *perturb.Example, edits []perturb.Edit, before, after *dataset.Database) (string, error) {
	if ex.Evidence == "" {
		return "", nil
	}
	names := perturb.NamesAfter(edits)
	if names.Same() {
		return ex.Evidence, nil
	}
	return replaceLinks(ex.Evidence, Links(ex, before), names, after)
}

// replaceLinks returns text with the names after the edits in place of its links. A table before
// ".column" becomes the table that has the column after the edits.
func replaceLinks(text string, links []Link, names *perturb.Names, after *dataset.Database) (string, error) {
	var b strings.Builder
	copied := 0 // bytes of text that are in b
	for i, l := range links {
		table, column := names.After(l.Table, l.Column)
		old, name := l.Column, column
		if l.Column == "" {
			if next := i + 1; next < len(links) && qualifies(text, l, links[next]) {
				table, _ = names.After(links[next].Table, links[next].Column)
			}
			old, name = l.Table, table
		}
		if name == old {
			continue
		}
		if err := checkExists(after, table, column); err != nil {
			return "", err
		}
		b.WriteString(text[copied:l.Start])
		b.WriteString(inQuotes(name, l.Quote))
		copied = l.End
	}
	return b.String() + text[copied:], nil
}

// checkExists returns an error if a schema lacks a column, or a table if column is empty.
func checkExists(db *dataset.Database, table, column string) error {
	if column == "" {
		if db.Table(table) < 0 {
			return fmt.Errorf("%s: the schema after the edits has no table %s, expected one", db.ID, table)
		}
		return nil
	}
	if _, ok := db.Lookup(table, column); !ok {
		return fmt.Errorf("%s: the schema after the edits has no column %s.%s, expected one", db.ID, table, column)
	}
	return nil
}

// qualifies reports whether two links are a table and its column with a dot between them.
func qualifies(text string, table, column Link) bool {
	between := strings.Trim(text[table.End:column.Start], "`\"[] ")
	return column.Column != "" && between == "." && strings.EqualFold(table.Table, column.Table)
}

// inQuotes returns a name as it is written between the given quotes. Without quotes (0), the
// name gets backticks if SQL needs quotes around it.
func inQuotes(name string, quote byte) string {
	switch {
	case quote == '[': // SQL has no escape for "]" between brackets
		return strings.ReplaceAll(name, "]", "")
	case quote != 0:
		return strings.ReplaceAll(name, string(quote), string(quote)+string(quote))
	case sqlast.NewIdent(name).Quote != 0:
		return sqlast.Ident{Name: name, Quote: '`'}.String()
	}
	return name
}
