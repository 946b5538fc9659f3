// Package prefix makes changes of a database that nobody writes: each table that differs is a common table expression in front
// of a query. A column that does not differ is a plain reference to the table's own, so that it keeps type, collation and index.
package prefix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Table is a table that differs from the database's. Without columns it hides the name.
type Table struct {
	Name    string   `json:"name"`
	Of      string   `json:"of,omitempty"`    // the table of the database
	Hides   string   `json:"hides,omitempty"` // another table of the database, whose name it has
	Columns []Column `json:"columns,omitempty"`
	From    string   `json:"from,omitempty"` // SQL after FROM
}

// Column is a column of a table that differs.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // declared
	SQL  string `json:"sql"`  // its cell
}

// Of returns the table t of the database, which is in a schema, without changes: each column is t."name", from "schema"."table" AS t.
func Of(t *sqldata.Table, schema string) Table {
	return Table{Name: t.Name, Of: t.Name, From: sqldata.QuoteName(schema) + "." + sqldata.QuoteName(t.Name) + " AS t",
		Columns: lists.Map(t.Columns, func(c sqldata.Column) Column { return Column{c.Name, c.Type, "t." + sqldata.QuoteName(c.Name)} })}
}

// Engine is what the changes ask of an engine.
type Engine interface {
	// Table returns a table of the database by its name in any case, as [Of] does, and nil if there is none.
	Table(ctx context.Context, name string) (*Table, error)
	// Query runs a query on the database without changes.
	Query(ctx context.Context, sql string) (*sqldata.Result, error)
	// Added returns the SQL of the cells of an added column; first is the SQL of the table's first column.
	Added(a sqldata.AddColumn, first string) string
	// Derived returns the SQL of the cells of a derived column; cell is the SQL of the column that it is derived from, in rows of from.
	Derived(ctx context.Context, d sqldata.DeriveColumn, cell, from string) (string, error)
	// Literal returns a value as SQL.
	Literal(v sqldata.Value) string
	// Identity returns a term that is equal for equal cells alone.
	Identity(cell string) string
	// Numbers reports whether the key of a column that moves to a table of its own numbers its values, for people who see it. It is the
	// value itself where nobody does.
	Numbers() bool
	// Hidden returns a query that fails, or that has no columns.
	Hidden() string
}

// Tables are the tables of a database that differ.
type Tables struct {
	Engine  Engine
	Dialect *sqlast.Dialect
	Own     string // the schema that a query may name before them; "" for none
	List    []Table
}

// Select returns the SELECT of the table's rows.
func (t *Table) Select() string {
	return "SELECT " + strings.Join(lists.Map(t.Columns, func(c Column) string { return c.SQL + " AS " + sqldata.QuoteName(c.Name) }), ", ") + " FROM " + t.From
}

// withHead matches the WITH that a query begins with.
var withHead = lazyregexp.New(`(?i)^WITH\s+(RECURSIVE\s+)?`)

// Before puts the tables of ts that a query may mention in front of the query, as common table expressions: in a WITH clause, or at the
// start of the query's own. It removes the schema ts.Own from names: "main.a" would be the database's table, without the changes.
func (ts *Tables) Before(sql string) string {
	sql = sqldata.SkipBlank(sql)
	tables := ts.Mentioned(sql)
	if len(tables) == 0 {
		return sql
	}
	own := withHead.FindStringSubmatch(sql)
	if own != nil || ts.Own != "" && strings.Contains(strings.ToLower(sql), ts.Own) {
		if q, err := ts.Dialect.Parse(sql); err == nil {
			sql = withoutSchema(q, ts.Own, sql)
			tables = lists.Filter(tables, func(t Table) bool { return !shadows(q.With, t.Name) }) // the query's own table of that name counts
			own = withHead.FindStringSubmatch(sql)
		}
	}
	with := strings.Join(lists.Map(tables, func(t Table) string {
		rows := ts.Engine.Hidden() // for a table without columns
		if len(t.Columns) > 0 {
			rows = t.Select()
		}
		return sqldata.QuoteName(t.Name) + " AS NOT MATERIALIZED (" + rows + ")"
	}), ", ")
	switch {
	case with == "":
		return sql
	case own != nil: // own[1] is RECURSIVE, if the query has it
		return "WITH " + own[1] + with + ", " + sql[len(own[0]):]
	}
	return "WITH " + with + " " + sql
}

// Mentioned returns the tables whose name occurs in a query, in any case, if only as a part of a word.
func (ts *Tables) Mentioned(sql string) []Table {
	sql = strings.ToLower(sql)
	return lists.Filter(ts.List, func(t Table) bool {
		return strings.Contains(sql, strings.ToLower(strings.ReplaceAll(t.Name, `"`, `""`)))
	})
}

