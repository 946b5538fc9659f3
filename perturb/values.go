package perturb

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// maxValues bounds the distinct values of a column that are looked at.
const maxValues = 10_000

// Content is the content of a database, for perturbations that look at cells.
type Content struct {
	schema      *dataset.Database
	db          engine.DB
	values      map[dataset.ColumnRef]values
	refersToAll map[dataset.ForeignKey]bool // results of RefersToAll
	lost        error
}

// values are the distinct values of a column, or why they cannot be read: that is
// found out once, for it may take as long as a query may.
type values struct {
	list []sqldata.Value
	err  error
}

// OpenContent opens the SQLite file of a database.
func OpenContent(ctx context.Context, schema *dataset.Database, path string) (*Content, error) {
	db, err := engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Content{schema: schema, db: db, values: map[dataset.ColumnRef]values{}, refersToAll: map[dataset.ForeignKey]bool{}}, nil
}

// Close closes the file.
func (c *Content) Close() error { return c.db.Close() }

// Query runs one SELECT over the content, under the engine's default limits. It returns the errors
// of [engine.DB.Query], and records the loss of a server for [Content.Lost].
func (c *Content) Query(ctx context.Context, sql string) (*sqldata.Result, error) {
	res, err := c.db.Query(ctx, sql, sqldata.Limits{})
	if errors.Is(err, sqldata.ErrNoServer) {
		c.lost = err
	}
	return res, err
}

// Lost returns the error of a query that the server did not answer, nil if there was none. After such an error the variants of a
// perturbation must not be used: it takes content that it cannot read for content without rows.
func (c *Content) Lost() error {
	if c == nil {
		return nil
	}
	return c.lost
}

// Values returns the distinct values of a column in order, NULL among them if
// it occurs; not more than 10,000.
func (c *Content) Values(ctx context.Context, ref dataset.ColumnRef) ([]sqldata.Value, error) {
	if v, ok := c.values[ref]; ok {
		return v.list, v.err
	}
	// SQLite reads an unknown column in double quotes as a text; qualified by its table it is an error.
	table := sqldata.QuoteName(c.schema.Tables[ref.Table].Original)
	res, err := c.Query(ctx, fmt.Sprintf("SELECT DISTINCT %s.%s FROM %s ORDER BY 1 LIMIT %d",
		table, sqldata.QuoteName(c.schema.Column(ref).Original), table, maxValues))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	v := values{}
	if err != nil {
		v.err = fmt.Errorf("%s: %w", c.schema.ColumnID(ref), err)
	} else {
		v.list = lists.Map(res.Rows, func(row []sqldata.Value) sqldata.Value { return row[0] })
	}
	c.values[ref] = v
	return v.list, v.err
}

// Distinct is Values for callers that need none: it returns nil if there is no content or the column
// cannot be read.
func (c *Content) Distinct(ctx context.Context, ref dataset.ColumnRef) []sqldata.Value {
	if c == nil {
		return nil
	}
	values, _ := c.Values(ctx, ref)
	return values
}

// RefersToAll reports whether each row of the table that a foreign key refers to is referred to by some row. It returns false if there
// is no content or a column cannot be read.
func (c *Content) RefersToAll(ctx context.Context, key dataset.ForeignKey) bool {
	if c == nil {
		return false
	}
	if all, ok := c.refersToAll[key]; ok {
		return all
	}
	// As in Values, columns are qualified by their table.
	table, other := sqldata.QuoteName(c.schema.Tables[key.Target.Table].Original), sqldata.QuoteName(c.schema.Tables[key.Column.Table].Original)
	target := table + "." + sqldata.QuoteName(c.schema.Column(key.Target).Original)
	column := other + "." + sqldata.QuoteName(c.schema.Column(key.Column).Original)
	left, err := c.Query(ctx, fmt.Sprintf("SELECT 1 FROM %s WHERE %s NOT IN (SELECT %s FROM %s WHERE %[3]s IS NOT NULL) LIMIT 1", table, target, column, other))
	all := err == nil && len(left.Rows) == 0
	if ctx.Err() == nil {
		c.refersToAll[key] = all
	}
	return all
}
