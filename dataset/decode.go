package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// decode reads one record into v and says in a reader's words what is wrong.
func decode(raw []byte, v any) error {
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

func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

// missing returns an error where a key that must be there is not.
func missing(key string) error { return fmt.Errorf("lacks %q, expected it", key) }
