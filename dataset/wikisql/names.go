package wikisql

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// TableName returns the name of a table in SPLIT.db, as lib/dbengine.py of WikiSQL makes it:
// "table_1_10015132_11" for the id "1-10015132-11".
func TableName(id string) string {
	if strings.HasPrefix(id, "table") {
		return id
	}
	return "table_" + strings.ReplaceAll(id, "-", "_")
}

// validID reports whether a table id makes a name that SQL can have without quotes, because
// WikiSQL's evaluator writes none.
func validID(id string) bool { return len(id) <= 200 && tableID.MatchString(id) }

// tableID matches the ids of tables that are accepted.
var tableID = lazyregexp.New(`^[-_0-9A-Za-z]+$`)

// newTable returns a table with a text column for each header.
func newTable(id string, headers []string) dataset.Table {
	t := dataset.Table{Name: "table", Original: TableName(id)}
	originals := dataset.Identifiers(headers, nil)
	for i, header := range headers {
		c := dataset.Column{Name: naturalHeader(header, i), Original: originals[i], Type: dataset.Text}
		if header != c.Name {
			c.Header = header
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// naturalHeader returns a header in lower-case words, as ADVETA's files have it. A column
// without a header is "column N"; column is its index, from 0.
func naturalHeader(header string, column int) string {
	if name := strings.ToLower(strings.Join(strings.Fields(header), " ")); name != "" {
		return name
	}
	return fmt.Sprintf("column %d", column+1)
}

// tableNames are the SQL names of a table. They are all that is held of every table of a split,
// for its questions.
type tableNames struct {
	table   string
	columns []string
}

// tableNamesOf returns the SQL names of a table and its columns.
func tableNamesOf(t *dataset.Table) tableNames {
	return tableNames{t.Original, lists.Map(t.Columns, func(c dataset.Column) string { return c.Original })}
}

// database returns a schema that has only the names.
func (n tableNames) database(id string) *dataset.Database {
	columns := lists.Map(n.columns, func(name string) dataset.Column { return dataset.Column{Original: name} })
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Original: n.table, Columns: columns}}}
}
