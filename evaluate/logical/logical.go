// Package logical scores predicted logical forms as WikiSQL's evaluate.py does: by their equality
// and by execution. It follows the last version of the program, in which conditions are a set and
// 3 equals "3"; the figures in WikiSQL's README are from an earlier one.
//
// The official program does not check its input: it pairs lines up to the end of the shorter file,
// and fails with a traceback at a line that is no JSON, a gold form that cannot run or a condition
// that is no list of three. This package reports these cases.
package logical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Options are how to score.
type Options struct {
	// DB is WikiSQL's SPLIT.db; without it nothing is run.
	DB string
	// Ordered compares conditions as lists, not as sets.
	Ordered bool
	// Report is called for records that cannot be used; may be nil.
	Report func(error)
}

// Report is the score of a file of predictions.
type Report struct {
	Questions int `json:"questions"` // with a gold form that can be read and, with a DB, run
	// Execution is the share of predictions with the gold's answer; nil without a DB.
	Execution *float64 `json:"ex_accuracy,omitempty"`
	// LogicalForm is the share of predictions that are the gold's form.
	LogicalForm float64 `json:"lf_accuracy"`
	// OtherForm and OtherAnswer say why predictions are wrong, the most frequent first.
	OtherForm   []Reason `json:"lf_wrong"`
	OtherAnswer []Reason `json:"ex_wrong,omitempty"`
}

// Reason counts the predictions that are wrong for one reason.
type Reason struct {
	Why         string `json:"why"`
	Predictions int    `json:"predictions"`
}

const otherAnswer = "another answer"

// scorer compares the predictions of a file with the gold forms and counts the results.
type scorer struct {
	Options
	engine              *engine
	gold, predictions   string // paths
	questions           int
	forms, answers      int            // right ones
	wrongForm, wrongRun map[string]int // wrong forms and answers, by reason
}

// Score compares the predictions of a file, {"query": {"sel", "agg", "conds"}, "error"} a
// line, with the questions of a SPLIT.jsonl, line by line; blank lines do not count. The
// error is for files that do not fit together or cannot be read.
func Score(ctx context.Context, gold, predictions string, o Options) (*Report, error) {
	if o.Report == nil {
		o.Report = func(error) {}
	}
	s := &scorer{Options: o, gold: gold, predictions: predictions, wrongForm: map[string]int{}, wrongRun: map[string]int{}}
	if o.DB != "" {
		var err error
		if s.engine, err = openEngine(ctx, o.DB); err != nil {
			return nil, err
		}
		defer s.engine.db.Close()
	}
	if err := s.pairs(ctx); err != nil {
		return nil, err
	}
	if s.questions == 0 {
		return nil, fmt.Errorf("%s: holds no question that can be judged, expected at least one", gold)
	}
	return s.report(), nil
}

// allRecords returns the records of a file, with the zero record for each that cannot be read.
func allRecords(path string) dataset.Stream[dataset.Raw] {
	records := dataset.Stream[dataset.Raw](func(report func(error), each func(dataset.Raw) error) error {
		return dataset.RawRecords(path, report, each)
	})
	return records.WithUnusable(func(error) bool { return true }) // each error is about a record
}

// ignore is a report that drops the errors.
func ignore(error) {}

// pairs judges all records of both files, line by line. A prediction that cannot be read is the zero record, which counts as wrong.
func (s *scorer) pairs(ctx context.Context) error {
	next, stop := dataset.Pull(allRecords(s.predictions), ignore)
	defer stop()
	err := allRecords(s.gold)(s.Report, func(gold dataset.Raw) error {
		pred, err, more := next()
		if err == nil && !more {
			err = s.lengthError()
		}
		if err = cmp.Or(ctx.Err(), err); err != nil || gold.JSON == nil { // a gold that cannot be read was reported
			return err
		}
		return s.pair(ctx, gold, pred)
	})
	if err != nil {
		return err
	}
	if _, _, more := next(); more {
		return s.lengthError()
	}
	return nil
}

