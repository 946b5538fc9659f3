package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// renamesUsed reports whether edits rename a column that the gold SQL of an example mentions or
// shows by a star: that breaks the promise of [perturb.Invariant].
func renamesUsed(ex *perturb.Example, edits []perturb.Edit) bool {
	used := lists.Set(ex.Binding.Columns(), sqlast.BaseColumn.Key)
	for _, s := range ex.Binding.Stars() {
		for _, t := range ex.Binding.Star(s) {
			used[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()] = true
		}
	}
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool {
		r, ok := e.(perturb.RenameColumn)
		return ok && used[sqlast.BaseColumn{Table: r.Table, Column: r.Column}.Key()]
	})
}

// SameButNames reports whether rewritten gold SQL is the original but for renamed tables and
// columns, qualifiers and quotes: the syntactic half of the promise of Invariant and Renamed. It
// returns ok false if it cannot decide, because USING or NATURAL was written out; then only the
// answers decide.
func SameButNames(ex *perturb.Example, query string, edits []perturb.Edit, after *dataset.Database) (same, ok bool, err error) {
	q, b, err := sqlast.ParseResolved(query, after)
	if err != nil {
		return false, false, err
	}
	before, decidable := skeleton(ex.Gold, ex.Binding, perturb.NamesAfter(nil))
	rewritten, decidableAfter := skeleton(q, b, perturb.NamesAfter(edits))
	return before == rewritten, decidable && decidableAfter, nil
}

// skeleton prints a query in a form that is equal before and after renamings: it qualifies every column by its
// source and writes tables and columns under their names before the edits. decidable is false if a join uses
// USING or NATURAL, which an edit may write out.
func skeleton(q *sqlast.Query, b *sqlast.Binding, names *perturb.Names) (text string, decidable bool) {
	decidable = true
	out := sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		switch n := n.(type) {
		case *sqlast.FromItem:
			decidable = decidable && len(b.JoinColumns(n)) == 0
		case *sqlast.Table:
			if b.BaseTable(n) != "" {
				c := *n
				c.Name = sqlast.NewIdent(strings.ToLower(names.TableBefore(b.BaseTable(n))))
				return &c
			}
		case *sqlast.Star:
			if targets := b.Star(n); !n.Table.IsZero() && len(targets) > 0 {
				c := *n
				c.Table = sqlast.NewIdent(sourceName(targets[0], b, names))
				return &c
			}
		case *sqlast.ColumnRef:
			t := b.Target(n)
			if t.Kind == sqlast.String {
				return &sqlast.Literal{Kind: sqlast.StringLiteral, Text: n.Column.Name}
			}
			column := t.Name // of an alias or a computed column
			if t.Column != "" {
				column = names.ColumnBefore(t.Table, t.Column)
			}
			return &sqlast.ColumnRef{Table: sqlast.NewIdent(sourceName(t, b, names)), Column: sqlast.NewIdent(strings.ToLower(column))}
		}
		return n
	})
	return sqlast.Format(out), decidable
}

// sourceName returns the alias of a name's source, or else its table before the edits.
func sourceName(t sqlast.Target, b *sqlast.Binding, names *perturb.Names) string {
	if t.Source == nil { // of no table, such as an alias of the result; the text only has to be equal before and after
		return fmt.Sprint("kind", t.Kind)
	}
	if alias := t.Source.AliasName(); !alias.IsZero() {
		return strings.ToLower(alias.Name)
	}
	if table, ok := t.Source.(*sqlast.Table); ok {
		return strings.ToLower(names.TableBefore(b.BaseTable(table)))
	}
	return "derived"
}
