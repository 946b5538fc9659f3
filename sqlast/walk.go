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
	return nodes[T](n, func(Node) bool { return true })
}

// Own yields the nodes that [All] does, but for those below a query that is nested in n, which belong to that query.
func Own[T Node](n Node) iter.Seq[T] {
	return nodes[T](n, func(below Node) bool {
		_, isQuery := below.(*Query)
		return !isQuery || below == n
	})
}

// Contains reports whether matches accepts one of the nodes that [All] yields.
func Contains[T Node](n Node, matches func(T) bool) bool { return anyOf(All[T](n), matches) }

// ContainsOwn reports whether matches accepts one of the nodes that [Own] yields.
func ContainsOwn[T Node](n Node, matches func(T) bool) bool { return anyOf(Own[T](n), matches) }

// anyOf reports whether matches accepts one of the nodes.
func anyOf[T Node](nodes iter.Seq[T], matches func(T) bool) bool {
	for n := range nodes {
		if matches(n) {
			return true
		}
	}
	return false
}

// nodes yields n and the nodes below it, in source order, that are a T. It leaves out what lies below
// a node that enter rejects.
func nodes[T Node](n Node, enter func(Node) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		done := false
		Inspect(n, func(n Node) bool {
			if t, ok := n.(T); ok && !done {
				done = !yield(t)
			}
			return !done && enter(n)
		})
	}
}

// Clone returns a copy that shares no node with n.
func Clone[T Node](n T) T {
	return Rewrite(n, func(n Node) Node { return n }).(T)
}

// Rewrite returns a changed copy of n. It calls f for n and then for the nodes below it, in source order. If f returns the
// node that it was given, Rewrite copies the node and rewrites the nodes below it. Any other node replaces the given one as
// it is, and nil removes an entry of a list or an optional clause. A replacement must fit its place: an Expr for an Expr, a
// *Query for a *Query.
//
// The nodes that f sees are those of the input, so that a [Binding] knows them.
func Rewrite(n Node, f func(Node) Node) Node {
	if r := f(n); r != n {
		return r
	}
	c := shallowCopy(n)
	c.edit(func(child Node) Node { return Rewrite(child, f) })
	return c
}

// copyTree returns a copy of q, and a map from each node of q to its copy.
func copyTree(q *Query) (*Query, map[Node]Node) {
	copies := map[Node]Node{}
	var copyNode func(Node) Node
	copyNode = func(n Node) Node {
		c := shallowCopy(n)
		copies[n] = c
		c.edit(copyNode)
		return c
	}
	return copyNode(q).(*Query), copies
}

// editor returns the replacement of a node, which may be the node itself or nil.
type editor func(Node) Node

// childNode is the type of a field that holds a node.
type childNode interface {
	Node
	comparable
}

// editChild replaces the node at a place of its parent by f(node). An empty place stays empty.
func editChild[T childNode](place *T, f editor) {
	var none T
	if *place == none {
		return
	}
	switch n := f(*place); n {
	case Node(*place): // unchanged
	case nil:
		*place = none
	default:
		*place = n.(T)
	}
}

// editChildren replaces the nodes of a list by f(node) and removes those for which f returns
// nil. A list that changes is replaced by a new one, so that copies of a node may share the old
// one.
func editChildren[T childNode](list *[]T, f editor) {
	var none T
	changed, removed := false, false
	for i, n := range *list {
		edited := n
		editChild(&edited, f)
		if edited == n {
			continue
		}
		if !changed {
			*list, changed = slices.Clone(*list), true
		}
		(*list)[i] = edited
		removed = removed || edited == none
	}
	if removed {
		*list = slices.DeleteFunc(*list, func(n T) bool { return n == none })
	}
}

// shallowCopy returns a copy of n that shares its children and lists with n. The rows of VALUES
// get a list of their own, because [editChildren] replaces each of them.
func shallowCopy(n Node) Node {
	original := reflect.ValueOf(n).Elem()
	c := reflect.New(original.Type())
	c.Elem().Set(original)
	if s, ok := c.Interface().(*Select); ok {
		s.Values = slices.Clone(s.Values)
	}
	return c.Interface().(Node)
}

// edit replaces the children of a node by f(child), see [Node]. Each type of node lists its
// fields in source order.
func (n *Query) edit(f editor) {
	editChild(&n.With, f)
	editChild(&n.Select, f)
	editChildren(&n.Compound, f)
	editChildren(&n.OrderBy, f)
	editChild(&n.Limit, f)
}

// edit replaces the children of n, see [Node].
func (n *Compound) edit(f editor) { editChild(&n.Select, f) }

// edit replaces the children of n, see [Node].
func (n *With) edit(f editor) { editChildren(&n.Tables, f) }