// shadows reports whether a query's own WITH has a table of a name.
func shadows(w *sqlast.With, name string) bool {
	return w != nil && slices.ContainsFunc(w.Tables, func(c *sqlast.CTE) bool { return strings.EqualFold(c.Name.Name, name) })
}

// withoutSchema removes the schema own before names from a query and returns it as text; without such names, its original text.
func withoutSchema(q *sqlast.Query, own, text string) string {
	found := false
	drop := func(schema *sqlast.Ident) {
		if !schema.IsZero() && strings.EqualFold(schema.Name, own) {
			*schema, found = sqlast.Ident{}, true
		}
	}
	for n := range sqlast.All[sqlast.Node](q) {
		switch n := n.(type) {
		case *sqlast.Table:
			drop(&n.Schema)
		case *sqlast.ColumnRef:
			drop(&n.Schema)
		}
	}
	if !found {
		return text
	}
	return q.String()
}

// Schema returns the tables of the database after the changes. It leaves out a table that one of ts is made of or has the name of, and
// appends the tables of ts, which have no keys, without those that only hide a name.
func (ts *Tables) Schema(tables []sqldata.Table) (all []sqldata.Table) {
	for _, t := range tables {
		if !slices.ContainsFunc(ts.List, func(o Table) bool { return o.Of == t.Name || o.Name == t.Name }) {
			all = append(all, t)
		}
	}
	for _, t := range ts.List {
		if len(t.Columns) > 0 {
			all = append(all, sqldata.Table{Name: t.Name, Columns: lists.Map(t.Columns, func(c Column) sqldata.Column { return sqldata.Column{Name: c.Name, Type: c.Type} })})
		}
	}
	return all
}

// Apply makes the writes in order, in ts alone: other users of ts.List keep it as it is.
func (ts *Tables) Apply(ctx context.Context, writes []sqldata.Write) error {
	ts.List = slices.Clone(ts.List)
	return lists.Each(writes, func(w sqldata.Write) error { return ts.write(ctx, w) })
}

// write makes a write.
func (ts *Tables) write(ctx context.Context, w sqldata.Write) error {
	switch w := w.(type) {
	case sqldata.RenameTable:
		return ts.renameTable(ctx, w)
	case sqldata.RenameColumn:
		return ts.change(ctx, w.Table, w.Column, func(_ *Table, c *Column) error {
			c.Name = w.Name
			return nil
		})
	case sqldata.DropColumn:
		return ts.change(ctx, w.Table, w.Column, func(t *Table, c *Column) error {
			dropped := *c
			t.Columns = slices.DeleteFunc(t.Columns, func(other Column) bool { return other == dropped })
			return nil
		})
	case sqldata.DropTable:
		return ts.hide(ctx, w.Table)
	case sqldata.AddColumn:
		return ts.addColumn(ctx, w)
	case sqldata.DeriveColumn:
		return ts.change(ctx, w.Table, w.Column, func(t *Table, c *Column) error {
			sql, err := ts.Engine.Derived(ctx, w, c.SQL, t.From)
			t.Columns = append(t.Columns, Column{w.Name, w.Type, sql})
			return err
		})
	case sqldata.ComputeColumn:
		return ts.computeColumn(ctx, w)
	case sqldata.SplitColumn:
		return ts.splitColumn(ctx, w)
	case sqldata.MergeTable:
		return ts.mergeTable(ctx, w)
	case sqldata.CreateTable:
		return ts.createTable(ctx, w)
	case sqldata.None:
		return ts.none(ctx, ts.Before(w.Query), w.Why)
	}
	return fmt.Errorf("a change of the type %T, expected one that a query can carry", w)
}

// table returns an element of ts.List by its name in any case, for a write to change. It adds a table of the database that ts.List lacks.
func (ts *Tables) table(ctx context.Context, name string) (*Table, error) {
	if i := slices.IndexFunc(ts.List, func(t Table) bool { return strings.EqualFold(t.Name, name) && len(t.Columns) > 0 }); i >= 0 {
		ts.List[i].Columns = slices.Clone(ts.List[i].Columns) // others may have the slice: see Apply
		return &ts.List[i], nil
	}
	t, err := ts.Engine.Table(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case t == nil, slices.ContainsFunc(ts.List, func(o Table) bool { return o.Of == t.Of || strings.EqualFold(o.Name, name) }): // renamed or hidden
		return nil, fmt.Errorf("has no table %s, expected it as the schema does", name)
	}
	ts.List = append(ts.List, *t)
	return &ts.List[len(ts.List)-1], nil
}

