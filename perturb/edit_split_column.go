package perturb

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// SplitColumn replaces a column that is part of no key by columns that its texts come apart into
// (EvoSchema, split columns). Gold SQL joins them again by the template, but reads the parts alone where its answer does not show the
// old column: first_name = 'Ann' AND last_name = 'Lee'.
type SplitColumn struct {
	RecodeColumn
	Template Template `json:"template"`
}

// schema appends the new columns and marks the old one as removed, as [RecodeColumn] does. It returns
// an error if the template does not join the parts of each old text to that text again.
func (e SplitColumn) schema(s *schemaChange) error {
	for _, c := range e.Map.Cells {
		text, err := e.Template.Text(c.New)
		if err != nil {
			return fmt.Errorf("split of %s.%s: %w", e.Table, e.Column, err)
		}
		if text != c.Old.String() {
			return fmt.Errorf("split of %s.%s: %q comes back as %q, expected no loss", e.Table, e.Column, c.Old.String(), text)
		}
	}
	if _, err := e.value(s.before.SQL()); err != nil {
		return fmt.Errorf("split of %s.%s: %w", e.Table, e.Column, err)
	}
	return e.RecodeColumn.schema(s)
}

// value returns the expression that joins the new columns.
func (e SplitColumn) value(d *sqlast.Dialect) (sqlast.Expr, error) {
	return e.Template.joined(d, lists.Map(e.Into, func(c recode.Column) string { return c.Name }))
}

// gold makes gold SQL compare each new column with its part of a constant, by the recoding (first = 'Ann' AND last = 'Lee'), or else
// join the new columns to the old text, by the reshaping.
func (e SplitColumn) gold(g *goldChange) {
	value, err := e.value(g.dialect)
	if err != nil { // the method schema has rejected the edit
		return
	}
	g.recodings = []*recode.Recoding{&e.Recoding}
	g.reshape(sqlast.Reshaping{Places: map[sqlast.BaseColumn]sqlast.Place{
		sqlast.BaseColumn{Table: e.Table, Column: e.Column}.Key(): {Table: e.Table, Value: value},
	}})
}

// MergeColumns replaces columns of a table that are part of no key by one that joins them by the
// template (EvoSchema, merge columns). Gold SQL takes the parts out of the text, or compares the whole where it
// compares all parts. It fails where a part would not come back.
type MergeColumns struct {
	EditDefaults
	Table    string            `json:"table"`   // SQL name
	Columns  []string          `json:"columns"` // SQL names, in the order of the template
	Template Template          `json:"template"`
	Name     string            `json:"name"` // SQL name of the new column, which comes at the end of the table
	Natural  string            `json:"natural"`
	Type     dataset.Type      `json:"type"`
	From     dataset.Candidate `json:"from"`
}

// RemovesColumn returns true: the columns have no counterpart after the edit.
func (MergeColumns) RemovesColumn() bool { return true }

// candidate returns the candidate whose name the edit gives.
func (e MergeColumns) candidate() dataset.Candidate { return e.From }

// Touches returns the first of the merged columns.
func (e MergeColumns) Touches() (table, column string) {
	if len(e.Columns) == 0 {
		return e.Table, ""
	}
	return e.Table, e.Columns[0]
}

// validate returns an error if the name, the type or the template cannot be used.
func (e MergeColumns) validate() error {
	for _, err := range []error{checkIdent(e.Name), checkNatural(e.Natural), checkType(e.Type)} {
		if err != nil {
			return err
		}
	}
	_, _, err := e.values(sqlast.SQLite) // all dialects accept the same templates
	return err
}

// values returns the expression that joins the old columns, and those that take the parts out of the new one.
func (e MergeColumns) values(d *sqlast.Dialect) (joined sqlast.Expr, parts []sqlast.Expr, err error) {
	if joined, err = e.Template.joined(d, e.Columns); err == nil {
		parts, err = e.Template.parted(d, e.Name)
	}
	return joined, parts, err
}

// schema appends the new column and marks the old ones as removed. It returns an error if one of them must
// stay ([schemaChange.removable]) or if the name is taken.
func (e MergeColumns) schema(s *schemaChange) error {
	fail := func(err error) error { return fmt.Errorf("merge of columns into %s.%s: %w", e.Table, e.Name, err) }
	if err := e.validate(); err != nil {
		return fail(err)
	}
	t := s.before.Table(e.Table)
	for _, column := range e.Columns {
		ref, err := s.removable(e.Table, column)
		if err != nil {
			return fmt.Errorf("%w, expected one that can be merged", err)
		}
		s.after.Column(ref).Original = removed
	}
	if s.columnEverTaken(t, e.Name) {
		return fail(fmt.Errorf("there is a column %s already", e.Name))
	}
	s.after.Tables[t].Columns = append(s.after.Tables[t].Columns, dataset.Column{Name: e.Natural, Original: e.Name, Type: e.Type})
	return nil
}

// content computes the new column, checks that each part taken from it equals the old cell, also in type, and drops the old columns.
func (e MergeColumns) content(d *sqlast.Dialect) []sqldata.Write {
	joined, parts, err := e.values(d)
	if err != nil { // the method schema has rejected the edit
		return nil
	}
	writes := []sqldata.Write{sqldata.ComputeColumn{Table: e.Table, Name: e.Name, Type: "TEXT", Value: d.Format(joined)}}
	for i, column := range e.Columns {
		writes = append(writes, sqldata.None{
			Query: fmt.Sprintf("SELECT 1 FROM %s WHERE %s", sqldata.QuoteName(e.Table), d.Differ(columnRef(d, column), parts[i])),
			Why:   fmt.Sprintf("cells of %s.%s would not come back from %s", e.Table, column, e.Name),
		})
	}
	for _, column := range e.Columns {
		writes = append(writes, sqldata.DropColumn{Table: e.Table, Column: column})
	}
	return writes
}

// gold makes gold SQL take the parts out of the new column, or compare it as a whole where all parts are compared.
func (e MergeColumns) gold(g *goldChange) {
	_, parts, err := e.values(g.dialect)
	if err != nil { // the method schema has rejected the edit
		return
	}
	places := map[sqlast.BaseColumn]sqlast.Place{}
	for i, column := range e.Columns {
		places[sqlast.BaseColumn{Table: e.Table, Column: column}.Key()] = sqlast.Place{Table: e.Table, Value: parts[i]}
	}
	g.reshape(sqlast.Reshaping{Places: places, Wholes: []sqlast.Whole{{Table: e.Table, Name: e.Name, Columns: e.Columns, Join: e.Template.join}}})
}
