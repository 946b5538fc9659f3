package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Table returns the table of the server with a name, in any case; nil if there is none, or if it is a view.
func (s *server) Table(ctx context.Context, name string) (*prefix.Table, error) {
	tables, err := s.introspect(ctx)
	i := slices.IndexFunc(tables, func(t table) bool { return strings.EqualFold(t.Name, name) && !t.isView })
	if err != nil || i < 0 {
		return nil, err
	}
	t := prefix.Of(&tables[i].Table, tables[i].schema)
	return &t, nil
}

// Query runs a query on the server.
func (s *server) Query(ctx context.Context, sql string) (*sqldata.Result, error) {
	return s.query(ctx, "", sql, sqldata.Limits{})
}

// Hidden returns a query without columns.
func (*server) Hidden() string { return "SELECT" }

// Identity returns the cell: equal cells are equal.
func (*server) Identity(cell string) string { return cell }

// Numbers returns true: models see the cells.
func (*server) Numbers() bool { return true }

// Literal returns a value as a literal of any type.
func (*server) Literal(v sqldata.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	return quoteText(v.String())
}

// quoteText returns s as an SQL string literal.
func quoteText(s string) string {
	if strings.Contains(s, `\`) { // E'…' has backslash escapes whatever the settings of the server
		return `E'` + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// Added returns SQL that picks one of a.Cells for a row, by a hash of its cell in the first column: (ARRAY['a', 'b'])[1 + HASH % 2].
func (*server) Added(a sqldata.AddColumn, first string) string {
	cells := lists.Map(a.Cells, func(c sqldata.Value) string { return quoteText(c.String()) })
	return fmt.Sprintf("(ARRAY[%s])[1 + abs(hashtext(%s::text)::bigint) %% %d]", strings.Join(cells, ", "), first, len(cells))
}

// maxValues bounds the distinct values of a column that is recoded.
const maxValues = 10_000

// Derived reads the distinct cells of the source column, computes the new cell of each, and returns SQL that looks new cells up in a JSON
// object by the text of the old one. NULL stays NULL.
func (s *server) Derived(ctx context.Context, d sqldata.DeriveColumn, cell, from string) (string, error) {
	res, err := s.Query(ctx, fmt.Sprintf("SELECT DISTINCT CAST(%[1]s AS text), %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL LIMIT %[3]d", cell, from, maxValues+1))
	if err != nil {
		return "", err
	}
	if len(res.Rows) > maxValues {
		return "", fmt.Errorf("%s.%s has more than %d values, expected fewer of a column that is recoded", d.Table, d.Column, maxValues)
	}
	cells := map[string]*string{}
	var made []sqldata.Value
	for _, row := range res.Rows {
		v, err := d.Cell(row[1])
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", d.Table, d.Column, err)
		}
		made = append(made, v)
		if text := v.String(); !v.IsNull() { // a lookup that finds nothing gives NULL
			cells[row[0].Bytes()] = &text
		}
	}
	lookup, err := json.Marshal(cells)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("CAST(CAST(%s AS jsonb) ->> CAST(%s AS text) AS %s)", quoteText(string(lookup)), cell, prefix.Cast(made)), nil
}
