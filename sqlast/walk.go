package sqlast

import (
	"iter"
	"reflect"
	"slices"
)

// Inspect calls f for n and the nodes below it, in source order; where f
// returns false, what lies below that node is left out.
func Inspect(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	n.edit(func(child Node) Node {
		Inspect(child, f)
		return child
	})
}

// All yields n and the nodes below it, in source order, that are a T.
func All[T Node](n Node) iter.Seq[T] {
	return func(yield func(T) bool) {
		done := false
		Inspect(n, func(n Node) bool {
			if t, ok := n.(T); ok && !done {
				done = !yield(t)
			}
			return !done
		})
	}
}

// Clone returns a copy that shares no node with n.
func Clone[T Node](n T) T {
	return Rewrite(n, func(n Node) Node { return n }).(T)
}

// Rewrite returns a changed copy of n. It calls f for n and then for the nodes
// below it, in source order. Where f returns the node that it was given, the
// node is copied and what lies below it is rewritten in turn. What else f
// returns takes the node's place as it is; for an entry of a list or an
// optional clause, nil removes it. A replacement must fit its place: an Expr
// for an Expr, a *Query for a *Query.
//
// The nodes that f sees are those of the input, so that a [Binding] knows them.
func Rewrite(n Node, f func(Node) Node) Node {
	if r := f(n); r != n {
		return r
	}
	c := shallow(n)
	c.edit(func(child Node) Node { return Rewrite(child, f) })
	return c
}

// copyTree returns a copy of q and the copy of each of its nodes.
func copyTree(q *Query) (*Query, map[Node]Node) {
	copies := map[Node]Node{}
	var dup func(Node) Node
	dup = func(n Node) Node {
		c := shallow(n)
		copies[n] = c
		c.edit(dup)
		return c
	}
	return dup(q).(*Query), copies
}

type editor func(Node) Node

// child edits one place that holds a T, which may be empty.
func child[T interface {
	Node
	comparable
}](place *T, f editor) {
	var none T
	if *place == none {
		return
	}
	switch n := f(*place); n {
	case Node(*place):
	case nil:
		*place = none
	default:
		*place = n.(T)
	}
}

// children edits a list. A list that changes is replaced by a new one, so that copies of a node
// may share the old one.
func children[T interface {
	Node
	comparable
}](list *[]T, f editor) {
	var none T
	changed, removed := false, false
	for i, n := range *list {
		now := n
		child(&now, f)
		if now == n {
			continue
		}
		if !changed {
			*list, changed = slices.Clone(*list), true
		}
		(*list)[i] = now
		removed = removed || now == none
	}
	if removed {
		*list = slices.DeleteFunc(*list, func(n T) bool { return n == none })
	}
}

// shallow returns a copy of n that shares its children and lists with n. The rows of VALUES are
// in a list of their own, as [children] replaces each of them.
func shallow(n Node) Node {
	original := reflect.ValueOf(n).Elem()
	c := reflect.New(original.Type())
	c.Elem().Set(original)
	if s, ok := c.Interface().(*Select); ok {
		s.Values = slices.Clone(s.Values)
	}
	return c.Interface().(Node)
}

func (n *Query) edit(f editor) {
	child(&n.With, f)
	child(&n.Select, f)
	children(&n.Compound, f)
	children(&n.OrderBy, f)
	child(&n.Limit, f)
}
func (n *Compound) edit(f editor) { child(&n.Select, f) }
func (n *With) edit(f editor)     { children(&n.Tables, f) }
func (n *CTE) edit(f editor)      { child(&n.Query, f) }
func (n *Select) edit(f editor) {
	children(&n.Columns, f)
	children(&n.From, f)
	child(&n.Where, f)
	children(&n.GroupBy, f)
	child(&n.Having, f)
	children(&n.Windows, f)
	for i := range n.Values {
		children(&n.Values[i], f)
	}
}
func (n *ResultColumn) edit(f editor) { child(&n.Expr, f) }
func (n *FromItem) edit(f editor)     { child(&n.Source, f); child(&n.On, f) }
func (n *Table) edit(f editor)        { children(&n.Args, f) }
func (n *Derived) edit(f editor)      { child(&n.Query, f) }
func (n *Group) edit(f editor)        { children(&n.From, f) }
func (n *OrderTerm) edit(f editor)    { child(&n.Expr, f) }
func (n *Limit) edit(f editor)        { child(&n.Count, f); child(&n.Offset, f) }
func (n *WindowDef) edit(f editor)    { child(&n.Window, f) }
func (n *Window) edit(f editor) {
	children(&n.PartitionBy, f)
	children(&n.OrderBy, f)
	child(&n.Frame, f)
}
func (n *Frame) edit(f editor)   { child(&n.Start.Expr, f); child(&n.End.Expr, f) }
func (n *Literal) edit(editor)   {}
func (n *Param) edit(editor)     {}
func (n *ColumnRef) edit(editor) {}
func (n *Star) edit(editor)      {}
func (n *Unary) edit(f editor)   { child(&n.X, f) }
func (n *Binary) edit(f editor)  { child(&n.X, f); child(&n.Y, f) }
func (n *Like) edit(f editor)    { child(&n.X, f); child(&n.Pattern, f); child(&n.Escape, f) }
func (n *Between) edit(f editor) { child(&n.X, f); child(&n.Low, f); child(&n.High, f) }
func (n *In) edit(f editor) {
	child(&n.X, f)
	children(&n.List, f)
	child(&n.Query, f)
	child(&n.Table, f)
}
func (n *Exists) edit(f editor)   { child(&n.Query, f) }
func (n *Subquery) edit(f editor) { child(&n.Query, f) }
func (n *Case) edit(f editor)     { child(&n.Operand, f); children(&n.Whens, f); child(&n.Else, f) }
func (n *When) edit(f editor)     { child(&n.Cond, f); child(&n.Result, f) }
func (n *Cast) edit(f editor)     { child(&n.X, f) }
func (n *Collate) edit(f editor)  { child(&n.X, f) }
func (n *Tuple) edit(f editor)    { children(&n.Items, f) }
func (n *Call) edit(f editor) {
	children(&n.Args, f)
	children(&n.OrderBy, f)
	child(&n.Filter, f)
	child(&n.Over, f)
}
