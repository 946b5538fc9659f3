package wikisql

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Aggregates and Operators are the words of SQL by their numbers in a logical form
// (WikiSQL's lib/query.py). The last operator is a placeholder that no SQL has.
var (
	Aggregates = []string{"", "MAX", "MIN", "COUNT", "SUM", "AVG"}
	Operators  = []string{"=", ">", "<", "OP"}
)

// LogicalForm is WikiSQL's form of a query on one table.
type LogicalForm struct {
	Select    int // column, from 0
	Aggregate int // index into [Aggregates]
	Where     []Condition
}

// Condition compares a column with a constant; a WHERE joins them by AND.
type Condition struct {
	Column   int
	Operator int // index into [Operators]
	Value    Value
}

// Value is a constant: the text of a string, or a number as its JSON or SQL writes it,
// so that 3, 3.0 and "3" stay three values.
type Value struct {
	Text   string
	Number bool
}

// UnmarshalJSON decodes a string or a number.
func (v *Value) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.HasPrefix(data, []byte(`"`)):
		v.Number = false
		return json.Unmarshal(data, &v.Text)
	case len(data) > 0 && strings.IndexByte(numberStart, data[0]) >= 0:
		*v = Value{Text: string(data), Number: true}
		return nil
	}
	return fmt.Errorf("a condition compares with %s, expected a string or a number", dataset.Clip(string(data)))
}

// MarshalJSON encodes the value as UnmarshalJSON decodes it.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Number {
		return []byte(v.Text), nil
	}
	return asciiJSON(v.Text)
}

// UnmarshalJSON decodes [column, operator, value].
func (c *Condition) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	bad := json.Unmarshal(data, &parts) != nil || len(parts) != 3
	if bad || json.Unmarshal(parts[0], &c.Column) != nil || json.Unmarshal(parts[1], &c.Operator) != nil {
		return fmt.Errorf("a condition is %s, expected [column, operator, value]", dataset.Clip(string(data)))
	}
	return c.Value.UnmarshalJSON(parts[2])
}

// MarshalJSON encodes the condition as UnmarshalJSON decodes it.
func (c Condition) MarshalJSON() ([]byte, error) {
	value, err := c.Value.MarshalJSON()
	return fmt.Appendf(nil, "[%d,%d,%s]", c.Column, c.Operator, value), err
}

// formRecord is the member "sql" of a question.
type formRecord struct {
	Select    *int         `json:"sel"`
	Where     *[]Condition `json:"conds"`
	Aggregate *int         `json:"agg"`
}

// UnmarshalJSON decodes {"sel", "conds", "agg"}; all three are required.
func (f *LogicalForm) UnmarshalJSON(data []byte) error {
	var rec formRecord
	if err := dataset.Decode(data, &rec); err != nil {
		return err
	}
	if err := cmp.Or(
		dataset.Require("sel", rec.Select != nil), dataset.Require("agg", rec.Aggregate != nil), dataset.Require("conds", rec.Where != nil),
	); err != nil {
		return err
	}
	*f = LogicalForm{*rec.Select, *rec.Aggregate, *rec.Where}
	return nil
}

// MarshalJSON encodes the form as UnmarshalJSON decodes it.
func (f LogicalForm) MarshalJSON() ([]byte, error) {
	conds := append([]Condition{}, f.Where...)
	return asciiJSON(formRecord{&f.Select, &conds, &f.Aggregate})
}

// Equal reports whether two forms are the same, including the types of their values and the order
// of their conditions.
func (f LogicalForm) Equal(g LogicalForm) bool {
	return f.Select == g.Select && f.Aggregate == g.Aggregate && slices.Equal(f.Where, g.Where)
}

// Check returns an error if an index of the form is not valid for a table with that number of columns.
func (f LogicalForm) Check(columns int) error {
	switch {
	case f.Aggregate < 0, f.Aggregate >= len(Aggregates):
		return fmt.Errorf(`"agg" is %d, expected 0 to %d`, f.Aggregate, len(Aggregates)-1)
	case f.Select < 0, f.Select >= columns:
		return fmt.Errorf(`"sel" is column %d, expected 0 to %d as the table has %d`, f.Select, columns-1, columns)
	}
	for _, c := range f.Where {
		switch {
		case c.Column < 0, c.Column >= columns:
			return fmt.Errorf(`"conds" has column %d, expected 0 to %d as the table has %d`, c.Column, columns-1, columns)
		case c.Operator < 0, c.Operator > 2: // 3 is the placeholder
			return fmt.Errorf(`"conds" has operator %d, expected 0 to 2`, c.Operator)
		}
	}
	return nil
}

