package recode

import (
	"errors"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/raise"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Refusal is the error of a query that cannot be rewritten under recodings. Dr.Spider removes
// such queries too: "SQLs that require unseen grammar" (section 3.1).
type Refusal struct{ Code string } // one of the codes below

// Error returns the code.
func (r *Refusal) Error() string { return r.Code }

// The codes of refusals.
const (
	refusedStar      = "recode-star"
	refusedConstant  = "recode-constant"
	refusedSeveral   = "recode-several"
	refusedOrder     = "recode-order"
	refusedPattern   = "recode-pattern"
	refusedCompared  = "recode-compared"
	refusedComputed  = "recode-computed"
	refusedAggregate = "recode-aggregate"
	refusedSets      = "recode-set-operation"
	refusedJoin      = "recode-join"
	refusedWith      = "recode-with"
	refusedOutput    = "recode-output"
	refusedGrammar   = "recode-grammar"
	refusedNames     = "recode-ambiguous"
)

// refusal returns the [*Refusal] of a code. Unexported methods panic with it; exported ones catch and return it.
func refusal(code string) *Refusal { return &Refusal{code} }

// A Rewriter rewrites one query under recodings. Its methods panic with a *[Refusal] if the
// query cannot be rewritten; the exported ones return it.
type Rewriter struct {
	gold          *sqlast.Query
	binding       *sqlast.Binding // of gold
	recodings     []*Recoding
	recodingOf    map[sqlast.BaseColumn]*Recoding         // by the folded names of the recoded column
	existsSelects map[*sqlast.Select]bool                 // the select lists of EXISTS, which show nothing
	wanted        map[*sqlast.ColumnRef]sqlast.BaseColumn // what names of the rewritten query must resolve to
}

// NewRewriter returns the rewriter of a query and its binding. It returns an error if a recoding
// is not valid.
func NewRewriter(gold *sqlast.Query, b *sqlast.Binding, recodings []*Recoding) (*Rewriter, error) {
	r := &Rewriter{
		gold: gold, binding: b, recodings: recodings, recodingOf: map[sqlast.BaseColumn]*Recoding{},
		existsSelects: map[*sqlast.Select]bool{}, wanted: map[*sqlast.ColumnRef]sqlast.BaseColumn{},
	}
	for _, c := range recodings {
		if err := c.Validate(); err != nil {
			return nil, err
		}
		r.recodingOf[sqlast.BaseColumn{Table: c.Table, Column: c.Column}.Key()] = c
	}
	for e := range sqlast.All[*sqlast.Exists](gold) {
		r.existsSelects[e.Query.Select] = len(e.Query.Compound) == 0 // its list shows no values, unless set operations compare them
	}
	return r, nil
}

// Query returns the text of the rewritten query; after is the schema with the new columns. The
// error may be a *[Refusal].
func (r *Rewriter) Query(after *dataset.Database) (query string, err error) {
	defer raise.Catch[*Refusal](&err)
	q := r.rewriteQuery(r.gold)
	return q.String(), r.verify(q, after)
}

// verify returns an error if a name of the rewritten query resolves to another column than it
// must, or if only the original query has a form in Spider's grammar.
func (r *Rewriter) verify(q *sqlast.Query, after *dataset.Database) error {
	b, err := sqlast.Resolve(q, after)
	if err != nil {
		return err
	}
	if len(b.Problems) > 0 {
		return &Refusal{refusedNames}
	}
	for ref := range sqlast.All[*sqlast.ColumnRef](q) {
		t := b.Target(ref)
		want, known := r.wanted[ref]
		if known && want.Key() != (sqlast.BaseColumn{Table: t.Table, Column: t.Column}).Key() {
			return &Refusal{refusedNames}
		}
	}
	return r.checkGrammar(q, b, after)
}

// checkGrammar returns a refusal if Spider's grammar can express the original query but not the
// rewritten one, q.
func (r *Rewriter) checkGrammar(q *sqlast.Query, b *sqlast.Binding, after *dataset.Database) error {
	before := after.Clone() // becomes the schema before, but for the order of columns, which does not matter
	for _, e := range r.recodings {
		if t := before.Table(e.Table); t >= 0 {
			before.Tables[t].Columns = append(before.Tables[t].Columns, dataset.Column{Original: e.Column})
		}
	}
	if _, err := dataset.SpiderSQL(r.gold, r.binding, before); err != nil {
		return nil
	}
	_, err := dataset.SpiderSQL(q, b, after)
	if _, ok := errors.AsType[*dataset.SpiderGrammarError](err); ok {
		return &Refusal{refusedGrammar}
	}
	return err
}

// Answer returns what the rewritten query must answer, given the answer before: recoded values
// in the result columns that show them. A column that several columns replace widens the rows in
// its place. The error is for a value that is not in the map, or is a *[Refusal].
func (r *Rewriter) Answer(before *sqldata.Result) (res *sqldata.Result, err error) {
	defer raise.Catch[*Refusal](&err)
	codes := r.resultCodings(r.gold)
	if len(codes) != len(before.Columns) {
		return nil, errors.New("the answer has other columns than its query")
	}
	res = &sqldata.Result{}
	for i, c := range codes {
		for range c.width() {
			res.Columns = append(res.Columns, before.Columns[i])
		}
	}
	for _, row := range before.Rows {
		now := make([]sqldata.Value, 0, len(res.Columns))
		for i, v := range row {
			values, err := codes[i].apply(v)
			if err != nil {
				return nil, err
			}
			now = append(now, values...)
		}
		res.Rows = append(res.Rows, now)
	}
	return res, nil
}

// Shows reports whether the answer of the query shows values of a recoded column, as they are
// or as an aggregate of the same unit. The error is a *[Refusal].
func (r *Rewriter) Shows() (shows bool, err error) {
	defer raise.Catch[*Refusal](&err)
	return slices.ContainsFunc(r.resultCodings(r.gold), func(c coding) bool { return !c.unchanged() }), nil
}
