package sqlast

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// The kinds of literal.
const (
	NumberLiteral LiteralKind = iota // Text as written
	StringLiteral                    // Text without quotes
	BlobLiteral                      // Text as written: X'…'
	NullLiteral
	BoolLiteral // TRUE or FALSE
	TimeLiteral // CURRENT_DATE, CURRENT_TIME or CURRENT_TIMESTAMP
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

// Unary is a prefix operator: "-", "+", "~" or "NOT".
type Unary struct {
	Pos
	Op string
	X  Expr
}

// Binary is an infix operator without its own node: "OR", "AND", "=", "!=",
// "<", "<=", ">", ">=", "IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT
// FROM", "<<", ">>", "&", "|", "+", "-", "*", "/", "%", "||", "->" or "->>".
// The spellings "==" and "<>" are read as "=" and "!=", and "x ISNULL" as "x IS
// NULL".
type Binary struct {
	Pos
	Op   string
	X, Y Expr
}

// Like is "x [NOT] op pattern [ESCAPE escape]"; the operator is LIKE, GLOB,
// REGEXP or MATCH.
type Like struct {
	Pos
	Op      string
	Not     bool
	X       Expr
	Pattern Expr
	Escape  Expr // nil without
}

// Between is "x [NOT] BETWEEN low AND high".
type Between struct {
	Pos
	Not          bool
	X, Low, High Expr
}

// In is "x [NOT] IN" a query, a table or, where both are nil, a list.
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

// Cast is "CAST(x AS type)".
type Cast struct {
	Pos
	X    Expr
	Type string // as written, one blank between words
}

// Collate is "x COLLATE name".
type Collate struct {
	Pos
	X         Expr
	Collation Ident
}

// Tuple is a row value of two or more expressions.
type Tuple struct {
	Pos
	Items []Expr
}

// Call is a call of a function, which may be an aggregate or window function.
type Call struct {
	Pos
	Name     Ident
	Distinct bool
	Star     bool // f(*)
	Args     []Expr
	OrderBy  []*OrderTerm
	Filter   Expr    // FILTER (WHERE …), nil without
	Over     *Window // nil without
}

// Precedences of SQLite's operators, from the loosest to the tightest.
const (
	precOr = iota + 1
	precAnd
	precNot
	precEqual // = != IS IN LIKE GLOB MATCH REGEXP BETWEEN
	precCompare
	precEscape
	precBit
	precAdd
	precMul
	precConcat // || -> ->>
	precCollate
	precUnary
	precPrimary
)

// binaryPrec holds the precedence of each operator of [Binary].
var binaryPrec = map[string]int{
	"OR":  precOr,
	"AND": precAnd,
	"=":   precEqual, "!=": precEqual, "IS": precEqual, "IS NOT": precEqual, "IS DISTINCT FROM": precEqual, "IS NOT DISTINCT FROM": precEqual,
	"<": precCompare, "<=": precCompare, ">": precCompare, ">=": precCompare,
	"&": precBit, "|": precBit, "<<": precBit, ">>": precBit,
	"+": precAdd, "-": precAdd,
	"*": precMul, "/": precMul, "%": precMul,
	"||": precConcat, "->": precConcat, "->>": precConcat,
}

// precedence returns the precedence of the operator. That of a node without operands is
// precPrimary.
func (n *Unary) precedence() int {
	if n.Op == "NOT" {
		return precNot
	}
	return precUnary
}

// precedence returns the precedence of the operator.
func (n *Binary) precedence() int { return binaryPrec[n.Op] }

// precedence returns the precedence of the operator.
func (n *Like) precedence() int { return precEqual }

// precedence returns the precedence of the operator.
func (n *Between) precedence() int { return precEqual }

// precedence returns the precedence of the operator.
func (n *In) precedence() int { return precEqual }

// precedence returns the precedence of the operator.
func (n *Collate) precedence() int { return precCollate }

// precedence returns precPrimary: a literal needs no parentheses as an operand.
func (n *Literal) precedence() int { return precPrimary }

// precedence returns precPrimary: a parameter needs no parentheses as an operand.
func (n *Param) precedence() int { return precPrimary }

// precedence returns precPrimary: a column reference needs no parentheses as an operand.
func (n *ColumnRef) precedence() int { return precPrimary }

// precedence returns precPrimary: a star needs no parentheses as an operand.
func (n *Star) precedence() int { return precPrimary }

// precedence returns precPrimary: EXISTS with its query needs no parentheses as an operand.
func (n *Exists) precedence() int { return precPrimary }

// precedence returns precPrimary: a subquery in parentheses needs no parentheses as an operand.
func (n *Subquery) precedence() int { return precPrimary }

// precedence returns precPrimary: CASE … END needs no parentheses as an operand.
func (n *Case) precedence() int { return precPrimary }

// precedence returns precPrimary: CAST(…) needs no parentheses as an operand.
func (n *Cast) precedence() int { return precPrimary }

// precedence returns precPrimary: a list in parentheses needs no parentheses as an operand.
func (n *Tuple) precedence() int { return precPrimary }

// precedence returns precPrimary: a function call needs no parentheses as an operand.
func (n *Call) precedence() int { return precPrimary }
