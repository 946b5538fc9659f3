package sqlite

import (
	"context"
	"fmt"

	engine "modernc.org/sqlite/lib"
)

// maxTried is how many columns a table may have for their removal to be tried: a trial
// reads the whole schema again. Of a wider table all columns count as fixed.
const maxTried = 300

// Fixed returns the columns that [DropColumn] cannot remove: SQLite keeps those of keys,
// UNIQUE, a table's CHECK, generated columns, views and triggers. It is found by trial, on
// a database in memory of the same schema without rows.
func (db *DB) Fixed(ctx context.Context) ([]DropColumn, error) {
	tables, err := db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	made, err := db.Query(ctx, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid`, Limits{})
	if err != nil {
		return nil, err
	}
	c, err := openConn("fixed", "mode=memory", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.exec("PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF"); err != nil {
		return nil, err
	}
	for _, row := range made.Rows {
		// What the engine reads in a file and does not make is nothing that could be altered.
		_, _ = c.execFirst(row[0].Bytes())
	}
	w := &writer{ctx: ctx, conn: c}
	var fixed []DropColumn
	for _, t := range tables {
		for _, column := range t.Columns {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := c.exec("SAVEPOINT trial"); err != nil {
				return nil, err
			}
			d := DropColumn{t.Name, column.Name}
			if len(t.Columns) > maxTried || d.write(w) != nil {
				fixed = append(fixed, d)
			}
			if err := c.exec("ROLLBACK TO trial; RELEASE trial"); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t.Name, column.Name, err)
			}
		}
	}
	return fixed, nil
}
