// Package abstention measures whether a model refuses the questions that a database cannot answer, and only these.
//
// [Run] reads the predictions for the questions of a build after its perturbations. Those whose example is
// unanswerable must be refused, all others answered. A [Report] has precision, recall and F1 of the
// refusals with intervals that draw databases, and counts the answers that name tables or columns which the
// schema lacks: hallucinated identifiers, found by resolving the SQL. No model is asked.
package abstention

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Config configures [Run].
type Config struct {
	Build     *sides.Build
	Path      string         // of the predictions after the perturbations
	Stdin     io.Reader      // for predictions at "-"
	Phrase    *regexp.Regexp // of a set phrase that refuses; nil for none
	Bootstrap stats.Bootstrap
	Step      func()      // called after each record
	Skip      func(error) // receives answers that belong to no question
	Note      func(error) // receives harmless remarks
	Report    func(error) // receives schemas that cannot be used
}

// Row counts the predictions for the questions of one perturbation that are unanswerable, or those that are not.
type Row struct {
	Perturbation string          `json:"perturbation"`
	Unanswerable bool            `json:"unanswerable"` // to be refused
	Questions    int             `json:"questions"`    // with a prediction
	Refused      int             `json:"refused"`
	Refusals     map[Refusal]int `json:"refusals,omitempty"`
	Unread       int             `json:"unread"` // answers that are no SQL of SQLite's SELECT, in which names are not looked for
	// Hallucinating is the number of answers with a name that the schema lacks, Hallucinated that of such names, each
	// once an answer, and Names what they are.
	Hallucinating int            `json:"hallucinating"`
	Hallucinated  int            `json:"hallucinated"`
	Names         map[string]int `json:"names,omitempty"`

	databases map[string]*decisions // by the original's db_id
}

// decisions counts the questions about a database and those that are refused.
type decisions struct{ questions, refused int }

// Report holds the rows of all perturbations and the scores of their refusals.
type Report struct {
	Rows      []*Row          `json:"rows"`
	Bootstrap stats.Bootstrap `json:"bootstrap"`
	Precision stats.Estimate  `json:"precision"` // of the refused, the unanswerable
	Recall    stats.Estimate  `json:"recall"`    // of the unanswerable, the refused
	F1        stats.Estimate  `json:"f1"`
}

// Run reads the predictions of all perturbations and returns their report.
func Run(c *Config) (r *Report, err error) {
	// Predictions stay whole, without extraction of SQL: the text around SQL may be the refusal.
	pred, err := c.Build.Open("post", c.Path, c.Stdin, evaluate.Extract(true, false), c.Skip)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pred.Close()) }()
	r = &Report{Bootstrap: c.Bootstrap.WithDefaults()}
	for _, p := range c.Build.Perturbations {
		before, err := c.Build.Schemas(p.Name, "pre", c.Report)
		if err != nil {
			return nil, err
		}
		after, err := c.Build.Schemas(p.Name, "post", c.Report)
		if err != nil {
			return nil, err
		}
		err = pred.Pairs(p)(c.Skip, func(pair *dataset.Pair) error {
			c.Step()
			if !errors.Is(pair.Problem, dataset.ErrNotAsked) {
				r.row(p.Name, pair.Unanswerable).add(pair, after[pair.DB], before[dataset.OriginalID(pair.DB)], c.Phrase)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	// Nothing was extracted, so End has nothing to note. Check notes the questions without an answer.
	if err := cmp.Or(pred.End(func(error) {}), pred.Check(pred.Name(), c.Build.Dir, "they are left out", c.Note)); err != nil {
		return nil, err
	}
	r.score()
	return r, nil
}

// row returns the row of a perturbation's questions that are unanswerable, or of those that are not.
func (r *Report) row(perturbation string, unanswerable bool) *Row {
	for _, row := range r.Rows {
		if row.Perturbation == perturbation && row.Unanswerable == unanswerable {
			return row
		}
	}
	row := &Row{Perturbation: perturbation, Unanswerable: unanswerable, Refusals: map[Refusal]int{}, Names: map[string]int{}, databases: map[string]*decisions{}}
	r.Rows = append(r.Rows, row)
	return row
}

// add counts a prediction. Names of an answer are looked for in the schemas after and before the perturbation, either
// of them nil if it cannot be used.
func (r *Row) add(p *dataset.Pair, after, before *dataset.Database, phrase *regexp.Regexp) {
	id := dataset.OriginalID(p.DB)
	if r.databases[id] == nil {
		r.databases[id] = &decisions{}
	}
	r.Questions++
	r.databases[id].questions++
	a := read(p.Prediction, p.DB, phrase)
	if a.refusal != "" {
		r.Refused++
		r.databases[id].refused++
		r.Refusals[a.refusal]++
		return
	}
	if a.query == nil || after == nil { // wrong SQL, or no schema to look in
		r.Unread++
		return
	}
	names, err := missingNames(a.query, after, before)
	if err != nil {
		r.Unread++
		return
	}
	r.Hallucinating += min(len(names), 1)
	r.Hallucinated += len(names)
	for _, name := range names {
		r.Names[name]++
	}
}

// confusion counts refusals: right and wrong ones, and all questions that are unanswerable.
type confusion struct{ right, wrong, unanswerable int }

// The shares of [Report].

// precision is the share of right refusals among all.
func precision(c confusion) stats.Number { return stats.Share(c.right, c.right+c.wrong) }

// recall is the share of the unanswerable questions that are refused.
func recall(c confusion) stats.Number { return stats.Share(c.right, c.unanswerable) }

// f1 is the harmonic mean of both.
func f1(c confusion) stats.Number {
	return stats.Share(2*c.right, c.right+c.wrong+c.unanswerable)
}

// score computes precision, recall and F1 over all rows.
func (r *Report) score() {
	byDB := map[string]*confusion{}
	for _, row := range r.Rows {
		for id, n := range row.databases {
			if byDB[id] == nil {
				byDB[id] = &confusion{}
			}
			if row.Unanswerable {
				byDB[id].unanswerable += n.questions
				byDB[id].right += n.refused
			} else {
				byDB[id].wrong += n.refused
			}
		}
	}
	ids := slices.Sorted(maps.Keys(byDB))
	estimate := func(share func(confusion) stats.Number) stats.Estimate {
		return r.Bootstrap.Estimate(len(ids), func(times []int) float64 {
			var sum confusion
			for i, id := range ids {
				c := byDB[id]
				sum.right += times[i] * c.right
				sum.wrong += times[i] * c.wrong
				sum.unanswerable += times[i] * c.unanswerable
			}
			return float64(share(sum))
		})
	}
	r.Precision, r.Recall, r.F1 = estimate(precision), estimate(recall), estimate(f1)
}
