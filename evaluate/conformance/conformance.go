// Package conformance holds the known faults of public text-to-SQL evaluators as data, so that any
// evaluator can be tested with them, and tests this project's own metrics.
//
// [Load] returns the [Suite]: numbered cases, each a fault of some evaluator with the thread that
// reports it, as pairs of gold and predicted SQL on small databases. Every [Pair] has the right
// verdict, the verdict of the official evaluator, and the verdict of an evaluator that follows the
// official one unless that does harm ("parity"). [Suite.Write] writes the suite in the form that
// the official evaluators read. [Suite.Run] judges all pairs by this project's metrics.
package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Verdict is the verdict of an evaluator on a pair.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"
	Wrong     Verdict = "wrong"
	Rejected  Verdict = "rejected"   // counts as wrong, unread: the SQL is beyond the evaluator's parser
	Refused   Verdict = "refused"    // counts as wrong: SQL that is not one query that only reads
	Timeout   Verdict = "timeout"    // counts as wrong, at the time limit and not long after
	Undecided Verdict = "undecided"  // the database does not decide; counts neither way
	GoldFails Verdict = "gold fails" // the gold's fault; counts neither way

	// Judged and Flagged are only expected: right or wrong, but read
	// and compared; and right or wrong, with a warning that the gold's answer is
	// not determined.
	Judged  Verdict = "judged"
	Flagged Verdict = "flagged"

	// Aborts is only what official evaluators do: the run ends, for all
	// predictions.
	Aborts Verdict = "aborts"
)

var verdicts = []Verdict{Right, Wrong, Rejected, Refused, Timeout, Undecided, GoldFails, Judged, Flagged, Aborts}

// The metrics that cases are about.
const (
	Exact     = "exact"      // exact set match
	Execution = "execution"  // equal answers on one database
	First     = "exec-first" // the same as Spider's first evaluator compared them
)

// Suite is the conformance suite.
type Suite struct {
	Cases     []*Case
	databases map[string]*database
}

// Case is one known fault.
type Case struct {
	Number    int     `json:"number"`
	Metric    string  `json:"metric"`           // Exact, Execution or First
	Evaluator string  `json:"evaluator"`        // the public evaluators that have the fault
	Thread    string  `json:"thread,omitempty"` // where it is reported; empty if it is not
	Shows     string  `json:"shows"`            // the fault, in a sentence
	Keyed     bool    `json:"keyed,omitempty"`  // about predictions in BIRD's file, a JSON object keyed by index
	Pairs     []*Pair `json:"pairs"`
}

// Pair is a gold and a prediction of a case.
type Pair struct {
	ID        string  `json:"-"`                    // "6c": the third pair of case 6
	Case      *Case   `json:"-"`                    //
	Database  string  `json:"db"`                   // the schema and rows; pairs share none when written
	PlugValue bool    `json:"plug_value,omitempty"` // values of the gold are plugged into the prediction
	LimitMS   int     `json:"limit_ms,omitempty"`   // time limit in milliseconds that the pair is about; 0: any
	Gold      string  `json:"gold"`
	Pred      string  `json:"pred"`
	Expected  Verdict `json:"expected"` // of a right evaluator
	Official  Verdict `json:"official"` // of Case.Evaluator
	Parity    Verdict `json:"parity"`   // with official verdicts kept where that does no harm
	Note      string  `json:"note,omitempty"`
}

// Want returns the verdict that is expected in strict or in parity mode.
func (p *Pair) Want(strict bool) Verdict {
	if strict {
		return p.Expected
	}
	return p.Parity
}

// Limit returns the pair's time limit, or 0 for none.
func (p *Pair) Limit() time.Duration { return time.Duration(p.LimitMS) * time.Millisecond }

// Pairs returns the pairs of all cases in order.
func (s *Suite) Pairs() []*Pair {
	return lists.FlatMap(s.Cases, func(c *Case) []*Pair { return c.Pairs })
}

//go:embed cases.json
var casesJSON []byte

// Load returns the suite that is embedded in the program, or an error in its data.
func Load() (*Suite, error) { return decode(casesJSON) }

// decode decodes a suite and checks its databases and pairs. It numbers the pairs of a case: 6a, 6b.
func decode(data []byte) (*Suite, error) {
	var file struct {
		Databases []*database `json:"databases"`
		Cases     []*Case     `json:"cases"`
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("cases.json: %w", err)
	}
	s := &Suite{Cases: file.Cases, databases: map[string]*database{}}
	for _, db := range file.Databases {
		if err := db.check(); err != nil {
			return nil, fmt.Errorf("cases.json: database %s: %w", db.ID, err)
		}
		s.databases[db.ID] = db
	}
	for _, c := range s.Cases {
		for i, p := range c.Pairs {
			p.Case = c
			p.ID = fmt.Sprintf("%d%c", c.Number, 'a'+i)
			if err := s.check(p); err != nil {
				return nil, fmt.Errorf("cases.json: pair %s: %w", p.ID, err)
			}
		}
	}
	return s, nil
}

// check returns an error for an unknown database, metric or verdict of a pair.
func (s *Suite) check(p *Pair) error {
	if s.databases[p.Database] == nil {
		return fmt.Errorf("no database %q", p.Database)
	}
	if !slices.Contains([]string{Exact, Execution, First}, p.Case.Metric) {
		return fmt.Errorf("metric %q, expected %q, %q or %q", p.Case.Metric, Exact, Execution, First)
	}
	for _, v := range []Verdict{p.Expected, p.Official, p.Parity} {
		if !slices.Contains(verdicts, v) {
			return fmt.Errorf("verdict %q, expected one of %q", v, verdicts)
		}
	}
	return nil
}

// Schema returns the schema of a pair's database as Spider's tables.json has
// it. Its id is the pair's own, case_6c: a prediction that destroys its database
// harms no other pair.
func (s *Suite) Schema(p *Pair) *dataset.Database {
	return s.databases[p.Database].schema("case_" + p.ID)
}

// tables returns the schema and rows of a pair's database as SQLite takes them.
func (s *Suite) tables(p *Pair) ([]sqldata.Table, [][][]sqldata.Value) {
	return s.databases[p.Database].content()
}
