package perturb

import (
	"context"

	"github.com/tabperturb/tabperturb/internal/engine/determined"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Why retargeted gold SQL is none to judge predictions by.
const (
	answerOpen  Reason = "answer-left-open"
	answerEmpty Reason = "answer-empty"
)

// Answered is a query with its answer on some rows.
type Answered struct {
	Query  *sqlast.Query
	Answer *sqldata.Result
}

// Unfit returns why retargeted gold SQL cannot judge predictions, "" if it can. There are two reasons: its answer has no
// rows although the original's has some, and many wrong predictions give an empty answer; or its answer is not
// determined, so that a right prediction may give another. An order that leaves ties counts as determined if the
// original's order leaves ties too. run executes SQL on the database.
func Unfit(ctx context.Context, before, after Answered, run func(context.Context, string) (*sqldata.Result, error)) (Reason, error) {
	if len(after.Answer.Rows) == 0 {
		if len(before.Answer.Rows) > 0 {
			return answerEmpty, nil
		}
		return "", nil
	}
	prober := func(q *sqlast.Query) determined.Prober {
		return determined.Prober{Query: q, Run: func(ctx context.Context, q *sqlast.Query) (*sqldata.Result, error) {
			res, err := run(ctx, q.String())
			if err != nil { // a probe that fails finds no doubt, unless ctx is done
				return nil, ctx.Err()
			}
			return res, nil
		}}
	}
	doubt, err := prober(after.Query).Doubt(ctx, after.Answer, false) // false: the order of rows is probed below
	if err != nil {
		return "", err
	}
	if doubt != "" {
		return answerOpen, nil
	}
	tied, err := prober(after.Query).Order(ctx, after.Answer)
	if err != nil || tied == "" {
		return "", err
	}
	if tied, err = prober(before.Query).Order(ctx, before.Answer); err != nil || tied != "" {
		return "", err
	}
	return answerOpen, nil
}
