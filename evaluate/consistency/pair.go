package consistency

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Side is a schema on which predictions are read. It is safe for concurrent use.
type Side struct {
	db     *dataset.Database
	schema func() *exact.Schema // computes the schema once
}

// NewSide returns the side of a database, which must not change afterwards.
func NewSide(db *dataset.Database) *Side {
	return &Side{db, sync.OnceValue(func() *exact.Schema { return exact.NewSchema(db) })}
}

// Output is what a model answered to an input.
type Output struct {
	SQL     string
	Problem error // why there is no SQL: [dataset.ErrNotAsked], or the error of the record
}

// Pair is a model's outputs on an example before and after a variant's edits.
type Pair struct {
	Index         int // of the record in its perturbation, from 0
	DB            string
	Relation      perturb.Relation
	Unchanged     bool // the input is an unchanged turn of an interaction with perturbed turns
	Edits         []perturb.Edit
	Before, After *Side // nil if there is no schema
	Pre, Post     Output
}

// The reasons for which a pair is not judged, in addition to those of a metric.
const (
	Retargeted = "the answer is to change"
	Unchanged  = "turn stands unchanged"
	NotAsked   = "question not asked on both sides"
	NoSchema   = "no schema"
	NoSQLs     = "no SQL before and after"
	Uncarried  = "output before cannot be rewritten for the schema after"
	FailsPre   = "output before fails"
)

// Outcome is the result of comparing the outputs of a pair.
type Outcome struct {
	Verdict    verdict.Verdict // Right if they are the same, Wrong for an error
	Reason     string          // why it is not judged; empty otherwise
	Difference Difference      // of an error
}

// unjudged returns the outcome of a pair that is not judged.
func unjudged(reason string) *Outcome { return &Outcome{Verdict: verdict.Unjudged, Reason: reason} }

// parsedOutput is an output, parsed on the schema of its side.
type parsedOutput struct {
	text    string
	side    *Side
	query   *sqlast.Query   // nil if it has no syntax tree on the schema
	binding *sqlast.Binding // nil if query is nil
}

// read parses an output; ok reports whether it is SQL on the schema, or the official parser accepts it. If it
// is no SQL, the word "value" is replaced by a constant, because some models print it for constants.
func (s *Side) read(out Output) (r parsedOutput, ok bool) {
	r = parsedOutput{text: strings.TrimSpace(out.SQL), side: s}
	if out.Problem != nil {
		return r, false
	}
	joined := sqlast.JoinOperators(r.text) // "> =" becomes ">="
	for _, text := range []string{joined, strings.TrimSpace(strings.ReplaceAll(joined+" ", " value ", " 1 "))} {
		q, b, err := sqlast.ParseResolved(text, s.db)
		if err == nil {
			r.text, r.query, r.binding = text, q, b
			r.unquote()
			return r, true
		}
	}
	return r, s.schema().Gold(r.text).Problem() == nil
}

// unquote removes quotes from names that need none. The official parser takes quoted names for
// strings, so quotes on one side alone would be an error.
func (r *parsedOutput) unquote() {
	if !strings.ContainsAny(r.text, "\"`[") {
		return
	}
	unquoted := func(id sqlast.Ident) sqlast.Ident {
		if id.IsZero() {
			return id
		}
		return r.query.SQL().NewIdent(r.query.SQL().NameOf(id))
	}
	q := sqlast.Rewrite(r.query, func(n sqlast.Node) sqlast.Node {
		switch n := n.(type) {
		case *sqlast.ColumnRef:
			if r.binding.Target(n).Kind != sqlast.String {
				c := *n
				c.Table, c.Column = unquoted(n.Table), unquoted(n.Column)
				return &c
			}
		case *sqlast.Table:
			if !n.Call {
				c := *n
				c.Name, c.Alias = unquoted(n.Name), unquoted(n.Alias)
				return &c
			}
		}
		return n
	})
	text := sqlast.Format(q)
	if q, b, err := sqlast.ParseResolved(text, r.side.db); err == nil {
		r.text, r.query, r.binding = text, q, b
	}
}

// comparison holds the two sides that a metric compares for a pair: the output before, rewritten for the
// schema after, and the output after.
type comparison struct {
	pre, post parsedOutput
	rewritten string // SQL of pre for the schema after; empty if it cannot be rewritten
}

// compare returns the outcome of a pair that needs no metric, or else the comparison for the metric.
// names is set if the metric compares names and not answers.
//
// If one output is no SQL, the pair is an error, as algorithm 1 defines it. If neither is, it is
// not judged: otherwise a model that answers nothing would be the most consistent.
func (p *Pair) compare(names bool) (*comparison, *Outcome) {
	switch {
	case p.Relation == perturb.Retargeted, p.Relation == perturb.Unanswerable:
		return nil, unjudged(Retargeted)
	case p.Unchanged:
		return nil, unjudged(Unchanged)
	case p.Before == nil, p.After == nil:
		return nil, unjudged(NoSchema)
	case errors.Is(p.Pre.Problem, dataset.ErrNotAsked), errors.Is(p.Post.Problem, dataset.ErrNotAsked):
		return nil, unjudged(NotAsked)
	}
	pre, preOK := p.Before.read(p.Pre)
	post, postOK := p.After.read(p.Post)
	switch {
	case !preOK && !postOK:
		return nil, unjudged(NoSQLs)
	case !preOK, !postOK:
		return nil, &Outcome{Verdict: verdict.Wrong, Difference: Difference{Type: NoSQL}}
	}
	q := &comparison{pre: pre, post: post}
	if sql, err := p.rewrite(pre); err == nil {
		rewritten, _ := p.After.read(Output{SQL: sql})
		q.rewritten = rewritten.text
		return q, nil
	}
	if p.Relation != perturb.Invariant {
		return nil, unjudged(Uncarried) // the output before cannot be rewritten
	}
	// An invariant variant changes only what the gold SQL does not use. An output that uses
	// it is compared without rewriting, as in the paper, if it is valid on the new schema.
	if _, ok := p.After.read(Output{SQL: pre.text}); ok {
		q.rewritten = pre.text
		return q, nil
	}
	if !names {
		return nil, unjudged(Uncarried)
	}
	// The output names what the new schema lacks, so its names differ in any case.
	return nil, &Outcome{Verdict: verdict.Wrong, Difference: q.difference()}
}

// rewrite returns the output before as it must be written on the schema after the edits.
func (p *Pair) rewrite(pre parsedOutput) (string, error) {
	if !slices.ContainsFunc(p.Edits, perturb.Edit.ChangesSchema) {
		return pre.text, nil
	}
	if pre.query == nil {
		return "", errors.New("has no syntax tree")
	}
	ex, err := perturb.NewExample(p.Before.db, &dataset.Example{Index: p.Index, DB: p.DB, Query: pre.text})
	if err != nil {
		return "", err
	}
	return perturb.RewriteGold(ex, p.Edits, p.After.db)
}

// difference classifies an error. It reads the output before as it was rewritten, if it was, so that names
// that the edits changed are no difference.
func (q *comparison) difference() Difference {
	pre := q.pre
	if q.rewritten != "" {
		if tree, b, err := sqlast.ParseResolved(q.rewritten, q.post.side.db); err == nil {
			pre = parsedOutput{q.rewritten, q.post.side, tree, b}
		}
	}
	if pre.query == nil || q.post.query == nil {
		return Difference{Type: Others} // the parser of syntax trees does not accept one of them
	}
	return classify(pre, q.post)
}
