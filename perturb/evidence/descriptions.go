package evidence

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// CarryDescriptions replaces the names in the descriptions of columns and of their values. It
// finds them as [Links] does, but without gold SQL: columns of the same table, tables, and
// columns with their table. It writes to the columns of after, the schema that
// [perturb.ApplySchema] returned for before, and returns an error if after lacks a new name.
func CarryDescriptions(before, after *dataset.Database, edits []perturb.Edit) error {
	names := perturb.NamesAfter(edits)
	if names.Same() {
		return nil
	}
	for t := range before.Tables {
		if err := carryTable(names, before, t, after); err != nil {
			return fmt.Errorf("descriptions of table %s: %w", before.Tables[t].Original, err)
		}
	}
	return nil
}

// carryTable replaces the names in the descriptions of the columns of the table at position t of before.
func carryTable(names *perturb.Names, before *dataset.Database, t int, after *dataset.Database) error {
	var scope *textScope
	for _, c := range before.Tables[t].Columns {
		if c.Description == "" && c.Values == "" {
			continue
		}
		ref, ok := after.Lookup(names.After(before.Tables[t].Original, c.Original))
		if !ok {
			continue // the edits dropped it
		}
		if scope == nil {
			scope = tableScope(before, t)
		}
		to := after.Column(ref)
		var err error
		if to.Description, err = replaceLinks(c.Description, linkText(c.Description, scope), names, after); err != nil {
			return err
		}
		if to.Values, err = replaceLinks(c.Values, linkText(c.Values, scope), names, after); err != nil {
			return err
		}
	}
	return nil
}
