package determined

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// errHiddenKey is the error for ties that no variant of the query can show.
var errHiddenKey = errors.New("the query orders distinct or compound rows by what they do not show")

// Ties returns for each row of res, the query's answer, the number of its group: the
// rows of a group are equal in all keys of ORDER BY.
func (p Prober) Ties(ctx context.Context, res *sqldata.Result) ([]int, error) {
	keyed, keys, err := withKeys(p.Query)
	if err != nil {
		return nil, err
	}
	if keys.added == 0 { // res shows all keys
		return keys.groups(res), nil
	}
	with, err := p.Run(ctx, keyed)
	switch {
	case err != nil:
		return nil, err
	case with == nil, len(with.Rows) != len(res.Rows):
		return nil, errors.New("the query does not run with the keys of its order")
	}
	return keys.groups(with), nil
}

// orderKeys are the columns of an answer by which it is ordered.
type orderKeys struct {
	columns []int // from 0; below 0, counted from the end
	added   int   // columns at the end that only serve as keys
}

// groups returns the number of each row's group, which is that of its first row: consecutive rows with equal keys form a group.
func (k orderKeys) groups(res *sqldata.Result) []int {
	groups := make([]int, len(res.Rows))
	for i := 1; i < len(res.Rows); i++ {
		groups[i] = i
		if k.tied(res.Rows[i-1], res.Rows[i]) {
			groups[i] = groups[i-1]
		}
	}
	return groups
}

// tied reports whether two rows of an answer are equal in all key columns that the answer has.
func (k orderKeys) tied(a, b []sqldata.Value) bool {
	return !slices.ContainsFunc(k.columns, func(c int) bool {
		if c < 0 {
			c += len(a) // a column counted from the end
		}
		return c < len(a) && !a[c].Equal(b[c])
	})
}

// withKeys returns a copy of the query whose result contains all keys of ORDER BY; keys that are no result columns are appended.
// Rows that only a collation makes equal do not count as tied.
func withKeys(q *sqlast.Query) (*sqlast.Query, orderKeys, error) {
	var keys orderKeys
	var hidden []sqlast.Expr
	for _, term := range q.OrderBy {
		if c := resultColumn(q.Select, term.Expr); c >= 0 {
			keys.columns = append(keys.columns, c)
		} else {
			hidden = append(hidden, term.Expr)
		}
	}
	keyed := sqlast.Clone(q)
	if len(hidden) > 0 && (q.Select.Distinct || len(q.Compound) > 0) { // another column would change the rows
		return nil, orderKeys{}, errHiddenKey
	}
	for i, e := range hidden {
		keyed.Select.Columns = append(keyed.Select.Columns, &sqlast.ResultColumn{Expr: sqlast.Clone(e)})
		keys.columns = append(keys.columns, i-len(hidden)) // counted from the end: a star may stand for any number of columns
	}
	keys.added = len(hidden)
	return keyed, keys, nil
}

// resultColumn returns the index of the result column that the term e of ORDER BY names: by number, by alias or as the same expression.
// It returns -1 if there is none, or if a star (*) before it makes the index unknown.
func resultColumn(s *sqlast.Select, e sqlast.Expr) int {
	star := slices.IndexFunc(s.Columns, func(c *sqlast.ResultColumn) bool {
		_, ok := c.Expr.(*sqlast.Star)
		return ok
	})
	known := s.Columns
	if star >= 0 {
		known = known[:star]
	}
	if n, ok := integer(e); ok {
		if star >= 0 || 0 < n && n <= len(known) {
			return n - 1 // columns that a star expands to are numbered too
		}
		return -1
	}
	if ref, ok := e.(*sqlast.ColumnRef); ok && ref.Table.IsZero() {
		if i := slices.IndexFunc(known, func(c *sqlast.ResultColumn) bool { return c.Alias.Is(ref.Column.Name) }); i >= 0 {
			return i
		}
	}
	text := sqlast.Format(e)
	return slices.IndexFunc(known, func(c *sqlast.ResultColumn) bool { return strings.EqualFold(sqlast.Format(c.Expr), text) })
}
