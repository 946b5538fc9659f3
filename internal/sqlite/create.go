package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/outdir"
	"github.com/tabperturb/tabperturb/internal/sqldata"
)

// Create writes a new database file with the tables and, for each of them, its
// rows; rows may be shorter than tables. Tables that SQLite lets nobody create
// are left out: without columns, or with names of its own (sqlite_sequence). The file appears whole or not at all,
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
				if i < len(rows) {
					if err := insert(ctx, c, t, rows[i]); err != nil {
						return fmt.Errorf("table %s: %w", t.Name, err)
					}
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

func reserved(table string) bool {
	return strings.HasPrefix(strings.ToLower(table), "sqlite_")
}

// DDL returns the CREATE TABLE statement of a table.
func DDL(t sqldata.Table) string {
	var lines []string
	for _, c := range t.Columns {
		lines = append(lines, strings.TrimRight(QuoteName(c.Name)+" "+c.Type, " "))
	}
	if len(t.PrimaryKey) > 0 {
		lines = append(lines, "PRIMARY KEY ("+quoteNames(t.PrimaryKey)+")")
	}
	for _, fk := range t.ForeignKeys {
		line := "FOREIGN KEY (" + quoteNames(fk.Columns) + ") REFERENCES " + QuoteName(fk.Table)
		if len(fk.References) > 0 {
			line += " (" + quoteNames(fk.References) + ")"
		}
		lines = append(lines, line)
	}
	return "CREATE TABLE " + QuoteName(t.Name) + " (\n  " + strings.Join(lines, ",\n  ") + "\n)"
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = QuoteName(n)
	}
	return strings.Join(quoted, ", ")
}

func insert(ctx context.Context, c *conn, t sqldata.Table, rows [][]sqldata.Value) error {
	if len(rows) == 0 {
		return nil
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	s, _, err := c.prepare("INSERT INTO " + QuoteName(t.Name) + " VALUES (" + marks + ")")
	if err != nil {
		return err
	}
	defer s.finalize()
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells, expected %d", i, len(row), len(t.Columns))
		}
		if err := s.run(row...); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}
