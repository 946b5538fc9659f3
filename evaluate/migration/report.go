package migration

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/junit"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Counts is how many questions have each verdict.
type Counts map[Verdict]int

// Database is a checked database.
type Database struct {
	ID         string `json:"db_id"`
	Statements int    `json:"statements"`
	Counts     Counts `json:"counts"`

	after *dataset.Database // nil if it could not be migrated
}

// Report has what migrations do to golden questions.
type Report struct {
	Counts           Counts      `json:"counts"`
	Predictions      Counts      `json:"predictions,omitempty"` // of those that were right before
	Wrong            int         `json:"predictions_wrong_before,omitempty"`
	WithoutMigration int         `json:"without_migration,omitempty"` // questions about databases that have none
	Databases        []Database  `json:"databases"`
	Questions        []*Question `json:"questions"`
}

// newCounts returns a count of 0 for each verdict.
func newCounts() Counts {
	c := Counts{}
	for _, v := range Verdicts {
		c[v] = 0
	}
	return c
}

// add adds a database with its questions to the report, and counts their verdicts and those of predictions that were right before.
func (r *Report) add(u *unit) {
	if r.Counts == nil {
		r.Counts = newCounts()
		if u.config.Predictions != nil {
			r.Predictions = newCounts()
		}
	}
	db := Database{ID: u.DB.ID, Statements: u.script.Statements, Counts: newCounts(), after: u.after}
	for _, q := range u.questions {
		db.Counts[q.Verdict]++
		r.Counts[q.Verdict]++
		switch {
		case q.Prediction == nil:
		case q.Prediction.Right:
			r.Predictions[q.Prediction.Verdict]++
		default:
			r.Wrong++
		}
	}
	r.Databases = append(r.Databases, db)
	r.Questions = append(r.Questions, u.questions...)
}

// Failed reports whether the SQL of a golden question, or of a prediction that was right, is broken or silently changed.
func (r *Report) Failed() bool {
	return r.Counts[Changed]+r.Counts[Broken]+r.Predictions[Changed]+r.Predictions[Broken] > 0
}

// meanings are what the verdicts mean, for people.
var meanings = map[Verdict]string{
	Changed: "the SQL runs and answers otherwise", Broken: "the SQL does not run any more", Repaired: "with the new names it gives the same answer",
	Untouched: "the SQL gives the same answer as it is", NotJudged: "no answer before, or one that the SQL leaves open",
}

// WriteText prints the report for people, with at most shown questions of each verdict; all for -1.
func (r *Report) WriteText(w io.Writer, shown int) error {
	statements := lists.Sum(r.Databases, func(db Database) int { return db.Statements })
	fmt.Fprintf(w, "%s about %s, migrated by %s", table.Count(len(r.Questions), "question"), table.Count(len(r.Databases), "database"), table.Count(statements, "statement"))
	if r.WithoutMigration > 0 {
		fmt.Fprintf(w, "; %s about databases without a migration", table.Count(r.WithoutMigration, "more question"))
	}
	fmt.Fprint(w, "\n\n")
	if _, err := io.WriteString(w, r.counts().String()); err != nil {
		return err
	}
	for _, v := range []Verdict{Changed, Broken, NotJudged, Repaired} {
		r.writeQuestions(w, v, shown, "", func(q *Question) *Outcome { return &q.Outcome })
	}
	for _, v := range []Verdict{Changed, Broken} {
		r.writeQuestions(w, v, shown, "predictions that were right, ", func(q *Question) *Outcome {
			if q.Prediction == nil || !q.Prediction.Right {
				return &Outcome{} // it has no verdict, so it is not printed
			}
			return &q.Prediction.Outcome
		})
	}
	return nil
}

