package sqlite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// computeColumn adds the column and sets its cells.
func (w *writer) computeColumn(c sqldata.ComputeColumn) error {
	if err := w.add(c.Table, c.Name, c.Type); err != nil {
		return err
	}
	return w.conn.exec(fmt.Sprintf("UPDATE %s SET %s = %s", sqldata.QuoteName(c.Table), sqldata.QuoteName(c.Name), c.Value))
}

// createTable makes the table with the rows of c.From, in the order of its primary key, or with c.Rows. Columns
// without a type get that of the same column of c.From.
func (w *writer) createTable(c sqldata.CreateTable) error {
	table := c.Table
	if c.From != "" {
		types, err := w.types(c.From)
		if err != nil {
			return err
		}
		table.Columns = lists.Map(table.Columns, func(column sqldata.Column) sqldata.Column {
			if column.Type == "" {
				column.Type = types[strings.ToLower(column.Name)]
			}
			return column
		})
	}
	if err := w.conn.exec(DDL(table)); err != nil {
		return err
	}
	if c.From == "" {
		return w.insertRows(c)
	}
	columns := quoteNames(lists.Map(table.Columns, func(column sqldata.Column) string { return column.Name }))
	return w.conn.exec(fmt.Sprintf("INSERT INTO %s (%s) SELECT %[2]s FROM %s ORDER BY %s",
		sqldata.QuoteName(table.Name), columns, sqldata.QuoteName(c.From), quoteNames(table.PrimaryKey)))
}

// insertRows inserts the rows of a new table.
func (w *writer) insertRows(c sqldata.CreateTable) error {
	insert, _, err := w.conn.prepare(fmt.Sprintf("INSERT INTO %s VALUES (%s)", sqldata.QuoteName(c.Table.Name), marks(len(c.Table.Columns))))
	if err != nil {
		return err
	}
	defer insert.finalize()
	for _, row := range c.Rows {
		if err := insert.run(row...); err != nil {
			return err
		}
	}
	return nil
}

// none returns an error if the query has a row.
func (w *writer) none(n sqldata.None) error {
	rows, err := w.conn.all(n.Query + " LIMIT 1")
	if err == nil && len(rows) > 0 {
		err = errors.New(n.Why)
	}
	return err
}
