package migration

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/determined"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Verdict is what a migration does to SQL.
type Verdict string

// The verdicts, the worst first.
const (
	Changed   Verdict = "changed"    // runs, and answers otherwise
	Broken    Verdict = "broken"     // does not run any more
	Repaired  Verdict = "repaired"   // gives its answer with the new names
	Untouched Verdict = "untouched"  // gives its answer as it is
	NotJudged Verdict = "not judged" // had no answer before, or none that its text determines
)

// Verdicts lists the verdicts, the worst first.
var Verdicts = []Verdict{Changed, Broken, Repaired, Untouched, NotJudged}

// Outcome is what a migration does to the SQL of a question.
type Outcome struct {
	Query   string  `json:"query"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // why it is not untouched
	Gone    []Gone  `json:"gone,omitempty"`   // the names that the SQL uses and that are no more
	Now     string  `json:"now,omitempty"`    // the repaired SQL
}

// Question is a golden question with what a migration does to it.
type Question struct {
	Index    int    `json:"index"`
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Outcome
	Prediction *Prediction `json:"prediction,omitempty"`

	example *dataset.Example
}

// Prediction is SQL of the product under test with what a migration does to it.
type Prediction struct {
	Outcome
	Right bool `json:"right"` // before the migration
}

// effect is the effect of a migration on SQL: the verdict on the SQL as it is.
type effect struct {
	verdict Verdict
	reason  string
}

// judge sets the outcome of SQL: it compares its answers before and after the migration and, if the SQL is changed or broken, tries it
// with the new names. The error is that of the context.
func (u *unit) judge(ctx context.Context, query string, o *Outcome) error {
	o.Query = query
	if len(u.contents) == 0 {
		o.Verdict, o.Reason = NotJudged, "the database could not be migrated"
		return nil
	}
	ex, err := perturb.NewExample(u.DB, &dataset.Example{DB: u.DB.ID, Query: query})
	if err != nil {
		ex = nil // the engine judges SQL that cannot be followed
	}
	e := u.compare(ctx, query, query, ex)
	if e.verdict == Untouched && ex != nil {
		e = u.reused(ctx, ex)
	}
	if ex != nil && e.verdict != NotJudged {
		o.Gone = u.gone(ex)
	}
	o.Verdict, o.Reason = e.verdict, e.reason
	if slices.Contains([]Verdict{Changed, Broken}, e.verdict) {
		u.repair(ctx, ex, o)
	}
	return ctx.Err()
}

// reused returns the effect on SQL that gives the same answer on these rows: changed if one of its names now belongs to another table or
// column, so that the equal answer is chance. But if the SQL with the new names gives another answer, it is untouched: the migration then
// moved the rows to what has the old name.
func (u *unit) reused(ctx context.Context, ex *perturb.Example) effect {
	name := reusedName(ex, u.edits)
	if name == "" {
		return effect{verdict: Untouched}
	}
	now, err := perturb.FollowGold(ex, u.edits, u.after)
	if err == nil && u.compare(ctx, ex.Query, now, ex).verdict != Untouched {
		return effect{verdict: Untouched}
	}
	return effect{Changed, name + " now names something else, with the same answer on these rows"}
}

// repair tries SQL that is changed or broken with the new names. If it then gives the answer before, the SQL is repaired; if it answers
// otherwise, the reason gets a clause on that. ex is nil for SQL that cannot be parsed, which has no new names.
func (u *unit) repair(ctx context.Context, ex *perturb.Example, o *Outcome) {
	if o.Verdict == Broken && len(o.Gone) > 0 {
		o.Reason = joinGone(o.Gone)
	}
	if ex == nil {
		return
	}
	now, err := perturb.FollowGold(ex, u.edits, u.after)
	if err != nil || now == o.Query {
		return
	}
	switch e := u.compare(ctx, o.Query, now, ex); e.verdict {
	case Untouched:
		if len(o.Gone) == 0 { // else the reason is the list of the names that are gone
			o.Reason = "as it was, " + string(o.Verdict) + ": " + o.Reason
		}
		o.Verdict, o.Now = Repaired, now
	case Changed:
		// Replacing the names is not enough, which is easy to miss.
		o.Reason += "; with the new names it answers otherwise: " + e.reason
	}
}

// compare returns the effect of the migration on the answer of a query, whose SQL after the migration is now. It compares the answers on
// each content, until one differs: first on the rows of the data set, then on made-up rows. It needs no made-up rows if the first answer
// could show a change ([perturb.Conclusive]). ex is nil for SQL that cannot be parsed.
func (u *unit) compare(ctx context.Context, query, now string, ex *perturb.Example) effect {
	for i, c := range u.contents {
		before, err := ask(ctx, c.before, query)
		if err != nil {
			if i == 0 {
				return effect{NotJudged, "does not run before the migration: " + err.Error()}
			}
			continue // made-up rows judge nothing that they cannot answer
		}
		after, err := ask(ctx, c.after, now)
		if err != nil {
			return effect{Broken, err.Error()}
		}
		if !equal(ex, query, before, after) {
			e := effect{Changed, difference(before, after)}
			if open := undetermined(ctx, c.before, ex, before); open != "" {
				e = effect{NotJudged, "its text leaves the answer open: " + open}
			}
			if i > 0 && e.verdict == Changed {
				e.reason = "on made-up rows: " + e.reason
			}
			return e
		}
		if i == 0 && perturb.Conclusive(before) {
			break
		}
	}
	return effect{verdict: Untouched}
}

// equal reports whether two answers of SQL are equal, in the same order if the SQL orders them. ex is nil for SQL that cannot be parsed:
// its text then decides about the order.
func equal(ex *perturb.Example, query string, before, after *sqldata.Result) bool {
	if ex != nil {
		return perturb.Holds(ex.Gold, before, after) // its syntax tree decides about the order
	}
	if strings.Contains(strings.ToLower(query), "order by") {
		return sqldata.EqualList(before, after)
	}
	return sqldata.EqualBag(before, after)
}

// undetermined returns the reason why the text of SQL does not determine its answer, such as ties, or "" if it does or if that is not
// known.
func undetermined(ctx context.Context, db engine.DB, ex *perturb.Example, answer *sqldata.Result) string {
	if ex == nil {
		return ""
	}
	p := determined.Prober{Query: ex.Gold, Run: func(ctx context.Context, q *sqlast.Query) (*sqldata.Result, error) {
		res, err := ask(ctx, db, q.String())
		if err != nil {
			return nil, ctx.Err() // this variant does not run
		}
		return res, nil
	}}
	doubt, err := p.Doubt(ctx, answer, len(ex.Gold.OrderBy) > 0) // with ORDER BY the order of the rows counts
	if err != nil {
		return ""
	}
	return doubt
}

// difference describes how an answer differs from the one before: in the number of columns or rows, in the order, or in a row.
func difference(before, after *sqldata.Result) string {
	switch {
	case len(before.Columns) != len(after.Columns):
		return fmt.Sprintf("%d columns, before %d", len(after.Columns), len(before.Columns))
	case len(before.Rows) != len(after.Rows):
		return fmt.Sprintf("%d rows, before %d", len(after.Rows), len(before.Rows))
	case sqldata.EqualBag(before, after):
		return "the rows come in another order"
	}
	return fmt.Sprintf("row %s is %s now", missingRow(before, after), missingRow(after, before))
}

// missingRow returns the first row of an answer that occurs less often in another one, for people.
func missingRow(answer, other *sqldata.Result) string {
	count := map[string]int{}
	for _, row := range other.Rows {
		count[shownRow(row)]++
	}
	for _, row := range answer.Rows {
		text := shownRow(row)
		count[text]--
		if count[text] < 0 {
			return text
		}
	}
	return "another one" // rows with other values may be shown alike
}

// shownRow returns a row for people: "(Ada, NULL)".
func shownRow(row []sqldata.Value) string {
	return "(" + strings.Join(lists.Map(row, func(v sqldata.Value) string {
		if v.IsNull() {
			return "NULL"
		}
		return dataset.Clip(v.String())
	}), ", ") + ")"
}

// isRight reports whether a prediction had the answer of the gold SQL before the migration, in the same order if the gold SQL has ORDER
// BY. It is false if either does not run.
func (u *unit) isRight(ctx context.Context, gold, predicted string) bool {
	if len(u.contents) == 0 {
		return false
	}
	want, err := ask(ctx, u.contents[0].before, gold)
	if err != nil {
		return false
	}
	got, err := ask(ctx, u.contents[0].before, predicted)
	return err == nil && execution.Equal(want, got, strings.Contains(strings.ToLower(gold), "order by"))
}
