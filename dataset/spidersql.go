package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
	"github.com/tabperturb/tabperturb/sqlast"
)

// SpiderQuery is a query in the form of the "sql" field of Spider's examples,
// as its official parser (process_sql.py) makes it. The nested lists are those
// of the format; columns are positions in the flat column list of tables.json,
// where 0 is "*".
//
//	col_unit:   [aggregate, column, distinct]
//	val_unit:   [operator, col_unit, col_unit or null]
//	cond_unit:  [not, operator, val_unit, value, value or null]
//	conditions: [cond_unit, "and" or "or", cond_unit, …]
type SpiderQuery struct {
	From      SpiderFrom   `json:"from"`
	Select    []any        `json:"select"`  // [distinct, [[aggregate, val_unit], …]]
	Where     []any        `json:"where"`   // conditions
	GroupBy   []any        `json:"groupBy"` // col_units
	Having    []any        `json:"having"`  // conditions
	OrderBy   []any        `json:"orderBy"` // [] or ["asc" or "desc", val_units]
	Limit     *int         `json:"limit"`
	Intersect *SpiderQuery `json:"intersect"`
	Union     *SpiderQuery `json:"union"`
	Except    *SpiderQuery `json:"except"`
}

// SpiderFrom is the FROM clause of a [SpiderQuery].
type SpiderFrom struct {
	TableUnits []any `json:"table_units"` // ["table_unit", table] or ["sql", SpiderQuery]
	Conds      []any `json:"conds"`       // conditions
}

// SpiderGrammarError reports which part of a query is outside Spider's grammar.
type SpiderGrammarError struct {
	Pos  sqlast.Pos
	What string
}

// Error returns the place and the part of the query.
func (e *SpiderGrammarError) Error() string {
	return fmt.Sprintf("%d:%d: %s lies outside Spider's SQL", e.Pos.Line, e.Pos.Col, e.What)
}

// The codes of process_sql.py.
var (
	spiderAggregates = []string{"none", "max", "min", "count", "sum", "avg"}
	spiderOperators  = []string{"none", "-", "+", "*", "/"}
	spiderConditions = []string{"not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists"}
)

// SpiderSQL returns q in the form of Spider; b is its binding to db. The error is a
// [*SpiderGrammarError]. It follows the official parser:
//
//   - Set operations nest to the right, with ORDER BY and LIMIT in the last of their queries.
//   - All terms of ORDER BY get the last direction that is written.
//   - ON ends before its first OR.
//   - If nested queries give the same alias to different tables, it means the last of these everywhere, if that table has the column.
//   - Names of result columns are left out.
func SpiderSQL(q *sqlast.Query, b *sqlast.Binding, db *Database) (sq *SpiderQuery, err error) {
	s := &spiderForm{b: b, db: db, firstColumn: make([]int, len(db.Tables)), aliases: aliasTables(q, b)}
	next := 1 // after the star
	for i, t := range db.Tables {
		s.firstColumn[i] = next
		next += len(t.Columns)
	}
	defer raise.Catch[*SpiderGrammarError](&err)
	return s.query(q), nil
}

// A spiderForm builds a SpiderQuery. Its methods report an error by a panic
// with a *SpiderGrammarError, which SpiderSQL recovers.
type spiderForm struct {
	b           *sqlast.Binding
	db          *Database
	firstColumn []int // of each table: its position in the flat list

	aliases map[string]string // from each alias of any nested query, folded, to its table
}

// aliasTables returns the base table of each alias of q, by folded alias; the last one if there
// are several.
func aliasTables(q *sqlast.Query, b *sqlast.Binding) map[string]string {
	m := map[string]string{}
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		if t, ok := n.(*sqlast.Table); ok && t.Alias.Name != "" {
			m[strings.ToLower(t.Alias.Name)] = b.BaseTable(t)
		}
		return true
	})
	return m
}

// reject panics with a [SpiderGrammarError] at n; part names what lies outside the grammar.
func (s *spiderForm) reject(n sqlast.Node, part string) {
	panic(&SpiderGrammarError{n.Position(), part})
}

// query returns the form of a query with its set operations.
func (s *spiderForm) query(q *sqlast.Query) *SpiderQuery {
	if q.With != nil {
		s.reject(q.With, "WITH")
	}
	head := s.selectCore(q.Select)
	last := head
	for _, c := range q.Compound {
		next := s.selectCore(c.Select)
		switch c.Op {
		case sqlast.Intersect:
			last.Intersect = next
		case sqlast.Union:
			last.Union = next
		case sqlast.Except:
			last.Except = next
		default:
			s.reject(c, string(c.Op))
		}
		last = next
	}
	if len(q.OrderBy) > 0 {
		last.OrderBy = s.orderBy(q.OrderBy)
	}
	if q.Limit != nil {
		last.Limit = s.limit(q.Limit)
	}
	return head
}

// selectCore returns the form of one SELECT.
func (s *spiderForm) selectCore(n *sqlast.Select) *SpiderQuery {
	if n.Values != nil || len(n.Windows) > 0 || len(n.From) == 0 {
		s.reject(n, "a SELECT without FROM, or with WINDOW,")
	}
	columns := []any{}
	for _, c := range n.Columns {
		columns = append(columns, s.selectColumn(c.Expr))
	}
	q := &SpiderQuery{
		From:   s.from(n.From),
		Select: []any{n.Distinct, columns},
		Where:  s.conditions(n.Where), GroupBy: []any{}, Having: s.conditions(n.Having), OrderBy: []any{},
	}
	for _, x := range n.GroupBy {
		q.GroupBy = append(q.GroupBy, s.colUnit(x, false))
	}
	return q
}

