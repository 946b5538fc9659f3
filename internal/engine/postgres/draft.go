package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// view is a table that differs from the server's. Without columns it hides the name.
type view struct {
	Name    string   `json:"name"`
	Of      string   `json:"of,omitempty"` // the table of the server
	Columns []column `json:"columns,omitempty"`
	From    string   `json:"from,omitempty"` // SQL after FROM
}

// column is a column of a view.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"` // declared
	SQL  string `json:"sql"`  // its cell
}

// sql returns the SELECT of the view's rows.
func (v *view) sql() string {
	if len(v.Columns) == 0 {
		return "SELECT"
	}
	return "SELECT " + strings.Join(lists.Map(v.Columns, func(c column) string { return c.SQL + " AS " + sqldata.QuoteName(c.Name) }), ", ") + " FROM " + v.From
}

// withHead matches the WITH that a query begins with.
var withHead = lazyregexp.New(`(?i)^WITH\s+(RECURSIVE\s+)?`)

// prefixed returns a query with the tables that differ as common table expressions in front of it.
func (db *DB) prefixed(sql string) string {
	if len(db.views) == 0 {
		return sql
	}
	with := strings.Join(lists.Map(db.views, func(v view) string {
		return sqldata.QuoteName(v.Name) + " AS NOT MATERIALIZED (" + v.sql() + ")"
	}), ", ")
	sql = sqldata.SkipBlank(sql)
	if own := withHead.FindStringSubmatch(sql); own != nil {
		return "WITH " + own[1] + with + ", " + sql[len(own[0]):]
	}
	return "WITH " + with + " " + sql
}

