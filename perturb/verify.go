package perturb

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Holds tells whether the answers of an example's gold SQL before and after a
// variant's edits are equal, which both relations promise: equal rows, as a list
// where the gold SQL orders them and as a bag where it does not. The names of
// the result columns may differ.
func Holds(gold *sqlast.Query, before, after *sqlite.Result) bool {
	if len(gold.OrderBy) > 0 {
		return sqlite.EqualList(before, after)
	}
	return sqlite.EqualBag(before, after)
}

// Bites tells whether an answer could show a change: it has a value other than
// NULL and 0, which a query over no rows gives as well.
func Bites(answer *sqlite.Result) bool {
	for _, row := range answer.Rows {
		for _, v := range row {
			if !v.IsNull() && v != sqlite.NewInt(0) {
				return true
			}
		}
	}
	return false
}

// Allows returns an error where a relation does not go with an edit.
func (r Relation) Allows(edits []Edit) error {
	for _, e := range edits {
		switch e.(type) {
		case RenameColumn:
			if r == Renamed {
				continue
			}
		case AddColumn:
			if r == Invariant {
				continue
			}
		}
		return fmt.Errorf("relation %s does not allow the edit %s", r, e.op())
	}
	return nil
}

// SameButNames tells whether a rewritten gold SQL is the original but for what
// the edits renamed, qualifiers and quotes: the syntactic half of what both
// relations promise. Where USING or NATURAL had to be written out it cannot
// tell, and only the answers speak; ok is then false.
func SameButNames(ex *Example, query string, edits []Edit, after *dataset.Database) (same, ok bool, err error) {
	q, err := sqlast.Parse(query)
	if err != nil {
		return false, false, err
	}
	b, err := sqlast.Resolve(q, after)
	if err != nil {
		return false, false, err
	}
	if len(b.Problems) > 0 {
		return false, false, b.Problems[0]
	}
	old := map[sqlast.BaseColumn]string{}
	for _, e := range edits {
		if r, ok := e.(RenameColumn); ok {
			old[sqlast.BaseColumn{Table: r.Table, Column: r.Name}.Key()] = r.Column
		}
	}
	before, plain := skeleton(ex.Gold, ex.Binding, nil)
	now, plainNow := skeleton(q, b, old)
	return before == now, plain && plainNow, nil
}

// skeleton prints a query with every name replaced by what it stands for: the
// source, and the base column under the name it had in old. plain is false where
// joins use USING or NATURAL.
func skeleton(q *sqlast.Query, b *sqlast.Binding, old map[sqlast.BaseColumn]string) (text string, plain bool) {
	plain = true
	out := sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		switch n := n.(type) {
		case *sqlast.FromItem:
			plain = plain && len(b.JoinColumns(n)) == 0
		case *sqlast.ColumnRef:
			t := b.Target(n)
			if t.Kind == sqlast.String {
				return &sqlast.Literal{Kind: sqlast.StringLiteral, Text: n.Column.Name}
			}
			column := t.Name
			if t.Column != "" {
				column = t.Column
				if name, ok := old[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]; ok {
					column = name
				}
			}
			return &sqlast.ColumnRef{Table: sqlast.NewIdent(sourceName(t, b)), Column: sqlast.NewIdent(strings.ToLower(column))}
		}
		return n
	})
	return sqlast.Format(out), plain
}

// sourceName returns the alias of the source of a name, else its table.
func sourceName(t sqlast.Target, b *sqlast.Binding) string {
	if t.Source == nil {
		return fmt.Sprint("kind", t.Kind)
	}
	if alias := t.Source.AliasName(); !alias.IsZero() {
		return strings.ToLower(alias.Name)
	}
	if table, ok := t.Source.(*sqlast.Table); ok {
		return strings.ToLower(b.BaseTable(table))
	}
	return "derived"
}
