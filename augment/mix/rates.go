package mix

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadRates reads the error rate of each relation from what `eval consistency --json`
// printed:
//
//	{"models": [{"name": …, "relations": [{"name": …, "pairs": …, "errors": …, "rate": …}]}]}
//
// Rates are in 0..1. A relation without a rate, as no pair of it was judged, is left
// out. model is the name of the model whose rates are read; it may be empty if there is one only.
func ReadRates(path, model string) (map[string]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Models []struct {
			Name      string `json:"name"`
			Relations []struct {
				Name string   `json:"name"`
				Rate *float64 `json:"rate"`
			} `json:"relations"`
		} `json:"models"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		if _, form := errors.AsType[*json.UnmarshalTypeError](err); form { // it speaks of Go's types
			err = errors.New("is JSON of another form")
		}
		return nil, fmt.Errorf("%s: %w, expected the JSON of eval consistency", path, err)
	}
	var names []string
	chosen := -1 // the first of the name, or the only one
	for i, m := range file.Models {
		names = append(names, fmt.Sprintf("%q", m.Name))
		isOnly := model == "" && len(file.Models) == 1
		if chosen < 0 && (isOnly || m.Name == model) {
			chosen = i
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: has no models, expected the JSON of eval consistency", path)
	case chosen < 0 && model == "":
		return nil, fmt.Errorf("%s: has the models %s, expected --model with one of them", path, strings.Join(names, ", "))
	case chosen < 0:
		return nil, fmt.Errorf("%s: has no model %q, expected one of %s", path, model, strings.Join(names, ", "))
	}
	rates := map[string]float64{}
	for _, r := range file.Models[chosen].Relations {
		if r.Rate == nil {
			continue
		}
		if !(*r.Rate >= 0 && *r.Rate <= 1) {
			return nil, fmt.Errorf("%s: %s has the error rate %v, expected 0 to 1", path, r.Name, *r.Rate)
		}
		if _, twice := rates[r.Name]; twice {
			return nil, fmt.Errorf("%s: has %s twice, expected one error rate of each perturbation", path, r.Name)
		}
		rates[r.Name] = *r.Rate
	}
	return rates, nil
}
