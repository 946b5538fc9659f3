package mix

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRates(t *testing.T) {
	const two = `{"models": [{"name": "a", "relations": [{"name": "x/y", "pairs": 4, "errors": 1, "rate": 0.25}, {"name": "x/z", "pairs": 0, "errors": 0, "rate": null}]},
		{"name": "b", "relations": []}]}`
	for _, test := range []struct {
		file, model, want string // the rates as fmt prints them, or what the error says
	}{
		{two, "a", "map[x/y:0.25]"},
		{two, "b", "map[]"},
		{two, "", `has the models "a", "b", expected --model with one of them`},
		{two, "c", `has no model "c", expected one of "a", "b"`},
		{`{"models": [{"name": "a", "relations": [{"name": "x/y", "rate": 1}]}]}`, "", "map[x/y:1]"},
		{`{"models": [{"name": "a", "relations": [{"name": "x/y", "rate": 25}]}]}`, "", "x/y has the error rate 25, expected 0 to 1"},
		{`{"models": [{"name": "a", "relations": [{"name": "x/y", "rate": -0.5}]}]}`, "", "x/y has the error rate -0.5, expected 0 to 1"},
		{`{"models": []}`, "", "has no models, expected the JSON of eval consistency"},
		{`{"models": [{"name": "a", "relations": {}}]}`, "", "expected the JSON of eval consistency"},
		{`[]`, "", "rates.json: is JSON of another form, expected the JSON of eval consistency"},
		{`{"models": [{"name": "a", "relations": [{"name": "x/y", "rate": 1}, {"name": "x/y", "rate": 0}]}]}`, "", "has x/y twice, expected one error rate of each perturbation"},
		{`nonsense`, "", "expected the JSON of eval consistency"},
	} {
		path := filepath.Join(t.TempDir(), "rates.json")
		if err := os.WriteFile(path, []byte(test.file), 0o666); err != nil {
			t.Fatal(err)
		}
		rates, err := ReadRates(path, test.model)
		got := fmt.Sprint(rates)
		if err != nil {
			got = err.Error()
			if !strings.HasPrefix(got, path+": ") {
				t.Errorf("error %q does not name the file", got)
			}
		}
		if !strings.HasSuffix(got, test.want) {
			t.Errorf("model %q of %s: %s, want %s", test.model, test.file, got, test.want)
		}
	}
}