// edit replaces the children of n, see [Node].
func (n *CTE) edit(f editor) { editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *Select) edit(f editor) {
	editChild(&n.Nested, f)
	editChildren(&n.On, f)
	editChildren(&n.Columns, f)
	editChildren(&n.From, f)
	editChild(&n.Where, f)
	editChildren(&n.GroupBy, f)
	editChild(&n.Having, f)
	editChildren(&n.Windows, f)
	for i := range n.Values {
		editChildren(&n.Values[i], f)
	}
}

// edit replaces the children of n, see [Node].
func (n *ResultColumn) edit(f editor) { editChild(&n.Expr, f) }

// edit replaces the children of n, see [Node].
func (n *FromItem) edit(f editor) { editChild(&n.Source, f); editChild(&n.On, f) }

// edit replaces the children of n, see [Node].
func (n *Table) edit(f editor) { editChildren(&n.Args, f) }

// edit replaces the children of n, see [Node].
func (n *Derived) edit(f editor) { editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *Group) edit(f editor) { editChildren(&n.From, f) }

// edit replaces the children of n, see [Node].
func (n *OrderTerm) edit(f editor) { editChild(&n.Expr, f) }

// edit replaces the children of n, see [Node].
func (n *Limit) edit(f editor) { editChild(&n.Count, f); editChild(&n.Offset, f) }

// edit replaces the children of n, see [Node].
func (n *WindowDef) edit(f editor) { editChild(&n.Window, f) }

// edit replaces the children of n, see [Node].
func (n *Window) edit(f editor) {
	editChildren(&n.PartitionBy, f)
	editChildren(&n.OrderBy, f)
	editChild(&n.Frame, f)
}

// edit replaces the children of n, see [Node].
func (n *Frame) edit(f editor) { editChild(&n.Start.Expr, f); editChild(&n.End.Expr, f) }

// edit does nothing: the node has no children.
func (n *Literal) edit(editor) {}

// edit does nothing: the node has no children.
func (n *Param) edit(editor) {}

// edit does nothing: the node has no children.
func (n *ColumnRef) edit(editor) {}

// edit does nothing: the node has no children.
func (n *Star) edit(editor) {}

// edit replaces the children of n, see [Node].
func (n *Unary) edit(f editor) { editChild(&n.X, f) }

// edit replaces the children of n, see [Node].
func (n *Binary) edit(f editor) { editChild(&n.X, f); editChild(&n.Y, f) }

// edit replaces the children of n, see [Node].
func (n *Like) edit(f editor) { editChild(&n.X, f); editChild(&n.Pattern, f); editChild(&n.Escape, f) }

// edit replaces the children of n, see [Node].
func (n *Between) edit(f editor) { editChild(&n.X, f); editChild(&n.Low, f); editChild(&n.High, f) }

// edit replaces the children of n, see [Node].
func (n *In) edit(f editor) {
	editChild(&n.X, f)
	editChildren(&n.List, f)
	editChild(&n.Query, f)
	editChild(&n.Table, f)
}

// edit replaces the children of n, see [Node].
func (n *Exists) edit(f editor) { editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *Subquery) edit(f editor) { editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *Case) edit(f editor) {
	editChild(&n.Operand, f)
	editChildren(&n.Whens, f)
	editChild(&n.Else, f)
}

// edit replaces the children of n, see [Node].
func (n *When) edit(f editor) { editChild(&n.Cond, f); editChild(&n.Result, f) }

// edit replaces the children of n, see [Node].
func (n *Cast) edit(f editor) { editChild(&n.X, f) }

// edit replaces the children of n, see [Node].
func (n *Collate) edit(f editor) { editChild(&n.X, f) }

// edit replaces the children of n, see [Node].
func (n *Tuple) edit(f editor) { editChildren(&n.Items, f) }

// edit replaces the children of n, see [Node].
func (n *Call) edit(f editor) {
	editChildren(&n.Args, f)
	editChildren(&n.OrderBy, f)
	editChild(&n.Filter, f)
	editChild(&n.Over, f)
}

// edit replaces the children of n, see [Node].
func (n *Index) edit(f editor) { editChild(&n.X, f); editChild(&n.Low, f); editChild(&n.High, f) }

// edit replaces the children of n, see [Node].
func (n *Field) edit(f editor) { editChild(&n.X, f) }

// edit replaces the children of n, see [Node].
func (n *Array) edit(f editor) { editChildren(&n.Items, f); editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *Quantified) edit(f editor) { editChild(&n.X, f); editChild(&n.Query, f) }

// edit replaces the children of n, see [Node].
func (n *NamedArg) edit(f editor) { editChild(&n.X, f) }

// edit replaces the children of n, see [Node].
func (n *GroupingSets) edit(f editor) { editChildren(&n.Items, f) }
