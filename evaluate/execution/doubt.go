package execution

import (
	"context"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/determined"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Doubt is what is wrong with a gold on a database, although predictions are judged by it. The
// zero Doubt means nothing is wrong.
type Doubt struct {
	Reason Reason // GoldFails, GoldEmpty or GoldUndetermined
	Detail string // one short line
}

// Doubt returns what is wrong with the gold on a database: it fails, it has no rows, or its text
// leaves its answer open (see [determined.Prober.Doubt]; an order that is left open counts unless
// the mode is strict). The result is cached for each database. Doubt returns the zero Doubt if the
// check would exceed the limits.
func (g *Gold) Doubt(ctx context.Context, db *Database) (Doubt, error) {
	g.mu.Lock()
	d, known := g.doubts[db.path]
	g.mu.Unlock()
	if known {
		return d, nil
	}
	d, err := g.doubt(ctx, db)
	if err != nil {
		return Doubt{}, err
	}
	d.Detail = oneLine(d.Detail)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.doubts[db.path] = d
	return d, nil
}

// doubt computes what is wrong with the gold on a database, see [Gold.Doubt]; the zero Doubt is none. A query without a syntax tree
// is not checked for what it leaves open.
func (g *Gold) doubt(ctx context.Context, db *Database) (Doubt, error) {
	res, err := db.denotation(ctx, g.sql, g.options.Limits)
	switch {
	case err != nil:
		_, fatal := failureReason(err)
		return Doubt{GoldFails, err.Error()}, fatal
	case len(res.Rows) == 0:
		return Doubt{Reason: GoldEmpty}, nil
	case !mayBeUndetermined(g.sql), g.tree() == nil:
		return Doubt{}, nil
	}
	detail, err := g.prober(db).Doubt(ctx, res, g.ordered && !g.options.Strict)
	if err != nil || detail == "" {
		return Doubt{}, err
	}
	return Doubt{GoldUndetermined, detail}, nil
}

// prober returns a prober that runs variants of the gold on a database. The answer of a variant that fails is nil.
func (g *Gold) prober(db *Database) determined.Prober {
	return determined.Prober{Query: g.tree(), Run: func(ctx context.Context, q *sqlast.Query) (*sqldata.Result, error) {
		res, err := db.denotation(ctx, q.String(), g.options.Limits)
		if err != nil {
			_, err = failureReason(err)
			return nil, err
		}
		return res, nil
	}}
}

// mayBeUndetermined reports whether a query has any clause or call that can leave its answer open. Most have
// none, and need no syntax tree.
func mayBeUndetermined(sql string) bool {
	lower := strings.ToLower(sql)
	return slices.ContainsFunc([]string{"(", "limit", "order", "group"}, func(sign string) bool { return strings.Contains(lower, sign) })
}
