// Package evaluate judges predictions by metrics and sums up the verdicts.
//
// A [Case] is one prediction with its gold SQL; a [Metric] scores it: right, wrong
// or not judged, with a reason. [Run] streams pairs of gold SQL and prediction
// through a list of metrics with several workers and returns the records in
// order; a [Report] sums them up by hardness. The comparisons have packages of
// their own: exact set match in exact, answers in execution, distilled test suites
// in suite.
package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Score is the verdict of a metric on a prediction.
type Score struct {
	Verdict  verdict.Verdict
	Official verdict.Verdict // of the official evaluator; Unjudged if it would stop, or there is none for the metric
	Reason   string          // why the verdict is not right; empty for right
	Detail   string          // a line more: the engine's message, the part that differs, the database
	Doubt    string          // what is wrong with the gold SQL although it was judged
	Exact    *exact.Result   // the partial scores; only of exact set match
}

// Metric is one way to judge a prediction.
type Metric struct {
	Name  string
	Doc   string
	Paper string
	Runs  bool                                              // it runs queries on the content of the databases
	How   func(*Options) string                             // the comparison and the databases, for the report
	Score func(ctx context.Context, c *Case) (Score, error) // an error, of the context or I/O, ends the run
}

// Metrics returns all metrics, in the order in which they are printed.
func Metrics() []Metric {
	return []Metric{exactMatch, executionMatch, suiteMatch, firstExecution, birdExecution}
}

// Runs reports whether a metric runs queries on the content of databases.
func (o *Options) Runs() bool {
	return slices.ContainsFunc(o.Metrics, func(m Metric) bool { return m.Runs })
}

// MetricNames returns the names of all metrics.
func MetricNames() []string {
	return lists.Map(Metrics(), func(m Metric) string { return m.Name })
}

// Select returns the metrics of these names, in the order of [Metrics].
func Select(names ...string) ([]Metric, error) {
	for _, name := range names {
		if !slices.Contains(MetricNames(), name) {
			return nil, fmt.Errorf("%q: expected some of %s", name, strings.Join(MetricNames(), ", "))
		}
	}
	return lists.Filter(Metrics(), func(m Metric) bool { return slices.Contains(names, m.Name) }), nil
}

// Case is one prediction with its gold SQL, schema and options.
type Case struct {
	*dataset.Pair
	schema  *exact.Schema
	gold    *preparedGold
	options *Options
	worker  *worker

	noContent string // why the example's database cannot be opened
}

var exactMatch = Metric{
	Name:  "exact",
	Doc:   "Exact set match: prediction and gold SQL have the same clauses, each as a set; constants are ignored.",
	Paper: "Spider, section 4",
	How: func(o *Options) string {
		if o.Execution.Strict {
			return "strict exact set match on resolved syntax trees, constants but those of LIMIT ignored"
		}
		return "official exact set match, constants ignored"
	},
	Score: func(_ context.Context, c *Case) (Score, error) {
		if c.Problem != nil {
			return unreadableScore(c), nil
		}
		r := c.gold.exact.Judge(c.Prediction, c.options.Execution.Strict)
		s := Score{Verdict: verdict.Of(r.Match), Official: verdict.Of(r.Official), Exact: &r}
		switch {
		case r.Match:
		case r.NoTree:
			s.Reason = "no SQL on this schema"
			if r.Rejected != nil {
				s.Detail = r.Rejected.Error()
			}
		case r.Rejected != nil && !r.Tree:
			s.Reason, s.Detail = OutsideGrammar, r.Rejected.Error()
		default:
			s.Reason, s.Detail = "other clauses", differingClauses(&r)
		}
		if err := c.gold.exact.Problem(); err != nil {
			s.Official, s.Doubt = verdict.Unjudged, OutsideGrammar
		}
		return s, nil
	},
}