// counts returns the table of verdicts, with the numbers of questions and, if there are any, of predictions.
func (r *Report) counts() *table.Table {
	names := []string{"verdict", "questions"}
	if r.Predictions != nil {
		names = append(names, "predictions")
	}
	t := table.New("", append(names, "")...)
	for _, v := range Verdicts {
		cells := []any{string(v), r.Counts[v]}
		if r.Predictions != nil {
			cells = append(cells, r.Predictions[v])
		}
		t.Add(append(cells, meanings[v])...)
	}
	if r.Predictions != nil {
		t.Add("wrong", "", r.Wrong, "the prediction was wrong before the migration")
	}
	return t
}

// writeQuestions prints the questions whose SQL has a verdict, at most shown (-1 for all), under a heading that begins with which. of
// returns the outcome of a question: that of its gold SQL or of its prediction.
func (r *Report) writeQuestions(w io.Writer, v Verdict, shown int, which string, of func(*Question) *Outcome) {
	all := lists.Filter(r.Questions, func(q *Question) bool { return of(q).Verdict == v })
	for i, q := range all {
		if i == 0 {
			fmt.Fprintf(w, "\n%s%s:\n", which, v)
		}
		if i == shown {
			fmt.Fprintf(w, "  … and %d more; --all prints them\n", len(all)-shown)
			return
		}
		o := of(q)
		fmt.Fprintf(w, "  %s\n", q.label())
		if o.Now == "" {
			fmt.Fprintf(w, "      %s\n", o.Query)
		} else {
			fmt.Fprintf(w, "    - %s\n    + %s\n", o.Query, o.Now)
		}
		fmt.Fprintf(w, "      %s\n", o.Reason)
	}
}

// label returns a question on one line, with its index and database: "12 shop: How many customers are there?"
func (q *Question) label() string {
	return fmt.Sprintf("%d %s: %s", q.Index, q.DB, strings.Join(strings.Fields(q.Question), " "))
}

// WriteJUnit writes the report as JUnit's XML, with a test case for each golden question and for each prediction that was right.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: "tabperturb migrate-check"}
	for _, q := range r.Questions {
		suite.Cases = append(suite.Cases, q.Outcome.junit("gold."+q.DB, q))
		if q.Prediction != nil && q.Prediction.Right {
			suite.Cases = append(suite.Cases, q.Prediction.Outcome.junit("prediction."+q.DB, q))
		}
	}
	return junit.Write(w, suite)
}

// junit returns the outcome as a test case: changed and broken SQL fails, SQL that is not judged is skipped.
func (o *Outcome) junit(class string, q *Question) junit.Case {
	c := junit.Case{Class: class, Name: strconv.Itoa(q.Index) + " " + q.Question}
	switch o.Verdict {
	case Changed, Broken:
		c.Failure = &junit.Failure{Message: string(o.Verdict) + ": " + o.Reason, Text: o.Query}
	case NotJudged:
		c.Skipped = &junit.Skipped{Message: o.Reason}
	case Repaired:
		c.Out = o.Now
	}
	return c
}

// Migrated returns the data set after the migration: the schemas and rows as they are then, and the questions whose SQL still
// gives its answer, with the repaired SQL. It is valid as long as the scratch folder of the check.
func (r *Report) Migrated(split string) *dataset.Set {
	return &dataset.Set{
		Split: split,
		Databases: func(_ func(error), each func(*dataset.Database) error) error {
			for _, db := range r.Databases {
				if db.after == nil {
					continue
				}
				if err := each(db.after); err != nil {
					return err
				}
			}
			return nil
		},
		Examples: func(_ func(error), each func(*dataset.Example) error) error {
			for i, q := range r.Kept() {
				ex := *q.example
				ex.Index, ex.Query, ex.Record = i, q.Query, nil // the record has the SQL before
				if q.Now != "" {
					ex.Query = q.Now
				}
				if err := each(&ex); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// Kept returns the questions whose SQL still gives its answer, in the order of the data set.
func (r *Report) Kept() []*Question {
	kept := lists.Filter(r.Questions, func(q *Question) bool { return slices.Contains([]Verdict{Repaired, Untouched}, q.Verdict) })
	slices.SortStableFunc(kept, func(x, y *Question) int { return x.Index - y.Index })
	return kept
}
