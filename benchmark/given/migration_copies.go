package given

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// create adds a new table, with the rows of its query if it has one. The table has no counterpart in the schema until it takes the
// place of an old one ([migration.drop], [migration.replace]).
func (m *migration) create(c sqlast.Change, line int) error {
	if m.table(c.Table) != nil {
		if c.Lenient {
			return nil
		}
		return fmt.Errorf("there is a table %s already", dataset.Clip(c.Table))
	}
	t := movedTable{name: c.Table, from: none, copies: none, line: line}
	for _, column := range c.Columns {
		if err := m.add(&t, column, false); err != nil {
			return fmt.Errorf("column %s: %w", dataset.Clip(column.Name), err)
		}
	}
	m.tables = append(m.tables, t)
	if c.Query != nil {
		if err := m.insert(&m.tables[len(m.tables)-1], c); err != nil {
			return err
		}
	}
	return perturb.CheckTableName(c.Table)
}

// insert records that a new table is filled with all rows of another one, and which columns its columns are there. It accepts
// no other rows unless names alone matter.
func (m *migration) insert(t *movedTable, c sqlast.Change) error {
	if t.from != none || t.copies != none {
		return m.inexact("no edit adds rows to a table")
	}
	from, selected, err := m.copied(c.Query)
	if err != nil {
		return err
	}
	t.copies = from
	if c.Kind == sqlast.ChangeCreateTable { // CREATE TABLE … AS SELECT …
		t.columns = selected
		m.keepNames(t, from)
		return nil
	}
	names := lists.Map(c.Columns, func(c sqlast.ColumnChange) string { return c.Name })
	if names == nil { // INSERT INTO without a list of columns
		names = lists.Map(t.columns, func(c movedColumn) string { return c.name })
	}
	if len(names) != len(selected) {
		return fmt.Errorf("fills %d columns with %d", len(names), len(selected))
	}
	for i, name := range names {
		at := t.column(name)
		if at < 0 {
			return fmt.Errorf("table %s has no column %s", t.name, dataset.Clip(name))
		}
		into := &t.columns[at]
		if isNumber := selected[i].typ == dataset.Number; into.typ != "" && isNumber != (into.typ == dataset.Number) {
			if err := m.inexact("no edit changes the type of a column, here of %s", name); err != nil {
				return err
			}
		}
		into.from, into.typ, into.cell = selected[i].from, selected[i].typ, selected[i].cell
	}
	m.keepNames(t, from)
	return nil
}

// keepNames gives the computed columns of a copy the original columns of the same names as their origin, if names alone matter.
func (m *migration) keepNames(t *movedTable, from int) {
	origin := slices.IndexFunc(m.tables, func(t movedTable) bool { return t.from == from })
	if !m.namesOnly || origin < 0 {
		return
	}
	for i := range t.columns {
		if at := m.tables[origin].column(t.columns[i].name); t.columns[i].from == none && at >= 0 {
			t.columns[i].from = m.tables[origin].columns[at].from
		}
	}
}

// showsAllRows reports whether a query shows each row of the only entry of its FROM once, in any order.
func showsAllRows(q *sqlast.Query) bool {
	s := q.Select
	isOneSelect := q.With == nil && len(q.Compound) == 0 && q.Limit == nil
	isGrouped := s.Distinct || len(s.GroupBy) > 0 || s.Having != nil
	return isOneSelect && len(s.From) == 1 && s.Where == nil && !isGrouped
}

