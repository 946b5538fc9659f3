package wikisql

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// TableName returns the name of a table in WikiSQL's .db: "table_1_10015132_11" for the
// table "1-10015132-11" (lib/dbengine.py).
func TableName(id string) string {
	if strings.HasPrefix(id, "table") {
		return id
	}
	return "table_" + strings.ReplaceAll(id, "-", "_")
}

// validID reports whether a table's id makes a name that SQL can have without quotes, as WikiSQL's
// evaluator writes it.
func validID(id string) bool { return len(id) <= 200 && tableID.MatchString(id) }

var tableID = lazyregexp.New(`^[-_0-9A-Za-z]+$`)

// newTable returns a table with text columns of these headers.
func newTable(id string, headers []string) dataset.Table {
	t := dataset.Table{Name: "table", Original: TableName(id)}
	originals := dataset.Identifiers(headers, nil)
	for i, header := range headers {
		c := dataset.Column{Name: natural(header, i), Original: originals[i], Type: dataset.Text}
		if header != c.Name {
			c.Header = header
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// natural returns the header in lower-case words, as ADVETA's files have it; a column
// without any is called by its position.
func natural(header string, column int) string {
	if name := strings.ToLower(strings.Join(strings.Fields(header), " ")); name != "" {
		return name
	}
	return fmt.Sprintf("column %d", column+1)
}

// sqlNames are the SQL names of a table: what is held of every table of a split, for
// its questions.
type sqlNames struct {
	table   string
	columns []string
}

// sqlNamesOf returns the SQL names of a table and its columns.
func sqlNamesOf(t *dataset.Table) sqlNames {
	n := sqlNames{table: t.Original, columns: make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		n.columns[i] = c.Original
	}
	return n
}

// database returns a schema with the names alone.
func (n sqlNames) database(id string) *dataset.Database {
	columns := make([]dataset.Column, len(n.columns))
	for i, name := range n.columns {
		columns[i].Original = name
	}
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Original: n.table, Columns: columns}}}
}
