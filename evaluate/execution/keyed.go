package execution

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Keyed is a query with the keys that identify its result columns.
type Keyed struct {
	SQL  string
	Keys []string // in the order of the columns
}

// JudgeKeyed judges a prediction as Spider's first execution metric does, before there were test suites: answers are lists
// of rows, and a column is compared with the column of the same key, see [Keyed]; the last one if several have the key.
func JudgeKeyed(ctx context.Context, gold, pred Keyed, db *Database, limits sqldata.Limits) (Outcome, error) {
	want, err := db.denotation(ctx, gold.SQL, limits)
	if err != nil {
		return db.goldFails(err)
	}
	got, err := db.denotation(ctx, pred.SQL, limits)
	if err != nil {
		return db.predictionFails(err)
	}
	a, b := columnsByKey(want, gold.Keys), columnsByKey(got, pred.Keys)
	for _, key := range gold.Keys {
		detail := "the columns of " + want.Columns[a[key]]
		if _, ok := b[key]; !ok || len(a) != len(b) { // the prediction lacks the key, or has others
			return db.wrong(OtherColumns, detail), nil
		}
		if !slices.EqualFunc(want.Rows, got.Rows, func(x, y []sqldata.Value) bool { return x[a[key]].Equal(y[b[key]]) }) {
			return db.wrong(OtherRows, detail), nil
		}
	}
	return Outcome{Verdict: verdict.Right}, nil
}

// columnsByKey returns the position of the column with each key: that of the key in keys, but at most that of the last
// column. A star is one key for all of its columns, so positions count it as one column.
func columnsByKey(res *sqldata.Result, keys []string) map[string]int {
	positions := map[string]int{}
	for i, key := range keys {
		positions[key] = min(i, len(res.Columns)-1)
	}
	return positions
}
