package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// exampleRecord is one element of a split; other members are ignored. BIRD has its gold
// SQL in "SQL" and its ids in "question_id". The last members hold, in a data directory,
// what other data sets have in addition to Spider.
type exampleRecord struct {
	DB         *string         `json:"db_id"`
	Question   *string         `json:"question"`
	Query      *string         `json:"query"`
	SQL        *string         `json:"sql"` // [members] leaves out a parse
	Tokens     []string        `json:"question_toks"`
	ID         any             `json:"id"`
	QuestionID any             `json:"question_id"`
	Evidence   string          `json:"evidence"`
	Difficulty string          `json:"difficulty"`
	Answer     []string        `json:"answer"`
	Final      *finalRecord    `json:"final"`
	Turn       int             `json:"turn"`
	In         json.RawMessage `json:"interaction"` // a number, or in SParC's files the turns
	Source     json.RawMessage `json:"source"`
}

// maxText bounds a question and its gold SQL, in bytes. The longest of a published data
// set has a few thousand; the work on one grows faster than its length.
const maxText = 64 << 10

// exampleMembers are the members that exampleRecord has.
var exampleMembers = []string{
	"db_id", "question", "query", "sql", "question_toks", "id", "question_id", "evidence", "difficulty", "answer", "final", "turn", "interaction", "source",
}

// madeAnew are Spider's members that are made of others when they are written.
var madeAnew = []string{"query_toks", "query_toks_no_value"}

// finalRecord is [Example.Final] in a data directory.
type finalRecord struct {
	Question string `json:"question"`
	Query    string `json:"query"`
}

// ReadExamples reads a split: an array as in Spider's dev.json, or one object a
// line where the name ends in .jsonl; plain or gzip. An element may be an interaction
// as in SParC's files, whose turns are examples then. A record that is left out keeps
// its index.
func ReadExamples(path string, report func(error), each func(*Example) error) error {
	return readFile(path, func(s *scanner) error { return s.examples(path, false, report, each) })
}

// ReadExampleRecords is [ReadExamples] with the [Example.Record] of each element that is
// one example.
func ReadExampleRecords(path string, report func(error), each func(*Example) error) error {
	return readFile(path, func(s *scanner) error { return s.examples(path, true, report, each) })
}

// DecodeExamples is [ReadExamples] on a reader. The name, which is also for messages, determines
// whether it has an array or lines.
func DecodeExamples(r io.Reader, name string, report func(error), each func(*Example) error) error {
	return newScanner(r).examples(name, false, report, each)
}

// examples iterates over the examples of a split. keep stores the record of each in
// [Example.Record].
func (s *scanner) examples(name string, keep bool, report func(error), each func(*Example) error) error {
	index, interactions := 0, 0 // interactions that are elements
	return s.over(recordsOf(name), name, func(i int, raw []byte, problem error) error {
		examples, err := decodeExamples(raw, problem)
		if err != nil {
			if _, ok := errors.AsType[*interactionError](err); ok {
				interactions++
			}
			index += turnsLost(err)
			report(&RecordError{File: name, Record: i, Err: err})
			return nil
		}
		for _, ex := range examples {
			if ex.Turn > 0 && ex.Interaction == 0 {
				if ex.Turn == 1 {
					interactions++
				}
				ex.Interaction = interactions
			} else if keep {
				ex.Record = bytes.Clone(raw)
			}
			ex.Index = index
			index++
			if err := each(ex); err != nil {
				return err
			}
		}
		return nil
	})
}

// recordsOf returns how to go over the records of a file of this name: the elements
// of an array or lines.
func recordsOf(name string) walk {
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") {
		return (*scanner).lines
	}
	return (*scanner).array
}

// decodeExamples decodes an element of a split: one example, or the turns of an interaction.
// problem is an error of the element itself.
func decodeExamples(raw []byte, problem error) ([]*Example, error) {
	if problem != nil {
		return nil, problem
	}
	examples, err := decodeElement(raw)
	if err == nil {
		return examples, nil
	}
	if n, ok := turnsOf(raw); ok {
		err = &interactionError{n, err}
	}
	return nil, err
}

