package benchmark

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// shard holds the result of one perturbation on one unit.
type shard struct {
	Examples   int               // of the unit
	Applicable int               // examples that the perturbation applies to
	Problems   []string          // of the unit's database and of gold SQL, for people
	Kept       map[string]int    `json:",omitempty"` // columns of the unit that cannot be renamed, by what keeps them
	Before     *dataset.Database // nil where there are no records
	After      []*dataset.Database
	Records    []shardRecord
	Rejected   []Rejection
}

// shardRecord is a verified record with its two examples.
type shardRecord struct {
	Record      dataset.Record
	Pre, Post   dataset.SpiderExample
	Differs     bool // of a retargeted record: the answers differ on a generated database
	Interaction int  `json:",omitempty"` // dataset.Example.Interaction

	first, at int // position in the split of the interaction's first question, and in the interaction
}

// turn names the interaction that the record is of, under its sample.
func (r *shardRecord) turn() turn { return turn{r.Interaction, int(r.Record.Sample)} }

// unchanged reports whether the record is an unchanged turn of an interaction with perturbed turns.
func (r *shardRecord) unchanged() bool { return r.Record.Unchanged() }

// compare orders records by example and sample, and keeps the turns of an interaction
// together: those of each sample in their order.
func (r *shardRecord) compare(s *shardRecord) int {
	return cmp.Or(cmp.Compare(r.first, s.first), cmp.Compare(r.Record.Sample, s.Record.Sample), cmp.Compare(r.at, s.at))
}

// encode returns the shard as JSON, without escapes for HTML, so that the sources of records stay as they are. It
// returns an error for an unknown reason of a rejection.
func (s *shard) encode() ([]byte, error) {
	for _, r := range s.Rejected {
		if !r.Reason.Known() {
			return nil, fmt.Errorf("example %d is rejected for %q, expected a reason of `tabperturb list`", r.Example, r.Reason)
		}
	}
	var b bytes.Buffer
	err := jsonLines(&b).Encode(s)
	return b.Bytes(), err
}

// decodeShard reads what encode wrote.
func decodeShard(data []byte) (*shard, error) {
	s := &shard{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	for _, db := range append(slices.Clone(s.After), s.Before) {
		if db != nil && string(db.Source) == "null" { // what encode writes for nil
			db.Source = nil
		}
	}
	return s, nil
}

// Rejection is a line of rejected.jsonl: an example that yields no record for a
// sample, and why.
type Rejection struct {
	Example int            `json:"example"` // position in the split, from 0
	Sample  int            `json:"sample"`
	DB      string         `json:"db_id"`
	Query   string         `json:"query"`
	Reason  perturb.Reason `json:"reason"`
	Detail  string         `json:"detail,omitempty"`
}
