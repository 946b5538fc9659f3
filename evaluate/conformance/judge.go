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
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Judgement is the verdict of package evaluate on a pair.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	Flagged bool    `json:"flagged,omitempty"` // a warning that the gold's answer is not determined
	Reason  string  `json:"reason,omitempty"`  // why it is not right, in a word or two; empty if it is
	Detail  string  `json:"detail,omitempty"`  // more on that in a line, or empty
}

// Meets reports whether the judgement is the expected verdict. [Judged] expects right or wrong, and [Flagged] either of them
// with a warning.
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

// Outcome is the judgement on a pair, with the verdict that is expected.
type Outcome struct {
	Pair *Pair `json:"-"`
	Judgement
	Want Verdict `json:"expected"`
	Met  bool    `json:"met"`
}

// String returns the verdict for a cell of a table: "right, flagged !", where ! marks a verdict that is not the expected one.
func (o Outcome) String() string {
	s := string(o.Verdict)
	if o.Flagged {
		s += ", flagged"
	}
	if !o.Met {
		s += " !"
	}
	return s
}

// Run judges all pairs, in order, on the databases of a directory that [Suite.Write] wrote, by this
// project's metrics as the command eval runs them. What is expected is the verdict of strict or of
// parity mode.
func (s *Suite) Run(ctx context.Context, dir string, strict bool) ([]Outcome, error) {
	var outcomes []Outcome
	for _, p := range s.Pairs() {
		db := s.Schema(p)
		db.SQLite = dataset.SQLitePath(dir, db.ID)
		j, err := judge(ctx, p, db, strict)
		if err != nil {
			return outcomes, fmt.Errorf("pair %s: %w", p.ID, err)
		}
		outcomes = append(outcomes, Outcome{p, j, p.Want(strict), j.Meets(p.Want(strict))})
	}
	return outcomes, nil
}

// metricNames gives the name in package evaluate of each metric that cases are about.
var metricNames = map[string]string{Exact: "exact", Execution: "exec", First: "exec-first"}

// judge judges a pair by its metric. The database is the pair's, with its content in db.SQLite.
func judge(ctx context.Context, p *Pair, db *dataset.Database, strict bool) (j Judgement, err error) {
	selected, err := evaluate.Select(metricNames[p.Case.Metric])
	if err != nil {
		return j, err
	}
	o := evaluate.Options{ // without strict, all is done as the official evaluators do it, so OfficialValue is set
		Metrics:   selected,
		Execution: execution.Options{PlugValue: p.PlugValue, OfficialValue: true, Strict: strict, Limits: sqldata.Limits{Time: p.Limit()}},
		Databases: map[string]*dataset.Database{db.ID: db},
		Content:   filepath.Dir(filepath.Dir(db.SQLite)), // the folder of DB_ID/DB_ID.sqlite
	}
	pairs := func(_ func(error), each func(*dataset.Pair) error) error {
		return each(&dataset.Pair{Example: &dataset.Example{DB: db.ID, Query: p.Gold}, Prediction: p.Pred})
	}
	err = evaluate.Run(ctx, pairs, o, func(r *evaluate.Record) error {
		j = newJudgement(r.Scores[0])
		return nil
	})
	return j, err
}

// newJudgement returns the judgement for a score of package evaluate.
func newJudgement(s evaluate.Score) Judgement {
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
