package bird

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
)

// record is an element of SPLIT.json. The training set has no difficulty, and some
// releases no question_id.
type record struct {
	ID         json.RawMessage `json:"question_id"`
	DB         *string         `json:"db_id"`
	Question   *string         `json:"question"`
	Evidence   string          `json:"evidence"`
	SQL        *string         `json:"SQL"`
	Difficulty string          `json:"difficulty"`
}

// examples passes the questions of the split to each. A repeated question_id is an error of its record.
func (r *reader) examples(report func(error), each func(*dataset.Example) error) error {
	once := dataset.Once{}
	return dataset.ExampleRecords(r.split, report, func(raw dataset.Raw) (*dataset.Example, error) {
		ex, err := decodeExample(raw.JSON)
		if err != nil {
			return nil, err
		}
		return ex, once.Check(ex.ID, "question_id "+dataset.Clip(ex.ID))
	}, each)
}

// decodeExample decodes an element of SPLIT.json to an example with the element as its source. db_id, question and SQL are
// required.
func decodeExample(raw []byte) (*dataset.Example, error) {
	var rec record
	if err := dataset.Decode(raw, &rec); err != nil {
		return nil, err
	}
	if err := cmp.Or(dataset.Required("db_id", rec.DB), dataset.Required("question", rec.Question), dataset.Required("SQL", rec.SQL)); err != nil {
		return nil, err
	}
	if !dataset.ValidID(*rec.DB) {
		return nil, fmt.Errorf("\"db_id\" is %q, expected a name that can be a folder's", dataset.Clip(*rec.DB))
	}
	id, err := rec.id()
	if err != nil {
		return nil, err
	}
	return &dataset.Example{
		DB: *rec.DB, Question: *rec.Question, Query: *rec.SQL, ID: id, Evidence: rec.Evidence, Difficulty: rec.Difficulty,
		Source: append(json.RawMessage(nil), raw...),
	}, nil
}

// id returns the question_id, a number or a text, as text; "" if it is missing or null.
func (rec *record) id() (string, error) {
	id := bytes.TrimSpace(rec.ID)
	if slices.Contains([]string{"", "null"}, string(id)) {
		return "", nil
	}
	var n json.Number
	var s string
	switch {
	case id[0] == '"' && json.Unmarshal(id, &s) == nil:
		return s, nil
	case json.Unmarshal(id, &n) == nil:
		return n.String(), nil
	}
	return "", errors.New(`"question_id" is neither a number nor text, expected one`)
}

// encodeExample returns the record of an example: its source with what changed, or a new record.
func encodeExample(ex *dataset.Example) (json.RawMessage, error) {
	var changes dataset.Changes
	source := ex.Source
	old, err := decodeExample(source)
	isNew := err != nil || dataset.FindMember(source, "SQL") == nil // the source is of another format
	if isNew {
		source, old = nil, &dataset.Example{}
		changes.AddIf(true, "question_id", questionID(ex))
	}
	for _, m := range []struct{ key, was, now string }{
		{"db_id", old.DB, ex.DB}, {"question", old.Question, ex.Question}, {"evidence", old.Evidence, ex.Evidence},
		{"SQL", old.Query, ex.Query}, {"difficulty", old.Difficulty, ex.Difficulty},
	} {
		changes.AddIf(isNew || m.was != m.now, m.key, m.now)
	}
	return dataset.Patch(source, changes...)
}

// questionID returns the question_id of an example from another format: its id, as a number if it
// is one, or its position in the split.
func questionID(ex *dataset.Example) any {
	if n, err := strconv.ParseInt(ex.ID, 10, 64); err == nil {
		return n
	}
	if ex.ID == "" {
		return ex.Index
	}
	return ex.ID
}
