package linker

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// CrossValidate scores linkers on databases that they were not trained on: for each fold of the databases,
// a linker is trained on the others. A database is in the same fold as those that were perturbed from it
// ([dataset.OriginalID]), and the intervals draw them together. It returns a row for each fold and one for
// all.
func CrossValidate(ctx context.Context, examples []*Example, o Options, folds int, step func()) ([]Row, error) {
	fold := map[string]int{} // by original database
	for _, ex := range examples {
		if _, ok := fold[ex.structure.original]; !ok {
			fold[ex.structure.original] = len(fold) % folds
		}
	}
	if len(fold) < folds {
		return nil, fmt.Errorf("%d folds of %d databases, expected not more folds than databases", folds, len(fold))
	}
	var all Tally
	var rows []Row
	for f := range folds {
		inFold := func(ex *Example) bool { return fold[ex.structure.original] == f }
		m, err := Train(ctx, lists.Filter(examples, func(ex *Example) bool { return !inFold(ex) }), o, step)
		if err != nil {
			return nil, err
		}
		var tally Tally
		for _, ex := range lists.Filter(examples, inFold) {
			tally.Add(ex.structure.original, ex, m.Score(ex), linking.Score{})
		}
		all.Merge(&tally)
		rows = append(rows, tally.Row("", fmt.Sprintf("fold %d", f+1), nil))
	}
	return append(rows, all.Row("", "all folds", nil)), nil
}

// Originals counts the databases of examples; one and those that were perturbed from it count once.
func Originals(examples []*Example) int {
	ids := lists.Set(examples, func(ex *Example) string { return ex.structure.original })
	return len(ids)
}
