package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// Evaluation is what `eval --json` wrote of one file of predictions.
type Evaluation struct {
	File          string   `json:"file"`
	Gold          string   `json:"gold"`
	Predictions   string   `json:"predictions"`
	Strict        bool     `json:"strict"`
	PlugValue     bool     `json:"plug_value"` // false in older files, which lack this and the next two
	KeepDistinct  bool     `json:"keep_distinct"`
	OfficialValue bool     `json:"official_value"`
	Metrics       []string `json:"-"`
	Records       []Record `json:"-"` // by Index
}

// Record is the prediction for one question with its verdicts.
type Record struct {
	Index    int              `json:"index"`
	DB       string           `json:"db_id"`
	Hardness string           `json:"hardness"`
	Scores   map[string]Score `json:"scores"`
}

// Score is the verdict of one metric.
type Score struct {
	Verdict verdict.Verdict `json:"-"`
	Mark    string          `json:"verdict"`
	Reason  string          `json:"reason"`
}

// judged reports whether there is a score that is right or wrong.
func (s Score) judged() bool { return s.Mark != "" && s.Verdict != verdict.Unjudged }

// maxRecords bounds the records of a file.
const maxRecords = 1 << 22

// Read reads what `eval --json` printed. It skips members that it does not need.
// A bad record is an error, because two files whose records differ cannot be compared.
func Read(path string) (*Evaluation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e := &Evaluation{File: filepath.Base(path)}
	if err := e.decode(json.NewDecoder(f)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(e.Records) == 0 {
		return nil, fmt.Errorf("%s: has no records, expected what `eval --json` prints", path)
	}
	slices.SortStableFunc(e.Records, func(a, b Record) int { return a.Index - b.Index })
	for i := 1; i < len(e.Records); i++ {
		if e.Records[i].Index == e.Records[i-1].Index {
			return nil, fmt.Errorf("%s: record with index %d is there twice, expected it once", path, e.Records[i].Index)
		}
	}
	return e, nil
}

// errNoEvaluation is the error for a file that is no evaluation.
var errNoEvaluation = errors.New("expected the JSON object that `eval --json` prints")

// decode reads the JSON object of an evaluation. Members other than those listed are skipped.
func (e *Evaluation) decode(dec *json.Decoder) error {
	if t, _ := dec.Token(); t != json.Delim('{') {
		return errNoEvaluation
	}
	var metrics []struct {
		Name string `json:"name"`
	}
	members := map[json.Token]any{
		"gold": &e.Gold, "predictions": &e.Predictions, "strict": &e.Strict, "plug_value": &e.PlugValue, "keep_distinct": &e.KeepDistinct,
		"official_value": &e.OfficialValue, "metrics": &metrics,
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return decodeError(err)
		}
		if key == "records" {
			if err := e.decodeRecords(dec); err != nil {
				return err
			}
			continue
		}
		field, wanted := members[key]
		if !wanted {
			field = &json.RawMessage{} // decoded and dropped
		}
		if err := dec.Decode(field); err != nil {
			return decodeError(err)
		}
	}
	for _, m := range metrics {
		e.Metrics = append(e.Metrics, m.Name)
	}
	if _, err := dec.Token(); err != nil { // More is false at the end of the file too
		return decodeError(io.ErrUnexpectedEOF)
	}
	return nil
}

// decodeError returns the error for JSON that ends early or is no evaluation.
func decodeError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("breaks off, expected whole JSON")
	}
	return fmt.Errorf("%w; %w", err, errNoEvaluation)
}

// decodeRecords reads the array of records.
func (e *Evaluation) decodeRecords(dec *json.Decoder) error {
	if t, _ := dec.Token(); t != json.Delim('[') {
		return errNoEvaluation
	}
	for n := 1; dec.More(); n++ {
		if n > maxRecords {
			return fmt.Errorf("has more than %d records, expected fewer", maxRecords)
		}
		var r Record
		if err := dec.Decode(&r); err != nil {
			return fmt.Errorf("record %d: %w", n, decodeError(err))
		}
		for name, s := range r.Scores {
			var ok bool
			if s.Verdict, ok = verdict.FromMark(s.Mark); !ok {
				return fmt.Errorf("record %d: %s has the verdict %q, expected 1, 0 or -", n, name, s.Mark)
			}
			r.Scores[name] = s
		}
		e.Records = append(e.Records, r)
	}
	if _, err := dec.Token(); err != nil {
		return decodeError(io.ErrUnexpectedEOF)
	}
	return nil
}
