package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// maxWays bounds the ways to plug constants of the gold into a prediction: n constants in k places
// give n to the power of k.
const maxWays = 10_000

// judgePlugged judges a prediction with the gold's constants in the place of its own, after its own constants gave
// the wrong outcome own. It tries every way to assign the gold's constants to the places. The first way that is right decides.
// Otherwise it returns own if the prediction has the gold's constants, or else the outcome of the
// first way that came furthest. All ways together take at most as long as one query; the outcome
// records whether some were not tried.
func (g *Gold) judgePlugged(ctx context.Context, pred string, own Outcome, dbs []*Database) (Outcome, error) {
	ways, err := g.pluggings(ctx, pred, dbs[0])
	if ways == nil {
		return own, err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(g.options.Limits.Time, sqldata.DefaultLimits.Time))
	defer cancel()
	best, furthest := own, -1
	for n := range maxWays {
		sql, ok := ways.next()
		if !ok {
			if furthest >= 0 {
				best.Detail = strings.TrimSuffix("with the gold's constants: "+best.Detail, ": ") // it may have no detail
			}
			return best, nil
		}
		out, err := g.judge(limited, sql, dbs)
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			own.Reason, own.Detail = TimeLimit, fmt.Sprintf("the first %d of %s to plug the gold's constants in took too long", n, ways)
			return own, nil
		case err != nil:
			return Outcome{}, err
		case out.Verdict == verdict.Right:
			return out, nil
		}
		// The later the first database on which a way is wrong, the further the way came. If the prediction has the gold's
		// constants, its own outcome stays the best.
		if at := slices.IndexFunc(dbs, func(db *Database) bool { return db.path == out.Database }); !ways.ownAreGolds && at > furthest {
			best, furthest = out, at
		}
	}
	own.Reason, own.Detail = TooManyWays, fmt.Sprintf("tried %d of %s to plug the gold's constants in", maxWays, ways)
	return own, nil
}

// ways enumerates the ways to put values in the places of a query.
type ways struct {
	query       *sqlast.Query
	places      []sqlast.Node // the constants of the prediction
	values      []sqlast.Node // the constants of the gold, each once
	chosen      []int         // a value for each place; the last place turns fastest
	ownAreGolds bool          // the prediction's own values are all among the gold's
	done        bool
}

// pluggings returns the ways to plug the gold's constants into a prediction; nil if either has no constants
// or does not parse. A name in double quotes is a constant unless it is a column of db.
func (g *Gold) pluggings(ctx context.Context, pred string, db *Database) (*ways, error) {
	query, err := sqlast.Parse(pred)
	if err != nil || g.tree() == nil {
		return nil, nil
	}
	tables, err := db.catalog(ctx)
	if err != nil {
		return nil, err
	}
	w := &ways{query: query, places: constants(query, tables)}
	inGold := map[string]bool{}
	for _, n := range constants(g.tree(), tables) {
		if s := sqlast.Format(n); !inGold[s] {
			inGold[s] = true
			w.values = append(w.values, asLiteral(n))
		}
	}
	if min(len(w.values), len(w.places)) == 0 {
		return nil, nil
	}
	w.ownAreGolds = !slices.ContainsFunc(w.places, func(n sqlast.Node) bool { return !inGold[sqlast.Format(n)] })
	w.chosen = make([]int, len(w.places))
	return w, nil
}

// String returns how many ways there are, as a power.
func (w *ways) String() string { return fmt.Sprintf("%d^%d ways", len(w.values), len(w.places)) }

// next returns the query with the values of the next way; false after the last one.
func (w *ways) next() (string, bool) {
	if w.done {
		return "", false
	}
	valueOf := map[sqlast.Node]sqlast.Node{}
	for i, place := range w.places {
		valueOf[place] = w.values[w.chosen[i]]
	}
	query := sqlast.Rewrite(w.query, func(n sqlast.Node) sqlast.Node {
		if v, ok := valueOf[n]; ok {
			return sqlast.Clone(v)
		}
		return n
	})
	// Count up, as with digits: the last place first, and the place before it each time that one starts again.
	w.done = true
	for i := len(w.chosen) - 1; i >= 0; i-- {
		if w.chosen[i]++; w.chosen[i] < len(w.values) {
			w.done = false
			break
		}
		w.chosen[i] = 0
	}
	return sqlast.Format(query), true
}

// constants returns the numbers and strings of a query in source order; a minus
// sign belongs to its number. A name in double quotes is a string only where no
// column has that name.
func constants(q *sqlast.Query, tables sqlast.Catalog) []sqlast.Node {
	binding, err := sqlast.Resolve(q, tables)
	var found []sqlast.Node
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Unary:
			if isNumber(n.X) && n.Op == "-" {
				found = append(found, n)
				return false
			}
		case *sqlast.Literal:
			if isNumber(n) || n.Kind == sqlast.StringLiteral {
				found = append(found, n)
			}
		case *sqlast.ColumnRef:
			if err == nil && binding.Target(n).Kind == sqlast.String {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// isNumber reports whether an expression is a number.
func isNumber(n sqlast.Expr) bool {
	literal, ok := n.(*sqlast.Literal)
	return ok && literal.Kind == sqlast.NumberLiteral
}

// asLiteral returns a constant as a literal, because a name in double quotes may be a column elsewhere.
func asLiteral(n sqlast.Node) sqlast.Node {
	if ref, ok := n.(*sqlast.ColumnRef); ok {
		return &sqlast.Literal{Kind: sqlast.StringLiteral, Text: ref.Column.Name}
	}
	return n
}
