package consistency

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Type is the kind of an error, as table 8 counts them.
type Type string

// The types. NoSQL, one output that is no SQL on its schema, is not in the paper, whose
// parsers all print SQL.
const (
	ColumnPrediction  Type = "column prediction"
	AggregateFunction Type = "aggregate function"
	Operator          Type = "operator"
	TableJoining      Type = "table joining"
	ComplexQuery      Type = "complex query" // more than one error, or a nested query that only one side has
	Others            Type = "others"        // other tables or another number of conditions; order, limit, constants
	NoSQL             Type = "no SQL"
)

// Types returns the types in the order of table 8.
func Types() []Type {
	return []Type{ColumnPrediction, AggregateFunction, Operator, TableJoining, ComplexQuery, Others, NoSQL}
}

// Clause is a part of a query.
type Clause string

// The clauses.
const (
	Select  Clause = "select"
	From    Clause = "from" // tables and the conditions that join them
	Where   Clause = "where"
	GroupBy Clause = "group"
	Having  Clause = "having"
	OrderBy Clause = "order"
	Limit   Clause = "limit"
	Nesting Clause = "nesting"   // nested queries and set operations
	Values  Clause = "constants" // only if nothing else differs
)

// Clauses returns the clauses in the order in which they print.
func Clauses() []Clause {
	return []Clause{Select, From, Where, GroupBy, Having, OrderBy, Limit, Nesting, Values}
}

// Difference is how the outputs of a pair differ.
type Difference struct {
	Type    Type
	Clauses []Clause // that differ, each once, in the order of [Clauses]
}

// differences collects the differences between two queries and those nested in them. Both lists may repeat
// an element.
type differences struct {
	types   []Type
	clauses []Clause
}

// add records a clause that differs, with the types of its errors.
func (d *differences) add(c Clause, types ...Type) {
	d.clauses = append(d.clauses, c)
	d.types = append(d.types, types...)
}

// classify returns the type and the clauses of the difference of two queries. The paper's authors did that by hand; here
// these rules replace them:
//
//   - columns, aggregates and operators are compared as bags, clause by clause; columns that foreign keys link count as one;
//   - count(*) has no column, so if only one query has it, only the aggregate differs;
//   - tables count only if the columns are the same: they are an error of joining if either query joins, and another error otherwise;
//   - a different number of conditions is one error of type Others, whatever they compare;
//   - two types in one pair are a complex query.
func classify(pre, post parsedOutput) Difference {
	a, b := readFeatures(pre), readFeatures(post)
	var d differences
	d.compareBlocks(a, b)
	if len(d.clauses) == 0 && !slices.Equal(a.literals(), b.literals()) {
		d.add(Values, Others)
	}
	out := Difference{Type: Others}
	out.Clauses = lists.Filter(Clauses(), func(c Clause) bool { return slices.Contains(d.clauses, c) })
	slices.Sort(d.types)
	switch types := slices.Compact(d.types); {
	case len(types) > 1:
		out.Type = ComplexQuery
	case len(types) == 1:
		out.Type = types[0]
	}
	return out
}

// compareBlocks adds the differences between two blocks and those nested in them.
func (d *differences) compareBlocks(a, b *block) {
	before := len(d.types) // the types of this block begin here
	for _, c := range []Clause{Select, Where, GroupBy, Having, OrderBy} {
		d.compareParts(c, a.part(c), b.part(c))
	}
	if a.distinct != b.distinct {
		d.add(Select, Others)
	}
	if a.limit != b.limit {
		d.add(Limit, Others)
	}
	if !slices.Equal(a.tables, b.tables) || !slices.Equal(a.joins, b.joins) {
		switch {
		case slices.Contains(d.types[before:], ColumnPrediction):
			d.add(From) // other columns need other tables: no error of its own
		case len(a.tables) > 1, len(b.tables) > 1:
			d.add(From, TableJoining)
		default:
			d.add(From, Others)
		}
	}
	if len(a.nested) != len(b.nested) || !slices.Equal(a.setOperators, b.setOperators) {
		d.add(Nesting, ComplexQuery)
		return
	}
	for i := range a.nested {
		d.compareBlocks(a.nested[i], b.nested[i])
	}
}

// compareParts adds the differences between one clause, c, of two blocks. A clause that only one of them has, and another number of
// conditions in WHERE, is one error of type Others.
func (d *differences) compareParts(c Clause, a, b *part) {
	if slices.Equal(a.items, b.items) {
		return
	}
	missing := len(a.items) == 0 || len(b.items) == 0
	if missing || c == Where && len(a.items) != len(b.items) {
		d.add(c, Others)
		return
	}
	var types []Type
	aggregates := !slices.Equal(a.aggregates, b.aggregates)
	countsRows := aggregates && (a.countStar || b.countStar) // count(*) has no column, so the columns differ in any case
	if !slices.Equal(a.columns, b.columns) && !countsRows {
		types = append(types, ColumnPrediction)
	}
	if aggregates {
		types = append(types, AggregateFunction)
	}
	if !slices.Equal(a.operators, b.operators) {
		types = append(types, Operator)
	}
	if types == nil {
		types = []Type{Others}
	}
	d.add(c, types...)
}
