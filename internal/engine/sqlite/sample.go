package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Sampler draws rows of a database file for a smaller one with the same schema. Rows to
// which others refer by foreign keys come along, so that keys hold. It is for one goroutine.
type Sampler struct {
	path   string
	writer *writer
	tables []*drawnRows          // in the order in which they were made
	drawn  map[string]*drawnRows // the same by the name of the table in lower case
}

// drawnRows are rows of a table by their keys.
type drawnRows struct {
	table sqldata.Table
	key   []string                   // the columns that identify a row, as SQL
	rows  map[string][]sqldata.Value // keys of the drawn rows, by their text
	next  [][]sqldata.Value          // those whose references are not followed yet
}

// NewSampler returns a sampler of the database file at path, which has drawn no row.
func NewSampler(ctx context.Context, path string) (*Sampler, error) {
	db, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tables, err := db.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c, err := openConn(path, "mode=ro&immutable=1", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Sampler{path: path, writer: &writer{ctx: ctx, conn: c}, drawn: map[string]*drawnRows{}}
	for _, t := range tables {
		if reserved(t.Name) { // SQLite makes it itself
			continue
		}
		key, err := s.writer.key(t.Name)
		if err != nil {
			c.close()
			return nil, fmt.Errorf("%s: table %s: %w", path, t.Name, err)
		}
		d := &drawnRows{table: t, key: key, rows: map[string][]sqldata.Value{}}
		s.tables = append(s.tables, d)
		s.drawn[strings.ToLower(t.Name)] = d
	}
	return s, nil
}

// Close closes the file.
func (s *Sampler) Close() { s.writer.conn.close() }

// Key returns the columns that identify a row of a table, as SQL; nil if there is no such table.
func (s *Sampler) Key(table string) []string {
	if d := s.drawn[strings.ToLower(table)]; d != nil {
		return d.key
	}
	return nil
}

// Take draws the row of a table with a key, the cells of the columns of [Sampler.Key]. It ignores unknown tables and keys with
// a NULL, which outer joins return.
func (s *Sampler) Take(table string, key []sqldata.Value) {
	d := s.drawn[strings.ToLower(table)]
	if d == nil || len(key) != len(d.key) || slices.ContainsFunc(key, sqldata.Value.IsNull) {
		return
	}
	name := fmt.Sprintf("%#v", key) // distinct for distinct keys
	if d.rows[name] == nil {
		d.rows[name] = slices.Clone(key)
		d.next = append(d.next, d.rows[name])
	}
}

// First draws the first rows of each table, up to limit.
func (s *Sampler) First(limit int) error {
	for _, d := range s.tables {
		keys := strings.Join(d.key, ", ")
		rows, err := s.writer.conn.all(fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT %d", keys, sqldata.QuoteName(d.table.Name), keys, limit))
		if err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		for _, key := range rows {
			s.Take(d.table.Name, key)
		}
	}
	return nil
}

// follow draws the rows to which drawn ones refer by foreign keys, until no new row is drawn.
func (s *Sampler) follow() error {
	for again := true; again; {
		again = false
		for _, d := range s.tables {
			next := d.next // the rows drawn since the last pass; followKey may add others
			d.next = nil
			again = again || len(next) > 0
			for _, fk := range d.table.ForeignKeys {
				if err := s.followKey(d, fk, next); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// followKey draws the rows to which rows of d, given by their keys, refer by the foreign key fk. It ignores a key that SQLite could not follow.
func (s *Sampler) followKey(d *drawnRows, fk sqldata.ForeignKey, rows [][]sqldata.Value) error {
	parent := s.drawn[strings.ToLower(fk.Table)]
	if parent == nil {
		return nil
	}
	references := fk.References
	if len(references) == 0 {
		references = parent.table.PrimaryKey
	}
	if len(references) != len(fk.Columns) {
		return nil
	}
	keys := lists.Map(parent.key, func(key string) string { return "p." + key })
	where := lists.Map(d.key, func(key string) string { return "c." + key + " = ?" })
	on := make([]string, len(references))
	for i, r := range references {
		on[i] = fmt.Sprintf("p.%s = c.%s", sqldata.QuoteName(r), sqldata.QuoteName(fk.Columns[i]))
	}
	find, _, err := s.writer.conn.prepare(fmt.Sprintf("SELECT %s FROM %s AS c JOIN %s AS p ON %s WHERE %s LIMIT 1", strings.Join(keys, ", "),
		sqldata.QuoteName(d.table.Name), sqldata.QuoteName(parent.table.Name), strings.Join(on, " AND "), strings.Join(where, " AND ")))
	if err != nil {
		return nil // such as a key to a column that does not exist
	}
	defer find.finalize()
	for _, row := range rows {
		found, err := find.rowsFor(row)
		if err != nil {
			return err
		}
		for _, key := range found {
			s.Take(parent.table.Name, key)
		}
	}
	return nil
}

// Write writes the drawn rows to a new database file with the schema of the old one. Rows
// of virtual tables are left out. The file appears whole or not at all, and its bytes
// depend on nothing but the old file and what was drawn.
func (s *Sampler) Write(ctx context.Context, dst string) error {
	if err := s.follow(); err != nil {
		return err
	}
	// Tables come before indexes, views and triggers, and virtual tables first: they make tables of their own, which are listed too.
	made, err := s.writer.conn.all(`SELECT type = 'table', sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY type <> 'table', sql NOT LIKE 'CREATE VIRTUAL%', rowid`)
	if err != nil {
		return err
	}
	return outdir.Replace(dst, func(tmp string) error {
		return edit(ctx, tmp, func(c *conn) error {
			return s.fill(ctx, c, made)
		})
	})
}

// fill makes the schema of the new file and inserts the drawn rows before the indexes, views and triggers
// are made. A row of made is a statement: whether it makes a table, and its SQL. Tables come first.
func (s *Sampler) fill(ctx context.Context, c *conn, made [][]sqldata.Value) error {
	tables := slices.IndexFunc(made, func(row []sqldata.Value) bool { return row[0].Int() == 0 })
	if tables < 0 {
		tables = len(made)
	}
	if err := execMade(c, made[:tables]); err != nil {
		return err
	}
	if err := s.rows(ctx, c); err != nil {
		return err
	}
	return execMade(c, made[tables:])
}

// execMade runs statements that made a schema; a row has the statement as its second cell. It skips tables that a virtual table
// has made for itself, which exist already, and virtual tables whose module the engine lacks.
func execMade(c *conn, made [][]sqldata.Value) error {
	for _, row := range made {
		_, err := c.execFirst(row[1].Bytes())
		if err != nil && !strings.Contains(err.Error(), "already exists") && !strings.HasPrefix(err.Error(), "no such module") {
			return err
		}
	}
	return nil
}

// rows copies the drawn rows to the new file c, table by table in the order of their keys.
func (s *Sampler) rows(ctx context.Context, c *conn) error {
	for _, d := range s.tables {
		t := d.table
		names, err := s.writer.conn.storedColumns(t.Name)
		if err != nil {
			return err
		}
		find, _, err := s.writer.conn.prepare(fmt.Sprintf("SELECT %s FROM %s WHERE %s", quoteNames(names), sqldata.QuoteName(t.Name), strings.Join(d.key, " = ? AND ")+" = ?"))
		if err != nil {
			return err
		}
		var rows [][]sqldata.Value
		for _, name := range sortedKeys(d.rows) {
			found, err := find.rowsFor(d.rows[name])
			if err != nil {
				find.finalize()
				return err
			}
			rows = append(rows, found...)
		}
		find.finalize()
		t.Columns = make([]sqldata.Column, len(names)) // insert compares only their number with that of the cells
		// A row that breaks a constraint, which the old file may hold, is left out.
		if err := c.insert(ctx, fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", sqldata.QuoteName(t.Name), quoteNames(names), marks(len(names))), t, rows); err != nil {
			return err
		}
	}
	return nil
}

// sortedKeys returns the keys of the map rows in the order of the row keys they map to: integers by value, other cells as text.
func sortedKeys(rows map[string][]sqldata.Value) []string {
	return slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(slices.CompareFunc(rows[a], rows[b], func(x, y sqldata.Value) int {
			if x.Kind() == sqldata.Integer && y.Kind() == sqldata.Integer {
				return cmp.Compare(x.Int(), y.Int())
			}
			return strings.Compare(x.String(), y.String())
		}), strings.Compare(a, b))
	})
}
