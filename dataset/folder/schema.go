package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Schema reads the schema of a SQLite file. Types follow from its cells, natural names from its
// SQL names. What no schema can hold is left out and passed to note. The errors do not name the
// file.
func Schema(ctx context.Context, id, path string, note func(error)) (*dataset.Database, error) {
	db, err := schema(ctx, id, path, note)
	if err == nil {
		newNameMaker().database(db)
	}
	return db, err
}

// schema reads a schema as [Schema] does, but leaves the natural names of tables and columns empty.
func schema(ctx context.Context, id, path string, note func(error)) (*dataset.Database, error) {
	file, err := engine.Open(ctx, path)
	if err != nil {
		return nil, withoutPath(path, err)
	}
	defer file.Close()
	r := &schemaReader{file: file, db: &dataset.Database{ID: id, SQLite: path, Dialect: file.Dialect()}, tables: map[string]int{}, note: note}
	advice, err := file.Advice(ctx)
	if err != nil {
		return nil, withoutPath(path, err)
	}
	if advice != "" {
		r.warn("%s", advice)
	}
	if err := r.findSpecialTables(ctx); err != nil {
		return nil, withoutPath(path, err)
	}
	tables, err := file.Schema(ctx)
	if err != nil {
		return nil, withoutPath(path, err)
	}
	for _, t := range tables {
		r.table(t)
	}
	for _, view := range r.views {
		if err := r.view(ctx, view); err != nil {
			return nil, err
		}
	}
	for _, t := range tables {
		r.keys(t, tables)
	}
	if len(r.db.Tables) == 0 {
		return nil, errors.New("has no table, expected one at least")
	}
	for t := range r.db.Tables {
		if err := r.setTypes(ctx, &r.db.Tables[t]); err != nil {
			return nil, err
		}
	}
	return r.db, nil
}

// withoutPath removes the path from an error, because the caller names the file.
func withoutPath(path string, err error) error {
	var in *os.PathError
	if errors.As(err, &in) {
		return in.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), path+": "))
}

// schemaReader reads the schema of one SQLite file.
type schemaReader struct {
	file    engine.DB
	db      *dataset.Database
	tables  map[string]int  // position of a table by its name in lower case
	skipped map[string]bool // tables that are left out, in lower case: virtual ones and their shadows
	views   []string
	note    func(error)
}

// warn passes a harmless problem to note.
func (r *schemaReader) warn(format string, args ...any) {
	r.note(fmt.Errorf(format, args...))
}

// findSpecialTables finds what is no table with rows of its own: views, virtual tables, and the
// tables that store the data of virtual ones.
func (r *schemaReader) findSpecialTables(ctx context.Context) error {
	virtual, shadowTables, err := r.file.Virtual(ctx)
	if err != nil {
		return err
	}
	r.skipped = shadowTables
	for _, name := range virtual {
		r.warn("virtual table %q is left out, for modules do not run in the sandbox; expected tables with rows of their own", dataset.Clip(name))
		r.skipped[strings.ToLower(name)] = true
	}
	r.views, err = r.file.Views(ctx)
	return err
}

// table adds a table without its keys to the schema. A table that cannot be used is left out.
func (r *schemaReader) table(t sqldata.Table) {
	switch {
	case strings.HasPrefix(strings.ToLower(t.Name), "sqlite_"), r.skipped[strings.ToLower(t.Name)]:
		return
	case !isUsableName(t.Name):
		r.warn("table %q is left out, expected a name of UTF-8 text", dataset.Clip(t.Name))
		return
	}
	table := dataset.Table{Original: t.Name}
	for _, c := range t.Columns {
		if !isUsableName(c.Name) {
			r.warn("table %q: column %q is left out, expected a name of UTF-8 text", dataset.Clip(t.Name), dataset.Clip(c.Name))
			continue
		}
		table.Columns = append(table.Columns, dataset.Column{Original: c.Name, Type: dataset.Type(c.Type), Description: strings.Join(strings.Fields(c.Comment), " ")})
	}
	if len(table.Columns) == 0 {
		r.warn("table %q is left out: no column of it can be used", dataset.Clip(t.Name))
		return
	}
	r.tables[strings.ToLower(t.Name)] = len(r.db.Tables)
	r.db.Tables = append(r.db.Tables, table)
}

// view adds a view to the schema, as a table without keys whose columns are fixed. A view that
// cannot be read is left out.
func (r *schemaReader) view(ctx context.Context, name string) error {
	quoted := sqldata.QuoteName(name)
	res, err := r.file.Query(ctx, "SELECT * FROM "+quoted+" LIMIT 1", sqldata.Limits{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.warn("view %q is left out: %w", dataset.Clip(name), err)
		return nil
	}
	before := len(r.db.Tables)
	r.table(sqldata.Table{Name: name, Columns: lists.Map(res.Columns, func(column string) sqldata.Column { return sqldata.Column{Name: column} })})
	for _, table := range r.db.Tables[before:] { // the view, unless it is left out
		for c := range table.Columns {
			table.Columns[c].Fixed = true
		}
	}
	return nil
}

// isUsableName reports whether a name can be written in SQL and in JSON.
func isUsableName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsRune(name, 0)
}

// keys adds the primary and foreign keys of a table. A key of several columns becomes a key of
// each. A reference without columns is to the primary key of its table.
func (r *schemaReader) keys(t sqldata.Table, all []sqldata.Table) {
	if _, isUsed := r.tables[strings.ToLower(t.Name)]; !isUsed { // the table is left out
		return
	}
	for _, c := range t.PrimaryKey {
		if ref, columnExists := r.db.Lookup(t.Name, c); columnExists {
			r.db.PrimaryKeys = append(r.db.PrimaryKeys, ref)
		}
	}
	seen := map[dataset.ForeignKey]bool{}
	for _, fk := range t.ForeignKeys {
		targets := fk.References
		if len(targets) == 0 { // REFERENCES without columns
			targets = primaryKey(all, fk.Table)
		}
		if len(targets) != len(fk.Columns) {
			r.warn("table %q: a foreign key is left out, expected the columns of %q that it refers to", dataset.Clip(t.Name), dataset.Clip(fk.Table))
			continue
		}
		for i, c := range fk.Columns {
			from, columnExists := r.db.Lookup(t.Name, c)
			to, targetExists := r.db.Lookup(fk.Table, targets[i])
			key := dataset.ForeignKey{Column: from, Target: to}
			switch {
			case !columnExists, !targetExists:
				r.warn("table %q: the foreign key of %q is left out, expected that %q has a column %q",
					dataset.Clip(t.Name), dataset.Clip(c), dataset.Clip(fk.Table), dataset.Clip(targets[i]))
			case !seen[key]:
				seen[key] = true
				r.db.ForeignKeys = append(r.db.ForeignKeys, key)
			}
		}
	}
}

// primaryKey returns the primary key of the table with a name.
func primaryKey(tables []sqldata.Table, name string) []string {
	for _, t := range tables {
		if strings.EqualFold(t.Name, name) {
			return t.PrimaryKey
		}
	}
	return nil
}
