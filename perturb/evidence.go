package perturb

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// EvidenceLink is a place in a text about a database that names one of its tables or
// columns as SQL does.
type EvidenceLink struct {
	Start, End    int    // of the name without its quotes, in bytes
	Table, Column string // SQL names as the schema spells them; Column is empty for a table
	Quote         byte   // around the name: '`', '"' or '['; 0 where it stands bare
}

// EvidenceLinks returns the links of an example's evidence, in their order. A word is
// a link only where it is clear that it stands for a column, and for which:
//
//   - The name is that of the schema, without case, as a whole identifier: part of a
//     longer word or within a quoted value it is none.
//   - A bare name is looked up among the columns with which the gold SQL does more than
//     join; then in the tables that it mentions; last, where the name is no ordinary
//     word, in the schema. A name that two columns share on one
//     of these steps is no link. "Country in the gasstations table" says which is meant.
//   - A name that could be a word of English ("date", "name", "Country") is a link where
//     it stands in a formula, behind "refers to", or has a capital that prose would not.
//
// A table is linked before ".column", beside the word "table", behind FROM, or where its
// name is no ordinary word.
func EvidenceLinks(ex *Example, db *dataset.Database) []EvidenceLink {
	return linkText(ex.Evidence, goldScope(ex, db))
}

// CarryEvidence returns the example's evidence after edits of the schema: each link
// takes the name that its table or column has then, in the quotes that it had, or in
// backticks where the new name needs some. All else stays byte by byte. before is the
// schema of the example, after the one that [ApplySchema] made of it; the error is for
// edits that do not fit the two.
func CarryEvidence(ex *Example, edits []Edit, before, after *dataset.Database) (string, error) {
	if ex.Evidence == "" {
		return "", nil
	}
	names := NamesAfter(edits)
	if names.Same() {
		return ex.Evidence, nil
	}
	return names.carry(ex.Evidence, EvidenceLinks(ex, before), after)
}

// carry puts the new names in the places of links.
func (n *Names) carry(text string, links []EvidenceLink, after *dataset.Database) (string, error) {
	var b strings.Builder
	at := 0
	for i, l := range links {
		table, column := n.After(l.Table, l.Column)
		old, name := l.Column, column
		if l.Column == "" {
			if next := i + 1; next < len(links) && qualifies(text, l, links[next]) {
				table, _ = n.After(links[next].Table, links[next].Column)
			}
			old, name = l.Table, table
		}
		if name == old {
			continue
		}
		if column != "" {
			if _, ok := after.Lookup(table, column); !ok {
				return "", fmt.Errorf("%s: the schema after the edits has no column %s.%s, expected one", after.ID, table, column)
			}
		} else if after.Table(table) < 0 {
			return "", fmt.Errorf("%s: the schema after the edits has no table %s, expected one", after.ID, table)
		}
		b.WriteString(text[at:l.Start])
		b.WriteString(inQuotes(name, l.Quote))
		at = l.End
	}
	return b.String() + text[at:], nil
}

// qualifies tells whether a table stands before a column with a dot between.
func qualifies(text string, table, column EvidenceLink) bool {
	between := strings.Trim(text[table.End:column.Start], "`\"[] ")
	return column.Column != "" && between == "." && strings.EqualFold(table.Table, column.Table)
}

// inQuotes writes a name for the place between quotes, or for a bare one.
func inQuotes(name string, quote byte) string {
	switch {
	case quote == '[':
		return strings.ReplaceAll(name, "]", "")
	case quote != 0:
		return strings.ReplaceAll(name, string(quote), string(quote)+string(quote))
	case sqlast.NewIdent(name).Quote != 0:
		return sqlast.Ident{Name: name, Quote: '`'}.String()
	}
	return name
}
