package suite

import (
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/sqlast"
)

// Kind is the kind of thing that a neighbour query changes (section 3.1).
type Kind string

// The kinds of neighbour.
const (
	Number   Kind = "number"   // an integer or real constant
	String   Kind = "string"   // a string
	Operator Kind = "operator" // a comparison, AND or OR, NOT, an aggregate, a set operation, a direction
	Column   Kind = "column"   // a column, for another one of the query's tables
	Drop     Kind = "drop"     // a condition, a clause, an item of a list, a table, DISTINCT, an aggregate, all rows but one
)

// Neighbour is a query that differs from another in one place.
type Neighbour struct {
	Kind Kind
	SQL  string
}

// Catalog is the schema in which queries are read.
type Catalog interface {
	sqlast.Catalog
	// Type returns the declared type of a column, ignoring the case of names.
	Type(table, column string) string
}

// MaxNeighbours bounds the neighbours of one query.
const MaxNeighbours = 2000

// Neighbours returns the neighbours of a query, at most [MaxNeighbours]. Each resolves in
// the schema, and all differ from each other and from q in the text of
// [sqlast.Query.String]. Random values come from rng. It leaves out queries that the tree
// proves equivalent to q:
//
//   - a column replaced by one that inner joins or WHERE make equal to it, of the same
//     declared type;
//   - DISTINCT dropped in an arm of UNION, INTERSECT or EXCEPT, in min and max, or in a
//     subquery of IN or EXISTS; ORDER BY dropped in such a subquery without LIMIT; changes
//     of the result columns of a subquery of EXISTS;
//   - a comparison of a group's count(*) that is the same for all counts from 1 on, such
//     as "!= 1" for "> 1".
//
// In addition to the paper's, there are neighbours that count or drop NULL, that open or
// close an end of a pattern, and that return only one row of the answer.
//
// The error is that of a query that does not resolve.
func Neighbours(q *sqlast.Query, c Catalog, rng *rand.Rand) ([]Neighbour, error) {
	b, err := sqlast.Resolve(q, c)
	if err != nil {
		return nil, err
	}
	if len(b.Problems) > 0 {
		return nil, b.Problems[0]
	}
	e := &editor{query: q, binding: b, catalog: c, rng: rng, quoted: quotedStrings(q, b), seen: map[string]bool{q.String(): true}}
	scopes := e.scopes()
	for _, s := range scopes {
		e.editScope(s)
	}
	e.addLimitOne(scopes[0])
	return e.found, nil
}

// editor makes the neighbours of one query.
type editor struct {
	query   *sqlast.Query
	binding *sqlast.Binding
	catalog Catalog
	rng     *rand.Rand
	quoted  int             // names in double quotes that are strings
	seen    map[string]bool // the text of the query and of its neighbours so far
	found   []Neighbour
}

// replace adds the neighbour in which replacement takes the place of a node. A nil replacement removes an
// entry of a list or an optional clause.
func (e *editor) replace(kind Kind, node, replacement sqlast.Node) {
	if len(e.found) == MaxNeighbours {
		return
	}
	e.add(kind, sqlast.Rewrite(e.query, func(n sqlast.Node) sqlast.Node {
		if n == node {
			return replacement
		}
		return n
	}).(*sqlast.Query))
}

// change adds the neighbour in which a copy of a node, changed by f, takes its place.
func change[T any, P interface {
	*T
	sqlast.Node
}](e *editor, kind Kind, node P, f func(P)) {
	changed := *node
	f(&changed)
	e.replace(kind, node, P(&changed))
}

// add adds a neighbour, unless there is an equal one or it does not resolve. It also drops
// one in which a name in double quotes has become a string because its column is gone.
func (e *editor) add(kind Kind, q *sqlast.Query) {
	text := q.String()
	if e.seen[text] {
		return
	}
	e.seen[text] = true
	parsed, b, err := sqlast.ParseResolved(text, e.catalog)
	if err != nil || quotedStrings(parsed, b) > e.quoted {
		return
	}
	e.found = append(e.found, Neighbour{Kind: kind, SQL: text})
}

// quotedStrings counts the names in double quotes that are strings, because no column has the name.
func quotedStrings(q *sqlast.Query, b *sqlast.Binding) int {
	n := 0
	for ref := range sqlast.All[*sqlast.ColumnRef](q) {
		if b.Target(ref).Kind == sqlast.String {
			n++
		}
	}
	return n
}

// editScope makes the neighbours that change one SELECT and, for the first SELECT of a query, its
// ORDER BY, LIMIT and set operations.
func (e *editor) editScope(s *scope) {
	if s.isFirst() {
		e.editQuery(s)
	}
	e.dropClauses(s)
	e.editSelect(s)
	for _, node := range s.nodes() {
		for n := range sqlast.Own[sqlast.Node](node) {
			e.editNode(s, n)
		}
	}
}

// editNode makes the neighbours that change one node of a scope itself, but no node below it.
func (e *editor) editNode(s *scope, n sqlast.Node) {
	switch n := n.(type) {
	case *sqlast.Literal:
		e.editLiteral(n)
	case *sqlast.ColumnRef:
		if e.binding.Target(n).Kind == sqlast.String {
			e.editString(n, n.Column.Name)
			return
		}
		e.replaceColumn(s, n)
	case *sqlast.Binary:
		e.editBinary(s, n)
	case *sqlast.Like:
		e.editLike(n)
	case *sqlast.Between:
		e.editBetween(n)
	case *sqlast.In:
		e.editIn(n)
	case *sqlast.Exists:
		e.replace(Operator, n, &sqlast.Unary{Op: "NOT", X: n})
	case *sqlast.Unary:
		switch n.Op {
		case "NOT", "-":
			e.replace(Drop, n, n.X)
		}
	case *sqlast.Call:
		e.editCall(s, n)
	case *sqlast.OrderTerm:
		e.reverseOrder(n)
	}
}
