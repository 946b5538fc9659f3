package perturb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// MergeTables moves the columns of a table to which only one column refers to the end of the
// table of that column, and drops it (MT-TEQL, section 3.2, flattening). Rows get the cells of
// the row that they refer to, NULL if there is none. Rows that nothing refers to are lost.
//
// A whole merge loses none, else it fails, and gold SQL follows it. There the table that goes may also be
// the one that refers, with one row at most for each of the other.
type MergeTables struct {
	EditDefaults
	Table     string         `json:"table"`     // SQL name
	Column    string         `json:"column"`    // SQL name of the column that refers
	Reference string         `json:"reference"` // SQL name of the table that goes
	Target    string         `json:"target"`    // SQL name of the column that Column refers to; Column replaces it
	Columns   []MergedColumn `json:"columns"`   // all others of the table that goes, in order
	Whole     bool           `json:"whole,omitempty"`
	Marker    string         `json:"marker,omitempty"` // of a whole merge: SQL name after it of a column that is NULL if there is no row; "" if there is always one
	Unique    bool           `json:"unique,omitempty"` // of a whole merge: no value of Column is repeated
}

// MergedColumn is a column that [MergeTables] moves.
type MergedColumn struct {
	Column  string `json:"column"` // SQL name before
	Name    string `json:"name"`   // SQL name after
	Natural string `json:"natural"`
}

// gold adapts gold SQL to the restructured schema; its names stay. After a whole merge gold SQL reads
// the columns of the table that goes at their places in the other one.
func (e MergeTables) gold(g *goldChange) {
	if !e.Whole { // gold SQL must not use the table that goes
		g.setWay(restructured)
		return
	}
	r := sqlast.Reshaping{
		Merges: []sqlast.TableMerge{{
			Table: e.Table, Column: e.Column, Reference: e.Reference, Target: e.Target, Marker: e.Marker, Unique: e.Unique,
		}},
		Places: map[sqlast.BaseColumn]sqlast.Place{},
	}
	place := func(column, name string) {
		r.Places[sqlast.BaseColumn{Table: e.Reference, Column: column}.Key()] = sqlast.Place{Table: e.Table, Value: columnRef(g.dialect, name)}
	}
	place(e.Target, e.Column)
	for _, c := range e.Columns {
		place(c.Column, c.Name)
	}
	g.reshape(r)
}

// columnRef returns the name of a column without a qualifier.
func columnRef(d *sqlast.Dialect, name string) sqlast.Expr {
	return &sqlast.ColumnRef{Column: d.NewIdent(name)}
}

// names maps the table that goes to the other one, its key column to the column that refers to it,
// and its other columns to their new names.
func (e MergeTables) names(n *Names) {
	n.moveTable(e.Reference, e.Table)
	n.move(e.Reference, e.Target, e.Table, e.Column)
	for _, c := range e.Columns {
		n.move(e.Reference, c.Column, e.Table, c.Name)
	}
}

// content merges the tables of the SQLite file in the same way.
func (e MergeTables) content(*sqlast.Dialect) []sqldata.Write {
	columns := lists.Map(e.Columns, func(c MergedColumn) sqldata.MergedColumn {
		return sqldata.MergedColumn{Column: c.Column, Name: c.Name}
	})
	merge := sqldata.MergeTable{Table: e.Table, Column: e.Column, Reference: e.Reference, Target: e.Target, Columns: columns}
	if e.Whole {
		return append(e.proof(), merge)
	}
	return []sqldata.Write{merge}
}

// proof returns the checks of a whole merge, each a query that must have no rows: every row of the table that goes is referred to;
// Marker is NULL just in the rows that refer to none (without a Marker every row refers to one); Column is unique if Unique is set.
func (e MergeTables) proof() (checks []sqldata.Write) {
	table, column, reference, target := sqldata.QuoteName(e.Table), sqldata.QuoteName(e.Column), sqldata.QuoteName(e.Reference), sqldata.QuoteName(e.Target)
	none := func(why, query string) { checks = append(checks, sqldata.None{Query: query, Why: why}) }
	none("rows of "+e.Reference+" have none in "+e.Table, fmt.Sprintf("SELECT 1 FROM %s WHERE %[2]s IS NULL OR %[2]s NOT IN (SELECT %s FROM %s WHERE %[3]s IS NOT NULL)",
		reference, target, column, table))
	at := slices.IndexFunc(e.Columns, func(c MergedColumn) bool { return strings.EqualFold(c.Name, e.Marker) })
	if at >= 0 { // the marker is one of the merged columns, NULL after the merge where there is no row
		none(e.Marker+" does not mark the rows of "+e.Reference, fmt.Sprintf("SELECT 1 FROM %s WHERE %s IS NULL", reference, sqldata.QuoteName(e.Columns[at].Column)))
	} else {
		marked := "1 = 1"
		if e.Marker != "" {
			marked = sqldata.QuoteName(e.Marker) + " IS NOT NULL"
		}
		none("rows of "+e.Table+" refer to nothing", fmt.Sprintf("SELECT 1 FROM %s WHERE (%s) <> coalesce(%s IN (SELECT %s FROM %s), 1 = 0)", table, marked, column, target, reference))
	}
	if e.Unique {
		none("rows of "+e.Table+" repeat "+e.Column, fmt.Sprintf("SELECT 1 FROM %s WHERE %[2]s IS NOT NULL GROUP BY %[2]s HAVING count(*) > 1", table, column))
	}
	return checks
}

