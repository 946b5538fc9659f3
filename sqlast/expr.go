package sqlast

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// The kinds of literal.
const (
	NumberLiteral LiteralKind = iota // Text as written
	StringLiteral                    // Text without quotes
	BlobLiteral                      // Text as written: X'…', B'…'
	NullLiteral
	BoolLiteral // TRUE or FALSE
	TimeLiteral // CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP or another keyword that is a value, such as CURRENT_USER
)

// Literal is a constant. A string in double quotes is a [ColumnRef] to the
// parser; [Resolve] finds which are strings.
type Literal struct {
	Pos
	Kind LiteralKind
	Text string
}

// Param is a parameter such as ?1 or :name.
type Param struct {
	Pos
	Text string
}

// ColumnRef is a name in an expression.
type ColumnRef struct {
	Pos
	Schema, Table, Column Ident // Schema and Table are zero where not written
}

// Star is * or table.* in a select list.
type Star struct {
	Pos
	Table Ident // zero for *
}

// Unary is a prefix operator: "-", "+", "~" or "NOT", and in PostgreSQL others of signs.
type Unary struct {
	Pos
	Op string
	X  Expr
}

// Binary is an infix operator without its own node: "OR", "AND", "=", "!=",
// "<", "<=", ">", ">=", "IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT
// FROM", "<<", ">>", "&", "|", "+", "-", "*", "/", "%", "||", "->" or "->>".
// PostgreSQL has others of signs, "AT TIME ZONE" and "OVERLAPS".
// The spellings "==" and "<>" are read as "=" and "!=", and "x ISNULL" as "x IS
// NULL".
type Binary struct {
	Pos
	Op   string
	X, Y Expr
}

// Like is "x [NOT] op pattern [ESCAPE escape]"; the operator is LIKE, GLOB,
// REGEXP, MATCH, ILIKE or SIMILAR TO.
type Like struct {
	Pos
	Op      string
	Not     bool
	X       Expr
	Pattern Expr
	Escape  Expr // nil without
}

// Wildcards reports whether % and _ of the pattern stand for any text and any character, as in LIKE and ILIKE without ESCAPE.
func (n *Like) Wildcards() bool {
	return (n.Op == "LIKE" || n.Op == "ILIKE") && n.Escape == nil
}

// Between is "x [NOT] BETWEEN [SYMMETRIC] low AND high".
type Between struct {
	Pos
	Not          bool
	Symmetric    bool
	X, Low, High Expr
}

// In is "x [NOT] IN" a query, a table or, if both are nil, a list.
type In struct {
	Pos
	Not   bool
	X     Expr
	List  []Expr
	Query *Query
	Table *Table
}

// Exists is "EXISTS (query)".
type Exists struct {
	Pos
	Query *Query
}

// Subquery is a query in the place of a value.
type Subquery struct {
	Pos
	Query *Query
}

// Case is a CASE expression.
type Case struct {
	Pos
	Operand Expr // nil without
	Whens   []*When
	Else    Expr // nil without
}

// When is one branch of a CASE.
type When struct {
	Pos
	Cond, Result Expr
}

// CastForm is how a [Cast] is written.
type CastForm uint8

// The forms of casts.
const (
	CastCall    CastForm = iota // CAST(x AS type)
	CastColons                  // x::type
	CastLiteral                 // type 'x'
)

// Cast is a cast of x to a type.
type Cast struct {
	Pos
	X      Expr
	Type   string // as written, one blank between words
	Form   CastForm
	Fields string // of INTERVAL '…' DAY TO SECOND: what follows the string
}

// Index is "x[low]" or, where Slice is set, "x[low:high]".
type Index struct {
	Pos
	X         Expr
	Low, High Expr // nil if not written
	Slice     bool
}

// Field is "(x).name", a field of a composite value; the zero name is "(x).*".
type Field struct {
	Pos
	X    Expr
	Name Ident
}

// Array is "ARRAY[items]", where an item may be a list in brackets, or "ARRAY(query)".
type Array struct {
	Pos
	Items  []Expr
	Nested bool // an array in an array, written without ARRAY
	Query  *Query
}

