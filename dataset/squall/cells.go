package squall

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// decodeCell decodes a cell of a column's data. A list becomes its JSON text.
func decodeCell(raw json.RawMessage) (sqldata.Value, error) {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "", text == "null":
		return sqldata.Value{}, nil
	case text[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return sqldata.NewText(s), err
	case text[0] == '[':
		return sqldata.NewText(text), nil
	case text[0] == '{', text[0] == 't', text[0] == 'f':
		return sqldata.Value{}, fmt.Errorf("cell is %.20s, expected a string, a number, null or a list of them", text)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return sqldata.NewInt(n), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return sqldata.Value{}, fmt.Errorf("cell is %.20s, expected a number", text)
	}
	return sqldata.NewFloat(f), nil
}

// decodeList returns the items of a cell of a list column. Text that is no JSON list is the only
// item.
func decodeList(v sqldata.Value) []sqldata.Value {
	if v.IsNull() {
		return nil
	}
	items, ok := jsonList(v)
	if !ok {
		return []sqldata.Value{v}
	}
	values := make([]sqldata.Value, len(items))
	for i, item := range items {
		values[i], _ = decodeCell(item) // jsonList has decoded each
	}
	return values
}

// jsonList returns the items of a cell that is the JSON text of a list of cells; ok is false for
// any other cell.
func jsonList(v sqldata.Value) (items []json.RawMessage, ok bool) {
	if v.Kind() != sqldata.Text || !strings.HasPrefix(v.Bytes(), "[") || json.Unmarshal([]byte(v.Bytes()), &items) != nil {
		return nil, false
	}
	for _, item := range items {
		if _, err := decodeCell(item); err != nil {
			return nil, false
		}
	}
	return items, true
}

// appendCell appends a value to b as Python's json.dumps writes it.
func appendCell(b []byte, v sqldata.Value) []byte {
	switch v.Kind() {
	case sqldata.Integer:
		return strconv.AppendInt(b, v.Int(), 10)
	case sqldata.Real:
		f := max(min(v.Float(), math.MaxFloat64), -math.MaxFloat64) // JSON has no infinity
		return append(b, dataset.PythonFloat(f)...)
	case sqldata.Null:
		return append(b, "null"...)
	}
	return appendString(b, v.String())
}

// appendString appends a string to b as ASCII JSON.
func appendString(b []byte, s string) []byte {
	raw, _ := dataset.ASCII(s) // a string has JSON
	return append(b, raw...)
}

// pythonPart matches the parts of JSON that Python writes differently: strings, commas and
// colons.
var pythonPart = lazyregexp.New(`"(?:[^"\\]|\\.)*"|[,:]`)

// pythonLayout returns JSON without blanks in the layout of Squall's files, which Python's
// json.dumps wrote: with a blank after commas and colons, and in ASCII.
func pythonLayout(raw []byte) []byte {
	return pythonPart.Compiled().ReplaceAllFunc(raw, func(part []byte) []byte {
		if part[0] != '"' { // a comma or a colon
			return []byte{part[0], ' '}
		}
		var s string
		if json.Unmarshal(part, &s) != nil {
			return part
		}
		return appendString(nil, s)
	})
}

// numberPattern matches text that SQLite takes for a number.
var numberPattern = lazyregexp.New(`^[ \t\n\v\f\r]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\v\f\r]*$`)

// applyAffinity converts a value as SQLite does when it is stored in a column of a declared
// type. Cells of a list column stay as they are.
func applyAffinity(v sqldata.Value, declared string) sqldata.Value {
	switch {
	case isList(declared):
		return v
	case declared == "TEXT":
		if v.IsNumber() {
			return sqldata.NewText(v.String())
		}
		return v
	case v.Kind() == sqldata.Text && numberPattern.MatchString(v.Bytes()):
		text := strings.TrimSpace(v.Bytes())
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			v = sqldata.NewInt(n)
		} else if f, err := strconv.ParseFloat(text, 64); err == nil {
			v = integerIfWhole(f)
		}
	}
	switch { // REAL stores all numbers as reals, other types whole ones as integers
	case declared == "REAL" && v.Kind() == sqldata.Integer:
		return sqldata.NewFloat(v.Float())
	case declared != "REAL" && v.Kind() == sqldata.Real:
		return integerIfWhole(v.Float())
	}
	return v
}

// integerIfWhole returns a number as an integer if it is whole and below 2^51, as SQLite does.
func integerIfWhole(f float64) sqldata.Value {
	if f == math.Trunc(f) && math.Abs(f) < 1<<51 {
		return sqldata.NewInt(int64(f))
	}
	return sqldata.NewFloat(f)
}

// isList reports whether a declared type is a list of Squall's JSON. Lists have tables of their
// own in its SQLite files.
func isList(declared string) bool { return strings.HasPrefix(declared, "LIST ") }
