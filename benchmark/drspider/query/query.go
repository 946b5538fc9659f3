// Package query holds the five SQL perturbations of Dr.Spider (section 3.3 and
// appendix A.4): question and gold SQL change together, in one place each, so
// that what is tested is whether a model notices.
//
// Each finds a part of the gold SQL (an operator, a direction, a number, a text) and the
// words of the question that express it, and replaces both. Where the words are not
// found, or could express something else too, it rejects the example: a question that no
// longer asks for its SQL is worse than one less.
package query

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{Comparison, SortOrder, NonDBNumber, DBText, DBNumber}

// Reasons why an example to which a perturbation applies has no variant.
const (
	reasonIndicator perturb.Reason = "no-indicator"
	reasonOperator  perturb.Reason = "no-other-operator"
	reasonSeveral   perturb.Reason = "several-parts"
	reasonTwice     perturb.Reason = "constant-twice"
	reasonNumber    perturb.Reason = "number-not-stated"
	reasonVerbatim  perturb.Reason = "text-not-verbatim"
	reasonWord      perturb.Reason = "text-is-a-name"
	reasonContent   perturb.Reason = "no-content"
	reasonValues    perturb.Reason = "no-other-value"
	reasonLong      perturb.Reason = "too-long"
	reasonOrder     perturb.Reason = "several-orders"
	reasonNull      perturb.Reason = "null-first"
)

// change is a change of question and gold SQL together.
type change struct {
	spans []perturb.ReplaceSpan
	nodes map[sqlast.Node]sqlast.Node // the replaced nodes with their replacements
	part  sqlast.Node                 // the part of the gold SQL that people are shown
	label string                      // precedes the part where it is shown: "ORDER BY "
}

// maxLength bounds question and gold SQL, in bytes, and so the work on them.
const maxLength = 20_000

// source returns all changes of an example, the preferred ones first, or the reason why
// there is none; the reason is empty where the perturbation does not apply.
type source func(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason)

// retargeted returns a perturbation that changes question and gold SQL, given its name without family and the table
// of the paper's appendix that defines it.
func retargeted(name, table, doc string, changes source) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "drspider/" + name, Doc: doc, Paper: "Dr.Spider, section 3.3 and appendix A.4 (" + table + ")",
		Version: 1, Relation: perturb.Retargeted, Group: perturb.GroupSQL, Run: changes.run,
	}
}

// run reports, for each example, variants of the best changes by their [ranking], up to the number of samples, or rejects the example
// with the reason of the source.
func (s source) run(p *perturb.Pass) error {
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		if len(ex.Question)+len(ex.Query) > maxLength {
			p.Reject(ex, 0, reasonLong)
			continue
		}
		list, reason := s(p, ex)
		if len(list) == 0 && reason != "" {
			p.Reject(ex, 0, reason)
			continue
		}
		if err := report(p, ex, list); err != nil {
			return err
		}
	}
	return p.Context.Err()
}

// report reports variants of the best changes of an example by their [ranking], at most one for each new question. If there is none,
// it rejects the example with the ranking's reason.
func report(p *perturb.Pass, ex *perturb.Example, list []change) error {
	seen := map[string]bool{ex.Question: true}
	r := newRanking(p, ex)
	for _, c := range list {
		if r.isComplete() {
			break
		}
		edits := c.edits(ex)
		question, err := perturb.ApplyQuestion(ex.Question, edits)
		if err != nil || seen[question] {
			continue
		}
		seen[question] = true
		if err := r.add(edits); err != nil {
			return err
		}
	}
	best := r.best()
	for sample, edits := range best {
		p.Report(perturb.Variant{Sample: sample, Examples: []*perturb.Example{ex}, Edits: edits})
	}
	if len(best) == 0 && r.reason != "" {
		p.Reject(ex, 0, r.reason)
	}
	return nil
}

// edits returns the change as edits of question and gold SQL, that of the SQL last. The SQL edit shows people the changed part, with the
// label that precedes it ("ORDER BY ").
func (c change) edits(ex *perturb.Example) []perturb.Edit {
	slices.SortFunc(c.spans, func(a, b perturb.ReplaceSpan) int { return cmp.Compare(a.Start, b.Start) })
	var edits []perturb.Edit
	for _, s := range c.spans {
		edits = append(edits, s)
	}
	swap := func(n sqlast.Node) sqlast.Node { // a replaced node by its replacement
		if r, ok := c.nodes[n]; ok {
			return r
		}
		return n
	}
	return append(edits, perturb.RewriteSQL{
		Query: sqlast.Rewrite(ex.Gold, swap).(*sqlast.Query).String(),
		Was:   c.label + sqlast.Format(c.part),
		Now:   c.label + sqlast.Format(sqlast.Rewrite(c.part, swap)),
	})
}

// drafts are the changes of an example, a list for each part of its gold SQL.
type drafts struct {
	lists  [][]change
	reason perturb.Reason // why a part has none
}

// addOrReason adds the changes of a part of the gold SQL. If there are none, it stores the reason.
func (d *drafts) addOrReason(list []change, noneBecause perturb.Reason) {
	if len(list) == 0 {
		d.reason = noneBecause
	}
	d.lists = append(d.lists, list)
}

// interleaved returns the changes, alternating between the parts in random order, and the last reason why a part has
// none.
func (d *drafts) interleaved(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
	return interleave(shuffled(p, ex, d.lists)), d.reason
}

// shuffled returns a list in a random order that depends on the example and the keys alone.
func shuffled[T any](p *perturb.Pass, ex *perturb.Example, list []T, keys ...string) []T {
	list = slices.Clone(list)
	rng := p.Rand(append([]string{ex.Question, ex.Query}, keys...)...)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// interleave returns the first element of each list, then the second of each, and so on.
func interleave[T any](lists [][]T) (out []T) {
	for i := 0; ; i++ {
		n := len(out)
		for _, l := range lists {
			if i < len(l) {
				out = append(out, l[i])
			}
		}
		if len(out) == n { // no list has an element i
			return out
		}
	}
}