// lengthError returns the error for files with different numbers of records.
func (s *scorer) lengthError() error {
	return fmt.Errorf("%s: has %d records, expected the %d of %s", s.predictions, count(s.predictions), count(s.gold), s.gold)
}

// count returns the number of records of a file, including those that cannot be read. An error that ends the
// reading counts as one more.
func count(path string) (n int) {
	err := allRecords(path)(ignore, func(dataset.Raw) error {
		n++
		return nil
	})
	if err != nil {
		n++
	}
	return n
}

// pair judges the prediction pred for the question raw, unless its gold form cannot be used: whether its form is the gold's and, with an
// engine, whether its answer is. The two verdicts do not depend on each other. A prediction without a form is wrong in both.
func (s *scorer) pair(ctx context.Context, raw, pred dataset.Raw) error {
	table, gold, err := parseGold(raw.JSON)
	var want []sqldata.Value
	if err == nil && s.engine != nil {
		if want, err = s.engine.run(ctx, table, gold); err != nil {
			err = fmt.Errorf("gold on table %s: %w", dataset.Clip(table), err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.Report(raw.Problem(err))
		return nil
	}
	s.questions++
	f, why := parsePrediction(pred.JSON)
	if why != "" {
		s.wrongForm[why]++
		s.wrongRun[why]++
		if why == badRecord {
			s.Report(dataset.Note(&dataset.RecordError{File: s.predictions, Record: pred.Number, Err: errors.New("is no JSON object, expected one; it counts as wrong")}))
		}
		return nil
	}
	if why := f.differs(gold, s.Ordered); why != "" {
		s.wrongForm[why]++
	} else {
		s.forms++
	}
	if s.engine == nil {
		return nil
	}
	got, err := s.engine.run(ctx, table, f)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.wrongRun[err.Error()]++
	case !equalAnswers(got, want):
		s.wrongRun[otherAnswer]++
	default:
		s.answers++
	}
	return nil
}

// report returns the shares of right predictions and the reasons for wrong ones.
func (s *scorer) report() *Report {
	r := &Report{Questions: s.questions, LogicalForm: float64(s.forms) / float64(s.questions), OtherForm: reasons(s.wrongForm)}
	if s.engine != nil {
		share := float64(s.answers) / float64(s.questions)
		r.Execution, r.OtherAnswer = &share, reasons(s.wrongRun)
	}
	return r
}

// reasons returns counts as a list, the largest first. It is not nil for no counts, so that JSON has [].
func reasons(counts map[string]int) []Reason {
	list := append([]Reason{}, lists.Map(slices.Sorted(maps.Keys(counts)), func(why string) Reason { return Reason{why, counts[why]} })...)
	slices.SortStableFunc(list, func(a, b Reason) int { return cmp.Compare(b.Predictions, a.Predictions) })
	return list
}

// WriteText writes the report for people; accuracies are in percent.
func (r *Report) WriteText(out io.Writer) error {
	var figures table.Table
	figures.Add("questions", r.Questions)
	if r.Execution != nil {
		figures.Add("execution accuracy", fmt.Sprintf("%.2f", 100**r.Execution))
	}
	figures.Add("logical form accuracy", fmt.Sprintf("%.2f", 100*r.LogicalForm))
	page := table.Page{Tables: []*table.Table{&figures}}
	for _, part := range []struct {
		title string
		list  []Reason
	}{{"not the gold's form", r.OtherForm}, {"not the gold's answer", r.OtherAnswer}} {
		if len(part.list) == 0 {
			continue
		}
		t := table.New("", part.title, "predictions")
		for _, reason := range part.list {
			t.Add("  "+reason.Why, reason.Predictions)
		}
		page.Tables = append(page.Tables, t)
	}
	return page.Write(out, "text")
}
