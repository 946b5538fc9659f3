package logical

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// engine runs logical forms as lib/dbengine.py of WikiSQL does.
type engine struct {
	db     *sqlite.DB
	tables map[string]map[string]string // declared type by column, by table in lower case
}

// openEngine opens a SPLIT.db and reads the types of its columns.
func openEngine(ctx context.Context, path string) (*engine, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	schema, err := db.Schema(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	e := &engine{db: db, tables: map[string]map[string]string{}}
	for _, t := range schema {
		types := map[string]string{}
		for _, c := range t.Columns {
			types[c.Name] = strings.ToLower(c.Type)
		}
		e.tables[strings.ToLower(t.Name)] = types
	}
	return e, nil
}

// The reasons for which a logical form has no answer.
var (
	errTable     = errors.New("the table is unknown")
	errAggregate = errors.New("the aggregate is unknown")
	errColumn    = errors.New("the table has no such column")
	errOperator  = errors.New("the operator is unknown")
	errNumber    = errors.New("a column of numbers is compared with what holds none")
	errConstant  = errors.New("a condition compares with no constant")
	errSQL       = errors.New("the query fails")
)

// run returns the answer of a form on a table: a list of values. Strings compare in
// lower case. Two conditions on one column compare with the constant of the last, as
// the evaluator's named parameters do.
func (e *engine) run(ctx context.Context, table string, f *form) ([]sqldata.Value, error) {
	name := wikisql.TableName(table)
	types, ok := e.tables[strings.ToLower(name)]
	if !ok {
		return nil, errTable
	}
	aggregate, ok := f.agg.index(wikisql.Aggregates)
	if !ok {
		return nil, errAggregate
	}
	result, _, ok := column(types, f.sel)
	if !ok {
		return nil, errColumn
	}
	if aggregate != "" {
		result = aggregate + "(" + result + ")"
	}
	where, err := conditions(types, f.conds)
	if err != nil {
		return nil, err
	}
	res, err := e.db.Query(ctx, "SELECT "+result+" AS result FROM "+sqldata.QuoteName(name)+where, sqldata.Limits{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, errSQL
	}
	return lists.Map(res.Rows, func(row []sqldata.Value) sqldata.Value { return row[0] }), nil
}

// column returns the name and declared type of the column with a number; ok is false if there is none. types
// are the types of the table's columns by name.
func column(types map[string]string, v value) (name, typ string, ok bool) {
	if v.kind != integer {
		return "", "", false
	}
	name = "col" + v.text
	typ, ok = types[name]
	return name, typ, ok
}

// conditions returns the WHERE clause for conditions, or "" for none. types are the types of the table's
// columns by name.
func conditions(types map[string]string, conds []condition) (string, error) {
	constants := map[string]string{} // by column: WikiSQL's evaluator binds one constant to each column, that of the last condition
	var clauses [][2]string          // column and operator
	for _, c := range conds {
		name, typ, ok := column(types, c.column)
		if !ok {
			return "", errColumn
		}
		operator, ok := c.operator.index(wikisql.Operators)
		if !ok || operator == "OP" { // a placeholder of WikiSQL's list
			return "", errOperator
		}
		constant, err := c.constant.sql(typ == "real")
		if err != nil {
			return "", err
		}
		constants[name] = constant
		clauses = append(clauses, [2]string{name, operator})
	}
	if clauses == nil {
		return "", nil
	}
	return " WHERE " + strings.Join(lists.Map(clauses, func(c [2]string) string {
		return c[0] + " " + c[1] + " " + constants[c[0]]
	}), " AND "), nil
}

// sql returns a constant as SQL. It writes strings in lower case or, if isNumber is set because the column
// holds numbers, as numbers.
func (v value) sql(isNumber bool) (string, error) {
	switch v.kind {
	case str:
		lower := strings.ToLower(v.text)
		if isNumber {
			f, err := parseNumber(lower)
			return sqlFloat(f), err
		}
		if strings.Contains(lower, "\x00") { // SQL cannot hold a NUL byte
			return "CAST(X'" + hex.EncodeToString([]byte(lower)) + "' AS TEXT)", nil
		}
		return "'" + strings.ReplaceAll(lower, "'", "''") + "'", nil
	case integer:
		if _, err := strconv.ParseInt(v.text, 10, 64); err != nil {
			return "", errConstant
		}
		return v.text, nil
	case float:
		return sqlFloat(v.num), nil
	case boolean:
		return strconv.Itoa(int(v.num)), nil
	}
	if v.text == "null" && !isNumber {
		return "NULL", nil
	}
	return "", errConstant
}

// sqlFloat returns a number as SQL. NaN becomes NULL, and infinity a number beyond all others.
func sqlFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NULL"
	case math.IsInf(f, 1):
		return "9e999"
	case math.IsInf(f, -1):
		return "-9e999"
	}
	return dataset.PythonFloat(f)
}

var (
	// decimal is what Python's Decimal reads.
	decimal = lazyregexp.New(`^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(inf|infinity|nan)$`)
	// numeral is num_re of lib/dbengine.py: a sign counts before a fraction only.
	numeral = lazyregexp.New(`[-+]?\d*\.\d+|\d+`)
)

// parseNumber parses a number as parse_decimal of Babel does, without thousands' commas. If the
// text is no number, it returns the first number in it.
func parseNumber(text string) (float64, error) {
	cleaned := strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(text, ",", "")), "_", "")
	if !decimal.MatchString(cleaned) {
		if cleaned = numeral.FindString(text); cleaned == "" {
			return 0, errNumber
		}
	}
	f, _ := strconv.ParseFloat(cleaned, 64) // out of range is infinite, as in Python
	return f, nil
}

// equalAnswers reports whether Python's == holds for two lists: the order counts, and 2 equals 2.0.
func equalAnswers(a, b []sqldata.Value) bool {
	return slices.EqualFunc(a, b, func(x, y sqldata.Value) bool {
		areNumbers := x.IsNumber() && y.IsNumber()
		return x == y || areNumbers && x.Float() == y.Float()
	})
}
