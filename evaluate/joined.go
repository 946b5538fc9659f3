package evaluate

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// WithGold counts the questions with gold SQL, and those without, as in a data set that has
// answers only.
type WithGold struct{ has, lacks int }

// Only returns the pairs with gold SQL, and counts both kinds as they pass.
func (g *WithGold) Only(pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return pairs.Filter(func(p *dataset.Pair) bool {
		if p.Query == "" {
			g.lacks++
			return false
		}
		g.has++
		return true
	})
}

// Check passes to skip how many questions of the file gold have no gold SQL. It returns an error if none
// has any.
func (g *WithGold) Check(gold string, skip func(error)) error {
	switch {
	case g.lacks == 0:
	case g.has == 0:
		return fmt.Errorf("%s: has no gold SQL for any of its %d questions, expected some to judge predictions by", gold, g.lacks)
	default:
		skip(fmt.Errorf("%s: has no gold SQL for %d of its %d questions; they are not judged", gold, g.lacks, g.has+g.lacks))
	}
	return nil
}

// Joined counts the questions with an answer and those without, where answers are joined to
// questions by db_id and question.
type Joined struct{ answered, missing int }

// Count returns the pairs. As they pass, it counts those with an answer and those without one.
func (j *Joined) Count(pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return pairs.Tap(func(p *dataset.Pair) {
		if p.Problem == dataset.ErrNotAsked {
			j.missing++
		} else {
			j.answered++
		}
	})
}

// Check passes to note how many questions of the file gold have no answer in the file pred, with the
// consequence for them. It returns an error if no question has one.
func (j *Joined) Check(pred, gold, consequence string, note func(error)) error {
	switch {
	case j.missing == 0:
	case j.answered == 0:
		return fmt.Errorf("%s: answers none of the %s of %s, expected db_id and question as they stand there", pred, table.Count(j.missing, "question"), gold)
	default:
		note(fmt.Errorf("%s: answers %d of the %s of %s; the others: %s", pred, j.answered, table.Count(j.answered+j.missing, "question"), gold, consequence))
	}
	return nil
}
