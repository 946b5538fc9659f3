package dataset

import (
	"encoding/json"
	"testing"
)

func TestPatch(t *testing.T) {
	tests := []struct {
		name, source string
		changes      []Change
		want         string
	}{
		{"nothing", ` { "b" : 1.0, "a": "\u00e9" } `, nil, `{"b":1.0,"a":"\u00e9"}`},
		{"the same value keeps its form", `{"n": 1.0, "s": "\u00e9\/"}`, []Change{{"n", 1}, {"s", "é/"}}, `{"n":1.0,"s":"\u00e9\/"}`},
		{"large whole numbers are not rounded", `{"n": 9007199254740993}`, []Change{{"n", 9007199254740992}}, `{"n":9007199254740992}`},
		{"nor are those beyond int64", `{"n": 18446744073709551615}`, []Change{{"n", uint64(18446744073709551614)}}, `{"n":18446744073709551614}`},
		{"other value", `{"a": 1, "b": {"x": [1, 2]}}`, []Change{{"b", []string{"<y>"}}}, `{"a":1,"b":["<y>"]}`},
		{"new and removed", `{"a": 1, "b": 2}`, []Change{{"c", "x"}, {"a", nil}, {"d", nil}}, `{"b":2,"c":"x"}`},
		{"empty source", ``, []Change{{"a", json.RawMessage(`[1]`)}}, `{"a":[1]}`},
	}
	for _, test := range tests {
		got, err := Patch(json.RawMessage(test.source), test.changes...)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; expected %s", test.name, got, err, test.want)
		}
	}
	for _, bad := range []string{`[]`, `{"a": 1, "a": 2}`, `{"a" 1}`, `{"a": 1} x`, `7`} {
		if got, err := Patch(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: %s, expected an error", bad, got)
		}
	}
}
