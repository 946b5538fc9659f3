package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// updateBatch is the number of rows that are read before they are written.
const updateBatch = 4096

// update sets columns of a table, row by row in the order of its key: the row id, or the primary key of a table without one. cells
// gets the number of the row, from 0, and its cell in the column from (NULL where from is ""); it returns the new cells, or nil to
// leave the row unchanged.
func (w *writer) update(table string, columns []string, from string, cells func(row int, cell sqldata.Value) ([]sqldata.Value, error)) error {
	key, err := w.key(table)
	if err != nil {
		return err
	}
	source := "NULL"
	if from != "" {
		source = sqldata.QuoteName(table) + "." + sqldata.QuoteName(from) // alone, a name that is no column is a text
	}
	u := &update{writer: w, cells: cells, width: len(key)}
	keys := strings.Join(key, ", ")
	set := lists.Map(columns, func(name string) string { return sqldata.QuoteName(name) + " = ?" })
	where := fmt.Sprintf("(%s) = (%s)", keys, marks(len(key)))
	if len(key) == 1 {
		where = key[0] + " = ?"
	}
	if u.set, _, err = w.conn.prepare(fmt.Sprintf("UPDATE %s SET %s WHERE %s", sqldata.QuoteName(table), strings.Join(set, ", "), where)); err != nil {
		return err
	}
	defer u.set.finalize()
	selected := fmt.Sprintf("SELECT %s, %s FROM %s", keys, source, sqldata.QuoteName(table))
	order := fmt.Sprintf(" ORDER BY %s LIMIT %d", keys, updateBatch)
	rows, err := w.conn.all(selected + order)
	if err != nil {
		return err
	}
	next, _, err := w.conn.prepare(selected + fmt.Sprintf(" WHERE (%s) > (%s)", keys, marks(len(key))) + order)
	if err != nil {
		return err
	}
	defer next.finalize()
	for len(rows) > 0 && err == nil { // batch after batch, by the key of the last row
		last := rows[len(rows)-1][:len(key)]
		if err = u.write(rows); err == nil {
			rows, err = next.rowsFor(last)
		}
	}
	return err
}

// update is an update in progress.
type update struct {
	*writer
	set   *stmt                                             // the UPDATE of one row
	cells func(int, sqldata.Value) ([]sqldata.Value, error) // returns the new cells of a row; see [writer.update]
	width int                                               // columns of the key
	row   int                                               // number of the next row
	args  []sqldata.Value                                   // of set, to be reused
}

// write computes and stores the new cells of rows; each row is a key and the cell of the source column.
func (u *update) write(rows [][]sqldata.Value) error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	for _, row := range rows {
		values, err := u.cells(u.row, row[u.width])
		if err != nil {
			return err
		}
		u.row++
		if values == nil {
			continue
		}
		u.args = append(append(u.args[:0], values...), row[:u.width]...)
		if err := u.set.run(u.args...); err != nil {
			return err
		}
	}
	return nil
}

// rowsFor runs the statement with values and returns all rows.
func (s *stmt) rowsFor(values []sqldata.Value) ([][]sqldata.Value, error) {
	for i, v := range values {
		if err := s.bind(int32(i+1), v); err != nil {
			return nil, err
		}
	}
	rows, err := s.all()
	s.reset()
	return rows, err
}

// key returns the columns that identify a row of a table, as SQL: the row id, or the columns of
// the primary key of a table without row ids.
func (w *writer) key(table string) ([]string, error) {
	rowid, err := w.rowid(table)
	if err == nil {
		return []string{rowid}, nil
	}
	columns, keyErr := w.conn.column("SELECT name FROM pragma_table_xinfo(" + quoteText(table) + ") WHERE pk > 0 ORDER BY pk")
	if keyErr != nil || len(columns) == 0 {
		return nil, err // why it has no row ids
	}
	return lists.Map(columns, sqldata.QuoteName), nil
}

// rowid returns the name of the row ids of a table: the first of rowid, _rowid_ and oid that is not the
// name of a column. It returns an error if the table has none.
func (w *writer) rowid(table string) (string, error) {
	s, _, err := w.conn.prepare("SELECT * FROM " + sqldata.QuoteName(table))
	if err != nil {
		return "", err
	}
	taken := s.columns()
	s.finalize()
	name := "oid"
	for _, other := range []string{"_rowid_", "rowid"} { // the last free one is taken
		if !slices.ContainsFunc(taken, func(column string) bool { return strings.EqualFold(column, other) }) {
			name = other
		}
	}
	if s, _, err = w.conn.prepare("SELECT " + name + " FROM " + sqldata.QuoteName(table)); err != nil {
		return "", fmt.Errorf("%w (a column can be added only to tables with row ids or a primary key)", err)
	}
	s.finalize()
	return name, nil
}
