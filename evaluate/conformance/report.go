package conformance

import (
	"context"
	"fmt"
	"io"

	text "github.com/tabperturb/tabperturb/internal/kit/table"
)

// Report holds our verdicts on the pairs of a suite, next to the official ones.
type Report struct {
	Rows   []Row
	Missed int // verdicts that are not as expected, of both modes
	cases  int
}

// Row is a pair with our verdicts.
type Row struct {
	Pair      string  `json:"pair"`
	Metric    string  `json:"metric"`
	Evaluator string  `json:"evaluator"`
	Thread    string  `json:"thread,omitempty"`
	Shows     string  `json:"shows"`
	Gold      string  `json:"gold"`
	Pred      string  `json:"pred"`
	Official  Verdict `json:"official"`
	Parity    Outcome `json:"parity"` // by default
	Strict    Outcome `json:"strict"`
}

// Report judges all pairs in both modes, on the databases in dir, where [Suite.Write] wrote them.
func (s *Suite) Report(ctx context.Context, dir string) (*Report, error) {
	r := &Report{Rows: make([]Row, len(s.Pairs())), cases: len(s.Cases)}
	for i, p := range s.Pairs() {
		r.Rows[i] = Row{
			Pair: p.ID, Metric: p.Case.Metric, Evaluator: p.Case.Evaluator, Thread: p.Case.Thread, Shows: p.Case.Shows,
			Gold: p.Gold, Pred: p.Pred, Official: p.Official,
		}
	}
	for _, strict := range []bool{false, true} {
		outcomes, err := s.Run(ctx, dir, strict)
		if err != nil {
			return nil, err
		}
		for i, o := range outcomes {
			if !o.Met {
				r.Missed++
			}
			if strict {
				r.Rows[i].Strict = o
			} else {
				r.Rows[i].Parity = o
			}
		}
	}
	return r, nil
}

// WriteText writes the table of verdicts.
func (r *Report) WriteText(w io.Writer) error {
	t := text.New("", "pair", "metric", "fault of", "official", "parity", "strict", "parity's reason")
	for _, row := range r.Rows {
		t.Add(row.Pair, row.Metric, row.Evaluator, row.Official, row.Parity, row.Strict, row.Parity.Reason)
	}
	_, err := fmt.Fprintf(w, "%s\n%d cases, %d pairs, two modes: %d of %d verdicts as expected\n",
		t, r.cases, len(r.Rows), 2*len(r.Rows)-r.Missed, 2*len(r.Rows))
	return err
}
