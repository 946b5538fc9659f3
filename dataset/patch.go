package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Change is a member of a JSON object with its new value.
type Change struct {
	Key   string
	Value any // what encoding/json takes; a [json.RawMessage] as it is
}

// Changes are changes of one object, in their order.
type Changes []Change

// AddIf adds a change of the member with a key if changed is true.
func (c *Changes) AddIf(changed bool, key string, value any) {
	if changed {
		*c = append(*c, Change{key, value})
	}
}

// Patch returns a JSON object with the given changes. Members whose value stays the same keep
// their bytes, escapes and forms of numbers included. New members come last, in the order of the
// changes; a nil value removes a member. An empty source is an empty object.
func Patch(source json.RawMessage, changes ...Change) (json.RawMessage, error) {
	fields, err := Members(source)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		index := slices.IndexFunc(fields, func(f Member) bool { return f.Key == c.Key })
		if c.Value == nil {
			if index >= 0 {
				fields = slices.Delete(fields, index, index+1)
			}
			continue
		}
		value, err := encode(c.Value, "", "")
		if err != nil {
			return nil, err
		}
		switch {
		case index < 0:
			fields = append(fields, Member{c.Key, value})
		case !SameJSON(fields[index].Value, value):
			fields[index].Value = value
		}
	}
	return objectJSON(fields)
}

// objectJSON returns the JSON object of members.
func objectJSON(fields []Member) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(f.Key, "", "")
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(f.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Member is a member of a JSON object with the bytes of its value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members returns the members of a JSON object in their order; none for an empty text. A repeated
// key is an error.
func Members(raw json.RawMessage) ([]Member, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	var fields []Member
	seen := map[string]bool{}
	s := newSmallScanner(raw)
	err := s.eachMember(func(_ int, key string) (bool, error) {
		value, problem, err := s.nextValue()
		if err = cmp.Or(err, problem); err == nil && seen[key] {
			err = fmt.Errorf("%q stands twice, expected it once", Clip(key))
		}
		seen[key] = true
		fields = append(fields, Member{key, bytes.Clone(value)})
		return true, err
	})
	if err == nil {
		err = s.expectEnd()
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("JSON ends within the object, expected it whole")
	}
	return fields, err
}

// FindMember returns the value of a key of a JSON object; nil if it has none.
func FindMember(raw json.RawMessage, key string) json.RawMessage {
	members, err := Members(raw)
	if err != nil {
		return nil
	}
	return memberValue(members, key)
}

// memberValue returns the value of a key; nil if there is none.
func memberValue(members []Member, key string) json.RawMessage {
	if index := slices.IndexFunc(members, func(m Member) bool { return m.Key == key }); index >= 0 {
		return members[index].Value
	}
	return nil
}

// SameJSON reports whether two texts are the same JSON value. Blanks, escapes, the order of
// members and the form of numbers do not count.
func SameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if unmarshalExact(a, &x) != nil || unmarshalExact(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(comparableJSON(x), comparableJSON(y))
}

// unmarshalExact decodes JSON with numbers as their text.
func unmarshalExact(raw json.RawMessage, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v)
}

// comparableJSON converts the numbers in a decoded value, in place, such that equal numbers are equal in Go: whole
// numbers to int64, others to float64. Numbers that neither can hold stay text.
func comparableJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		switch {
		case err != nil, !strings.ContainsAny(v.String(), ".eE"): // out of range, or whole and beyond int64
			return v
		case f == math.Trunc(f) && math.Abs(f) < 1<<53: // 3.0 equals 3; up to 2^53 a float is exact
			return int64(f)
		}
		return f
	case []any:
		for i := range v {
			v[i] = comparableJSON(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = comparableJSON(v[k])
		}
	}
	return v
}
