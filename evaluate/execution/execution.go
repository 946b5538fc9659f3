package execution

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Options choose how denotations are compared. The zero value is what the
// official evaluator does by default, but for OfficialValue.
type Options struct {
	PlugValue     bool           // constants of the prediction do not count: the gold's are tried in their places
	KeepDistinct  bool           // DISTINCT counts; without, it is removed from gold and prediction
	OfficialValue bool           // "value" becomes 1 within names and strings of the prediction too
	Strict        bool           // repairs what the official evaluator gets wrong; implies KeepDistinct and no OfficialValue
	Limits        sqldata.Limits // of each query, gold's and prediction's
}

// Reason is why a prediction is not right.
type Reason string

// The reasons. The last three blame the gold.
const (
	OtherRows        Reason = "other rows"
	OtherColumns     Reason = "other columns" // another number of columns, or columns that the gold does not have
	OtherOrder       Reason = "other order"   // the gold's rows, but not in the gold's order
	Failed           Reason = "error"         // the engine does not run it
	TimeLimit        Reason = "time limit"
	TooLarge         Reason = "too large"     // rows, bytes, or columns too many to be matched in bounded time
	TooManyWays      Reason = "too many ways" // ways to plug in the gold's constants; none of those tried is right
	Refused          Reason = "refused"       // not one SELECT, or it calls what the sandbox does not have
	GoldFails        Reason = "gold fails"
	GoldEmpty        Reason = "gold is empty"
	GoldUndetermined Reason = "gold is undetermined"
)

// Outcome is the judgement of one prediction.
type Outcome struct {
	Verdict  verdict.Verdict
	Reason   Reason // empty if right
	Detail   string // one short line: the engine's message, a row that differs, …
	Database string // path of the database that decided; empty if right
	Doubt    Doubt  // of the gold, on the first database or on the one that decided
}

// Gold is a gold query, prepared for judging any number of predictions on any
// number of databases. It is safe for concurrent use.
type Gold struct {
	options Options
	sql     string
	tree    func() *sqlast.Query // returns the parsed sql; nil if it does not parse
	ordered bool                 // the order of rows counts

	mu     sync.Mutex
	doubts map[string]Doubt // by path of the database
}

// NewGold prepares a gold query. Whether it is broken shows when it is run.
func NewGold(sql string, o Options) *Gold {
	o.KeepDistinct = o.KeepDistinct || o.Strict
	g := &Gold{options: o, sql: prepare(sql, o.KeepDistinct), doubts: map[string]Doubt{}}
	g.tree = sync.OnceValue(func() *sqlast.Query {
		tree, _ := sqlast.Parse(g.sql)
		return tree
	})
	// The official evaluator lets the ORDER BY of a subquery order the answer; strict mode does not.
	g.ordered = strings.Contains(strings.ToLower(g.sql), "order by")
	if o.Strict && g.tree() != nil {
		g.ordered = len(g.tree().OrderBy) > 0
	}
	return g
}

// Judge judges a prediction on databases: the first one on which it is wrong decides. A database
// on which the gold fails, or both answers are empty, decides nothing unless all do. The
// prediction is untrusted and runs in a sandbox. The error is that of the context or of reading a
// database.
func (g *Gold) Judge(ctx context.Context, pred string, dbs ...*Database) (Outcome, error) {
	if len(dbs) == 0 {
		return Outcome{Verdict: verdict.Unjudged, Reason: GoldFails, Detail: "there is no database to run it on"}, nil
	}
	if !g.options.Strict {
		pred = replaceValue(pred, g.options.OfficialValue)
	}
	pred = prepare(pred, g.options.KeepDistinct)
	out, err := g.judge(ctx, pred, dbs)
	mayPlug := g.options.PlugValue && out.Verdict == verdict.Wrong
	if err == nil && mayPlug && !slices.Contains([]Reason{Refused, TimeLimit}, out.Reason) { // other constants help neither
		out, err = g.judgePlugged(ctx, pred, out, dbs)
	}
	if err != nil {
		return Outcome{}, err
	}
	out.Detail = oneLine(out.Detail)
	// A doubt about the gold on the first database counts, or else on the one that decided.
	if out.Doubt, err = g.Doubt(ctx, dbs[0]); err != nil {
		return Outcome{}, err
	}
	decided := slices.IndexFunc(dbs, func(db *Database) bool { return db.path == out.Database })
	if decided > 0 && out.Doubt == (Doubt{}) {
		out.Doubt, err = g.Doubt(ctx, dbs[decided])
	}
	return out, err
}