// Quantified is "ANY (x)", "SOME (x)" or "ALL (x)" on the right side of an operator, where x is a query or an array.
type Quantified struct {
	Pos
	Word  string
	X     Expr // nil if Query is set
	Query *Query
}

// NamedArg is "name => x" or "VARIADIC x" (without a name) among the arguments of a call.
type NamedArg struct {
	Pos
	Name Ident
	X    Expr
}

// GroupingSets is "GROUPING SETS (items)" in GROUP BY. ROLLUP and CUBE are calls.
type GroupingSets struct {
	Pos
	Items []Expr
}

// Collate is "x COLLATE name".
type Collate struct {
	Pos
	X         Expr
	Collation Ident
}

// Tuple is a row value of two or more expressions, or the empty list of GROUP BY ().
type Tuple struct {
	Pos
	Items []Expr
}

// Call is a call of a function, which may be an aggregate or window function.
type Call struct {
	Pos
	Schema   Ident // zero where not written
	Name     Ident
	Distinct bool
	Star     bool // f(*)
	Args     []Expr
	Words    []string // what stands before each argument in place of a comma: "YEAR FROM", "FOR"; nil for commas
	OrderBy  []*OrderTerm
	Within   bool    // ORDER BY stands in WITHIN GROUP (…)
	Filter   Expr    // FILTER (WHERE …), nil without
	Over     *Window // nil without
}

// Precedences of operators, from the loosest to the tightest; the first three are those of every dialect.
const (
	precOr = iota + 1
	precAnd
	precNot
	precEqual // of SQLite, as those that follow: = != IS IN LIKE GLOB MATCH REGEXP BETWEEN
	precCompare
	precEscape
	precBit
	precAdd
	precMul
	precConcat // || -> ->>
	precCollate
	precUnary

	pgOperator  = 7  // of PostgreSQL: all operators of signs but those of [Dialect.infix]
	pgUnary     = 13 // of PostgreSQL
	precPrimary = 20
)

// precedence returns the precedence of the operator. That of a node without operands is
// precPrimary.
func (n *Unary) precedence(d *Dialect) int { return d.prefixLevel(n.Op) }

// precedence returns the precedence of the operator.
func (n *Binary) precedence(d *Dialect) int { return d.level(n.Op) }

// precedence returns the precedence of the operator.
func (n *Like) precedence(d *Dialect) int { return d.infix["LIKE"] }

// precedence returns the precedence of the operator.
func (n *Between) precedence(d *Dialect) int { return d.infix["BETWEEN"] }

// precedence returns the precedence of the operator.
func (n *In) precedence(d *Dialect) int { return d.infix["IN"] }

// precedence returns the precedence of the operator.
func (n *Collate) precedence(d *Dialect) int { return d.infix["COLLATE"] }

// precedence returns the precedence of the operator; CAST(…) and type '…' need no parentheses as an operand.
func (n *Cast) precedence(d *Dialect) int {
	if n.Form == CastColons {
		return d.infix["::"]
	}
	return precPrimary
}

// precedence returns the precedence of the brackets.
func (n *Index) precedence(d *Dialect) int { return d.infix["["] }

// precedence returns precPrimary: a literal needs no parentheses as an operand.
func (n *Literal) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a parameter needs no parentheses as an operand.
func (n *Param) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a column reference needs no parentheses as an operand.
func (n *ColumnRef) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a star needs no parentheses as an operand.
func (n *Star) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: EXISTS with its query needs no parentheses as an operand.
func (n *Exists) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a subquery in parentheses needs no parentheses as an operand.
func (n *Subquery) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: CASE … END needs no parentheses as an operand.
func (n *Case) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a list in parentheses needs no parentheses as an operand.
func (n *Tuple) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a function call needs no parentheses as an operand.
func (n *Call) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: ANY (…) needs no parentheses as an operand.
func (n *Quantified) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: ARRAY[…] needs no parentheses as an operand.
func (n *Array) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: a field after parentheses needs no parentheses as an operand.
func (n *Field) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: an argument needs no parentheses as an operand.
func (n *NamedArg) precedence(*Dialect) int { return precPrimary }

// precedence returns precPrimary: GROUPING SETS (…) needs no parentheses as an operand.
func (n *GroupingSets) precedence(*Dialect) int { return precPrimary }
