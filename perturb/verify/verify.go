// Package verify makes a variant's edits in all that they bear on, and checks that what
// their relation promised holds.
//
// [Follow] and [Schema] make the edits in a schema, [Apply] in the question, gold SQL and
// evidence of an example; a [Verifier] does that for one example after the other and
// executes their gold SQL before and after. What does not hold is a [*perturb.Refusal].
// The driver of benchmarks and the golden tests of perturbations both ask this package.
package verify

import (
	"context"
	"errors"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Verifier checks the examples of one database under one relation. It is not safe for
// concurrent use.
type Verifier struct {
	DB         *dataset.Database // before the edits
	Relation   perturb.Relation
	Limits     sqldata.Limits // of every query
	MinFluency float64        // of a question that changes, see package fluency
	Seed       uint64         // of generated rows

	scratch    *sqlite.Scratch // for rows on which two queries differ; made when first needed
	scratchErr error
	compared   map[queryPair]comparison
}

// Close closes the database of generated content, if a check made one.
func (v *Verifier) Close() error {
	if v.scratch == nil {
		return nil
	}
	err := v.scratch.Close()
	v.scratch = nil
	return err
}

// Target is a database after the edits of a variant.
type Target struct {
	Schema *dataset.Database
	// Runs are the contents that gold SQL is executed on: the one that is written, and one
	// more for the examples whose answer there could not show a change.
	Runs []Run
}

// Run is a content with the database that the edits made of it.
type Run struct {
	*Content
	After engine.DB
	// Draft names the draft that After is, whose rows are all those of the content; it is empty
	// if After is the content itself. [AnswerCache] answers apply to both.
	Draft string
	// Own is set if After has rows of its own, to which [AnswerCache] answers do not apply.
	Own bool
}

// query runs a query on the database after the edits.
func (r *Run) query(ctx context.Context, query string, limits sqldata.Limits) (*sqldata.Result, error) {
	if r.Own || r.Cache == nil {
		return r.After.Query(ctx, query, limits)
	}
	return r.Cache.query(ctx, r.After, r.Draft, query, limits)
}

// Verified is an example after the edits, whose promise held.
type Verified struct {
	*dataset.Example
	Content    string // what it was executed on: the kinds of content, joined by "+"
	SameAnswer bool   // on the content that is written, the answer is the one before
	Conclusive bool   // whether an answer could show a change; of retargeted gold SQL, whether one did
	Differs    bool   // whether the answer of retargeted gold SQL differs on a generated database
}

// Check makes the edits in an example, and those of the schema in its final question, and
// executes the gold SQL. The error is a [*perturb.Refusal] if the promise does not hold; any
// other error ends the work.
func (v *Verifier) Check(ctx context.Context, ex *perturb.Example, edits []perturb.Edit, t *Target) (*Verified, error) {
	out, err := v.checkOne(ctx, ex, edits, t)
	if err != nil || ex.FinalExample == nil {
		return out, err
	}
	final, err := v.checkOne(ctx, ex.FinalExample, perturb.SchemaEdits(edits), t)
	if _, refused := errors.AsType[*perturb.Refusal](err); refused {
		return nil, refusal("final-question", err.Error())
	}
	if err != nil {
		return nil, err
	}
	post := *ex.Final
	post.DB, post.Query = final.DB, final.Query
	out.Final = &post
	return out, nil
}

// checkOne is Check without the final question.
func (v *Verifier) checkOne(ctx context.Context, ex *perturb.Example, edits []perturb.Edit, t *Target) (*Verified, error) {
	if len(edits) == 0 {
		return unchanged(ex, t), nil
	}
	if v.Relation == perturb.Unanswerable {
		return unanswerable(ex, edits, t)
	}
	post, err := Apply(ex, edits, v.DB, t.Schema)
	if err != nil {
		return nil, err
	}
	if v.MinFluency > 0 && post.Question != ex.Question && fluency.Score(post.Question) < v.MinFluency {
		return nil, refusal("not-fluent", post.Question)
	}
	out := &Verified{Example: post}
	if v.Relation == perturb.Retargeted {
		err = v.checkRetargeted(ctx, ex, out, t)
	} else {
		err = v.checkSameAnswer(ctx, ex, edits, out, t)
	}
	return out, err
}

// unchanged returns an example without edits, such as a turn of an interaction that has changed ones, under
// the id of the perturbed database.
func unchanged(ex *perturb.Example, t *Target) *Verified {
	post := *ex.Example
	post.DB = t.Schema.ID
	content := t.Runs[0].Content
	return &Verified{Example: &post, Content: content.Kind, SameAnswer: true, Conclusive: perturb.Conclusive(content.Answers[ex.Index])}
}

// unanswerable returns the example without gold SQL and answer if the original gold SQL uses what the edits
// drop, else a refusal. The perturbation makes sure that no other column gives the answer.
func unanswerable(ex *perturb.Example, edits []perturb.Edit, t *Target) (*Verified, error) {
	_, err := perturb.RewriteGold(ex, edits, t.Schema)
	if r, ok := errors.AsType[*perturb.Refusal](err); !ok || r.Reason != perturb.UsesDropped {
		return nil, refusal("still-answerable", "")
	}
	post := *ex.Example
	post.DB, post.Query, post.Answer, post.Final, post.Unanswerable = t.Schema.ID, "", nil, nil, true
	content := t.Runs[0].Content // the one that the build writes
	return &Verified{Example: &post, Content: content.Kind, Conclusive: perturb.Conclusive(content.Answers[ex.Index])}, nil
}

// checkSameGold returns a refusal if gold SQL changes by more than names although the relation allows only
// that, or if an Invariant example uses a renamed column.
func (v *Verifier) checkSameGold(ex *perturb.Example, edits []perturb.Edit, out *Verified, t *Target) error {
	switch {
	case v.Relation == perturb.Invariant && renamesUsed(ex, edits):
		return refusal("renamed-column-used", "")
	case v.Relation == perturb.Recoded, v.Relation == perturb.Reshaped:
		return nil
	}
	same, decided, err := SameButNames(ex, out.Query, edits, t.Schema)
	switch {
	case err != nil:
		return refusal("rewritten-unresolved", out.Query+": "+err.Error())
	case decided && !same:
		return refusal("more-than-names", out.Query)
	}
	return nil
}

// checkSameAnswer checks that gold SQL and answer are the same but for what the relation allows to change.
// The data set's own answer stays with the example only if the answer of the gold SQL stays.
func (v *Verifier) checkSameAnswer(ctx context.Context, ex *perturb.Example, edits []perturb.Edit, out *Verified, t *Target) error {
	if err := v.checkSameGold(ex, edits, out, t); err != nil {
		return err
	}
	for i, run := range t.Runs {
		before := run.Answers[ex.Index]
		if i > 0 && before == nil { // only some examples run on further contents, see [Target.Runs]
			continue
		}
		after, err := v.execute(ctx, &run, out.Query)
		if err != nil {
			return err
		}
		expected, err := perturb.Expected(ex, edits, before)
		if err != nil {
			return refusal("answer-not-recoded", err.Error())
		}
		if !perturb.Holds(ex.Gold, expected, after) {
			return refusal("answer-changed", out.Query)
		}
		if i == 0 {
			out.SameAnswer = perturb.Holds(ex.Gold, before, after)
		}
		out.Conclusive = out.Conclusive || perturb.Conclusive(after)
		out.ranOn(run.Kind)
		if after.Temporary {
			out.Content += dataset.ByTemporaryTables
		}
	}
	if !out.SameAnswer {
		out.Answer = nil
	}
	return nil
}

// ranOn adds a kind of content to those that the example was executed on. A sample has no kind,
// as it is part of another content.
func (r *Verified) ranOn(kind string) {
	if kind != KindSample {
		r.Content = strings.TrimPrefix(r.Content+"+"+kind, "+")
	}
}

// execute runs gold SQL on a content after the edits. The error is a [*perturb.Refusal] if the query fails or
// takes too long; any other error, of the context or of a lost server, ends the work.
func (v *Verifier) execute(ctx context.Context, run *Run, query string) (*sqldata.Result, error) {
	res, err := run.query(ctx, sqlast.JoinOperators(query), v.Limits)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, sqldata.ErrNoServer):
		return nil, err
	case errors.Is(err, sqldata.ErrTimeLimit), errors.Is(err, sqldata.ErrSteps):
		return nil, refusal("rewritten-time-limit", query)
	case errors.Is(err, sqldata.ErrNoKey):
		return nil, refusal("key-not-carried", query+": "+err.Error())
	case errors.Is(err, sqldata.ErrSchema):
		return nil, refusal("schema-named", query)
	case err != nil:
		return nil, refusal("rewritten-fails", query+": "+err.Error())
	}
	return res, nil
}

// refusal returns the error of an example that does not keep the promise.
func refusal(reason perturb.Reason, detail string) *perturb.Refusal {
	return &perturb.Refusal{Reason: reason, Detail: strings.TrimSpace(detail)}
}
