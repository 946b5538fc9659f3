package sqlast

import (
	"iter"
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
	c := n.shallow()
	c.edit(func(child Node) Node { return Rewrite(child, f) })
	return c
}

// copyTree returns a copy of q and the copy of each of its nodes.
func copyTree(q *Query) (*Query, map[Node]Node) {
	copies := map[Node]Node{}
	var dup func(Node) Node
	dup = func(n Node) Node {
		c := n.shallow()
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

// children edits a list.
func children[T interface {
	Node
	comparable
}](list *[]T, f editor) {
	var none T
	removed := false
	for i := range *list {
		child(&(*list)[i], f)
		removed = removed || (*list)[i] == none
	}
	if removed {
		*list = slices.DeleteFunc(*list, func(n T) bool { return n == none })
	}
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

func (n *Query) shallow() Node {
	c := *n
	c.Compound, c.OrderBy = slices.Clone(n.Compound), slices.Clone(n.OrderBy)
	return &c
}
func (n *Compound) shallow() Node { c := *n; return &c }
func (n *With) shallow() Node     { c := *n; c.Tables = slices.Clone(n.Tables); return &c }
func (n *CTE) shallow() Node      { c := *n; c.Columns = slices.Clone(n.Columns); return &c }
func (n *Select) shallow() Node {
	c := *n
	c.Columns, c.From, c.GroupBy = slices.Clone(n.Columns), slices.Clone(n.From), slices.Clone(n.GroupBy)
	c.Windows, c.Values = slices.Clone(n.Windows), slices.Clone(n.Values)
	for i, row := range c.Values {
		c.Values[i] = slices.Clone(row)
	}
	return &c
}
func (n *ResultColumn) shallow() Node { c := *n; return &c }
func (n *FromItem) shallow() Node     { c := *n; c.Using = slices.Clone(n.Using); return &c }
func (n *Table) shallow() Node        { c := *n; c.Args = slices.Clone(n.Args); return &c }
func (n *Derived) shallow() Node      { c := *n; return &c }
func (n *Group) shallow() Node        { c := *n; c.From = slices.Clone(n.From); return &c }
func (n *OrderTerm) shallow() Node    { c := *n; return &c }
func (n *Limit) shallow() Node        { c := *n; return &c }
func (n *WindowDef) shallow() Node    { c := *n; return &c }
func (n *Window) shallow() Node {
	c := *n
	c.PartitionBy, c.OrderBy = slices.Clone(n.PartitionBy), slices.Clone(n.OrderBy)
	return &c
}
func (n *Frame) shallow() Node     { c := *n; return &c }
func (n *Literal) shallow() Node   { c := *n; return &c }
func (n *Param) shallow() Node     { c := *n; return &c }
func (n *ColumnRef) shallow() Node { c := *n; return &c }
func (n *Star) shallow() Node      { c := *n; return &c }
func (n *Unary) shallow() Node     { c := *n; return &c }
func (n *Binary) shallow() Node    { c := *n; return &c }
func (n *Like) shallow() Node      { c := *n; return &c }
func (n *Between) shallow() Node   { c := *n; return &c }
func (n *In) shallow() Node        { c := *n; c.List = slices.Clone(n.List); return &c }
func (n *Exists) shallow() Node    { c := *n; return &c }
func (n *Subquery) shallow() Node  { c := *n; return &c }
func (n *Case) shallow() Node      { c := *n; c.Whens = slices.Clone(n.Whens); return &c }
func (n *When) shallow() Node      { c := *n; return &c }
func (n *Cast) shallow() Node      { c := *n; return &c }
func (n *Collate) shallow() Node   { c := *n; return &c }
func (n *Tuple) shallow() Node     { c := *n; c.Items = slices.Clone(n.Items); return &c }
func (n *Call) shallow() Node {
	c := *n
	c.Args, c.OrderBy = slices.Clone(n.Args), slices.Clone(n.OrderBy)
	return &c
}
