package perturb

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// CarryDescriptions makes the descriptions of columns follow edits of the schema: where
// the description of a column, or of its values, names a column of the same table as SQL
// does, or a table, or a column with its table, the name is the new one. What is a link
// there is told as in [EvidenceLinks], but without gold SQL. It writes to the columns of
// after, the schema that [ApplySchema] made of before; the error is for edits that do
// not fit the two.
func CarryDescriptions(before, after *dataset.Database, edits []Edit) error {
	names := NamesAfter(edits)
	if names.Same() {
		return nil
	}
	for t := range before.Tables {
		if err := names.carryTable(before, t, after); err != nil {
			return fmt.Errorf("descriptions of table %s: %w", before.Tables[t].Original, err)
		}
	}
	return nil
}

func (n *Names) carryTable(before *dataset.Database, t int, after *dataset.Database) error {
	var scope *textScope
	for _, c := range before.Tables[t].Columns {
		if c.Description == "" && c.Values == "" {
			continue
		}
		table, column := n.After(before.Tables[t].Original, c.Original)
		ref, ok := after.Lookup(table, column)
		if !ok {
			continue // it was dropped
		}
		if scope == nil {
			scope = tableScope(before, t)
		}
		to := after.Column(ref)
		for _, text := range []struct {
			from string
			to   *string
		}{{c.Description, &to.Description}, {c.Values, &to.Values}} {
			carried, err := n.carry(text.from, linkText(text.from, scope), after)
			if err != nil {
				return err
			}
			*text.to = carried
		}
	}
	return nil
}
