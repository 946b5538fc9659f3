package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// database is a schema with rows, as cases.json has it.
type database struct {
	ID          string   `json:"id"`
	Tables      []table  `json:"tables"`
	ForeignKeys []string `json:"foreign_keys"` // "table.column -> table.column"
}

// table is a table with rows, as cases.json has it.
type table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // "name TYPE"
	Key     []string `json:"key"`     // columns of the primary key
	Rows    [][]cell `json:"rows"`
}

// cell is null, a number or text.
type cell struct{ sqldata.Value }

// UnmarshalJSON decodes null, a text or a number.
func (c *cell) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		c.Value = sqldata.Value{}
	case string:
		c.Value = sqldata.NewText(v)
	case json.Number:
		if i, err := v.Int64(); err == nil {
			c.Value = sqldata.NewInt(i)
			return nil
		}
		f, err := v.Float64()
		if err != nil {
			return err
		}
		c.Value = sqldata.NewFloat(f)
	default:
		return fmt.Errorf("cell %s, expected null, a number or a string", data)
	}
	return nil
}

// check returns an error in the data of a database, so that schema and content need not return
// any.
func (d *database) check() error {
	names := d.schema(d.ID)
	for _, t := range d.Tables {
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return fmt.Errorf("table %s, row %d has %d cells, expected %d", t.Name, i+1, len(row), len(t.Columns))
			}
		}
		for _, key := range t.Key {
			if _, ok := names.Lookup(t.Name, key); !ok {
				return fmt.Errorf("table %s: key %q is no column", t.Name, key)
			}
		}
	}
	if len(names.ForeignKeys) != len(d.ForeignKeys) {
		return fmt.Errorf("foreign keys %q, expected \"table.column -> table.column\" with columns of this schema", d.ForeignKeys)
	}
	return nil
}

// schema returns the schema of the database under an id. Keys of unknown columns are left out; check reports them.
func (d *database) schema(id string) *dataset.Database {
	db := &dataset.Database{ID: id}
	for i, t := range d.Tables {
		out := dataset.Table{Name: naturalName(t.Name), Original: t.Name}
		for _, column := range t.Columns {
			name, declared, _ := strings.Cut(column, " ")
			typ := dataset.Number
			if declared == "TEXT" {
				typ = dataset.Text
			}
			out.Columns = append(out.Columns, dataset.Column{Name: naturalName(name), Original: name, Type: typ})
		}
		db.Tables = append(db.Tables, out)
		for _, key := range t.Key {
			if ref, ok := db.Lookup(t.Name, key); ok {
				db.PrimaryKeys = append(db.PrimaryKeys, dataset.ColumnRef{Table: i, Column: ref.Column})
			}
		}
	}
	for _, fk := range d.ForeignKeys {
		column, target, _ := strings.Cut(fk, " -> ")
		from, hasColumn := lookup(db, column)
		to, hasTarget := lookup(db, target)
		if hasColumn && hasTarget {
			db.ForeignKeys = append(db.ForeignKeys, dataset.ForeignKey{Column: from, Target: to})
		}
	}
	return db
}

// naturalName returns a SQL name as tables.json writes natural names: words in lower case.
func naturalName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }

// lookup returns the column with a name such as "singer.age"; false if there is none.
func lookup(db *dataset.Database, name string) (dataset.ColumnRef, bool) {
	table, column, _ := strings.Cut(name, ".")
	return db.Lookup(table, column)
}

// content returns the tables of the database and their rows, by table, for SQLite.
func (d *database) content() ([]sqldata.Table, [][][]sqldata.Value) {
	tables := dataset.SQLiteTables(d.schema(d.ID))
	rows := make([][][]sqldata.Value, len(tables))
	for i, t := range d.Tables {
		for j, column := range t.Columns { // "name TYPE"
			_, declared, _ := strings.Cut(column, " ")
			tables[i].Columns[j].Type = declared
		}
		rows[i] = lists.Map(t.Rows, func(row []cell) []sqldata.Value {
			return lists.Map(row, func(c cell) sqldata.Value { return c.Value })
		})
	}
	return tables, rows
}
