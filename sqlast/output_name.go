package sqlast

import (
	"cmp"
	"strings"
)

// outputName returns the name that the engine gives a result column without an alias: in SQLite the text of x, in PostgreSQL the
// name of its column or function, or ?column?.
func (d *Dialect) outputName(x Expr) string {
	if !d.scopes.namedCalls {
		return d.Format(x)
	}
	name, _ := d.figureName(x)
	return cmp.Or(name, "?column?")
}

// figureName returns the name that PostgreSQL gives a result column without an alias, or "". firm is set for the name of a
// column or function. The name of a type or a CASE is not firm: a firm name within the cast or the CASE replaces it.
func (d *Dialect) figureName(x Expr) (name string, firm bool) {
	switch x := x.(type) {
	case *ColumnRef:
		return d.NameOf(x.Column), true
	case *Call:
		return cmp.Or(trimNames[strings.ToLower(x.Name.Name)+trimSide(x)], d.NameOf(x.Name)), true
	case *Cast:
		if name, firm = d.figureName(x.X); firm {
			return name, true
		}
		return typeName(x.Type), false
	case *Case: // PostgreSQL looks at ELSE alone
		if name, firm = d.figureName(x.Else); firm {
			return name, true
		}
		return "case", false
	case *Literal:
		switch x.Kind {
		case BoolLiteral:
			return "bool", false
		case TimeLiteral:
			return strings.ToLower(x.Text), true
		}
	case *Subquery:
		if columns := x.Query.Select.Columns; len(columns) > 0 && !columns[0].Alias.IsZero() {
			return d.NameOf(columns[0].Alias), true
		} else if len(columns) > 0 {
			return d.figureName(columns[0].Expr)
		}
	}
	return d.figureFixedName(x)
}

// figureFixedName returns what [Dialect.figureName] does for expressions whose name is a word of their syntax, the name of a
// field or the name of their operand. It is "" for all others.
func (d *Dialect) figureFixedName(x Expr) (name string, firm bool) {
	switch x := x.(type) {
	case *Exists:
		return "exists", true
	case *Array:
		return "array", true
	case *Tuple:
		return "row", true
	case *Binary:
		if x.Op == "AT TIME ZONE" {
			return "timezone", true
		}
	case *Collate:
		return d.figureName(x.X)
	case *Index:
		return d.figureName(x.X)
	case *Field:
		return d.NameOf(x.Name), true
	}
	return "", false
}

// trimNames has the functions that TRIM stands for, by its side.
var trimNames = map[string]string{"trim": "btrim", "trimBOTH": "btrim", "trimLEADING": "ltrim", "trimTRAILING": "rtrim"}

// trimSide returns the side of TRIM(side FROM x): BOTH, LEADING or TRAILING; "" without one.
func trimSide(x *Call) string {
	if len(x.Words) == 0 {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(x.Words[0], "FROM")) // of "LEADING FROM", "LEADING" or "FROM"
}

// typeNames has PostgreSQL's own names of the types of the standard.
var typeNames = map[string]string{
	"int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "real": "float4", "float": "float8", "double precision": "float8",
	"decimal": "numeric", "dec": "numeric", "boolean": "bool", "char": "bpchar", "character": "bpchar", "nchar": "bpchar",
	"character varying": "varchar", "char varying": "varchar", "bit varying": "varbit",
	"timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp",
	"time with time zone": "timetz", "time without time zone": "time",
}

// typeName returns PostgreSQL's name of a type without length, schema, brackets and fields.
func typeName(text string) string {
	before, after, _ := strings.Cut(strings.ToLower(text), "(")
	if _, zone, ok := strings.Cut(after, ")"); ok { // timestamp(3) with time zone
		before += zone
	}
	before, _, _ = strings.Cut(before, "[")
	if strings.HasPrefix(before, "interval") { // interval day to second
		return "interval"
	}
	before = strings.Trim(before[strings.LastIndex(before, ".")+1:], `"`)
	return cmp.Or(typeNames[before], before)
}
