// Package abstain makes questions that a database cannot answer: a column goes that the gold SQL needs and that
// nothing else gives. The right reaction is to refuse. Beside each such question stands its twin: the same
// question after another column went, which has its answer as before.
//
// A question counts as unanswerable only where the rest of the database was searched. What cannot be decided is
// rejected with a reason: another column is named alike, has the same values, in its table, joined by a key or
// elsewhere, or determines them.
package abstain

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// All lists the perturbations of the family.
var All = []*perturb.Perturbation{Column, Twin}

// Column drops a column without which a question has no answer.
var Column = &perturb.Perturbation{
	Name: "abstain/column", Doc: "Drops a column that the question asks for and that nothing else in the database gives: the right reaction is to refuse.",
	Paper: "none", Version: 1, Relation: perturb.Unanswerable, Group: perturb.GroupDB, Files: true, Samples: 1,
	Run: func(p *perturb.Pass) error { return run(p, func(s pair) dataset.ColumnRef { return s.needed }) },
}

// Twin drops another column for each question of [Column].
var Twin = &perturb.Perturbation{
	Name: "abstain/twin", Doc: "Drops another column for each question of abstain/column, one that the gold SQL does not use: the answer stays.",
	Paper: "none", Version: 1, Relation: perturb.Invariant, Group: perturb.GroupDB, Files: true, Samples: 1,
	Run: func(p *perturb.Pass) error { return run(p, func(s pair) dataset.ColumnRef { return s.other }) },
}

// pair holds the columns of a sample: one that the answer needs, and one that it does not.
type pair struct{ needed, other dataset.ColumnRef }

// plan holds the pairs of an example, at most one for each sample, or why there are none.
type plan struct {
	pairs  []pair
	reason perturb.Reason
	detail string
}

// planKey is the key of the plans of a unit in [perturb.Memo]: both perturbations make them of the same examples.
type planKey struct{}

// run reports a variant for each sample and column to drop, which dropped returns from a pair of an example. Examples with the same
// column share one.
func run(p *perturb.Pass, dropped func(pair) dataset.ColumnRef) error {
	plans, err := perturb.Memoize(p.Memo, planKey{}, func() ([]plan, error) { return makePlans(p) })
	if err != nil {
		return err
	}
	type drop struct {
		sample int
		column dataset.ColumnRef
	}
	covered := map[drop][]*perturb.Example{}
	var drops []drop // in the order of their first example
	for i, ex := range p.Examples {
		if plans[i].reason != "" {
			p.Reject(ex, 0, plans[i].reason, plans[i].detail)
		}
		for sample, s := range plans[i].pairs {
			d := drop{sample, dropped(s)}
			if covered[d] == nil {
				drops = append(drops, d)
			}
			covered[d] = append(covered[d], ex)
		}
	}
	for _, d := range drops {
		p.Report(perturb.Variant{Sample: d.sample, Examples: covered[d], Edits: dropEdits(p.DB, d.column)})
	}
	return p.Context.Err()
}

// dropEdits returns the edits that drop a column.
func dropEdits(db *dataset.Database, ref dataset.ColumnRef) []perturb.Edit {
	return []perturb.Edit{perturb.DropColumn{Table: db.Tables[ref.Table].Original, Column: db.Column(ref).Original}}
}

// planner plans the samples of the examples of a database.
type planner struct {
	*perturb.Pass
	search    search
	droppable map[dataset.ColumnRef]bool
}