var executionMatch = Metric{
	Name:  "exec",
	Doc:   "Execution accuracy: prediction and gold SQL give the same answer on the example's database.",
	Paper: "Distilled test suites, sections 2 and 5",
	Runs:  true,
	How: func(o *Options) string {
		return o.comparison() + ", the database of each question in " + cmp.Or(o.Server, o.Content)
	},
	Score: func(ctx context.Context, c *Case) (Score, error) {
		dbs, err := c.worker.content(ctx, c)
		if err != nil {
			return Score{}, err
		}
		s, err := c.executeOn(ctx, c.gold.run, dbs)
		if err != nil || !c.options.Execution.Strict {
			s.Official = s.Verdict
			return s, err
		}
		official, err := c.executeOn(ctx, c.gold.official, dbs)
		s.Official = official.Verdict
		return s, err
	},
}

var suiteMatch = Metric{
	Name:  "suite",
	Doc:   "Test suite accuracy: prediction and gold SQL give the same answer on every database of a distilled suite.",
	Paper: "Distilled test suites, section 2",
	How: func(o *Options) string {
		return o.comparison() + ", every database of the suite on which the answer of the gold is determined"
	},
	Score: func(ctx context.Context, c *Case) (Score, error) {
		dbs, err := c.worker.suite(ctx, c)
		if err != nil {
			return Score{}, err
		}
		if s := c.scoreWithoutAnswers(dbs); s != nil {
			if c.Problem == nil && c.options.Suite != nil && len(c.options.Suite(c.DB, "")) > 0 {
				*s = unjudgedScore(string(execution.GoldEmpty), "on every database of the suite on which its answer is determined")
			}
			return *s, nil
		}
		if reason, err := c.gold.run.Unanswered(ctx, dbs...); err != nil || reason != "" {
			return unjudgedScore(string(reason), "on every database of the suite"), err
		}
		s, err := c.executeOn(ctx, c.gold.run, dbs)
		if s.Doubt == string(execution.GoldEmpty) {
			s.Doubt = "" // on one database of many the answer may well be empty
		}
		return s, err
	},
}

// firstExecution makes figures comparable with papers of its time. In strict mode it is
// executionMatch, which repairs its faults.
var firstExecution = Metric{
	Name:  "exec-first",
	Doc:   "Execution as Spider's first evaluator compared it: lists of rows, columns told apart by what they select but for the aggregate.",
	Paper: "Spider, section 4",
	Runs:  true,
	How: func(o *Options) string {
		if o.Execution.Strict {
			return executionMatch.How(o)
		}
		return "first official comparison of answers, the database of each question in " + cmp.Or(o.Server, o.Content)
	},
	Score: onContent(func(ctx context.Context, c *Case, db *execution.Database) (Score, error) {
		if c.options.Execution.Strict {
			return executionMatch.Score(ctx, c)
		}
		goldKeys, err := c.gold.exact.SelectKeys()
		if err != nil {
			return unjudgedScore("gold is outside the official grammar", err.Error()), nil
		}
		predKeys, err := c.schema.SelectKeys(c.Prediction)
		if err != nil {
			return Score{Reason: OutsideGrammar, Detail: err.Error()}, nil
		}
		o, err := execution.JudgeKeyed(ctx, execution.Keyed{SQL: c.Query, Keys: goldKeys}, execution.Keyed{SQL: c.Prediction, Keys: predKeys}, db, c.options.Execution.Limits)
		return Score{Verdict: o.Verdict, Official: o.Verdict, Reason: string(o.Reason), Detail: o.Detail}, err
	}),
}

// birdExecution is BIRD's own comparison, which ignores repeated rows. In strict mode it is
// executionMatch, which repairs its faults.
var birdExecution = Metric{
	Name:  "exec-bird",
	Doc:   "Execution accuracy as BIRD's evaluator compares answers: sets of rows, columns in order, values exactly, 30 seconds.",
	Paper: "BIRD, execution accuracy",
	Runs:  true,
	How: func(o *Options) string {
		if o.Execution.Strict {
			return executionMatch.How(o)
		}
		return fmt.Sprintf("BIRD's comparison of answers (sets of rows, columns in order, values exactly, %v a query), the database of each question in %s",
			execution.BIRDLimits(o.Execution.Limits).Time, cmp.Or(o.Server, o.Content))
	},
	Score: onContent(func(ctx context.Context, c *Case, db *execution.Database) (Score, error) {
		limits := c.options.Execution.Limits
		o, err := execution.JudgeBIRD(ctx, c.Query, c.Prediction, db, limits)
		if err != nil {
			return Score{}, err
		}
		official := o.Verdict
		if o.Reason == execution.GoldFails {
			official = verdict.Wrong
		}
		if c.options.Execution.Strict {
			s, err := c.executeOn(ctx, c.gold.run, []*execution.Database{db})
			s.Official = official
			return s, err
		}
		// Strict, because BIRD does not compare the order, so an open order is no doubt.
		gold := execution.NewGold(c.Query, execution.Options{Strict: true, Limits: execution.BIRDLimits(limits)})
		doubt, err := gold.Doubt(ctx, db)
		return Score{Verdict: o.Verdict, Official: official, Reason: string(o.Reason), Detail: o.Detail, Doubt: string(doubt.Reason)}, err
	}),
}

