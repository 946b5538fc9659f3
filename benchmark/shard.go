package benchmark

import (
	"github.com/tabperturb/tabperturb/dataset"
)

// shard is what one perturbation made of one unit.
type shard struct {
	Examples   int               // of the unit
	Applicable int               // examples that the perturbation applies to
	Problems   []string          // of the unit's database and of gold SQL, for people
	Before     *dataset.Database // nil where there are no records
	After      []*dataset.Database
	Records    []shardRecord
	Rejected   []Rejection
}

// shardRecord is a verified record with its two examples.
type shardRecord struct {
	Record    dataset.Record
	Pre, Post dataset.SpiderExample
	Differs   bool // of a retargeted record: the answers differ on a generated database
}

// Rejection is a line of rejected.jsonl: an example that yields no record for a
// sample, and why.
type Rejection struct {
	Example int    `json:"example"` // position in the split, from 0
	Sample  int    `json:"sample"`
	DB      string `json:"db_id"`
	Query   string `json:"query"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail,omitempty"`
}
