package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
)

// Request asks for the verdicts on one prediction.
type Request struct {
	ID       ID       `json:"id,omitempty" description:"Anything to know the answer by: a string or a number. It is repeated in the answer."`
	DB       string   `json:"db_id" required:"true" description:"A database of tables.json."`
	Gold     string   `json:"gold" required:"true" description:"The right SQL."`
	Pred     string   `json:"pred" required:"true" description:"The SQL to judge, or the answer of a model that has it, in any form that eval reads; also under a name that eval reads, such as response. An empty one is wrong."`
	Question string   `json:"question,omitempty" description:"Passed over."`
	Metrics  []Metric `json:"metrics,omitempty" description:"What to judge by; all that the service has where none are named."`

	fault error // of the text of the request, which is answered by itself
}

// Answer has the verdicts on one prediction: true, false, or null if the metric was not requested
// or could not judge.
type Answer struct {
	ID     ID      `json:"id" required:"true"`
	Exact  *bool   `json:"exact" required:"true" description:"Exact set match."`
	Exec   *bool   `json:"exec" required:"true" description:"The same answer on the question's database."`
	Suite  *bool   `json:"suite" required:"true" description:"The same answer on every database of the test suite."`
	Reason string  `json:"reason" required:"true" description:"Why a verdict is not true; empty where all are."`
	MS     float64 `json:"ms" required:"true" description:"How long judging took, in milliseconds, without waiting."`
}

// Failure is the answer to a request that is refused as a whole.
type Failure struct {
	Error string `json:"error"`
}

// Metric is the name of a metric of the service.
type Metric string

// The metrics.
const (
	Exact Metric = "exact"
	Exec  Metric = "exec"
	Suite Metric = "suite"
)

// Enum lists the metrics for the description of the service.
func (Metric) Enum() []any { return []any{Exact, Exec, Suite} }

// ID is a string or a number in JSON, as the client wrote it; empty for null.
type ID string

// maxID bounds an id, in bytes of JSON.
const maxID = 200

// UnmarshalJSON stores a string or a number as it is written. It refuses lists, objects, true and false.
func (id *ID) UnmarshalJSON(data []byte) error {
	if len(data) > maxID || bytes.ContainsAny(data[:1], "[{tf") {
		return fmt.Errorf("id is %.40s, expected a string or a number of at most %d bytes", data, maxID)
	}
	*id = ID(data)
	return nil
}

// MarshalJSON writes the id as the client wrote it.
func (id ID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte("null"), nil
	}
	return []byte(id), nil
}

// decode decodes one request, or a list of at most limit requests; list reports which it was. It is an error if anything follows. A
// longer list is not decoded further, so that a short text cannot make a large list.
func decode(r io.Reader, limit int) (requests []*Request, list bool, err error) {
	in := bufio.NewReader(r)
	if list, err = isList(in); err != nil {
		return nil, list, err
	}
	dec := json.NewDecoder(in)
	if list {
		requests, err = decodeList(dec, limit)
	} else {
		requests = []*Request{nil}
		err = decodeOne(dec, &requests[0])
	}
	if err != nil {
		return nil, list, err
	}
	if _, end := dec.Token(); !errors.Is(end, io.EOF) {
		return nil, list, errors.New("something follows the request, expected one object or one list of them")
	}
	return requests, list, nil
}

// isList reports whether the first character after blanks opens a list. It does not read that character.
func isList(in *bufio.Reader) (bool, error) {
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return false, errors.New("the request is empty, expected an object or a list of them")
		case err != nil:
			return false, err
		case strings.IndexByte(" \t\r\n", c) < 0:
			return c == '[', in.UnreadByte()
		}
	}
}

// decodeList decodes a list of at most limit requests, one by one.
func decodeList(dec *json.Decoder, limit int) ([]*Request, error) {
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	requests := []*Request{}
	for dec.More() {
		if len(requests) == limit {
			return nil, fmt.Errorf("the list has more than %d requests, expected at most that", limit)
		}
		var r *Request
		if err := decodeOne(dec, &r); err != nil {
			return nil, fmt.Errorf("request %d of the list: %w", len(requests)+1, err)
		}
		requests = append(requests, r)
	}
	_, err := dec.Token()
	return requests, err
}

// decodeOne decodes one request, which must not be null. The model's answer may be in a member of any name that eval reads; it becomes
// Pred. A request with damaged text gets a fault instead of an error, so that the others of its list are judged.
func decodeOne(dec *json.Decoder, r **Request) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	fault := textFault(raw)
	if string(raw) == "null" {
		return errors.New("it is null, expected an object")
	}
	members, err := dataset.DecodeAnswer(raw)
	if err != nil {
		return err
	}
	text, name, err := members.Text()
	if err != nil {
		return err
	}
	// Rename the answer, and drop the prompt, which Text has used.
	delete(members, name)
	delete(members, "prompt")
	if members["pred"], err = json.Marshal(text); err != nil {
		return err
	}
	if raw, err = json.Marshal(members); err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(r); err != nil {
		return err
	}
	(*r).fault = fault
	if textFault([]byte((*r).ID)) != nil { // the answer could not repeat it
		(*r).ID = ""
	}
	return nil
}

// textFault returns an error if valid JSON has bytes that are no UTF-8, or the escape of a surrogate without the other of its pair.
// Decoding replaces both by U+FFFD, so that different SQL could become the same.
func textFault(raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New("the request has bytes that are no UTF-8, expected UTF-8")
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // at the escaped character
		switch {
		case raw[i] != 'u', !utf16.IsSurrogate(escaped(raw[i-1:])): // another escape
			continue
		case utf16.DecodeRune(escaped(raw[i-1:]), escaped(raw[i+5:])) == unicode.ReplacementChar:
			return fmt.Errorf("the request has the surrogate %s alone, expected both of a pair", raw[i-1:i+5])
		}
		i += 10 // at the last digit of the second escape
	}
	return nil
}

// escaped returns the UTF-16 code unit of the escape \uXXXX with which a text begins, or -1 if it does not begin with one.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
