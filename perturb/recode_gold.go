package perturb

import (
	"errors"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Why gold SQL cannot be rewritten over recoded columns. Dr.Spider removes such
// queries too: "SQLs that require unseen grammar" (section 3.1).
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

// recodeEdits returns the edits of the kind, and whether there are others that
// touch schema or gold SQL.
func recodeEdits(edits []Edit) (recodes []RecodeColumn, others bool) {
	for _, e := range edits {
		switch e := e.(type) {
		case RecodeColumn:
			recodes = append(recodes, e)
		case RenameColumn, RenameTable, AddColumn, RewriteSQL:
			others = true
		}
	}
	return recodes, others
}

// recodeGold rewrites an example's gold SQL for recoded columns. The error is a
// *[Refusal], or says what is wrong with the edits.
func recodeGold(ex *Example, edits []RecodeColumn, after *dataset.Database) (query string, err error) {
	r, err := newRecoder(ex, edits)
	if err != nil {
		return "", err
	}
	columns := map[sqlast.BaseColumn]string{}
	for i := range r.edits {
		columns[sqlast.BaseColumn{Table: r.edits[i].Table, Column: r.edits[i].Column}] = ""
	}
	if sharesAlias(ex, sqlast.Renaming{Columns: columns}) {
		return "", &Refusal{Reason: "alias-of-two-tables"}
	}
	defer catchRefusal(&err)
	q := r.query(ex.Gold)
	return q.String(), r.verify(ex, q, after)
}

// catchRefusal turns a panic with a *Refusal into an error.
func catchRefusal(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Refusal:
		*err = p
	default:
		panic(p)
	}
}

func refuse(reason Reason) { panic(&Refusal{Reason: reason}) }

// A recoder rewrites one query. Its methods report what cannot be said by a
// panic with a *[Refusal].
type recoder struct {
	b      *sqlast.Binding
	edits  []RecodeColumn
	column map[sqlast.BaseColumn]*RecodeColumn // by folded names
	probes map[*sqlast.Select]bool             // the select lists of EXISTS, which show nothing
	wanted map[*sqlast.ColumnRef]sqlast.BaseColumn
}

func newRecoder(ex *Example, edits []RecodeColumn) (*recoder, error) {
	r := &recoder{b: ex.Binding, edits: edits, column: map[sqlast.BaseColumn]*RecodeColumn{}, probes: map[*sqlast.Select]bool{}, wanted: map[*sqlast.ColumnRef]sqlast.BaseColumn{}}
	for i := range edits {
		if err := edits[i].check(); err != nil {
			return nil, err
		}
		r.column[sqlast.BaseColumn{Table: edits[i].Table, Column: edits[i].Column}.Key()] = &edits[i]
	}
	for e := range sqlast.All[*sqlast.Exists](ex.Gold) {
		r.probes[e.Query.Select] = len(e.Query.Compound) == 0
	}
	return r, nil
}

// verify checks that the names of the rewritten query stand for what they must,
// and that Spider's grammar has its form if it had that of the original.
func (r *recoder) verify(ex *Example, q *sqlast.Query, after *dataset.Database) error {
	b, err := sqlast.Resolve(q, after)
	if err != nil {
		return err
	}
	if len(b.Problems) > 0 {
		return &Refusal{Reason: refusedNames}
	}
	for ref := range sqlast.All[*sqlast.ColumnRef](q) {
		t := b.Target(ref)
		want, known := r.wanted[ref]
		if known && want.Key() != (sqlast.BaseColumn{Table: t.Table, Column: t.Column}).Key() {
			return &Refusal{Reason: refusedNames}
		}
	}
	return r.sayable(ex, q, b, after)
}

// sayable returns a refusal where Spider's grammar has the form of the original
// gold SQL but not that of the rewritten one.
func (r *recoder) sayable(ex *Example, q *sqlast.Query, b *sqlast.Binding, after *dataset.Database) error {
	before := after.Clone() // but for the order of columns, which does not matter
	for _, e := range r.edits {
		if t := before.Table(e.Table); t >= 0 {
			before.Tables[t].Columns = append(before.Tables[t].Columns, dataset.Column{Original: e.Column})
		}
	}
	if _, err := dataset.SpiderSQL(ex.Gold, ex.Binding, before); err != nil {
		return nil
	}
	_, err := dataset.SpiderSQL(q, b, after)
	if _, ok := errors.AsType[*dataset.SpiderGrammarError](err); ok {
		return &Refusal{Reason: refusedGrammar}
	}
	return err
}

