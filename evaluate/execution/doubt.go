package execution

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/determined"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Doubt says what is wrong with a gold on a database, although predictions are
// judged by it. The zero Doubt is none.
type Doubt struct {
	Reason Reason // GoldFails, GoldEmpty or GoldUndetermined
	Detail string // one short line
}

// Doubt says what is wrong with the gold on a database: it fails, it has no rows, or its
// text leaves its answer open ([determined.Prober.Doubt]; a list is compared but in strict
// mode). A gold is asked once on a database. Nothing is found where finding it would take
// more than the limits allow.
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

func (g *Gold) doubt(ctx context.Context, db *Database) (Doubt, error) {
	res, err := db.denotation(ctx, g.sql, g.options.Limits)
	if err != nil {
		_, fatal := failure(err)
		return Doubt{GoldFails, err.Error()}, fatal
	}
	if len(res.Rows) == 0 {
		return Doubt{Reason: GoldEmpty}, nil
	}
	if !mayVary(g.sql) || g.tree() == nil {
		return Doubt{}, nil
	}
	detail, err := g.prober(db).Doubt(ctx, res, g.ordered && !g.options.Strict)
	if err != nil || detail == "" {
		return Doubt{}, err
	}
	return Doubt{GoldUndetermined, detail}, nil
}

// prober runs variants of the gold on a database. What fails there leaves an answer nil.
func (g *Gold) prober(db *Database) determined.Prober {
	return determined.Prober{Query: g.tree(), Run: func(ctx context.Context, q *sqlast.Query) (*sqldata.Result, error) {
		res, err := db.denotation(ctx, q.String(), g.options.Limits)
		if err != nil {
			_, err = failure(err)
			return nil, err
		}
		return res, nil
	}}
}

// mayVary tells whether a query has any of the clauses or calls by which its answer
// may not be determined; most have none, and no tree is needed for them.
func mayVary(sql string) bool {
	return slices.ContainsFunc([]string{"(", "limit", "order", "group"}, func(sign string) bool { return containsFold(sql, sign) })
}
