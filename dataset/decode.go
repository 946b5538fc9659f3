package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode decodes a JSON record into v. Its errors are messages for users.
func Decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		subject := "record"
		if typeErr.Field != "" {
			subject = fmt.Sprintf("%q", strings.TrimPrefix(typeErr.Field, "Further.")) // an embedded struct is no member
		}
		return fmt.Errorf("%s is %s, expected %s", subject, article(typeErr.Value), cmp.Or(jsonNames[typeErr.Type.Kind()], "a whole number"))
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %w", err)
	}
	return err
}

// DecodeSource decodes a [Database.Source] or [Example.Source] into v; an empty one leaves v
// unchanged.
func DecodeSource(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	return Decode(raw, v)
}

// jsonNames has the JSON type that a kind of Go type is decoded from, with its article. All other
// kinds are whole numbers.
var jsonNames = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Slice: "an array", reflect.Array: "an array", reflect.Struct: "an object", reflect.Map: "an object",
	reflect.Bool: "true or false", reflect.Float32: "a number", reflect.Float64: "a number",
}

// article puts the article before the name of a JSON type: "a string", "an array".
func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

// Missing returns the error of a record that lacks a required key.
func Missing(key string) error { return fmt.Errorf("lacks %q, expected it", key) }

// Require returns the error [Missing] unless a record has a key.
func Require(key string, present bool) error {
	if present {
		return nil
	}
	return Missing(key)
}

// Required returns an error if the text of a required key is missing or blank.
func Required(key string, text *string) error {
	switch {
	case text == nil:
		return Missing(key)
	case strings.TrimSpace(*text) == "":
		return fmt.Errorf("%q is empty, expected text", key)
	}
	return nil
}

// Clip shortens text from a file for a message: to 40 characters and "…".
func Clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
