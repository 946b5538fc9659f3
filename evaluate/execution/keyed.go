package execution

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

// Keyed is a query with what each of its result columns goes by.
type Keyed struct {
	SQL  string
	Keys []string
}

// JudgeKeyed judges a prediction as Spider's first execution metric does, before
// there were test suites: answers are lists of rows, and a column is compared with
// the one of the same key, the last where several have it.
func JudgeKeyed(ctx context.Context, gold, pred Keyed, db *Database, limits sqlite.Limits) (Outcome, error) {
	want, err := db.denotation(ctx, gold.SQL, limits)
	if err != nil {
		_, fatal := failure(err)
		return Outcome{Verdict: verdict.Unjudged, Reason: GoldFails, Detail: oneLine(err.Error()), Database: db.path}, fatal
	}
	got, err := db.denotation(ctx, pred.SQL, limits)
	if err != nil {
		reason, fatal := failure(err)
		return Outcome{Verdict: verdict.Wrong, Reason: reason, Detail: oneLine(err.Error()), Database: db.path}, fatal
	}
	a, b := columnsByKey(want, gold.Keys), columnsByKey(got, pred.Keys)
	wrong := func(reason Reason, key string) (Outcome, error) {
		return Outcome{Verdict: verdict.Wrong, Reason: reason, Detail: fmt.Sprintf("the columns of %s", want.Columns[a[key]]), Database: db.path}, nil
	}
	for _, key := range gold.Keys {
		if _, ok := b[key]; !ok || len(a) != len(b) {
			return wrong(OtherColumns, key)
		}
		if len(want.Rows) != len(got.Rows) {
			return wrong(OtherRows, key)
		}
		for i := range want.Rows {
			if !want.Rows[i][a[key]].Equal(got.Rows[i][b[key]]) {
				return wrong(OtherRows, key)
			}
		}
	}
	return Outcome{Verdict: verdict.Right}, nil
}

// columnsByKey returns the position of the column that goes by each key. A star is
// one key for many columns, of which it has the first.
func columnsByKey(res *sqldata.Result, keys []string) map[string]int {
	at := map[string]int{}
	for i, key := range keys {
		at[key] = min(i, len(res.Columns)-1)
	}
	return at
}
