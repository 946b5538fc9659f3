package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Answers are predicted SQL by the database and the question that a model was
// asked: predictions that follow no file of gold SQL.
type Answers map[[2]string]string

// Of returns the SQL that was predicted for a question of a database. Questions
// compare by their words, without case and marks.
func (a Answers) Of(db, question string) (sql string, ok bool) {
	sql, ok = a[[2]string{db, words(question)}]
	return sql, ok
}

// maxAnswers bounds a file of answers, in bytes.
const maxAnswers = 1 << 30

// IsAnswers tells whether a file holds a JSON array, as that of answers does. Files
// may be compressed by gzip.
func IsAnswers(path string) (bool, error) {
	r, closer, err := OpenText(path)
	if err != nil {
		return false, err
	}
	defer closer.Close()
	for range 1 << 10 {
		c, err := r.ReadByte()
		if err != nil {
			return false, nil
		}
		if !unicode.IsSpace(rune(c)) {
			return c == '[', nil
		}
	}
	return false, nil
}

// ReadAnswers reads an array of objects with db_id, question and the SQL under
// "prediction", or under "result" without the SELECT with which the prompt ended,
// as the released answers of ChatGPT have it. Of equal questions the first counts.
// The error is for what is no whole JSON array.
func ReadAnswers(path string, report func(error)) (Answers, error) {
	r, closer, err := OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	dec := json.NewDecoder(io.LimitReader(r, maxAnswers))
	if t, _ := dec.Token(); t != json.Delim('[') {
		return nil, &FileError{File: path, Err: errors.New("expected a JSON array of objects with db_id, question and prediction")}
	}
	answers := Answers{}
	for i := 1; dec.More(); i++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return answers, &RecordError{File: path, Record: i, Err: err}
		}
		if err := answers.add(raw); err != nil {
			report(&RecordError{File: path, Record: i, Err: err})
		}
	}
	if _, err := dec.Token(); err != nil { // More is false at the end of the file too
		return answers, &FileError{File: path, Err: errors.New("breaks off, expected the array to end with ]")}
	}
	return answers, nil
}

// ErrNotAsked is the [Pair.Problem] of a question that no answer is for.
var ErrNotAsked = errors.New("the question was not asked")

// answered is [Pairs] of a file of answers.
func answered(gold, predictions string, report func(error), each func(*Pair) error) error {
	answers, err := ReadAnswers(predictions, report)
	if err != nil {
		return err
	}
	return ReadGold(gold, report, func(ex *Example) error {
		pair := &Pair{Example: ex}
		var ok bool
		if pair.Prediction, ok = answers.Of(ex.DB, ex.Question); !ok {
			pair.Problem = ErrNotAsked
		}
		return each(pair)
	})
}

func (a Answers) add(raw []byte) error {
	var rec struct {
		DB         string  `json:"db_id"`
		Question   string  `json:"question"`
		Prediction *string `json:"prediction"`
		Result     *string `json:"result"`
	}
	sql := ""
	switch err := json.Unmarshal(raw, &rec); {
	case err != nil, rec.DB == "", rec.Question == "", cmp.Or(rec.Prediction, rec.Result) == nil:
		return errors.New("expected an object with db_id, question and prediction")
	case rec.Prediction != nil:
		sql = strings.Join(strings.Fields(*rec.Prediction), " ")
	default:
		sql = completed(*rec.Result)
	}
	key := [2]string{rec.DB, words(rec.Question)}
	if _, ok := a[key]; !ok {
		a[key] = sql
	}
	return nil
}

// completed returns a completion of "SELECT", which some repeat, as a query on one
// line.
func completed(result string) string {
	sql := strings.Join(strings.Fields(result), " ")
	switch first, _, _ := strings.Cut(strings.ToLower(sql), " "); first {
	case "select", "with":
		return sql
	}
	return "SELECT " + sql
}

// words returns the words of a question in lower case.
func words(question string) string { return strings.Join(Words(question), " ") }

// Words splits text at whatever is neither letter nor digit, in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
