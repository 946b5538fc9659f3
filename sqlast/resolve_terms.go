package sqlast

import "slices"

// groupTerm resolves a term of GROUP BY, and the items of a term that lists some: (a, b), GROUPING SETS, ROLLUP or CUBE.
func (r *resolver) groupTerm(x Expr, s *scope) {
	aliases := s.seesAliases
	defer func() { s.seesAliases = aliases }()
	s.seesAliases = aliases || r.bareName(x) != nil // in PostgreSQL only a bare name can be an alias
	var items []Expr
	switch x := x.(type) {
	case *Tuple:
		items = x.Items
	case *GroupingSets:
		items = x.Items
	case *Call:
		if x.Name.Is("rollup") || x.Name.Is("cube") {
			items = x.Args
		}
	}
	for _, item := range items {
		r.groupTerm(item, s)
	}
	if items == nil {
		r.expr(x, s)
	}
}

// orderTerm resolves a term of ORDER BY of a query without set operations. An alias has priority
// over a column of the same name.
func (r *resolver) orderTerm(t *OrderTerm, s *scope) {
	if !r.orderAlias(t, s) {
		r.expr(t.Expr, s)
	}
}

// orderAlias resolves a term of ORDER BY that is the name of an alias in the select list of s. It
// returns false for any other term.
func (r *resolver) orderAlias(t *OrderTerm, s *scope) bool {
	ref := r.bareName(t.Expr)
	if ref == nil {
		return false
	}
	target, ok := r.alias(r.d.NameOf(ref.Column), s)
	if ok {
		r.b.refs[ref] = r.withBaseColumn(target)
	}
	return ok
}

// compoundTerm resolves a term of ORDER BY of set operations: a position, an alias, or an
// expression of the first select list that has it.
func (r *resolver) compoundTerm(t *OrderTerm, scopes []*scope) {
	if _, ok := t.Expr.(*Literal); ok {
		return
	}
	for _, s := range scopes {
		if r.orderAlias(t, s) {
			return
		}
		// The term may be an expression of a later select list, so a name that does not resolve in this one is no problem.
		before := len(r.b.Problems)
		r.expr(t.Expr, s)
		failed := len(r.b.Problems) > before
		r.b.Problems = r.b.Problems[:before]
		if !failed && r.inSelectList(t.Expr, s) {
			return
		}
	}
	for ref := range All[*ColumnRef](t.Expr) {
		r.b.refs[ref] = Target{}
	}
	r.problem(t.Pos, "ORDER BY term %s is not in the select list", Format(t.Expr))
}

// inSelectList reports whether the select list of s contains the resolved expression x.
func (r *resolver) inSelectList(x Expr, s *scope) bool {
	for _, c := range s.columns {
		if r.sameExpr(c.Expr, x) {
			return true
		}
		if star, ok := c.Expr.(*Star); ok {
			ref, isRef := x.(*ColumnRef)
			for _, t := range r.b.stars[star] {
				if isRef && t.Source == r.b.refs[ref].Source && equalFold(t.Name, r.b.refs[ref].Name) {
					return true
				}
			}
		}
	}
	return false
}

// sameExpr reports whether two expressions have the same form, and names with the same targets.
func (r *resolver) sameExpr(x, y Expr) bool {
	return slices.Equal(r.targets(x), r.targets(y)) && equalFold(Format(unqualified(x)), Format(unqualified(y)))
}

// targets returns what the column references in x refer to, in source order.
func (r *resolver) targets(x Expr) []Target {
	var list []Target
	for ref := range All[*ColumnRef](x) {
		list = append(list, r.b.refs[ref])
	}
	return list
}

// unqualified returns a copy of x whose column references have no table.
func unqualified(x Expr) Expr {
	return Rewrite(x, func(n Node) Node {
		if ref, ok := n.(*ColumnRef); ok {
			return &ColumnRef{Column: Ident{Name: ref.Column.Name, Quote: '"'}}
		}
		return n
	}).(Expr)
}

// bareName returns x if it is a column reference without a table, else nil. In SQLite, COLLATE after the name is ignored.
func (r *resolver) bareName(x Expr) *ColumnRef {
	if c, ok := x.(*Collate); ok && !r.d.scopes.aliasOnlyAsTerm {
		return r.bareName(c.X)
	}
	if ref, ok := x.(*ColumnRef); ok && ref.Table.IsZero() {
		return ref
	}
	return nil
}
