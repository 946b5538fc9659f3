package postgres

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// table is a table or view of the server that the role may read and that SQL finds without its schema's name.
type table struct {
	sqldata.Table
	schema string
	isView bool
}

// readable is the condition for relations c with columns a that the role may read. Partitions are read through their table.
const readable = ` FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
	WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND a.attnum > 0 AND NOT a.attisdropped
	AND pg_catalog.pg_table_is_visible(c.oid) AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')`

// columnsSQL selects a row for each column of a relation (see [server.introspect]), keysSQL one for each column of a key (see [addKeys]).
const (
	columnsSQL = `SELECT c.relname, n.nspname, c.relkind IN ('v', 'm'), a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
	coalesce(pg_catalog.obj_description(c.oid, 'pg_class'), ''), coalesce(pg_catalog.col_description(c.oid, a.attnum), '')` + readable + ` ORDER BY c.relname, c.oid, a.attnum`

	keysSQL = `SELECT c.relname, k.contype, k.oid, a.attname, f.relname, fa.attname
	FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS u (own, other, place)
	JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.own LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
	LEFT JOIN pg_catalog.pg_attribute fa ON fa.attrelid = f.oid AND fa.attnum = u.other
	WHERE k.contype IN ('p', 'f') AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY c.relname, k.conname, u.place`
)

// introspect returns the tables and views of the server that the role may read. It asks the server at the first call only.
func (s *server) introspect(ctx context.Context) ([]table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables != nil {
		return s.tables, nil
	}
	columns, err := s.query(ctx, "", columnsSQL, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	keys, err := s.query(ctx, "", keysSQL, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	tables := []table{} // not nil, even if there are none
	// A row has a relation, its schema, whether it is a view, a column, its type, and the comments of the relation and of the column.
	for _, row := range columns.Rows {
		name := row[0].Bytes()
		if len(tables) == 0 || tables[len(tables)-1].Name != name {
			tables = append(tables, table{Table: sqldata.Table{Name: name, Comment: row[5].Bytes()}, schema: row[1].Bytes(), isView: row[2].Int() == 1})
		}
		t := &tables[len(tables)-1]
		t.Columns = append(t.Columns, sqldata.Column{Name: row[3].Bytes(), Type: row[4].Bytes(), Comment: row[6].Bytes()})
	}
	addKeys(tables, keys.Rows)
	s.tables = tables
	return tables, nil
}

// addKeys adds the primary and foreign keys to the tables. A row of keysSQL has a table, the kind ("p" or "f") and the id of a key, a
// column of it, and for a foreign key the table and column that it refers to. The rows of one key are consecutive.
func addKeys(tables []table, rows [][]sqldata.Value) {
	var last []sqldata.Value
	for _, row := range rows {
		i := slices.IndexFunc(tables, func(t table) bool { return t.Name == row[0].Bytes() })
		if i < 0 { // the role may not read the table
			continue
		}
		t := &tables[i]
		if row[1].Bytes() == "p" {
			t.PrimaryKey = append(t.PrimaryKey, row[3].Bytes())
			continue
		}
		if !slices.Equal(last, row[:3]) { // the first column of another key
			t.ForeignKeys, last = append(t.ForeignKeys, sqldata.ForeignKey{Table: row[4].Bytes()}), row[:3]
		}
		k := &t.ForeignKeys[len(t.ForeignKeys)-1]
		k.Columns, k.References = append(k.Columns, row[3].Bytes()), append(k.References, row[5].Bytes())
	}
}

// Schema returns the tables in the order of their names. Tables of the draft replace those of the server.
// Tables that differ have no keys.
func (db *DB) Schema(ctx context.Context) ([]sqldata.Table, error) {
	tables, err := db.server.introspect(ctx)
	if err != nil {
		return nil, err
	}
	own := lists.Filter(tables, func(t table) bool { return !t.isView })
	return db.tables.Schema(lists.Map(own, func(t table) sqldata.Table { return t.Table })), nil
}

// Views returns the names of the views.
func (db *DB) Views(ctx context.Context) ([]string, error) {
	tables, err := db.server.introspect(ctx)
	return lists.Map(lists.Filter(tables, func(t table) bool { return t.isView }), func(t table) string { return t.Name }), err
}

// Virtual returns nothing: every table has rows of its own.
func (db *DB) Virtual(context.Context) ([]string, map[string]bool, error) {
	return nil, map[string]bool{}, nil
}

// Kept returns the views. They depend on no name, as the tables of the server stay.
func (db *DB) Kept(ctx context.Context) (sqldata.Kept, error) {
	views, err := db.Views(ctx)
	return sqldata.Kept{Views: views}, err
}

// Fixed returns nothing: any column can be hidden.
func (db *DB) Fixed(context.Context) ([]sqldata.DropColumn, error) { return nil, nil }

// Enforces returns true.
func (db *DB) Enforces() bool { return true }

// Dialect returns the name of PostgreSQL's dialect.
func (db *DB) Dialect() string { return "postgresql" }

// ownerSQL asks whether the role may do more than SELECT needs.
const ownerSQL = `SELECT current_user, CASE WHEN (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN 'is a superuser'
	WHEN EXISTS (SELECT 1` + readable + ` AND pg_catalog.pg_has_role(c.relowner, 'USAGE')) THEN 'owns tables' END`

// Advice returns a sentence if the role is a superuser or owns tables, more than it needs to read them; "" otherwise.
func (db *DB) Advice(ctx context.Context) (string, error) {
	res, err := db.server.query(ctx, "", ownerSQL, sqldata.Limits{})
	if err != nil || len(res.Rows) != 1 || res.Rows[0][1].IsNull() {
		return "", err
	}
	// The row has the name of the role, and what it is or owns.
	return "the role " + res.Rows[0][0].Bytes() + " " + res.Rows[0][1].Bytes() + "; a role that may SELECT is enough, as nothing is written on the server", nil
}