// apply makes the writes in the views.
func (db *DB) apply(ctx context.Context, writes []sqldata.Write) error {
	db.views = slices.Clone(db.views)
	for _, w := range writes {
		if err := db.write(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// write makes a write.
func (db *DB) write(ctx context.Context, w sqldata.Write) error {
	switch w := w.(type) {
	case sqldata.RenameTable:
		return db.renameTable(ctx, w)
	case sqldata.RenameColumn:
		return db.change(ctx, w.Table, w.Column, func(_ *view, c *column) error {
			c.Name = w.Name
			return nil
		})
	case sqldata.DropColumn:
		return db.change(ctx, w.Table, w.Column, func(v *view, c *column) error {
			v.Columns = slices.DeleteFunc(v.Columns, func(other column) bool { return other == *c })
			return nil
		})
	case sqldata.DropTable:
		return db.hide(ctx, w.Table)
	case sqldata.AddColumn:
		return db.addColumn(ctx, w)
	case sqldata.DeriveColumn:
		return db.deriveColumn(ctx, w)
	case sqldata.SplitColumn:
		return db.splitColumn(ctx, w)
	case sqldata.MergeTable:
		return db.mergeTable(ctx, w)
	}
	return fmt.Errorf("a change of the type %T, expected one that a query can carry", w)
}

// view returns the view of a table, which begins as the table of the server.
func (db *DB) view(ctx context.Context, name string) (*view, error) {
	isNamed := func(n string) bool { return strings.EqualFold(n, name) }
	if i := slices.IndexFunc(db.views, func(v view) bool { return isNamed(v.Name) && len(v.Columns) > 0 }); i >= 0 {
		db.views[i].Columns = slices.Clone(db.views[i].Columns)
		return &db.views[i], nil
	}
	tables, err := db.server.introspect(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tables, func(t table) bool { return isNamed(t.Name) && !t.isView })
	if i < 0 || slices.ContainsFunc(db.views, func(v view) bool { return v.Of == tables[i].Name }) {
		return nil, fmt.Errorf("has no table %s, expected it as the schema does", name)
	}
	db.views = append(db.views, viewOver(tables[i]))
	return &db.views[len(db.views)-1], nil
}

// viewOver returns the view that shows a table of the server as it is.
func viewOver(t table) view {
	v := view{Name: t.Name, Of: t.Name, From: sqldata.QuoteName(t.schema) + "." + sqldata.QuoteName(t.Name) + " AS t"}
	for _, c := range t.Columns {
		v.Columns = append(v.Columns, column{c.Name, c.Type, "t." + sqldata.QuoteName(c.Name)})
	}
	return v
}

// change calls do with a column of a table.
func (db *DB) change(ctx context.Context, table, name string, do func(*view, *column) error) error {
	v, err := db.view(ctx, table)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.Columns, func(c column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return fmt.Errorf("table %s has no column %s, expected it as the schema does", table, name)
	}
	return do(v, &v.Columns[i])
}

// renameTable renames a table, and hides the name that it had.
func (db *DB) renameTable(ctx context.Context, r sqldata.RenameTable) error {
	v, err := db.view(ctx, r.Table)
	if err != nil {
		return err
	}
	of := v.Of
	v.Name = r.Name
	db.views = slices.DeleteFunc(db.views, func(other view) bool { return other.Name == r.Name && len(other.Columns) == 0 })
	if of != "" && !slices.ContainsFunc(db.views, func(v view) bool { return v.Name == of }) {
		db.views = append(db.views, view{Name: of})
	}
	return nil
}

// hide hides a table.
func (db *DB) hide(ctx context.Context, name string) error {
	v, err := db.view(ctx, name)
	if err == nil {
		*v = view{Name: v.Name, Of: v.Of}
	}
	return err
}

// cast returns the type that holds values: numeric for numbers, text for all others.
func cast(values []sqldata.Value) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(v sqldata.Value) bool { return !v.IsNull() && !v.IsNumber() }) {
		return "text"
	}
	return "numeric"
}

// quoteText returns s as an SQL string literal.
func quoteText(s string) string {
	if strings.Contains(s, `\`) {
		return `E'` + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// addColumn adds a column whose cells are picked by a hash of the first column's cell.
func (db *DB) addColumn(ctx context.Context, a sqldata.AddColumn) error {
	v, err := db.view(ctx, a.Table)
	if err != nil {
		return err
	}
	typ, sql := cast(a.Cells), "NULL"
	if len(a.Cells) > 0 {
		cells := lists.Map(a.Cells, func(c sqldata.Value) string { return quoteText(c.String()) })
		sql = fmt.Sprintf("(ARRAY[%s])[1 + abs(hashtext(%s::text)::bigint) %% %d]", strings.Join(cells, ", "), v.Columns[0].SQL, len(cells))
	}
	v.Columns = append(v.Columns, column{a.Name, a.Type, "CAST(" + sql + " AS " + typ + ")"})
	return nil
}

// maxValues bounds the distinct values of a column that is recoded.
const maxValues = 10_000

// deriveColumn adds a column whose cells are looked up by the cells of another, each of which it reads.
func (db *DB) deriveColumn(ctx context.Context, d sqldata.DeriveColumn) error {
	return db.change(ctx, d.Table, d.Column, func(v *view, c *column) error {
		res, err := db.server.query(ctx, fmt.Sprintf("SELECT DISTINCT CAST(%[1]s AS text), %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL LIMIT %[3]d", c.SQL, v.From, maxValues+1), sqldata.Limits{})
		if err != nil {
			return err
		}
		if len(res.Rows) > maxValues {
			return fmt.Errorf("%s.%s has more than %d values, expected fewer of a column that is recoded", d.Table, d.Column, maxValues)
		}
		cells := map[string]*string{}
		var made []sqldata.Value
		for _, row := range res.Rows {
			cell, err := d.Cell(row[1])
			if err != nil {
				return fmt.Errorf("%s.%s: %w", d.Table, d.Column, err)
			}
			made = append(made, cell)
			if text := cell.String(); !cell.IsNull() {
				cells[row[0].Bytes()] = &text
			}
		}
		lookup, err := json.Marshal(cells)
		if err != nil {
			return err
		}
		sql := fmt.Sprintf("CAST(CAST(%s AS jsonb) ->> CAST(%s AS text) AS %s)", quoteText(string(lookup)), c.SQL, cast(made))
		v.Columns = append(v.Columns, column{d.Name, d.Type, sql})
		return nil
	})
}

// splitColumn moves a column to a view of its own, whose key numbers the values in their order.
func (db *DB) splitColumn(ctx context.Context, s sqldata.SplitColumn) error {
	var into view
	err := db.change(ctx, s.Table, s.Column, func(v *view, c *column) error {
		values := fmt.Sprintf("(SELECT row_number() OVER (ORDER BY value) AS key, value FROM (SELECT DISTINCT %s AS value FROM %s) AS v WHERE value IS NOT NULL)", c.SQL, v.From)
		into = view{Name: s.Into, From: values + " AS t", Columns: []column{{s.Key, "bigint", "t.key"}, {c.Name, c.Type, "t.value"}}}
		alias := sqldata.QuoteName("split " + s.Into)
		v.From += fmt.Sprintf(" LEFT JOIN %s AS %s ON %s.value = %s", values, alias, alias, c.SQL)
		moved := *c
		v.Columns = slices.DeleteFunc(v.Columns, func(other column) bool { return other == moved })
		v.Columns = append(v.Columns, column{s.Key, "bigint", alias + ".key"})
		return nil
	})
	db.views = append(db.views, into)
	return err
}

// mergeTable joins a table to one that refers to it, and hides it.
func (db *DB) mergeTable(ctx context.Context, m sqldata.MergeTable) error {
	var joined view
	var target string
	err := db.change(ctx, m.Reference, m.Target, func(v *view, c *column) error {
		joined, target = *v, c.Name
		several, err := db.server.query(ctx, fmt.Sprintf("SELECT 1 FROM (%s) AS t GROUP BY %s HAVING count(*) > 1 LIMIT 1", v.sql(), sqldata.QuoteName(c.Name)), sqldata.Limits{})
		if err == nil && len(several.Rows) > 0 {
			err = fmt.Errorf("a row of %s has several rows of %s, expected one at most", m.Table, m.Reference)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = db.change(ctx, m.Table, m.Column, func(v *view, c *column) error {
		alias := sqldata.QuoteName("merged " + m.Reference)
		v.From += fmt.Sprintf(" LEFT JOIN (%s) AS %s ON %s.%s = %s", joined.sql(), alias, alias, sqldata.QuoteName(target), c.SQL)
		for _, moved := range m.Columns {
			i := slices.IndexFunc(joined.Columns, func(c column) bool { return strings.EqualFold(c.Name, moved.Column) })
			if i < 0 {
				return fmt.Errorf("table %s has no column %s, expected it as the schema does", m.Reference, moved.Column)
			}
			v.Columns = append(v.Columns, column{moved.Name, joined.Columns[i].Type, alias + "." + sqldata.QuoteName(joined.Columns[i].Name)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return db.hide(ctx, m.Reference)
}
