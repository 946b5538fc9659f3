package benchmark

import (
	"encoding/json"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
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

// spiderExample returns an example with every field that trainers read. SQL
// beyond Spider's grammar has no nested form.
func spiderExample(db *dataset.Database, ex *dataset.Example, query string) dataset.SpiderExample {
	out := dataset.SpiderExample{
		DB: db.ID, Query: query, QueryToks: dataset.QueryTokens(query), QueryToksNoValue: dataset.QueryTokensNoValue(query),
		Question: ex.Question, QuestionToks: ex.Tokens,
	}
	if out.QuestionToks == nil {
		out.QuestionToks = dataset.QuestionTokens(ex.Question)
	}
	q, err := sqlast.Parse(query)
	if err != nil {
		return out
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return out
	}
	if nested, err := dataset.SpiderSQL(q, b, db); err == nil {
		if data, err := json.Marshal(nested); err == nil {
			out.SQL = json.RawMessage(data)
		}
	}
	return out
}