// change calls do with a table and a column of it, to change them in place.
func (ts *Tables) change(ctx context.Context, table, name string, do func(*Table, *Column) error) error {
	t, err := ts.table(ctx, table)
	if err != nil {
		return err
	}
	c, err := t.column(name)
	if err != nil {
		return err
	}
	return do(t, c)
}

// column returns a column of the table.
func (t *Table) column(name string) (*Column, error) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return nil, fmt.Errorf("table %s has no column %s, expected it as the schema does", t.Name, name)
	}
	return &t.Columns[i], nil
}

// renameTable renames a table, and hides the names that tables of the database then would have again.
func (ts *Tables) renameTable(ctx context.Context, r sqldata.RenameTable) error {
	t, err := ts.table(ctx, r.Table)
	if err != nil {
		return err
	}
	free := []string{t.Of, t.Hides}
	t.Name, t.Hides = r.Name, ts.hidden(r.Name)
	ts.show(r.Name)
	for _, name := range free {
		if name != "" && !slices.ContainsFunc(ts.List, func(o Table) bool { return strings.EqualFold(o.Name, name) }) {
			ts.List = append(ts.List, Table{Name: name})
		}
	}
	return nil
}

// add adds a table, which may have a name that is hidden.
func (ts *Tables) add(t Table) {
	t.Hides = ts.hidden(t.Name)
	ts.show(t.Name)
	ts.List = append(ts.List, t)
}

// isHiding reports whether a table has no columns and hides a name.
func isHiding(t *Table, name string) bool {
	return strings.EqualFold(t.Name, name) && len(t.Columns) == 0
}

// hidden returns the name of the table of the database that is hidden under a name in any case, "" for none.
func (ts *Tables) hidden(name string) string {
	for _, t := range ts.List {
		if isHiding(&t, name) {
			return t.Name
		}
	}
	return ""
}

// show removes the table without columns that hides a name. The caller gives the name to another table.
func (ts *Tables) show(name string) {
	ts.List = slices.DeleteFunc(ts.List, func(t Table) bool { return isHiding(&t, name) })
}

// hide hides a table: without columns, a query that names it fails or finds no column.
func (ts *Tables) hide(ctx context.Context, name string) error {
	t, err := ts.table(ctx, name)
	if err == nil {
		*t = Table{Name: t.Name, Of: t.Of, Hides: t.Hides}
	}
	return err
}

// addColumn adds a column at the end of a table, of the cells that the engine picks for its rows, or of NULLs.
func (ts *Tables) addColumn(ctx context.Context, a sqldata.AddColumn) error {
	t, err := ts.table(ctx, a.Table)
	if err != nil {
		return err
	}
	cells := "NULL"
	if len(a.Cells) > 0 {
		cells = ts.Engine.Added(a, t.Columns[0].SQL) // the cell in the first column may decide which one a row gets
	}
	t.Columns = append(t.Columns, Column{a.Name, a.Type, "CAST(" + cells + " AS " + Cast(a.Cells) + ")"})
	return nil
}

// Cast returns the SQL type that holds values: numeric if each is a number or NULL, text otherwise and for no values.
func Cast(values []sqldata.Value) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(v sqldata.Value) bool { return !v.IsNull() && !v.IsNumber() }) {
		return "text"
	}
	return "numeric"
}

// computeColumn adds a column that an expression over the others computes. The table so far becomes a subquery, so that the expression can
// use the columns' names.
func (ts *Tables) computeColumn(ctx context.Context, c sqldata.ComputeColumn) error {
	t, err := ts.table(ctx, c.Table)
	if err != nil {
		return err
	}
	t.From = "(" + t.Select() + ") AS t"
	for i, column := range t.Columns {
		t.Columns[i].SQL = "t." + sqldata.QuoteName(column.Name)
	}
	t.Columns = append(t.Columns, Column{c.Name, c.Type, c.Value})
	return nil
}

// createTable adds a table: with columns of the table c.From and its rows, or, if c.From is empty, with the rows c.Rows. Their columns
// have the SQL type that holds all cells.
func (ts *Tables) createTable(ctx context.Context, c sqldata.CreateTable) error {
	if c.From == "" {
		ts.add(Rows(ts.Engine, c.Table, c.Rows, func(column int) string {
			return Cast(lists.Map(c.Rows, func(row []sqldata.Value) sqldata.Value { return row[column] }))
		}))
		return nil
	}
	made := Table{Name: c.Table.Name}
	from, err := ts.table(ctx, c.From)
	if err != nil {
		return err
	}
	made.From = from.From
	for _, column := range c.Table.Columns {
		of, err := from.column(column.Name)
		if err != nil {
			return err
		}
		made.Columns = append(made.Columns, Column{column.Name, of.Type, of.SQL})
	}
	ts.add(made)
	return nil
}

