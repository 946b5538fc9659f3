package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// Judgement is what an evaluator answers to a pair.
type Judgement struct {
	Verdict Verdict
	Flagged bool   // a warning that the gold's answer is not determined
	Reason  string // why it is not right, in a word or two; empty where it is
	Detail  string // more on that in a line, or empty
}

// Meets reports whether the judgement is the expected verdict.
func (j Judgement) Meets(want Verdict) bool {
	decided := slices.Contains([]Verdict{Right, Wrong}, j.Verdict)
	switch want {
	case Judged:
		return decided
	case Flagged:
		return decided && j.Flagged
	}
	return j.Verdict == want
}

// Judge is an evaluator. The database is the pair's, with its content in
// db.SQLite. An error is of the evaluator itself and ends the run.
type Judge func(ctx context.Context, p *Pair, db *dataset.Database) (Judgement, error)

// Outcome is a pair with what an evaluator answered.
type Outcome struct {
	Pair *Pair
	Want Verdict
	Judgement
}

// Met reports whether the judgement is the expected one.
func (o Outcome) Met() bool { return o.Meets(o.Want) }

// Run puts all pairs to an evaluator, in order, on the databases of a directory
// that [Suite.Write] wrote. What is expected is the verdict of strict or of
// parity mode.
func (s *Suite) Run(ctx context.Context, dir string, strict bool, judge Judge) ([]Outcome, error) {
	var outcomes []Outcome
	for _, p := range s.Pairs() {
		db := s.Schema(p)
		db.SQLite = dataset.SQLitePath(dir, db.ID)
		j, err := judge(ctx, p, db)
		if err != nil {
			return outcomes, fmt.Errorf("pair %s: %w", p.ID, err)
		}
		outcomes = append(outcomes, Outcome{Pair: p, Want: p.Want(strict), Judgement: j})
	}
	return outcomes, nil
}

// metrics names, for each metric that cases are about, the one of package
// evaluate.
var metrics = map[string]string{Exact: "exact", Execution: "exec", First: "exec-first"}

// Ours returns this project's metrics, as the command eval runs them, as a judge.
func Ours(strict bool) Judge {
	return func(ctx context.Context, p *Pair, db *dataset.Database) (Judgement, error) {
		selected, err := evaluate.Select(metrics[p.Case.Metric])
		if err != nil {
			return Judgement{}, err
		}
		o := evaluate.Options{
			Metrics:   selected,
			Execution: execution.Options{PlugValue: p.PlugValue, Strict: strict, Limits: sqlite.Limits{Time: p.Limit()}},
			Databases: map[string]*dataset.Database{db.ID: db},
			Content:   filepath.Dir(filepath.Dir(db.SQLite)),
		}
		one := func(_ func(error), each func(*dataset.Pair) error) error {
			return each(&dataset.Pair{Example: &dataset.Example{DB: db.ID, Query: p.Gold}, Prediction: p.Pred})
		}
		var j Judgement
		err = evaluate.Run(ctx, one, o, func(r *evaluate.Record) error {
			j = judgement(r.Scores[0])
			return nil
		})
		return j, err
	}
}

// judgement puts a score of package evaluate into the suite's terms.
func judgement(s evaluate.Score) Judgement {
	j := Judgement{Flagged: s.Doubt == string(execution.GoldUndetermined), Reason: s.Reason, Detail: s.Detail}
	switch {
	case s.Verdict == verdict.Right:
		j.Verdict = Right
	case s.Verdict == verdict.Unjudged && s.Reason == string(execution.GoldFails):
		j.Verdict = GoldFails
	case s.Verdict == verdict.Unjudged:
		j.Verdict = Undecided
	case s.Reason == evaluate.OutsideGrammar:
		j.Verdict = Rejected
	case s.Reason == string(execution.Refused):
		j.Verdict = Refused
	case s.Reason == string(execution.TimeLimit):
		j.Verdict = Timeout
	default:
		j.Verdict = Wrong
	}
	return j
}