// copied returns the position in the schema of the table whose rows a query copies, and the columns of the copy with their origin. If
// names alone matter, the query may also copy some of the rows, or join other tables to the first one.
func (m *migration) copied(q *sqlast.Query) (from int, columns []movedColumn, err error) {
	s := q.Select
	var table *sqlast.Table
	if showsAllRows(q) || m.namesOnly && len(s.From) > 0 {
		table, _ = s.From[0].Source.(*sqlast.Table)
	}
	if table == nil || table.Call {
		return none, nil, errors.New("no edit makes the rows of a query, but for all rows of one table")
	}
	t := m.table(table.Name.Name)
	if t == nil || t.from == none {
		return none, nil, fmt.Errorf("there is no table %s", dataset.Clip(table.Name.Name))
	}
	for _, r := range s.Columns {
		if _, isStar := r.Expr.(*sqlast.Star); isStar {
			columns = append(columns, t.columns...)
			continue
		}
		c, err := m.copiedColumn(t, table.Alias, r)
		if err != nil {
			return none, nil, err
		}
		columns = append(columns, c)
	}
	return t.from, columns, nil
}

// copiedColumn returns a result column of a copy of a table t, with its origin there. If names alone matter, an expression over one
// column counts as that column, and any other expression as a new column.
func (m *migration) copiedColumn(t *movedTable, alias sqlast.Ident, r *sqlast.ResultColumn) (movedColumn, error) {
	ref, isColumn := r.Expr.(*sqlast.ColumnRef)
	if !isColumn {
		if err := m.inexact("no edit computes a column"); err != nil {
			return movedColumn{}, err
		}
		if all := slices.Collect(sqlast.All[*sqlast.ColumnRef](r.Expr)); len(all) == 1 {
			ref = all[0]
		}
	}
	if ref == nil {
		return movedColumn{name: r.Alias.Name, from: none}, nil
	}
	of := ref.Table.Name
	isOfOther := of != "" && !strings.EqualFold(of, alias.Name) && !strings.EqualFold(of, t.name)
	if m.namesOnly && isOfOther { // of a joined table
		return movedColumn{name: cmp.Or(r.Alias.Name, ref.Column.Name), from: none}, nil
	}
	at := t.column(ref.Column.Name)
	if at < 0 {
		return movedColumn{name: cmp.Or(r.Alias.Name, ref.Column.Name), from: none}, m.inexact("table %s has no column %s", t.name, dataset.Clip(ref.Column.Name))
	}
	c := t.columns[at]
	c.name = cmp.Or(r.Alias.Name, c.name)
	return c, nil
}

// drop drops a table. If a new table has its rows, that one takes its place in the schema: tools rebuild a table to change it. It
// returns an error if edits cannot make the new table's columns of the old one's.
func (m *migration) drop(t *movedTable) error {
	if t.kept {
		return errors.New("a statement that copies the table was refused")
	}
	origin, at := t.from, slices.IndexFunc(m.tables, func(other movedTable) bool { return other.name == t.name })
	m.tables = slices.Delete(m.tables, at, at+1)
	rebuilt := slices.IndexFunc(m.tables, func(other movedTable) bool { return other.from == none && other.copies == origin })
	if origin == none || rebuilt < 0 {
		return nil
	}
	n := &m.tables[rebuilt]
	n.from, n.copies = origin, none
	if m.namesOnly {
		return nil
	}
	// The position of each column in the old table from 1; new columns, whose from is -1, come after all of these.
	order := lists.Map(n.columns, func(c movedColumn) int { return cmp.Or(c.from+1, len(m.db.Tables[origin].Columns)+1) })
	for i, position := range order[min(1, len(order)):] { // order[i] is the position before
		if position < order[i] || position == order[i] && n.columns[i].from != none {
			return fmt.Errorf("%s has its columns in another order or one of them twice, and no edit moves columns", n.name)
		}
	}
	return nil
}

// replace lets a copy of an old table take its place in the schema (from) if the copy has its name. Another copy that took the place
// before only holds a copy of its rows (copies) again.
func (m *migration) replace(t *movedTable) {
	of := t.copies
	if of == none || !strings.EqualFold(m.db.Tables[of].Original, t.name) {
		return
	}
	for i := range m.tables {
		if m.tables[i].from == of {
			m.tables[i].from, m.tables[i].copies = none, of
		}
	}
	t.from, t.copies = of, none
}