// makePlans returns the plan of each example.
func makePlans(p *perturb.Pass) ([]plan, error) {
	if p.Content == nil {
		return slices.Repeat([]plan{{reason: "no-rows-to-search"}}, len(p.Examples)), nil
	}
	senses, err := p.Senses()
	if err != nil {
		return nil, err
	}
	l := &planner{Pass: p, search: newSearch(p, senses)}
	if l.droppable, err = droppable(p); err != nil {
		return nil, err
	}
	plans := make([]plan, len(p.Examples))
	for i, ex := range p.Examples {
		if plans[i], err = l.plan(ex); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// droppable returns the columns that can be dropped from both schema and file.
func droppable(p *perturb.Pass) (map[dataset.ColumnRef]bool, error) {
	fixed, err := p.Content.Fixed(p.Context)
	if err != nil {
		return nil, err
	}
	free := map[dataset.ColumnRef]bool{}
	for ref := range p.DB.AllColumns() {
		t := p.DB.Tables[ref.Table]
		isFixed := fixed[ref] || !p.DB.Column(ref).Own()
		if isFixed || t.Kept || perturb.IsReserved(t.Original) {
			continue
		}
		_, err := perturb.ApplySchema(p.DB, perturb.FollowDerived(p.DB, dropEdits(p.DB, ref)))
		free[ref] = err == nil
	}
	return free, nil
}

// plan returns up to l.Samples pairs of an example, drawn at random, or the first reason why there is none. Of several reasons
// it prefers one other than that the question does not ask for the column.
func (l *planner) plan(ex *perturb.Example) (plan, error) {
	switch {
	case ex.Interaction > 0:
		return plan{reason: "interaction"}, nil
	case ex.Evidence != "":
		return plan{reason: "evidence-may-answer"}, nil
	}
	var out plan
	for _, ref := range ex.Own {
		if !l.droppable[ref] {
			continue
		}
		s, err := l.pairOf(ex, ref)
		if refusal, refused := errors.AsType[*perturb.Refusal](err); refused {
			if out.reason == "" || out.reason == "no-column-asked-for" {
				out.reason, out.detail = refusal.Reason, refusal.Detail
			}
			continue
		}
		if err != nil {
			return plan{}, err
		}
		out.pairs = append(out.pairs, s)
	}
	if len(out.pairs) == 0 {
		out.reason = cmp.Or(out.reason, "no-column-asked-for")
		return out, nil
	}
	rng := l.CommonRand("abstain", ex.Question, ex.Query)
	rng.Shuffle(len(out.pairs), func(i, j int) { out.pairs[i], out.pairs[j] = out.pairs[j], out.pairs[i] })
	return plan{pairs: out.pairs[:min(len(out.pairs), l.Samples)]}, nil
}

// pairOf returns the pair of the column at ref, which the answer to an example must need, and the column of its twin. The error is
// a [*perturb.Refusal] if the answer does not need the column, if something else may give its values, or if there is no twin.
func (l *planner) pairOf(ex *perturb.Example, ref dataset.ColumnRef) (pair, error) {
	if reason := asksFor(l.DB, ex, ref); reason != "" {
		return pair{}, &perturb.Refusal{Reason: reason, Detail: l.DB.ColumnID(ref).String()}
	}
	if err := l.search.elsewhere(ex, ref); err != nil {
		return pair{}, err
	}
	answer, err := l.Content.Query(l.Context, sqlast.JoinOperators(ex.Query))
	switch {
	case l.Context.Err() != nil:
		return pair{}, l.Context.Err()
	case err != nil, !perturb.Conclusive(answer):
		return pair{}, &perturb.Refusal{Reason: "gold-answers-nothing"}
	}
	if rest := without(l.DB, ex, ref); rest != nil {
		again, err := l.Content.Query(l.Context, sqlast.JoinOperators(rest.String()))
		if err == nil && sqldata.EqualBag(answer, again) {
			return pair{}, &perturb.Refusal{Reason: "part-stays", Detail: l.DB.ColumnID(ref).String()}
		}
	}
	other, ok := l.twin(ex, ref)
	if !ok {
		return pair{}, &perturb.Refusal{Reason: "no-twin"}
	}
	return pair{ref, other}, nil
}

// twin draws a column that can be dropped and that neither the gold SQL uses nor the question names, from the table of the needed
// column if possible. It returns false if there is none.
func (l *planner) twin(ex *perturb.Example, needed dataset.ColumnRef) (dataset.ColumnRef, bool) {
	shown := shownByStars(l.DB, ex)
	var same, others []dataset.ColumnRef
	for ref := range l.DB.AllColumns() {
		switch {
		case !l.droppable[ref], slices.Contains(ex.Own, ref), shown[ref.Table], mentions(l.DB, ex, ref):
		case ref.Table == needed.Table:
			same = append(same, ref)
		default:
			others = append(others, ref)
		}
	}
	if len(same) == 0 {
		same = others
	}
	if len(same) == 0 {
		return dataset.ColumnRef{}, false
	}
	return same[l.CommonRand("abstain twin", ex.Question, ex.Query).IntN(len(same))], true
}