// selectColumn returns [aggregate, val_unit]. Only in the select list is the aggregate outside the val_unit; elsewhere it
// is part of a col_unit.
func (s *spiderForm) selectColumn(x sqlast.Expr) []any {
	c, ok := x.(*sqlast.Call)
	if !ok {
		return []any{0, s.valUnit(x, false)}
	}
	agg, arg := s.aggregate(c)
	return []any{agg, s.valUnit(arg, c.Distinct)}
}

// aggregate returns the code and the argument of an aggregate; the argument of count(*) is a
// star. It panics on any other function.
func (s *spiderForm) aggregate(c *sqlast.Call) (int, sqlast.Expr) {
	agg := codeOf(spiderAggregates, c.Name.Name) // 0 is "none", -1 an unknown name
	oneArgument := c.Star || len(c.Args) == 1
	if agg <= 0 || !c.Bare() || !oneArgument {
		s.reject(c, "function "+sqlast.Format(c))
	}
	if c.Star {
		return agg, &sqlast.Star{Pos: c.Pos}
	}
	return agg, c.Args[0]
}

// from returns the form of FROM with the conditions of its joins.
func (s *spiderForm) from(items []*sqlast.FromItem) SpiderFrom {
	f := SpiderFrom{TableUnits: []any{}, Conds: []any{}}
	for _, item := range items {
		if item.Op.Outer() {
			s.reject(item, string(item.Op))
		}
		if item.Natural || item.Using != nil {
			s.reject(item, "a join by NATURAL or USING")
		}
		switch src := item.Source.(type) {
		case *sqlast.Table:
			t := s.db.Table(s.b.BaseTable(src))
			if t < 0 {
				s.reject(src, "table "+src.Name.Name)
			}
			f.TableUnits = append(f.TableUnits, []any{"table_unit", t})
		case *sqlast.Derived:
			f.TableUnits = append(f.TableUnits, []any{"sql", s.query(src.Query)})
		default:
			s.reject(src, "a join in parentheses")
		}
		if conds := beforeOr(s.conditions(item.On)); len(conds) > 0 { // as the official parser reads ON
			if len(f.Conds) > 0 {
				f.Conds = append(f.Conds, "and")
			}
			f.Conds = append(f.Conds, conds...)
		}
	}
	return f
}

// orderBy returns [direction, val_units]. The last direction in SQL is that of all terms, as in the official parser.
func (s *spiderForm) orderBy(terms []*sqlast.OrderTerm) []any {
	dir := "asc"
	units := []any{}
	for _, t := range terms {
		if t.Nulls != "" {
			s.reject(t, "NULLS "+t.Nulls)
		}
		if t.Dir != sqlast.Unspecified {
			dir = strings.ToLower(string(t.Dir))
		}
		units = append(units, s.valUnit(t.Expr, false))
	}
	return []any{dir, units}
}

// limit returns the number of LIMIT. It rejects OFFSET and a count that is no whole number.
func (s *spiderForm) limit(l *sqlast.Limit) *int {
	if l.Offset != nil {
		s.reject(l, "OFFSET")
	}
	if n, ok := l.Count.(*sqlast.Literal); ok {
		if count, err := strconv.Atoi(n.Text); err == nil {
			return &count
		}
	}
	s.reject(l, sqlast.Format(l))
	return nil
}

// valUnit returns [operator, col_unit, col_unit or null] for an operation or, with the operator 0, for another expression.
// distinct is set for DISTINCT before x, which counts for the first col_unit.
func (s *spiderForm) valUnit(x sqlast.Expr, distinct bool) []any {
	if op, ok := x.(*sqlast.Binary); ok {
		if c := codeOf(spiderOperators, op.Op); c > 0 { // 0 is "none"
			return []any{c, s.colUnit(op.X, distinct), s.colUnit(op.Y, false)}
		}
	}
	return []any{0, s.colUnit(x, distinct), nil}
}

// colUnit returns [aggregate, column, distinct]. distinct is set for DISTINCT before the unit; it
// may also be within an aggregate.
func (s *spiderForm) colUnit(x sqlast.Expr, distinct bool) []any {
	agg := 0
	if c, ok := x.(*sqlast.Call); ok {
		agg, x = s.aggregate(c)
		distinct = distinct || c.Distinct
	}
	return []any{agg, s.column(x), distinct}
}

// column returns the position of a column in the flat column list of tables.json; 0 is the star.
func (s *spiderForm) column(x sqlast.Expr) int {
	switch x := x.(type) {
	case *sqlast.Star:
		return 0
	case *sqlast.ColumnRef:
		// As in the official parser, an alias that another nested query declares counts first, see [SpiderSQL].
		ref, ok := s.db.Lookup(s.aliases[strings.ToLower(x.Table.Name)], x.Column.Name)
		if !ok {
			t := s.b.Target(x)
			ref, ok = s.db.Lookup(t.Table, t.Column)
		}
		if ok {
			return s.firstColumn[ref.Table] + ref.Column
		}
	}
	s.reject(x, "expression "+sqlast.Format(x))
	return 0
}

// codeOf returns the index of a name in a list of codes, ignoring case, or -1.
func codeOf(list []string, name string) int {
	return slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// floatNumber returns a number as Spider writes it, always with a fraction: 3.0 for "3". It is false for text that is no number.
func floatNumber(text string) (json.Number, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", false
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return json.Number(s), true
}
