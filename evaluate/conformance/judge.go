package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

// Judgement is what an evaluator answers to a pair.
type Judgement struct {
	Verdict Verdict
	Flagged bool   // a warning that the gold's answer is not determined
	Reason  string // why it is not right, in a word or two; empty where it is
	Detail  string // more on that in a line, or empty
}

// Meets tells whether the judgement is what was expected.
func (j Judgement) Meets(want Verdict) bool {
	decided := j.Verdict == Right || j.Verdict == Wrong
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

// Met tells whether the answer is what was expected.
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

// Ours returns this project's metrics as a judge.
func Ours(strict bool) Judge {
	return func(ctx context.Context, p *Pair, db *dataset.Database) (Judgement, error) {
		switch {
		case p.Case.Metric == Exact:
			return judgeExact(p, db, strict), nil
		case p.Case.Metric == First && !strict:
			return judgeFirst(ctx, p, db)
		}
		return judgeExecution(ctx, p, db, strict)
	}
}

func judgeExact(p *Pair, db *dataset.Database, strict bool) Judgement {
	r := exact.NewSchema(db).Gold(p.Gold).Judge(p.Pred, strict)
	switch {
	case r.Match:
		return Judgement{Verdict: Right}
	case r.Rejected != nil && !r.Tree:
		return Judgement{Verdict: Rejected, Reason: "outside the official grammar", Detail: r.Rejected.Error()}
	}
	var differs []string
	if !r.Tables {
		differs = append(differs, "from")
	}
	for _, part := range r.Differs {
		differs = append(differs, part.String())
	}
	return Judgement{Verdict: Wrong, Reason: "other clauses", Detail: strings.Join(differs, ", ")}
}

func judgeExecution(ctx context.Context, p *Pair, db *dataset.Database, strict bool) (Judgement, error) {
	file, err := execution.Open(ctx, db.SQLite)
	if err != nil {
		return Judgement{}, err
	}
	defer file.Close()
	o := execution.Options{PlugValue: p.PlugValue, Strict: strict}
	o.Limits.Time = p.Limit()
	out, err := execution.NewGold(p.Gold, o).Judge(ctx, p.Pred, file)
	if err != nil {
		return Judgement{}, err
	}
	return fromExecution(out), nil
}

func judgeFirst(ctx context.Context, p *Pair, db *dataset.Database) (Judgement, error) {
	schema := exact.NewSchema(db)
	gold, pred := execution.Keyed{SQL: p.Gold}, execution.Keyed{SQL: p.Pred}
	for _, q := range []*execution.Keyed{&gold, &pred} {
		var err error
		if q.Keys, err = schema.SelectKeys(q.SQL); err != nil {
			return Judgement{Verdict: Rejected, Reason: "outside the official grammar", Detail: err.Error()}, nil
		}
	}
	file, err := execution.Open(ctx, db.SQLite)
	if err != nil {
		return Judgement{}, err
	}
	defer file.Close()
	out, err := execution.JudgeKeyed(ctx, gold, pred, file, sqlite.Limits{Time: p.Limit()})
	return fromExecution(out), err
}

// fromExecution puts an outcome of package execution into the suite's terms.
func fromExecution(out execution.Outcome) Judgement {
	j := Judgement{Flagged: out.Doubt.Reason == execution.GoldUndetermined, Reason: string(out.Reason), Detail: out.Detail}
	switch {
	case out.Verdict == verdict.Right:
		j.Verdict = Right
	case out.Reason == execution.Refused:
		j.Verdict = Refused
	case out.Reason == execution.TimeLimit:
		j.Verdict = Timeout
	case out.Reason == execution.GoldFails:
		j.Verdict = GoldFails
	case out.Verdict == verdict.Unjudged:
		j.Verdict = Undecided
	default:
		j.Verdict = Wrong
	}
	return j
}
