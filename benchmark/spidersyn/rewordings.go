package spidersyn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
)

// Rewording is a question of Spider that somebody put into other words.
type Rewording struct {
	Record   int    // position in its file, from 1
	DB       string // db_id
	Question string // the original; empty where the file lacks it, as Spider-Realistic's does
	Now      string // the reworded question
	Query    string // the gold SQL
}

// maxRewordings bounds the file of rewordings, in bytes: Spider-Syn's has 4 MB.
const maxRewordings = 64 << 20

// ReadRewordings reads the file of Spider-Syn, an array of objects with db_id,
// SpiderQuestion, SpiderSynQuestion and query, or one like Spider-Realistic's,
// objects with db_id, question and query, as an array or one a line. Messages call
// the file name. Malformed records are reported and skipped; the error is for text
// that is no JSON.
func ReadRewordings(r io.Reader, name string, report func(error)) (all []Rewording, err error) {
	dec := json.NewDecoder(io.LimitReader(r, maxRewordings))
	record := 0
	add := func(raw json.RawMessage) {
		record++
		w, err := parseRewording(raw)
		if err != nil {
			report(&dataset.RecordError{File: name, Record: record, Err: err})
			return
		}
		w.Record = record
		all = append(all, w)
	}
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, &dataset.FileError{File: name, Record: record + 1, Err: fmt.Errorf("%w, expected JSON", err)}
		}
		if raw[0] != '[' { // one object a line
			add(raw)
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return all, &dataset.FileError{File: name, Err: err}
		}
		for _, raw := range list {
			add(raw)
		}
	}
}

// parseRewording parses a record in the form of Spider-Syn, with both questions, or of Spider-Realistic, which lacks the original.
// It returns an error for a record that lacks a field or has an empty one. The result has no record number.
func parseRewording(raw []byte) (Rewording, error) {
	var rec struct {
		DB       *string `json:"db_id"`
		Spider   *string `json:"SpiderQuestion"`
		Syn      *string `json:"SpiderSynQuestion"`
		Question *string `json:"question"`
		Query    *string `json:"query"`
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return Rewording{}, errors.New("expected an object with db_id, query and questions, all of them text")
	}
	has := func(text *string) bool { return text != nil && *text != "" }
	switch {
	case !has(rec.DB), !has(rec.Query):
		return Rewording{}, errors.New(`lacks "db_id" or "query", expected both`)
	case has(rec.Spider) && has(rec.Syn):
		return Rewording{DB: *rec.DB, Question: *rec.Spider, Now: *rec.Syn, Query: *rec.Query}, nil
	case rec.Spider == nil && rec.Syn == nil && has(rec.Question):
		return Rewording{DB: *rec.DB, Now: *rec.Question, Query: *rec.Query}, nil
	}
	return Rewording{}, errors.New(`lacks questions, expected "SpiderQuestion" and "SpiderSynQuestion", or "question"`)
}