// Rows returns a table with the name and columns of t and these rows, which its SQL lists; typeOf returns the SQL type of a column's cells.
func Rows(e Engine, t sqldata.Table, rows [][]sqldata.Value, typeOf func(column int) string) Table {
	end := ""
	if len(rows) == 0 { // VALUES needs a row
		rows, end = [][]sqldata.Value{make([]sqldata.Value, len(t.Columns))}, " WHERE false"
	}
	made := Table{Name: t.Name, From: "(VALUES " + strings.Join(lists.Map(rows, func(row []sqldata.Value) string {
		return "(" + strings.Join(lists.Map(row, e.Literal), ", ") + ")"
	}), ", ") + ") AS t" + end}
	for i, c := range t.Columns {
		made.Columns = append(made.Columns, Column{c.Name, c.Type, fmt.Sprintf("CAST(t.column%d AS %s)", i+1, typeOf(i))})
	}
	return made
}

// none returns an error with the message why if a query has a row.
func (ts *Tables) none(ctx context.Context, query, why string) error {
	res, err := ts.Engine.Query(ctx, query+" LIMIT 1")
	if err == nil && len(res.Rows) > 0 {
		err = errors.New(why)
	}
	return err
}

// splitColumn moves a column to a table of its own, which has each value once with a key, and puts that key at the end of the old table.
// The key of a value is the value itself, as [Engine.Identity] returns it, or its number where the engine wants numbers: then the old
// table is joined with the numbered values.
func (ts *Tables) splitColumn(ctx context.Context, s sqldata.SplitColumn) error {
	var into Table
	err := ts.change(ctx, s.Table, s.Column, func(t *Table, c *Column) error {
		identity := ts.Engine.Identity(c.SQL)
		oldKey, newKey := identity, "value" // SQL of the key in the old table, and the column of values that has it in the new one
		values := fmt.Sprintf("(SELECT %[1]s AS value FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY %[3]s)", c.SQL, t.From, identity)
		if ts.Engine.Numbers() {
			alias := sqldata.QuoteName("split " + s.Into)
			oldKey, newKey = alias+".key", "key"
			values = "(SELECT row_number() OVER (ORDER BY value) AS key, value FROM " + values + " AS v)"
			t.From += fmt.Sprintf(" LEFT JOIN %s AS %s ON %s = %s", values, alias, ts.Engine.Identity(alias+".value"), identity)
		}
		into = Table{Name: s.Into, From: values + " AS t", Columns: []Column{{s.Key, "bigint", ts.Engine.Identity("t." + newKey)}, {c.Name, c.Type, "t.value"}}}
		moved := *c
		t.Columns = slices.DeleteFunc(t.Columns, func(other Column) bool { return other == moved })
		t.Columns = append(t.Columns, Column{s.Key, "bigint", oldKey})
		return nil
	})
	ts.List = append(ts.List, into)
	return err
}

// mergeTable adds columns of the table m.Reference to m.Table by a left join, and hides m.Reference. It returns an error if a row would have
// several partners.
func (ts *Tables) mergeTable(ctx context.Context, m sqldata.MergeTable) error {
	var joined Table
	var target string
	if err := ts.change(ctx, m.Reference, m.Target, func(t *Table, c *Column) error {
		joined, target = *t, c.Name
		return nil
	}); err != nil {
		return err
	}
	if err := ts.change(ctx, m.Table, m.Column, func(t *Table, c *Column) error {
		alias := sqldata.QuoteName("merged " + m.Reference)
		rows := t.From // before the join, for the check below
		t.From += fmt.Sprintf(" LEFT JOIN (%s) AS %s ON %s.%s = %s", joined.Select(), alias, alias, sqldata.QuoteName(target), c.SQL)
		for _, moved := range m.Columns {
			c, err := joined.column(moved.Column)
			if err != nil {
				return err
			}
			t.Columns = append(t.Columns, Column{moved.Name, c.Type, alias + "." + sqldata.QuoteName(c.Name)})
		}
		// With several partners of a row, the join has more rows than the table.
		return ts.none(ctx, fmt.Sprintf("SELECT 1 WHERE (SELECT count(*) FROM %s) < (SELECT count(*) FROM %s)", rows, t.From),
			fmt.Sprintf("a row of %s has several rows of %s, expected one at most", m.Table, m.Reference))
	}); err != nil {
		return err
	}
	return ts.hide(ctx, m.Reference)
}
