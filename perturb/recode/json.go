package recode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// UnmarshalJSON reads a map as it is written. An empty list of cells becomes nil, so that equal maps are
// equal in memory.
func (m *Map) UnmarshalJSON(data []byte) error {
	type plain Map
	if err := json.Unmarshal(data, (*plain)(m)); err != nil {
		return err
	}
	if len(m.Cells) == 0 {
		m.Cells = nil
	}
	return nil
}

// MarshalJSON writes [old, [new, …]].
func (c Cell) MarshalJSON() ([]byte, error) {
	news := make([]json.RawMessage, len(c.New))
	var err error
	for i, v := range c.New {
		if news[i], err = marshalValue(v); err != nil {
			return nil, err
		}
	}
	old, err := marshalValue(c.Old)
	if err != nil {
		return nil, err
	}
	return json.Marshal([]any{old, news})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Cell) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	var news []json.RawMessage
	if json.Unmarshal(data, &parts) != nil || len(parts) != 2 || json.Unmarshal(parts[1], &news) != nil {
		return fmt.Errorf("cell is %.40s, expected [old, [new, …]]", data)
	}
	var err error
	if c.Old, err = unmarshalValue(parts[0]); err != nil {
		return err
	}
	c.New = make([]sqldata.Value, len(news))
	for i, raw := range news {
		if c.New[i], err = unmarshalValue(raw); err != nil {
			return err
		}
	}
	return nil
}

// marshalValue returns a value as JSON. Reals have a point or an exponent, so that they are read
// as reals.
func marshalValue(v sqldata.Value) (json.RawMessage, error) {
	switch v.Kind() {
	case sqldata.Null:
		return json.RawMessage("null"), nil
	case sqldata.Integer:
		return strconv.AppendInt(nil, v.Int(), 10), nil
	case sqldata.Real:
		s := strconv.FormatFloat(v.Float(), 'g', -1, 64)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return json.RawMessage(s), nil
	case sqldata.Text:
		if utf8.ValidString(v.Bytes()) {
			return json.Marshal(v.Bytes())
		}
	}
	return nil, fmt.Errorf("%s is a blob or no UTF-8, expected a number, text or NULL", v)
}

// unmarshalValue parses what marshalValue returned.
func unmarshalValue(data json.RawMessage) (sqldata.Value, error) {
	data = bytes.TrimSpace(data)
	var s string
	switch {
	case string(data) == "null":
		return sqldata.Value{}, nil
	case json.Unmarshal(data, &s) == nil:
		return sqldata.NewText(s), nil
	case bytes.ContainsAny(data, ".eE"):
		if f, err := strconv.ParseFloat(string(data), 64); err == nil {
			return sqldata.NewFloat(f), nil
		}
	default:
		if n, err := strconv.ParseInt(string(data), 10, 64); err == nil {
			return sqldata.NewInt(n), nil
		}
	}
	return sqldata.Value{}, fmt.Errorf("value is %.40s, expected a number, a string or null", data)
}