// onContent returns the Score function of a metric that scores a prediction on the example's own database.
func onContent(score func(context.Context, *Case, *execution.Database) (Score, error)) func(context.Context, *Case) (Score, error) {
	return func(ctx context.Context, c *Case) (Score, error) {
		dbs, err := c.worker.content(ctx, c)
		if err != nil {
			return Score{}, err
		}
		if s := c.scoreWithoutAnswers(dbs); s != nil {
			return *s, nil
		}
		return score(ctx, c, dbs[0])
	}
}

// OutsideGrammar is the reason of SQL that the official evaluator does not parse.
const OutsideGrammar = "outside the official grammar"

// scoreWithoutAnswers returns the score of a case whose answers cannot be compared, because the prediction
// is unreadable or there is no database; nil for other cases. dbs are the databases of the case.
func (c *Case) scoreWithoutAnswers(dbs []*execution.Database) *Score {
	if c.Problem != nil {
		return new(unreadableScore(c))
	}
	if len(dbs) == 0 {
		return new(unjudgedScore("no database", c.noContent))
	}
	return nil
}

// unjudgedScore returns the score of a prediction that is not judged.
func unjudgedScore(reason, detail string) Score {
	return Score{Verdict: verdict.Unjudged, Official: verdict.Unjudged, Reason: reason, Detail: detail}
}

// executeOn scores a case by the answers of gold and prediction on databases. Without a database it is not
// judged. The score has no official verdict; the metric adds it.
func (c *Case) executeOn(ctx context.Context, gold *execution.Gold, dbs []*execution.Database) (Score, error) {
	if s := c.scoreWithoutAnswers(dbs); s != nil {
		return *s, nil
	}
	o, err := gold.Judge(ctx, c.Prediction, dbs...)
	if len(dbs) > 1 && o.Database != "" { // the database that decided; there may be no other detail
		o.Detail = strings.TrimSuffix("on "+filepath.Base(o.Database)+": "+o.Detail, ": ")
	}
	return Score{Verdict: o.Verdict, Official: verdict.Unjudged, Reason: string(o.Reason), Detail: o.Detail, Doubt: string(o.Doubt.Reason)}, err
}

// differingClauses returns the names of the clauses that differ, separated by commas.
func differingClauses(r *exact.Result) string {
	names := lists.Map(r.Differs, exact.Part.String)
	if !r.Tables { // FROM is no [exact.Part]
		names = append(names, "from")
	}
	return strings.Join(names, ", ")
}

// unreadableScore returns the score of a prediction whose record cannot be read, which is wrong.
func unreadableScore(c *Case) Score {
	return Score{Verdict: verdict.Wrong, Official: verdict.Unjudged, Reason: "unreadable", Detail: c.Problem.Error()}
}

// comparison describes how answers are compared.
func (o *Options) comparison() string {
	s := "official comparison of answers (bag of rows, list where the gold orders them, columns in any order)"
	switch {
	case o.Execution.Strict:
		s = "strict comparison of answers (bag of rows, list where the gold orders them but for ties, columns in any order, DISTINCT kept)"
	case o.Execution.KeepDistinct:
		s += ", DISTINCT kept"
	default:
		s += ", DISTINCT dropped"
	}
	if o.Execution.OfficialValue && !o.Execution.Strict {
		s += ", \"value\" replaced within words"
	}
	if o.Execution.PlugValue {
		s += ", constants of the gold plugged in"
	}
	return s
}
