package sqlite

import (
	"context"
	"fmt"
	"slices"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Layout is a schema with the columns that are filled: what [Scratch] and
// [CreateCompact] make databases of.
type Layout struct {
	Tables []LayoutTable
	Views  []string // the statements that make the views, in order
}

// LayoutTable is a table to fill. Its columns are those that take a value: not the
// generated ones.
type LayoutTable struct {
	sqldata.Table
	SQL     string     // the statement that makes the table
	NotNull []bool     // of each column
	Unique  [][]string // the columns of each UNIQUE constraint or index, in order
}

// NewLayout returns the layout of tables from their schema alone.
// It leaves out tables that SQLite refuses: without columns, or with names that it reserves.
func NewLayout(tables []sqldata.Table) Layout {
	var l Layout
	for _, t := range tables {
		if reserved(t.Name) || len(t.Columns) == 0 {
			continue
		}
		l.Tables = append(l.Tables, LayoutTable{Table: t, SQL: DDL(t), NotNull: make([]bool, len(t.Columns))})
	}
	return l
}

// ReadLayout reads the layout of a database file: its tables and views as they are
// declared, with types, collations and constraints. Virtual tables and triggers are left out.
func ReadLayout(ctx context.Context, path string) (Layout, error) {
	db, err := Open(ctx, path)
	if err != nil {
		return Layout{}, err
	}
	defer db.Close()
	l, err := db.layout(ctx)
	if err != nil {
		return Layout{}, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// layout reads the layout of the database, on a second connection.
func (db *DB) layout(ctx context.Context) (Layout, error) {
	tables, err := db.Schema(ctx)
	if err != nil {
		return Layout{}, err
	}
	c, err := openConn(db.path, "mode=ro&immutable=1", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		return Layout{}, err
	}
	defer c.close()
	var l Layout
	made, err := c.query(ctx, `SELECT sql, name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY type, rowid`, sqldata.DefaultLimits)
	if err != nil {
		return Layout{}, err
	}
	for _, row := range made.Rows {
		if row[2].Bytes() == "view" {
			l.Views = append(l.Views, row[0].Bytes())
			continue
		}
		i := slices.IndexFunc(tables, func(t sqldata.Table) bool { return t.Name == row[1].Bytes() })
		if i < 0 {
			continue
		}
		t := LayoutTable{Table: tables[i], SQL: row[0].Bytes()}
		if err := t.constraints(ctx, c); err != nil {
			return Layout{}, err
		}
		l.Tables = append(l.Tables, t)
	}
	return l, nil
}

// make makes the tables and views of the layout. Of each text it runs the first statement: the engine
// ignores what follows it in the schema of a file.
func (l Layout) make(c *conn) error {
	for _, t := range l.Tables {
		if _, err := c.execFirst(t.SQL); err != nil {
			return err
		}
	}
	for _, view := range l.Views {
		if _, err := c.execFirst(view); err != nil {
			return err
		}
	}
	return nil
}

// constraints reads the columns of t that an INSERT sets, which are not generated, which of them are NOT NULL, and which columns are
// UNIQUE together.
func (t *LayoutTable) constraints(ctx context.Context, c *conn) error {
	name := quoteText(t.Name)
	columns, err := c.query(ctx, `SELECT name, "notnull", type FROM pragma_table_xinfo(`+name+`) WHERE hidden = 0 ORDER BY cid`, sqldata.DefaultLimits)
	if err != nil {
		return err
	}
	t.Columns, t.NotNull = nil, nil
	for _, row := range columns.Rows {
		t.Columns = append(t.Columns, sqldata.Column{Name: row[0].Bytes(), Type: row[2].Bytes()})
		t.NotNull = append(t.NotNull, row[1].Int() != 0)
	}
	unique, err := c.query(ctx, `SELECT l.seq, i.name FROM pragma_index_list(`+name+`) AS l JOIN pragma_index_info(l.name) AS i
		WHERE l."unique" AND l.origin <> 'pk' AND NOT l.partial ORDER BY l.seq, i.seqno`, sqldata.DefaultLimits)
	if err != nil {
		return err
	}
	last := int64(-1)
	for _, row := range unique.Rows {
		if seq := row[0].Int(); seq != last {
			t.Unique = append(t.Unique, nil)
			last = seq
		}
		n := len(t.Unique) - 1
		t.Unique[n] = append(t.Unique[n], row[1].Bytes())
	}
	return nil
}
