package consistency

import (
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Assessment ranks a model's error rate among those of several models.
type Assessment string

// The assessments of formula 1.
const (
	Good    Assessment = "good"
	Neutral Assessment = "neutral"
	Bad     Assessment = "bad"
)

// Mark returns "+", "=" or "-"; "" without an assessment.
func (a Assessment) Mark() string {
	return map[Assessment]string{Good: "+", Neutral: "=", Bad: "-"}[a]
}

// Assess returns the assessment of the error rate, 0 to 1, of each model by formula 1: good below
// the mean minus half a deviation, bad above the mean plus half a deviation, neutral between.
// Undefined rates have no assessment, nor has a single one.
//
// The paper calls std a "standard error"; here it is the standard deviation of the compared
// models, divided by their number.
func Assess(rates []stats.Number) []Assessment {
	out := make([]Assessment, len(rates))
	defined := lists.Map(lists.Filter(rates, stats.Number.Defined), func(r stats.Number) float64 { return float64(r) })
	if len(defined) < 2 {
		return out
	}
	s := stats.Summarize(defined)
	mean, half := float64(s.Mean), float64(s.Std)/2
	// Rates that differ only by rounding are neutral.
	half += 1e-12 * max(1, math.Abs(mean))
	for i, r := range rates {
		switch v := float64(r); {
		case !r.Defined():
		case v < mean-half:
			out[i] = Good
		case v > mean+half:
			out[i] = Bad
		default:
			out[i] = Neutral
		}
	}
	return out
}

// Report compares models.
type Report struct {
	Metric    string          `json:"metric"`
	How       string          `json:"how,omitempty"` // the comparison, in words; set by the caller
	Bootstrap stats.Bootstrap `json:"bootstrap"`     // of the intervals
	Models    []Model         `json:"models"`
}

// NewReport returns the report on the models of tallies by the named metric. The score of a model is the mean of its
// assessments on the relations: good is 1, neutral 0 and bad -1. One model alone has no score.
func NewReport(metric string, tallies []*Tally, b stats.Bootstrap) *Report {
	r := &Report{Metric: metric, Bootstrap: b.WithDefaults(), Models: []Model{}}
	for _, t := range tallies {
		r.Models = append(r.Models, t.Model(b))
	}
	if len(tallies) < 2 {
		return r
	}
	scores := make([]float64, len(r.Models))
	counts := make([]float64, len(r.Models))
	for _, name := range r.relations() {
		for i, a := range r.assess(name) {
			switch a {
			case Good:
				scores[i]++
			case Bad:
				scores[i]--
			case "": // no rate, or no other model to rank it among
				continue
			}
			counts[i]++
		}
	}
	r.assess("all") // shown, but no part of the score
	for i := range r.Models {
		if counts[i] > 0 {
			r.Models[i].Score = stats.Number(scores[i] / counts[i])
		}
	}
	return r
}

// assess compares the error rates of the models on the relation of a name, stores the assessment of each and
// returns them. The assessment of a model without that relation is "".
func (r *Report) assess(name string) []Assessment {
	rates := make([]stats.Number, len(r.Models))
	for i := range r.Models {
		rates[i] = stats.Undefined()
		if row := r.Models[i].row(name); row != nil {
			rates[i] = row.Rate
		}
	}
	assessments := Assess(rates)
	for i := range r.Models {
		if row := r.Models[i].row(name); row != nil {
			row.Assessment = assessments[i]
		}
	}
	return assessments
}

// relations returns the names of the relations of all models in the order in which
// they first occur.
func (r *Report) relations() []string {
	var names []string
	for _, m := range r.Models {
		for _, row := range m.Relations {
			if !slices.Contains(names, row.Name) {
				names = append(names, row.Name)
			}
		}
	}
	return names
}

// row returns the figures of a relation, of "all", or nil.
func (m *Model) row(name string) *Row {
	if name == "all" {
		return &m.All
	}
	if i := slices.IndexFunc(m.Relations, func(r Row) bool { return r.Name == name }); i >= 0 {
		return &m.Relations[i]
	}
	return nil
}