// Expected returns what the rewritten gold SQL must answer after the edits, given
// the answer before: recoded values in the result columns that show them, where a
// column that became several widens the rows in its place. Without [RecodeColumn]
// among the edits that is the answer before. An error says that a value lies
// outside the map of values, or is the *[Refusal] of [RewriteGold].
func Expected(ex *Example, edits []Edit, before *sqldata.Result) (res *sqldata.Result, err error) {
	recodes, _ := recodeEdits(edits)
	if len(recodes) == 0 {
		return before, nil
	}
	r, err := newRecoder(ex, recodes)
	if err != nil {
		return nil, err
	}
	defer catchRefusal(&err)
	codes := r.outputs(ex.Gold)
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

// Shows tells whether the answer of an example's gold SQL shows values of a recoded
// column, as they are or as an aggregate of the same unit.
func (e RecodeColumn) Shows(ex *Example) (shows bool, err error) {
	r, err := newRecoder(ex, []RecodeColumn{e})
	if err != nil {
		return false, err
	}
	defer catchRefusal(&err)
	return slices.ContainsFunc(r.outputs(ex.Gold), func(c coding) bool { return !c.plain() }), nil
}

// A coding says how the values of an expression changed.
type coding struct {
	edit *RecodeColumn // nil where they did not
	// number is for a sum or an average: it is mapped as a number, even where the
	// column's numbers are stored as text.
	number bool
}

func (c coding) plain() bool { return c.edit == nil }

// width is how many columns hold what one held.
func (c coding) width() int {
	if c.plain() {
		return 1
	}
	return len(c.edit.Into)
}

func (c coding) apply(v sqldata.Value) ([]sqldata.Value, error) {
	switch {
	case c.plain():
		return []sqldata.Value{v}, nil
	case c.number && !v.IsNull():
		now, err := c.edit.Map.Linear.number(v)
		return []sqldata.Value{now}, err
	}
	return c.edit.Map.Apply(v, c.width())
}

// same tells whether values of the two codings are equal after the edits if and
// only if they were before.
func (c coding) same(o coding) bool {
	switch {
	case c.plain(), o.plain():
		return c.edit == o.edit
	case c.width() != o.width(), !c.edit.Map.equal(o.edit.Map):
		return false
	}
	// SQLite compares the text '2014' with the average 2014.0 as text.
	return c.number == o.number || c.edit.Map.Linear.Digits == 0
}

// target returns the coding of what a name stands for.
func (r *recoder) target(t sqlast.Target) coding {
	if t.Column != "" { // passed on as it is, by whatever query or alias
		return coding{edit: r.column[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]}
	}
	switch t.Kind {
	case sqlast.Alias, sqlast.Output:
		if t.Result != nil {
			return r.coding(t.Result.Expr)
		}
	}
	return coding{}
}

// outputs returns the codings of the result columns of a query as it was.
func (r *recoder) outputs(q *sqlast.Query) []coding {
	if q.With != nil {
		refuse(refusedWith)
	}
	codes := r.selected(q.Select)
	for _, c := range q.Compound {
		for i, other := range r.selected(c.Select) {
			if i < len(codes) && !codes[i].same(other) {
				refuse(refusedSets)
			}
		}
	}
	return codes
}

func (r *recoder) selected(s *sqlast.Select) []coding {
	if len(s.Values) > 0 {
		return make([]coding, len(s.Values[0]))
	}
	var codes []coding
	for _, c := range s.Columns {
		star, ok := c.Expr.(*sqlast.Star)
		if !ok {
			codes = append(codes, r.coding(c.Expr))
			continue
		}
		for _, t := range r.b.Star(star) {
			if !r.target(t).plain() && !r.probes[s] {
				refuse(refusedStar)
			}
			codes = append(codes, coding{})
		}
	}
	return codes
}

// coding returns how the values of an expression change.
func (r *recoder) coding(x sqlast.Expr) coding {
	switch x := x.(type) {
	case *sqlast.ColumnRef:
		return r.target(r.b.Target(x))
	case *sqlast.Subquery:
		if codes := r.outputs(x.Query); len(codes) == 1 {
			return codes[0]
		}
	case *sqlast.Call:
		switch agg, c := r.aggregate(x); agg {
		case "min", "max":
			return c
		case "sum", "avg":
			c.number = true
			return c
		}
	}
	return coding{}
}
