package sqlite

import (
	"context"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// madeStatements selects the statements that made what a database holds. Virtual tables
// come first: they make tables of their own, which are listed as well.
const madeStatements = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
	ORDER BY sql NOT LIKE 'CREATE VIRTUAL%', rowid`

// replica makes a database in memory by the statements that made another.
func replica(statements []string) (*conn, error) {
	c, err := openConn("replica", "mode=memory", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return nil, err
	}
	if err := c.exec("PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF"); err != nil {
		c.close()
		return nil, err
	}
	for _, made := range statements {
		// A file may have a table or view that the engine reads but does not create: the replica lacks it, as no write can alter it.
		_, _ = c.execFirst(made)
	}
	return c, nil
}

// replica returns the tables of the database, a database in memory with the same schema and no rows,
// and what works in that before any change: see [conn.works].
func (db *DB) replica(ctx context.Context) (tables []sqldata.Table, c *conn, before map[string]string, err error) {
	if tables, err = db.Schema(ctx); err != nil {
		return nil, nil, nil, err
	}
	made, err := db.Query(ctx, madeStatements, sqldata.Limits{})
	if err != nil {
		return nil, nil, nil, err
	}
	if c, err = replica(lists.Map(made.Rows, func(row []sqldata.Value) string { return row[0].Bytes() })); err != nil {
		return nil, nil, nil, err
	}
	if before, err = c.works(); err != nil {
		c.close()
		return nil, nil, nil, err
	}
	return tables, c, before, nil
}

// maxTried bounds the columns of a table whose removal is tried, because each trial reads the
// whole schema again. All columns of a wider table count as fixed.
const maxTried = 300

// Fixed returns the columns that [sqldata.DropColumn] cannot remove. SQLite refuses to drop those in keys,
// UNIQUE, a table's CHECK, generated columns, views and triggers; after others a trigger would fail.
// Each is tried on a database in memory with the same schema and no rows.
func (db *DB) Fixed(ctx context.Context) ([]sqldata.DropColumn, error) {
	tables, c, before, err := db.replica(ctx)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var fixed []sqldata.DropColumn
	for _, t := range tables {
		for _, column := range t.Columns {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if d := (sqldata.DropColumn{Table: t.Name, Column: column.Name}); len(t.Columns) > maxTried || c.spoilsPinned(before, d) != "" {
				fixed = append(fixed, d)
			}
		}
	}
	return fixed, nil
}
