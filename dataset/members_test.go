package dataset

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// textOnly is a JSON text; other values are ignored.
type textOnly string

func (t *textOnly) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// FuzzMembers decodes objects whole and by the members that are wanted, which must
// come to the same.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{"db_id": "a", "sql": {"x": ["}", "\\\"", 1e5]}, "query": "SELECT \"x\"", "question": null}`,
		`{ "sql" : [] , "DB_ID" : "a" , "question_toks":["a", "b"] } `,
		`{"db_id": "a", "db_id": "b"}`, `{"d\u0062_id": "a"}`, `{}`, `[]`, `7`, `{"query": true, "x": -0.5e3, "y": nullx}`, `{"":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		part := selectMembers(raw, nil, exampleKeys...)
		if !json.Valid(raw) {
			return // not panicking is all
		}
		var whole, picked struct {
			exampleRecord
			SQL textOnly `json:"sql"`
		}
		wholeErr, pickedErr := json.Unmarshal(raw, &whole), json.Unmarshal(part, &picked)
		if (wholeErr == nil) != (pickedErr == nil) {
			t.Fatalf("%q: whole %v, picked %v", part, wholeErr, pickedErr)
		}
		if diff := cmp.Diff(whole, picked, cmp.Exporter(func(reflect.Type) bool { return true })); wholeErr == nil && diff != "" {
			t.Error(diff)
		}
	})
}