// decodeElement decodes an element as an example or an interaction.
func decodeElement(raw []byte) ([]*Example, error) {
	var rec exampleRecord
	var further []Member
	known := members(raw, func(key string, value []byte) {
		if !slices.ContainsFunc(madeAnew, func(name string) bool { return strings.EqualFold(name, key) }) {
			further = append(further, Member{key, value})
		}
	}, exampleMembers...)
	if err := Decode(known, &rec); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(rec.In, []byte("[")) {
		return decodeInteraction(raw)
	}
	ex, err := rec.example()
	if err != nil {
		return nil, err
	}
	ex.Further = usableMembers(further)
	return []*Example{ex}, nil
}

// usableMembers returns copies of members that can be written again: a key that is
// there already, and what is no JSON, such as Python's NaN, is left out.
func usableMembers(further []Member) (usable []Member) {
	seen := map[string]bool{}
	for _, m := range further {
		if !seen[m.Key] && json.Valid(m.Value) {
			usable = append(usable, Member{m.Key, bytes.Clone(m.Value)})
		}
		seen[m.Key] = true
	}
	return usable
}

// example returns the example of a record, or what the record lacks.
func (rec *exampleRecord) example() (*Example, error) {
	query := rec.Query
	if query == nil {
		query = rec.SQL
	}
	for _, f := range []struct {
		name  string
		value *string
		empty bool // may be empty
	}{{"db_id", rec.DB, false}, {"question", rec.Question, false}, {"query", query, rec.Answer != nil}} {
		if f.value == nil {
			return nil, Missing(f.name)
		}
		if strings.TrimSpace(*f.value) == "" && !f.empty {
			return nil, fmt.Errorf("%q is empty, expected text", f.name)
		}
		if len(*f.value) > maxText {
			return nil, fmt.Errorf("%q has %d bytes, expected at most %d", f.name, len(*f.value), maxText)
		}
	}
	if len(rec.Evidence) > maxText {
		return nil, fmt.Errorf(`"evidence" has %d bytes, expected at most %d`, len(rec.Evidence), maxText)
	}
	ex := &Example{
		DB: *rec.DB, Question: *rec.Question, Query: *query, Tokens: rec.Tokens, ID: cmp.Or(idText(rec.ID), idText(rec.QuestionID)),
		Evidence: rec.Evidence, Difficulty: rec.Difficulty, Answer: rec.Answer, Turn: rec.Turn, Source: rec.Source,
	}
	if len(rec.In) > 0 {
		if err := json.Unmarshal(rec.In, &ex.Interaction); err != nil || ex.Interaction < 1 || ex.Turn < 1 {
			return nil, fmt.Errorf(`"interaction" is %s and "turn" %d, expected numbers from 1`, Clip(string(rec.In)), ex.Turn)
		}
	}
	if rec.Final != nil {
		ex.Final = &Example{DB: ex.DB, Question: rec.Final.Question, Query: rec.Final.Query}
	}
	return ex, nil
}

// idText returns an id, which is a number in some data sets, as text.
func idText(id any) string {
	switch id := id.(type) {
	case string:
		return id
	case float64:
		return strconv.FormatFloat(id, 'f', -1, 64)
	}
	return ""
}

// lines calls f with each line that is not blank; i counts all lines.
func (s *scanner) lines(f func(i int, raw []byte, problem error) bool) error {
	return s.allLines(func(i int, raw []byte, problem error) bool {
		return !s.large && len(bytes.TrimSpace(raw)) == 0 || f(i, raw, problem)
	})
}

// allLines calls f with each line, until f returns false; i counts from 1.
func (s *scanner) allLines(f func(i int, raw []byte, problem error) bool) error {
	for i := 1; ; i++ {
		var err error
		s.buf, s.large, err = appendLine(s.buf[:0], s.r, maxRecord)
		if err != nil && err != io.EOF {
			return &elementError{i, err}
		}
		var problem error
		switch {
		case s.large:
			problem = errTooLarge
		case !utf8.Valid(s.buf):
			problem = errNotUTF8
		}
		last := err == io.EOF
		if last && len(s.buf) == 0 && !s.large {
			return nil
		}
		if more := f(i, s.buf, problem); last || !more {
			return nil
		}
	}
}