// SQL returns the form as SQL on a table, in the style of [sqlast.Query.String].
func (f LogicalForm) SQL(t *dataset.Table) (string, error) {
	if err := f.Check(len(t.Columns)); err != nil {
		return "", err
	}
	name := func(column int) string { return sqlast.NewIdent(t.Columns[column].Original).String() }
	var b strings.Builder
	b.WriteString("SELECT ")
	if f.Aggregate > 0 {
		fmt.Fprintf(&b, "%s(%s)", Aggregates[f.Aggregate], name(f.Select))
	} else {
		b.WriteString(name(f.Select))
	}
	b.WriteString(" FROM " + sqlast.NewIdent(t.Original).String())
	for i, c := range f.Where {
		word := " AND "
		if i == 0 {
			word = " WHERE "
		}
		value := c.Value.Text
		if !c.Value.Number {
			value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		fmt.Fprintf(&b, "%s%s %s %s", word, name(c.Column), Operators[c.Operator], value)
	}
	return b.String(), nil
}

// maxConditions bounds a WHERE; WikiSQL's longest has four.
const maxConditions = 1000

// Parse returns the logical form of SQL on a database of one table. The error is the reason why
// there is none; it does not contain the SQL, so that reasons can be counted.
func Parse(sql string, db *dataset.Database) (LogicalForm, error) {
	if len(db.Tables) != 1 {
		return LogicalForm{}, errors.New("query of a database of several tables")
	}
	if strings.TrimSpace(sql) == "" {
		return LogicalForm{}, errors.New("no gold SQL")
	}
	q, err := sqlast.Parse(sql)
	if err != nil {
		return LogicalForm{}, errors.New("gold SQL that does not parse")
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil || len(b.Problems) > 0 {
		return LogicalForm{}, errors.New("gold SQL with names that the table has not")
	}
	p := formParser{db, b}
	return p.query(q)
}

// formParser converts a resolved query to a logical form.
type formParser struct {
	db *dataset.Database
	b  *sqlast.Binding
}

// query returns the logical form of a query. The error names the first clause that the form
// cannot express.
func (p *formParser) query(q *sqlast.Query) (f LogicalForm, err error) {
	s := q.Select
	for _, clause := range []struct {
		present bool
		name    string
	}{
		{q.With != nil, "WITH"},
		{len(q.Compound) > 0, "set operation"},
		{len(q.OrderBy) > 0, "ORDER BY"},
		{q.Limit != nil, "LIMIT"},
		{s.Distinct, "DISTINCT"},
		{len(s.GroupBy) > 0 || s.Having != nil, "GROUP BY or HAVING"},
		{s.Values != nil || len(s.Windows) > 0, "VALUES or WINDOW"},
		{len(s.From) != 1, "other than one table in FROM"},
		{len(s.Columns) != 1, "several result columns"},
	} {
		if clause.present {
			return f, errors.New(clause.name)
		}
	}
	t, ok := s.From[0].Source.(*sqlast.Table)
	if !ok || p.b.BaseTable(t) == "" || t.Call {
		return f, errors.New("nested query in FROM")
	}
	if f.Select, f.Aggregate, err = p.resultColumn(s.Columns[0].Expr); err != nil {
		return f, err
	}
	f.Where, err = p.where(s.Where)
	return f, err
}

// resultColumn returns the index of the selected column, and the index of its aggregate in
// [Aggregates].
func (p *formParser) resultColumn(x sqlast.Expr) (column, aggregate int, err error) {
	if c, ok := x.(*sqlast.Call); ok {
		aggregate = slices.IndexFunc(Aggregates, c.Name.Is)
		switch {
		case c.Star:
			return 0, 0, errors.New("COUNT(*)")
		case c.Distinct:
			return 0, 0, errors.New("DISTINCT in an aggregate")
		case aggregate <= 0, len(c.Args) != 1, !c.Bare(): // 0 is no aggregate, -1 an unknown function
			return 0, 0, errors.New("function other than an aggregate of a column")
		}
		x = c.Args[0]
	}
	if _, ok := x.(*sqlast.Star); ok {
		return 0, 0, errors.New("star")
	}
	column, ok := p.column(x)
	if !ok {
		return 0, 0, errors.New("result that is no column")
	}
	return column, aggregate, nil
}

// column returns the index of the table's column that an expression is; ok is false for any
// other expression.
func (p *formParser) column(x sqlast.Expr) (index int, ok bool) {
	ref, ok := x.(*sqlast.ColumnRef)
	if !ok {
		return 0, false
	}
	t := p.b.Target(ref)
	position, found := p.db.Lookup(t.Table, t.Column)
	return position.Column, found && t.Kind == sqlast.Column
}

// where returns the conditions that AND joins in x, which may be nil.
func (p *formParser) where(x sqlast.Expr) ([]Condition, error) {
	conds := sqlast.Conjuncts(x)
	if len(conds) > maxConditions {
		return nil, fmt.Errorf("more than %d conditions", maxConditions)
	}
	var where []Condition
	for _, x := range conds {
		c, err := p.condition(x)
		if err != nil {
			return nil, err
		}
		where = append(where, c)
	}
	return where, nil
}

// condition converts a comparison to a condition of the logical form.
func (p *formParser) condition(x sqlast.Expr) (c Condition, err error) {
	op, ok := x.(*sqlast.Binary)
	if !ok {
		return c, errors.New("condition other than a comparison")
	}
	if op.Op == "OR" {
		return c, errors.New("OR")
	}
	if c.Operator = slices.Index(Operators, op.Op); c.Operator < 0 {
		return c, errors.New("comparison other than =, > and <")
	}
	if c.Column, ok = p.column(op.X); !ok {
		return c, errors.New("condition that begins with no column")
	}
	c.Value, err = p.value(op.Y)
	return c, err
}

// value returns the constant that an expression is. A string may have double quotes.
func (p *formParser) value(x sqlast.Expr) (Value, error) {
	if literal := p.b.Literal(x); literal != nil {
		switch literal.Kind {
		case sqlast.StringLiteral:
			return Value{Text: literal.Text}, nil
		case sqlast.NumberLiteral:
			if !json.Valid([]byte(literal.Text)) {
				return Value{}, errors.New("number that JSON does not have")
			}
			return Value{Text: literal.Text, Number: true}, nil // with its digits as written
		}
	}
	return Value{}, errors.New("condition that compares with no constant")
}
