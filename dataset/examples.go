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
	DB           *string         `json:"db_id"`
	Question     *string         `json:"question"`
	Query        *string         `json:"query"`
	SQL          *string         `json:"sql"` // [selectMembers] leaves out a parse
	Tokens       []string        `json:"question_toks"`
	ID           any             `json:"id"`
	QuestionID   any             `json:"question_id"`
	Evidence     string          `json:"evidence"`
	Difficulty   string          `json:"difficulty"`
	Answer       []string        `json:"answer"`
	Final        *finalRecord    `json:"final"`
	Turn         int             `json:"turn"`
	Unanswerable bool            `json:"unanswerable"`
	Interaction  json.RawMessage `json:"interaction"` // a number, or in SParC's files the turns
	Source       json.RawMessage `json:"source"`
}

// maxText bounds a question and its gold SQL, in bytes. The longest of a published data
// set has a few thousand; the work on one grows faster than its length.
const maxText = 64 << 10

// exampleKeys are the JSON keys of exampleRecord.
var exampleKeys = []string{
	"db_id", "question", "query", "sql", "question_toks", "id", "question_id", "evidence", "difficulty", "answer", "final", "turn", "interaction", "source", "unanswerable",
}

// derivedKeys are Spider's members that the writer computes from others.
var derivedKeys = []string{"query_toks", "query_toks_no_value"}

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
	return scanFile(path, func(s *scanner) error { return s.readExamples(path, false, report, each) })
}

// ReadExampleRecords reads examples as [ReadExamples] does, and sets the [Example.Record] of each element that is
// one example.
func ReadExampleRecords(path string, report func(error), each func(*Example) error) error {
	return scanFile(path, func(s *scanner) error { return s.readExamples(path, true, report, each) })
}

// DecodeExamples reads examples as [ReadExamples] does, from a reader. The ending of the name, which is also for messages,
// determines whether it has an array or lines.
func DecodeExamples(r io.Reader, name string, report func(error), each func(*Example) error) error {
	return newScanner(r).readExamples(name, false, report, each)
}

// readExamples passes the examples of a split to each. keepRecord stores the record of each in [Example.Record], except for
// the turns of an element that is an interaction.
func (s *scanner) readExamples(name string, keepRecord bool, report func(error), each func(*Example) error) error {
	index, interactions := 0, 0 // examples, and elements that are interactions, so far
	return s.walkRecords(recordWalk(name), name, func(i int, raw []byte, problem error) error {
		examples, err := decodeInSplit(raw, problem)
		if err != nil {
			if _, ok := errors.AsType[*interactionError](err); ok {
				interactions++ // it keeps its number, as its examples keep their indices
			}
			index += predictionsOf(err)
			report(&RecordError{File: name, Record: i, Err: err})
			return nil
		}
		for _, ex := range examples {
			if ex.Turn > 0 && ex.Interaction == 0 { // of an element that is an interaction
				if ex.Turn == 1 {
					interactions++
				}
				ex.Interaction = interactions
			} else if keepRecord {
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

// recordWalk returns how to walk the records of a file by its name: as the elements of an array
// or as lines.
func recordWalk(name string) recordWalkFunc {
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") {
		return (*scanner).nonBlankLines
	}
	return (*scanner).eachElement
}

// decodeInSplit decodes an element of a split as [decodeExampleOrTurns] does. problem is an
// error of the element itself. The error of an interaction is an [interactionError], which has the number of its turns.
func decodeInSplit(raw []byte, problem error) ([]*Example, error) {
	if problem != nil {
		return nil, problem
	}
	examples, err := decodeExampleOrTurns(raw)
	if err == nil {
		return examples, nil
	}
	if n, ok := turnCount(raw); ok {
		err = &interactionError{n, err}
	}
	return nil, err
}

// decodeExampleOrTurns decodes an element of a split: one example, or an interaction, whose
// turns are examples.
func decodeExampleOrTurns(raw []byte) ([]*Example, error) {
	var rec exampleRecord
	var further []Member
	selected := selectMembers(raw, func(key string, value []byte) {
		// The writer computes derived members anew.
		if !slices.ContainsFunc(derivedKeys, func(name string) bool { return strings.EqualFold(name, key) }) {
			further = append(further, Member{key, value})
		}
	}, exampleKeys...)
	if err := Decode(selected, &rec); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(rec.Interaction, []byte("[")) { // the turns of an interaction
		return decodeInteraction(raw)
	}
	ex, err := rec.example()
	if err != nil {
		return nil, err
	}
	ex.Further = usableMembers(further)
	return []*Example{ex}, nil
}

// usableMembers returns the members that can be written again. It leaves out repeated keys and
// values that are no JSON, such as NaN of Python.
func usableMembers(further []Member) (usable []Member) {
	seen := map[string]bool{}
	for _, m := range further {
		if !seen[m.Key] && json.Valid(m.Value) {
			usable = append(usable, m)
		}
		seen[m.Key] = true
	}
	return usable
}

// example returns the example of a record. The error is for a field that is missing, empty or
// too long.
func (rec *exampleRecord) example() (*Example, error) {
	query := cmp.Or(rec.Query, rec.SQL)
	for _, f := range []struct {
		name  string
		value *string
		empty bool // may be empty: gold SQL where there is an answer, or none to give
	}{{"db_id", rec.DB, false}, {"question", rec.Question, false}, {"query", query, rec.Answer != nil || rec.Unanswerable}} {
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
		Unanswerable: rec.Unanswerable,
	}
	if len(rec.Interaction) > 0 {
		if err := json.Unmarshal(rec.Interaction, &ex.Interaction); err != nil || ex.Interaction < 1 || ex.Turn < 1 {
			return nil, fmt.Errorf(`"interaction" is %s and "turn" %d, expected numbers from 1`, Clip(string(rec.Interaction)), ex.Turn)
		}
	}
	if rec.Final != nil {
		ex.Final = &Example{DB: ex.DB, Question: rec.Final.Question, Query: rec.Final.Query}
	}
	return ex, nil
}

// idText returns an id as text; some data sets have numbers.
func idText(id any) string {
	switch id := id.(type) {
	case string:
		return id
	case float64:
		return strconv.FormatFloat(id, 'f', -1, 64)
	}
	return ""
}

// nonBlankLines passes each line that is not blank to f, until f returns false. i is the number of the line among all
// lines, from 1. A line that is too large counts as not blank, though its raw is empty.
func (s *scanner) nonBlankLines(f func(i int, raw []byte, problem error) bool) error {
	return s.allLines(func(i int, raw []byte, problem error) bool {
		return !s.large && len(bytes.TrimSpace(raw)) == 0 || f(i, raw, problem)
	})
}

// allLines passes each line to f, counted from 1, until f returns false. problem is for a line
// that is too long or not UTF-8.
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
		if last && len(s.buf) == 0 && !s.large { // a line break ended the file
			return nil
		}
		if goOn := f(i, s.buf, problem); last || !goOn {
			return nil
		}
	}
}
