package linker

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/evaluate/linking"
)

// CrossValidate says what linkers reach on databases that they were not trained on: each fold
// of the databases is asked of one that was trained on the others.
func CrossValidate(ctx context.Context, examples []*Example, o Options, folds int, step func()) ([]Row, error) {
	fold := map[*Schema]int{}
	for _, ex := range examples {
		if _, ok := fold[ex.Schema]; !ok {
			fold[ex.Schema] = len(fold) % folds
		}
	}
	if len(fold) < folds {
		return nil, fmt.Errorf("%d folds of %d databases, expected not more folds than databases", folds, len(fold))
	}
	var all Tally
	var rows []Row
	for f := range folds {
		var seen, held []*Example
		for _, ex := range examples {
			if fold[ex.Schema] == f {
				held = append(held, ex)
			} else {
				seen = append(seen, ex)
			}
		}
		m, err := Train(ctx, seen, o, step)
		if err != nil {
			return nil, err
		}
		var tally Tally
		for _, ex := range held {
			tally.Add(ex.Schema.DB.ID, ex, m.Score(ex), linking.Score{})
		}
		all.Merge(&tally)
		rows = append(rows, tally.Row("", fmt.Sprintf("fold %d", f+1), nil))
	}
	return append(rows, all.Row("", "all folds", nil)), nil
}
