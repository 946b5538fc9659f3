package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// shadows are the endings of the names of tables in which SQLite's own modules store virtual tables.
var shadows = []string{"content", "data", "idx", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid"}

// Virtual returns the names of the virtual tables of the database, which have no root page, and in kept, in lower case,
// the names of the tables in which their modules may store them: "docs_content" for "docs".
func (db *DB) Virtual(ctx context.Context) (virtual []string, kept map[string]bool, err error) {
	if virtual, err = db.names(ctx, "type = 'table' AND coalesce(rootpage, 0) = 0"); err != nil {
		return nil, nil, err
	}
	kept = map[string]bool{}
	for _, name := range virtual {
		for _, suffix := range shadows {
			kept[strings.ToLower(name+"_"+suffix)] = true
		}
	}
	return virtual, kept, nil
}

// Views returns the names of the views of the database, in the order in which they were made.
func (db *DB) Views(ctx context.Context) ([]string, error) { return db.names(ctx, "type = 'view'") }

// names returns the names in the schema for which an SQL condition holds, in the order in which they were
// made.
func (db *DB) names(ctx context.Context, condition string) ([]string, error) {
	res, err := db.Query(ctx, "SELECT name FROM sqlite_schema WHERE "+condition+" ORDER BY rowid", sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	return lists.Map(res.Rows, func(row []sqldata.Value) string { return row[0].Bytes() }), nil
}

// Engine describes the SQL engine.
type Engine struct {
	Version string   `json:"version"`
	Modules []string `json:"modules"` // of virtual tables, which files may have; SQL in the sandbox has none of them
}

// ReadEngine asks the engine about itself.
func ReadEngine() (Engine, error) {
	c, err := openConn(":memory:", "", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_MEMORY)
	if err != nil {
		return Engine{}, err
	}
	defer c.close()
	version, err := c.column("SELECT sqlite_version()")
	if err != nil {
		return Engine{}, err
	}
	modules, err := c.column("SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma%' AND name NOT LIKE 'sqlite%'")
	if err != nil {
		return Engine{}, fmt.Errorf("modules: %w", err)
	}
	slices.Sort(modules)
	return Engine{Version: version[0], Modules: modules}, nil
}
