package logical

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// form is a logical form as WikiSQL's evaluator holds it. A model may write any JSON, and Python
// compares it as it is.
type form struct {
	sel, agg value // the numbers of the selected column and of its aggregate
	conds    []condition
}

// condition is one condition of a logical form.
type condition struct{ column, operator, constant value }

// value is a JSON value as Python reads it.
type value struct {
	kind kind
	text string  // of a string; else the JSON
	num  float64 // of a number or a truth value
}

// kind is the type of a JSON value in Python.
type kind uint8

const (
	other kind = iota // null, list, object
	str
	integer
	float
	boolean
)

// newValue returns the value of JSON text: a string, boolean, integer or float by its kind, or of the kind other with its text as it is.
func newValue(raw json.RawMessage) value {
	raw = bytes.TrimSpace(raw)
	v := value{text: string(raw)}
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		if json.Unmarshal(raw, &v.text) == nil {
			v.kind = str
		}
	case v.text == "true":
		v.kind, v.num = boolean, 1
	case v.text == "false":
		v.kind = boolean
	case strings.IndexByte("-0123456789", raw[0]) >= 0:
		v.num, _ = strconv.ParseFloat(v.text, 64) // out of range is infinite, as in Python
		v.kind = integer
		if strings.ContainsAny(v.text, ".eE") {
			v.kind = float
		}
	}
	return v
}

// equal reports whether Python's == holds for two values: numbers and truth values compare by value, whatever their type.
func (v value) equal(w value) bool {
	if v.kind >= integer && w.kind >= integer {
		return v.num == w.num
	}
	return v.kind == w.kind && v.text == w.text
}

// lower returns what Python's str(value).lower() does.
func (v value) lower() string {
	switch {
	case v.kind == float:
		return dataset.PythonFloat(v.num)
	case v.text == "null" && v.kind == other:
		return "none"
	case v.text == "-0" && v.kind == integer:
		return "0"
	}
	return strings.ToLower(v.text)
}

// index returns the element of a list that Python indexes with a value, such as -1 for the last.
func (v value) index(list []string) (string, bool) {
	n := int(v.num)
	isWhole := slices.Contains([]kind{integer, boolean}, v.kind)
	if !isWhole || v.num != float64(n) {
		return "", false
	}
	if n >= len(list) || n < -len(list) {
		return "", false
	}
	return list[(n+len(list))%len(list)], true
}

var errForm = errors.New(`expected {"sel", "agg", "conds": [[column, operator, value], …]}`)

// newForm parses {"sel", "agg", "conds"}. conds must be a list of lists of three: column, operator and constant. Those, sel and agg may
// be of any type.
func newForm(raw json.RawMessage) (*form, error) {
	var rec struct {
		Sel   json.RawMessage     `json:"sel"`
		Agg   json.RawMessage     `json:"agg"`
		Conds [][]json.RawMessage `json:"conds"`
	}
	if json.Unmarshal(raw, &rec) != nil {
		return nil, errForm
	}
	if rec.Sel == nil || rec.Agg == nil || rec.Conds == nil {
		return nil, errForm
	}
	f := &form{sel: newValue(rec.Sel), agg: newValue(rec.Agg)}
	for _, c := range rec.Conds {
		if len(c) != 3 {
			return nil, errForm
		}
		f.conds = append(f.conds, condition{newValue(c[0]), newValue(c[1]), newValue(c[2])})
	}
	return f, nil
}

// The ways in which a logical form differs from the gold's.
const (
	otherColumn     = "another column is selected"
	otherAggregate  = "another aggregate"
	otherConditions = "other conditions"
)

// differs returns how f differs from the gold's form; "" if they are equal. Conditions are
// compared as sets, without repetitions, or as lists if ordered is set.
func (f *form) differs(gold *form, ordered bool) string {
	switch {
	case !f.sel.equal(gold.sel):
		return otherColumn
	case !f.agg.equal(gold.agg):
		return otherAggregate
	case ordered && !slices.EqualFunc(f.conds, gold.conds, condition.equal):
		return otherConditions
	case !contains(f.conds, gold.conds), !contains(gold.conds, f.conds):
		return otherConditions
	}
	return ""
}

// equal reports whether two conditions are equal; constants compare as text in lower case.
func (c condition) equal(d condition) bool {
	return c.column.equal(d.column) && c.operator.equal(d.operator) && c.constant.lower() == d.constant.lower()
}

// contains reports whether all contains each condition of some.
func contains(all, some []condition) bool {
	return !slices.ContainsFunc(some, func(c condition) bool { return !slices.ContainsFunc(all, c.equal) })
}

// The reasons for which a record of predictions has no logical form.
const (
	modelError = "the record has an error in place of a query"
	denotation = "the record has a denotation in place of a query"
	noQuery    = "the record has no query"
	badQuery   = "the query is no logical form"
	badRecord  = "the record is no JSON object"
)

// noError lists the JSON values of "error" in a record without an error.
var noError = []string{"", `""`, "null", "false", "0", "[]", "{}"}

// parsePrediction parses a record {"query", "error"} of the predictions. If it has no logical form, reason
// is why. A record that is a list, or has an answer in place of a query, is a denotation: the answer itself.
func parsePrediction(raw []byte) (f *form, reason string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil { // null has no members
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && list != nil {
			return nil, denotation
		}
		return nil, badRecord
	}
	if !slices.Contains(noError, string(bytes.TrimSpace(members["error"]))) {
		return nil, modelError
	}
	if slices.Contains([]string{"", "null"}, string(bytes.TrimSpace(members["query"]))) {
		for _, key := range []string{"answer", "answers", "denotation", "result"} {
			if members[key] != nil {
				return nil, denotation
			}
		}
		return nil, noQuery
	}
	f, err := newForm(members["query"])
	if err != nil || len(f.conds) > maxConditions {
		return nil, badQuery
	}
	return f, ""
}

// maxConditions bounds a query of a model; WikiSQL's longest has four.
const maxConditions = 1000

// parseGold parses a question of WikiSQL. It returns the id of its table and its logical form.
func parseGold(raw []byte) (table string, f *form, err error) {
	var rec struct {
		Table *string         `json:"table_id"`
		SQL   json.RawMessage `json:"sql"`
	}
	if err := dataset.Decode(raw, &rec); err != nil {
		return "", nil, err
	}
	switch {
	case rec.Table == nil:
		return "", nil, dataset.Missing("table_id")
	case rec.SQL == nil:
		return "", nil, dataset.Missing("sql")
	}
	f, err = newForm(rec.SQL)
	return *rec.Table, f, err
}
