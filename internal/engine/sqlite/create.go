package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Create writes a new database file with the tables and, for each of them, its
// rows; rows may be shorter than tables. It leaves out tables that
// SQLite refuses: without columns, or with names that it reserves (sqlite_sequence). The file appears whole or not at all,
// and its bytes depend on nothing but the arguments. Foreign keys are declared,
// not enforced: rows are put in as they come.
func Create(ctx context.Context, dst string, tables []sqldata.Table, rows [][][]sqldata.Value) error {
	err := outdir.Replace(dst, func(tmp string) error {
		return edit(ctx, tmp, func(c *conn) error {
			for i, t := range tables {
				if reserved(t.Name) || len(t.Columns) == 0 {
					continue
				}
				if err := c.exec(DDL(t)); err != nil {
					return err
				}
				if i >= len(rows) {
					continue
				}
				if err := c.insert(ctx, "INSERT INTO "+sqldata.QuoteName(t.Name)+" VALUES ("+marks(len(t.Columns))+")", t, rows[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", dst, err)
	}
	return nil
}

// reserved reports whether SQLite reserves the name of a table for itself.
func reserved(table string) bool {
	return strings.HasPrefix(strings.ToLower(table), "sqlite_")
}

// DDL returns the CREATE TABLE statement of a table.
func DDL(t sqldata.Table) string {
	lines := lists.Map(t.Columns, func(c sqldata.Column) string { return strings.TrimRight(sqldata.QuoteName(c.Name)+" "+c.Type, " ") })
	if len(t.PrimaryKey) > 0 {
		lines = append(lines, "PRIMARY KEY ("+quoteNames(t.PrimaryKey)+")")
	}
	for _, fk := range t.ForeignKeys {
		line := "FOREIGN KEY (" + quoteNames(fk.Columns) + ") REFERENCES " + sqldata.QuoteName(fk.Table)
		if len(fk.References) > 0 {
			line += " (" + quoteNames(fk.References) + ")"
		}
		lines = append(lines, line)
	}
	return "CREATE TABLE " + sqldata.QuoteName(t.Name) + " (\n  " + strings.Join(lines, ",\n  ") + "\n)"
}

// quoteNames returns names in double quotes, separated by commas.
func quoteNames(names []string) string {
	return strings.Join(lists.Map(names, sqldata.QuoteName), ", ")
}

// marks returns n parameters for a statement: "?, ?, ?".
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
