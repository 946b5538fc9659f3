package sqlast

// Node is a part of a query. The set of nodes is closed: it is what this
// package defines. Nodes are compared by identity.
type Node interface {
	// Position is where the node begins in the source, or zero.
	Position() Pos

	// edit puts f(child) in the place of each child, in source order. A place
	// whose child stays is not written.
	edit(f editor)
}

// Expr is a node that has a value.
type Expr interface {
	Node
	precedence(d *Dialect) int
}

// Source is what FROM takes rows from: a [*Table], a [*Derived] or a [*Group].
type Source interface {
	Node
	// AliasName returns the alias, or the zero Ident.
	AliasName() Ident
}

// Query is a SELECT statement, at the top or nested.
type Query struct {
	Pos
	Dialect  *Dialect // nil for SQLite's
	With     *With    // nil without
	Select   *Select
	Compound []*Compound // UNION …, applied from left to right
	OrderBy  []*OrderTerm
	Limit    *Limit // nil without
}

// SetOp is a set operation.
type SetOp string

// The set operations.
const (
	Union     SetOp = "UNION"
	UnionAll  SetOp = "UNION ALL"
	Intersect SetOp = "INTERSECT"
	Except    SetOp = "EXCEPT"

	IntersectAll SetOp = "INTERSECT ALL"
	ExceptAll    SetOp = "EXCEPT ALL"
)

// Compound is a further SELECT of a query with the operation that joins it to
// what precedes.
type Compound struct {
	Pos
	Op     SetOp
	Select *Select
}

// With is a WITH clause.
type With struct {
	Pos
	Recursive bool
	Tables    []*CTE
}

// CTE is a common table expression.
type CTE struct {
	Pos
	Name         Ident
	Columns      []Ident // nil if the query names them
	Materialized string  // "", "MATERIALIZED" or "NOT MATERIALIZED"
	Query        *Query
}

// Select is one SELECT or VALUES of a query.
type Select struct {
	Pos
	Distinct bool
	On       []Expr // of DISTINCT ON
	Columns  []*ResultColumn
	From     []*FromItem
	Where    Expr // nil without, as Having
	GroupBy  []Expr
	Having   Expr
	Windows  []*WindowDef
	Values   [][]Expr // rows of VALUES; all else is empty then
	Nested   *Query   // a query in parentheses in the place of a SELECT; all else is empty then
}

// ResultColumn is one entry of a select list; its Expr may be a [*Star].
type ResultColumn struct {
	Pos
	Expr  Expr
	Alias Ident // zero without AS
}

// JoinOp joins an entry of FROM to those before it.
type JoinOp string

// The join operations. Outer joins are written without OUTER.
const (
	Comma     JoinOp = ","
	Join      JoinOp = "JOIN"
	InnerJoin JoinOp = "INNER JOIN"
	CrossJoin JoinOp = "CROSS JOIN"
	LeftJoin  JoinOp = "LEFT JOIN"
	RightJoin JoinOp = "RIGHT JOIN"
	FullJoin  JoinOp = "FULL JOIN"
)

// Outer reports whether a join may add rows of NULL.
func (op JoinOp) Outer() bool { return op == LeftJoin || op == RightJoin || op == FullJoin }

// FromItem is one entry of FROM. SQLite joins entries from left to right.
type FromItem struct {
	Pos
	Op      JoinOp // "" for the first entry
	Natural bool
	Source  Source
	On      Expr    // nil without
	Using   []Ident // nil without
}

// Table is a table by name, or a call of a table-valued function.
type Table struct {
	Pos
	Schema, Name Ident
	Call         bool   // a table-valued function
	Args         []Expr // its arguments
	Lateral      bool   // LATERAL before a function
	Ordinality   bool   // WITH ORDINALITY after a function
	Alias        Ident
	Columns      []Ident  // names for its columns, after the alias
	Types        []string // of the columns of a function that returns records; nil without
	Indexed      string   // "", "NOT INDEXED", "INDEXED BY name"
}

// Derived is a query in FROM.
type Derived struct {
	Pos
	Query   *Query
	Lateral bool
	Alias   Ident
	Columns []Ident // names for its columns, after the alias
}

// Group is a join in parentheses.
type Group struct {
	Pos
	From  []*FromItem
	Alias Ident
}

// AliasName returns the alias, or the zero Ident.
func (n *Table) AliasName() Ident { return n.Alias }

// AliasName returns the alias, or the zero Ident.
func (n *Derived) AliasName() Ident { return n.Alias }

// AliasName returns the alias, or the zero Ident.
func (n *Group) AliasName() Ident { return n.Alias }

// Direction is the direction of an order term as written.
type Direction string

// The directions.
const (
	Unspecified Direction = "" // ascending
	Asc         Direction = "ASC"
	Desc        Direction = "DESC"
)

// OrderTerm is one term of ORDER BY.
type OrderTerm struct {
	Pos
	Expr  Expr
	Dir   Direction
	Nulls string // "", "FIRST" or "LAST"
}

// Limit is a LIMIT clause, or FETCH.
type Limit struct {
	Pos
	Count  Expr // nil for OFFSET alone, which SQLite lacks
	Offset Expr // nil without
	Ties   bool // FETCH FIRST … ROWS WITH TIES
}

// WindowDef is a named window of a WINDOW clause.
type WindowDef struct {
	Pos
	Name   Ident
	Window *Window
}

// Window is what follows OVER, or a definition of a WINDOW clause.
type Window struct {
	Pos
	Name        Ident // OVER name; all else is empty then
	Base        Ident // the window that this one extends
	PartitionBy []Expr
	OrderBy     []*OrderTerm
	Frame       *Frame
}

// Frame is the frame of a window.
type Frame struct {
	Pos
	Unit    string // "ROWS", "RANGE" or "GROUPS"
	Start   Bound
	End     Bound  // zero if the frame is written without BETWEEN
	Exclude string // "", "NO OTHERS", "CURRENT ROW", "GROUP" or "TIES"
}

// Bound is an end of a frame.
type Bound struct {
	Expr Expr   // of PRECEDING and FOLLOWING, else nil
	Kind string // "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING" or "UNBOUNDED FOLLOWING"
}