// Unanswered returns the reason why no prediction can be judged on the databases: the gold fails
// on all, or its answer is empty on all, so that every empty answer would be right. The reason is
// empty if the gold has rows on a database.
func (g *Gold) Unanswered(ctx context.Context, dbs ...*Database) (Reason, error) {
	reason := GoldFails
	for _, db := range dbs {
		res, err := db.denotation(ctx, g.sql, g.options.Limits)
		if err != nil {
			if _, fatal := failureReason(err); fatal != nil {
				return "", fatal
			}
			continue
		}
		if len(res.Rows) > 0 {
			return "", nil
		}
		reason = GoldEmpty
	}
	return reason, nil
}

// judge judges a prediction, with the constants that it has, on databases up to the first on which it is wrong. The outcome is
// right if it is right on any of the others, else the first that is not judged.
func (g *Gold) judge(ctx context.Context, pred string, dbs []*Database) (Outcome, error) {
	result := Outcome{Verdict: verdict.Unjudged}
	for _, db := range dbs {
		out, err := g.judgeOn(ctx, pred, db)
		if err != nil {
			return Outcome{}, err
		}
		if out.Verdict != verdict.Right {
			out.Database = db.path
		}
		switch {
		case out.Verdict == verdict.Wrong:
			return out, nil
		case out.Verdict == verdict.Right, result == Outcome{Verdict: verdict.Unjudged}: // the latter before any result
			result = out
		}
	}
	return result, nil
}

// judgeOn judges a prediction on one database.
func (g *Gold) judgeOn(ctx context.Context, pred string, db *Database) (Outcome, error) {
	gold, err := db.denotation(ctx, g.sql, g.options.Limits)
	if err != nil {
		return db.goldFails(err)
	}
	res, err := db.denotation(ctx, pred, g.options.Limits)
	if err != nil {
		return db.predictionFails(err)
	}
	return g.compare(ctx, gold, res, db)
}

// goldFails returns the outcome of a prediction whose gold gives no answer on the database, for the error err. It returns err too if
// the gold is not to blame for it.
func (d *Database) goldFails(err error) (Outcome, error) {
	_, fatal := failureReason(err)
	return Outcome{Verdict: verdict.Unjudged, Reason: GoldFails, Detail: oneLine(err.Error()), Database: d.path}, fatal
}

// predictionFails returns the outcome of a prediction that gives no answer on the database, for the error err. It returns err too if
// the prediction is not to blame for it.
func (d *Database) predictionFails(err error) (Outcome, error) {
	reason, fatal := failureReason(err)
	return d.wrong(reason, err.Error()), fatal
}

// wrong is the outcome of a prediction that is wrong on the database.
func (d *Database) wrong(reason Reason, detail string) Outcome {
	return Outcome{Verdict: verdict.Wrong, Reason: reason, Detail: oneLine(detail), Database: d.path}
}

// compare judges a prediction by its answer on a database, pred, and that of the gold.
func (g *Gold) compare(ctx context.Context, gold, pred *sqldata.Result, db *Database) (Outcome, error) {
	if len(gold.Rows)+len(pred.Rows) == 0 {
		if g.options.Strict && len(gold.Columns) != len(pred.Columns) {
			return Outcome{Verdict: verdict.Unjudged, Reason: GoldEmpty, Detail: "both answers are empty; " + describeWidths(gold, pred)}, nil
		}
		return Outcome{Verdict: verdict.Right}, nil
	}
	// With ORDER BY each row of the gold is a group of its own; without, all are one group, in which the order does not count.
	groups := positions(len(gold.Rows), g.ordered)
	equal, complete := match(gold, pred, groups)
	note := ""
	if !equal && g.ordered && g.options.Strict {
		// In strict mode, rows that ORDER BY does not distinguish may come in any order.
		tied, err := g.prober(db).Ties(ctx, gold)
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case err != nil:
			note = "; compared as lists, for " + err.Error()
		default:
			groups = tied
			equal, complete = match(gold, pred, groups)
		}
	}
	switch {
	case equal:
		return Outcome{Verdict: verdict.Right}, nil
	case !complete: // wrong, as the zero verdict is
		return Outcome{Reason: TooLarge, Detail: "its columns could not be matched with the gold's within bounds"}, nil
	}
	reason, detail := difference(gold, pred, groups)
	return Outcome{Reason: reason, Detail: detail + note}, nil
}

// failureReason returns the reason for an error of running a query. It returns the error itself if the
// query is not to blame, as at the end of the context.
func failureReason(err error) (Reason, error) {
	var e *sqldata.Error
	switch {
	case errors.Is(err, sqldata.ErrRefused):
		return Refused, nil
	case errors.Is(err, sqldata.ErrTimeLimit), errors.Is(err, sqldata.ErrSteps):
		return TimeLimit, nil
	case errors.Is(err, sqldata.ErrTooLarge):
		return TooLarge, nil
	case errors.As(err, &e):
		return Failed, nil
	}
	return "", err
}
