package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Attack is a prediction that harms an evaluator that trusts it.
type Attack struct {
	Name      string `json:"name"`
	Database  string `json:"db"`   // "small" where the data leaves it out
	Gold      string `json:"gold"` // a harmless query where the data leaves it out
	PlugValue bool   `json:"plug_value"`
	SQL       string `json:"-"` // the prediction; may be a megabyte long and hold any bytes
}

//go:embed testdata/hostile.json
var hostileJSON []byte

// maxAttack bounds the length of an attack's SQL, in bytes.
const maxAttack = 4 << 20

// Hostile returns predictions that attack the evaluator instead of answering: they
// never end, fill the memory, or reach for files. None is a right answer to its gold:
// each must be judged wrong, within the limits of time and memory that the evaluator
// was given, and touch no file.
func Hostile() ([]*Attack, error) {
	var file []*struct {
		Attack
		Parts []struct {
			Text  string `json:"text"`
			Times int    `json:"times"` // 0 means once
		} `json:"sql"`
	}
	dec := json.NewDecoder(strings.NewReader(string(hostileJSON)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("hostile.json: %w", err)
	}
	attacks := make([]*Attack, len(file))
	for i, f := range file {
		var sql strings.Builder
		for _, p := range f.Parts {
			if sql.Len()+len(p.Text)*p.Times > maxAttack {
				return nil, fmt.Errorf("hostile.json: attack %q has more than %d bytes", f.Name, maxAttack)
			}
			sql.WriteString(strings.Repeat(p.Text, max(p.Times, 1)))
		}
		a := f.Attack
		a.SQL = sql.String()
		if a.Database == "" {
			a.Database = "small"
		}
		if a.Gold == "" {
			a.Gold = "SELECT name FROM t WHERE id < 3 ORDER BY name"
		}
		attacks[i] = &a
	}
	return attacks, nil
}
