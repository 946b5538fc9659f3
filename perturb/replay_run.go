package perturb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// Samples returns how many samples the file has: one more than the highest. A build
// with fewer leaves the rest out.
func (r *Replayed) Samples() int {
	n := 0
	for _, l := range r.lines {
		n = max(n, l.Sample+1)
	}
	return n
}

// Check reports, in the order of the file, each line whose example is not in the units, or has
// another line already. Run skips those.
func (r *Replayed) Check(units []*dataset.Unit, report func(error)) {
	bad := map[int]error{}
	known := map[string]bool{}
	for _, u := range units {
		known[u.DB.ID] = true
		_, problems := matchLines(r.byDB[u.DB.ID], u.Examples)
		for line, err := range problems {
			bad[line] = err
		}
	}
	for _, l := range r.lines {
		err := bad[l.line]
		if !known[l.DB] {
			err = fmt.Errorf("no example of the data set has the db_id %q", l.DB)
		}
		if err != nil {
			report(&dataset.RecordError{File: r.file, Record: l.line, Err: err})
		}
	}
}

// matchLines returns the example of each line of one database, nil for a line without one, and why those have
// none, by line number: the example is unknown, or an earlier line has the same example and sample.
func matchLines(lines []*replayed, examples []*dataset.Example) (found []*dataset.Example, problems map[int]error) {
	byIndex := map[int]*dataset.Example{}
	byText := map[string]*dataset.Example{} // the first example with a question, and with a question and gold SQL
	for _, ex := range slices.Backward(examples) {
		byIndex[ex.Index] = ex
		byText[ex.Question] = ex
		byText[ex.Question+"\x00"+ex.Query] = ex
	}
	found, problems = make([]*dataset.Example, len(lines)), map[int]error{}
	taken := map[[2]int]int{} // line, by example and sample
	for i, l := range lines {
		ex, err := l.findExample(byIndex, byText)
		if err == nil {
			key := [2]int{ex.Index, l.Sample}
			if first, ok := taken[key]; ok {
				err = fmt.Errorf("example %d and sample %d are those of line %d, expected one line for each", ex.Index, l.Sample, first)
			} else {
				taken[key] = l.line
				found[i] = ex
			}
		}
		if err != nil {
			problems[l.line] = err
		}
	}
	return found, problems
}

// findExample returns the example of the database that a line names by its index or, without one, by its texts. It
// returns an error if there is none, or if the question or gold SQL of the line is not that of the example.
func (r *replayed) findExample(byIndex map[int]*dataset.Example, byText map[string]*dataset.Example) (*dataset.Example, error) {
	if r.Example == nil {
		text := r.Question
		if r.Query != "" {
			text += "\x00" + r.Query
		}
		if ex := byText[text]; ex != nil {
			return ex, nil
		}
		return nil, fmt.Errorf("no example of %s has this question and query", r.DB)
	}
	ex := byIndex[*r.Example]
	switch {
	case ex == nil:
		return nil, fmt.Errorf("example %d is none of %s", *r.Example, r.DB)
	case cmp.Or(r.Question, ex.Question) != ex.Question:
		return nil, fmt.Errorf("the question of example %d is %q, expected %q", *r.Example, ex.Question, r.Question)
	case cmp.Or(r.Query, ex.Query) != ex.Query:
		return nil, fmt.Errorf("the gold SQL of example %d is %q, expected %q", *r.Example, ex.Query, r.Query)
	}
	return ex, nil
}

// run reports the recorded edits of a unit, in the order of the samples. As when they were recorded, one variant
// covers all examples with the same sample and edits, if all of these change the schema.
func (r *Replayed) run(p *Pass) error {
	examples := make([]*dataset.Example, len(p.Examples))
	byIndex := map[int]*Example{}
	for i, ex := range p.Examples {
		examples[i], byIndex[ex.Index] = ex.Example, ex
	}
	lines := r.byDB[p.DB.ID]
	found, _ := matchLines(lines, examples)
	groups := map[string]int{} // index of the variant by sample and edits
	var variants []Variant
	for i, l := range lines {
		if found[i] == nil || l.Sample >= p.Samples {
			continue
		}
		ex := byIndex[found[i].Index]
		key := fmt.Sprintf("%d %s", l.Sample, l.Edits)
		if at, ok := groups[key]; ok && len(SchemaEdits(l.edits)) == len(l.edits) {
			variants[at].Examples = append(variants[at].Examples, ex)
			continue
		}
		groups[key] = len(variants)
		variants = append(variants, Variant{Sample: l.Sample, Examples: []*Example{ex}, Edits: l.edits})
	}
	slices.SortStableFunc(variants, func(a, b Variant) int { return cmp.Compare(a.Sample, b.Sample) })
	for _, v := range variants {
		if err := p.Context.Err(); err != nil {
			return err
		}
		if v.Examples = keepFitting(p, v); len(v.Examples) > 0 {
			p.Report(v)
		}
	}
	return nil
}

// keepFitting rejects the examples that a variant's edits do not fit, and returns the others.
func keepFitting(p *Pass, v Variant) []*Example {
	var fit []*Example
	after, schemaErr := ApplySchema(p.DB, v.Edits)
	for _, ex := range v.Examples {
		err := schemaErr
		if err == nil {
			err = checkFit(ex, v.Edits, after)
		}
		if err != nil {
			p.Reject(ex, v.Sample, "recorded-edits-do-not-fit", err.Error())
			continue
		}
		fit = append(fit, ex)
	}
	return fit
}

// checkFit returns an error if the edits cannot be applied to the gold SQL or to the question. It ignores a
// [*Refusal] of the gold SQL, which the driver counts later.
func checkFit(ex *Example, edits []Edit, after *dataset.Database) error {
	_, err := RewriteGold(ex, edits, after)
	if _, refused := errors.AsType[*Refusal](err); err != nil && !refused {
		return err
	}
	_, err = ApplyQuestion(ex.Question, edits)
	return err
}
