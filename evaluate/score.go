package evaluate

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
)

// Evaluation is the report on a file of predictions, with its records where they are asked for.
type Evaluation struct {
	*Report
	Records []JSONRecord `json:"records"`
}

// JSONRecord is a record as eval --json prints it.
type JSONRecord struct {
	Index    int                  `json:"index"`
	DB       string               `json:"db_id"`
	Hardness string               `json:"hardness"`
	Scores   map[string]JSONScore `json:"scores"` // by metric
}

// JSONScore is a verdict with its reasons.
type JSONScore struct {
	Verdict string `json:"verdict"` // "1", "0" or "-"
	Reason  string `json:"reason,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Doubt   string `json:"doubt,omitempty"`
}

// newJSONRecord returns a record with its scores by metric.
func newJSONRecord(metrics []Metric, r *Record) JSONRecord {
	rec := JSONRecord{r.Index, r.DB, r.Hardness.String(), map[string]JSONScore{}}
	for i, m := range metrics {
		s := r.Scores[i]
		rec.Scores[m.Name] = JSONScore{s.Verdict.Mark(), s.Reason, s.Detail, s.Doubt}
	}
	return rec
}

// Scoring configures how a file of predictions is scored. Its gold SQL is that of the options.
type Scoring struct {
	Options
	Extraction *Extraction
	Verdicts   io.Writer   // receives a line for each prediction; nil for none
	Records    bool        // limits the records
	Step       func()      // called after each record
	Note       func(error) // receives questions without an answer
}

// Score scores a file of predictions. Questions without gold SQL are left out, and questions without an answer count as wrong; both
// are reported. It is an error if no question has gold SQL, or none an answer.
func (s *Scoring) Score(ctx context.Context, in dataset.Input) (*Evaluation, error) {
	e := &Evaluation{Report: NewReport(filepath.Base(s.Gold), filepath.Base(in.Name), &s.Options)}
	e.Extraction = s.Extraction
	var verdicts *VerdictWriter
	if s.Verdicts != nil {
		verdicts = NewVerdictWriter(s.Verdicts, s.Metrics)
	}
	var withGold WithGold
	var joined Joined
	pairs := e.Extraction.Of(joined.Count(withGold.Only(dataset.PairsOf(s.Gold, in))))
	err := Run(ctx, pairs, s.Options, func(r *Record) error {
		s.Step()
		e.Add(r)
		if s.Records {
			e.Records = append(e.Records, newJSONRecord(s.Metrics, r))
		}
		if verdicts == nil {
			return nil
		}
		return verdicts.Write(r)
	})
	if err != nil {
		return nil, err
	}
	err = cmp.Or(joined.Check(in.Name, s.Gold, "they count as wrong", s.Note), withGold.Check(s.Gold, s.Skip))
	if err != nil || verdicts == nil {
		return e, err
	}
	return e, verdicts.Close()
}
