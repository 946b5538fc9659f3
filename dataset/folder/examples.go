package folder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// goldKeys are the members that may hold gold SQL, in the order in which they are
// looked for.
var goldKeys = []string{"sql", "query", "SQL"}

// record is a line of SPLIT.jsonl by its members.
type record map[string]json.RawMessage

// newRecord decodes the members of a line, a JSON object without repeated keys.
func newRecord(raw json.RawMessage) (record, error) {
	members, err := dataset.Members(raw)
	if err != nil {
		return nil, err
	}
	r := record{}
	for _, m := range members {
		r[m.Key] = m.Value
	}
	return r, nil
}

// decode decodes a member into v, unless it is missing. want is the name of the expected type
// for the error.
func (r record) decode(key string, v any, want string) error {
	raw, ok := r[key]
	if ok && json.Unmarshal(raw, v) != nil {
		return fmt.Errorf("%q is %s, expected %s", key, dataset.Clip(string(raw)), want)
	}
	return nil
}

// text returns the text of a required member.
func (r record) text(key string) (string, error) {
	if r[key] == nil {
		return "", dataset.Missing(key)
	}
	var s string
	err := r.decode(key, &s, "text")
	if err == nil && strings.TrimSpace(s) == "" {
		err = fmt.Errorf("%q is empty, expected text", key)
	}
	return s, err
}

// id returns the id, a text or a number, as text; "" without one.
func (r record) id() (string, error) {
	raw := r["id"]
	var s string
	var n json.Number
	switch {
	case len(raw) == 0, json.Unmarshal(raw, &s) == nil:
		return s, nil
	case json.Unmarshal(raw, &n) == nil:
		return n.String(), nil
	}
	return "", fmt.Errorf(`"id" is %s, expected text or a number`, dataset.Clip(string(raw)))
}

// goldSQL returns the text of the first of the goldKeys that is a text.
func (r record) goldSQL() (string, error) {
	for _, key := range goldKeys {
		if bytes.HasPrefix(r[key], []byte(`"`)) {
			return r.text(key)
		}
	}
	return "", fmt.Errorf("has no %q, expected gold SQL there (or in %q)", goldKeys[0], goldKeys[1])
}

// finalQuestion is the final question of an interaction in a line.
type finalQuestion struct {
	Question string `json:"question"`
	SQL      string `json:"sql"`
}

// examples returns the questions of SPLIT.jsonl.
func (c *contents) examples(split string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		path, err := dataset.FirstFile(c.dir, split+".jsonl")
		if err != nil {
			return fmt.Errorf("%w: a line {\"id\", \"db_id\", \"question\", \"sql\"} for each question", err)
		}
		return dataset.ExampleRecords(path, report, func(raw dataset.Raw) (*dataset.Example, error) { return c.example(raw.JSON) }, each)
	}
}

// example returns the example of a line, whose database must be known.
func (c *contents) example(raw json.RawMessage) (*dataset.Example, error) {
	r, err := newRecord(raw)
	if err != nil {
		return nil, err
	}
	ex, err := r.example()
	if err != nil {
		return nil, err
	}
	if !c.isKnown(ex.DB) {
		return nil, fmt.Errorf("db_id %q is unknown, expected the name of a SQLite file without its ending", dataset.Clip(ex.DB))
	}
	ex.Source = bytes.Clone(raw)
	return ex, nil
}

// example returns the example of a record. db_id, question and gold SQL are required.
func (r record) example() (*dataset.Example, error) {
	ex := &dataset.Example{}
	var err error
	if ex.DB, err = r.text("db_id"); err != nil {
		return nil, err
	}
	if ex.Question, err = r.text("question"); err != nil {
		return nil, err
	}
	if ex.Query, err = r.goldSQL(); err != nil {
		return nil, err
	}
	if ex.ID, err = r.id(); err != nil {
		return nil, err
	}
	return ex, r.readOptional(ex)
}

// readOptional sets the fields of an example that a record need not have.
func (r record) readOptional(ex *dataset.Example) error {
	var last *finalQuestion
	for _, f := range []struct {
		key  string
		to   any
		want string
	}{
		{"evidence", &ex.Evidence, "text"}, {"difficulty", &ex.Difficulty, "text"}, {"answer", &ex.Answer, "a list of texts"},
		{"interaction", &ex.Interaction, "a number"}, {"turn", &ex.Turn, "a number"}, {"final", &last, `{"question", "sql"}`},
	} {
		if err := r.decode(f.key, f.to, f.want); err != nil {
			return err
		}
	}
	if min(ex.Interaction, ex.Turn) < 0 || (ex.Interaction > 0) != (ex.Turn > 0) {
		return fmt.Errorf(`"interaction" is %d and "turn" %d, expected both from 1 or neither`, ex.Interaction, ex.Turn)
	}
	if last != nil {
		ex.Final = &dataset.Example{DB: ex.DB, Question: last.Question, Query: last.SQL}
	}
	return nil
}

// goldMembers returns the keys of a record whose text is the gold SQL. There may be several.
func (r record) goldMembers(gold string) (keys []string) {
	for _, key := range goldKeys {
		var s string
		if json.Unmarshal(r[key], &s) == nil && s == gold {
			keys = append(keys, key)
		}
	}
	return keys
}