// schema moves the columns of the table that goes to the table of the foreign key, drops that key, and
// marks the other table as removed. It returns an error if the key is missing or not the only one to
// the table, if another edit changes one of the tables, or if Columns are not its columns in order,
// each under a free name.
func (e MergeTables) schema(s *schemaChange) error {
	fail := func(err error) error { return fmt.Errorf("merge of %s into %s: %w", e.Reference, e.Table, err) }
	key, link, target, err := e.key(s.before) // link is the column that stays and replaces target
	if err != nil {
		return fail(err)
	}
	into, from := s.after.Tables[link.Table], s.after.Tables[target.Table]
	sameName := func(a, b dataset.Column) bool { return a.Original == b.Original }
	switch {
	case link.Table == target.Table, slices.ContainsFunc(s.before.ForeignKeys, func(k dataset.ForeignKey) bool { return k != key && k.Target.Table == target.Table }):
		return fail(errors.New("more than one foreign key refers to the table that goes, expected one, from another table"))
	case into.Original != s.before.Tables[link.Table].Original, !slices.EqualFunc(from.Columns, s.before.Tables[target.Table].Columns, sameName):
		return fail(errors.New("one of the tables is edited besides"))
	}
	moved := map[dataset.ColumnRef]dataset.ColumnRef{target: link} // new places by old ones
	next := e.Columns                                              // those without a column of the schema yet
	for i, c := range s.before.Tables[target.Table].Columns {
		switch {
		case i == target.Column:
			continue
		case len(next) == 0, !strings.EqualFold(next[0].Column, c.Original):
			return fail(fmt.Errorf("the columns do not go on with %s, expected all but %s in order", c.Original, e.Target))
		}
		merged := next[0]
		next = next[1:]
		if merged.Name != c.Original { // a name of the schema may be ill-formed
			if err := checkIdent(merged.Name); err != nil {
				return fail(err)
			}
		}
		if err := checkNatural(merged.Natural); err != nil {
			return fail(err)
		}
		if s.columnEverTaken(link.Table, merged.Name) {
			return fail(fmt.Errorf("there is a column %s already", merged.Name))
		}
		columns := &s.after.Tables[link.Table].Columns
		moved[dataset.ColumnRef{Table: target.Table, Column: i}] = dataset.ColumnRef{Table: link.Table, Column: len(*columns)}
		*columns = append(*columns, e.movedColumn(c, merged))
	}
	if len(next) > 0 {
		return fail(fmt.Errorf("there is no further column %s", next[0].Column))
	}
	s.after.Tables[target.Table].Original = removed
	e.moveKeys(s.after, key, moved)
	return nil
}

// key returns the foreign key of the merge, its column that stays (link) and the one that link replaces (target). For a whole
// merge that key may also point from the table that goes to the other one.
func (e MergeTables) key(db *dataset.Database) (key dataset.ForeignKey, link, target dataset.ColumnRef, err error) {
	if key, err = foreignKey(db, db.ForeignKeys, e.Table, e.Column, e.Reference, e.Target); err == nil {
		return key, key.Column, key.Target, nil
	}
	if e.Whole {
		if reverse, err := foreignKey(db, db.ForeignKeys, e.Reference, e.Target, e.Table, e.Column); err == nil {
			return reverse, reverse.Target, reverse.Column, nil
		}
	}
	return key, link, target, err
}

// movedColumn returns a column of the table that goes as it is after the merge. If it is computed from
// another column (its base), Base gets the new name of that one.
func (e MergeTables) movedColumn(c dataset.Column, into MergedColumn) dataset.Column {
	if c.Name != into.Natural {
		c.Header = "" // a renamed column has none
	}
	c.Original, c.Name = into.Name, into.Natural
	if base := slices.IndexFunc(e.Columns, func(m MergedColumn) bool { return strings.EqualFold(m.Column, c.Base) }); base >= 0 {
		c.Base = e.Columns[base].Name
	} else if strings.EqualFold(c.Base, e.Target) {
		c.Base = e.Column
	}
	return c
}

// moveKeys drops the foreign key of the merge. It gives the other foreign keys from the table that goes the
// new places of their columns, which moved maps from the old ones.
func (e MergeTables) moveKeys(after *dataset.Database, merged dataset.ForeignKey, moved map[dataset.ColumnRef]dataset.ColumnRef) {
	after.ForeignKeys = slices.DeleteFunc(after.ForeignKeys, func(k dataset.ForeignKey) bool { return k == merged })
	for i, k := range after.ForeignKeys {
		if to, ok := moved[k.Column]; ok {
			after.ForeignKeys[i].Column = to
		}
	}
}

// Mergeable reports whether the table that a foreign key refers to can be merged into the table
// of the key's column: no other key refers to it.
func Mergeable(db *dataset.Database, key dataset.ForeignKey) bool {
	shared := func(k dataset.ForeignKey) bool { return k != key && k.Target.Table == key.Target.Table }
	return key.Column.Table != key.Target.Table && !slices.ContainsFunc(db.ForeignKeys, shared)
}
