package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode decodes a JSON record into v. The error describes the problem in words for people.
func Decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		what := "record"
		if typeErr.Field != "" {
			what = fmt.Sprintf("%q", strings.TrimPrefix(typeErr.Field, "Further."))
		}
		return fmt.Errorf("%s is %s, expected %s", what, article(typeErr.Value), jsonName(typeErr.Type))
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

// jsonName returns the JSON type of a Go type, with its article.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// article returns a JSON type with its article: "string" → "a string".
func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

// Missing is the error of a record without a key that must be there.
func Missing(key string) error { return fmt.Errorf("lacks %q, expected it", key) }

// Require returns the error [Missing] unless a record has a key.
func Require(key string, present bool) error {
	if present {
		return nil
	}
	return Missing(key)
}

// Required returns an error unless the text of a key is there and not blank.
func Required(key string, text *string) error {
	switch {
	case text == nil:
		return Missing(key)
	case strings.TrimSpace(*text) == "":
		return fmt.Errorf("%q is empty, expected text", key)
	}
	return nil
}

// Clip shortens text from a file for a message.
func Clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
