package perturb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Holds tells whether the answers of an example's gold SQL before and after a
// variant's edits are equal, which every relation but [Retargeted] promises:
// equal rows, as a list where the gold SQL orders them and as a bag where it does
// not. The names of the result columns may differ.
func Holds(gold *sqlast.Query, before, after *sqldata.Result) bool {
	if len(gold.OrderBy) > 0 {
		return sqldata.EqualList(before, after)
	}
	return sqldata.EqualBag(before, after)
}

// Bites tells whether an answer could show a change: it has a value other than
// NULL and 0, which a query over no rows gives as well.
func Bites(answer *sqldata.Result) bool {
	for _, row := range answer.Rows {
		for _, v := range row {
			if !v.IsNull() && v != sqldata.NewInt(0) {
				return true
			}
		}
	}
	return false
}

// allowed lists the edits that go with a relation. Under Invariant a column may be
// renamed where the gold SQL does not use it, which then stays as it is: of which
// example that holds is for [RenamesUsed] to say.
var allowed = map[Relation][]Edit{
	Invariant: {
		AddColumn{}, Relabel{}, ReplaceSpan{}, SetQuestion{}, RenameColumn{}, DropColumn{}, ShuffleColumns{}, ShuffleTables{},
		SplitTable{}, MergeTables{}, DropPrimaryKey{}, DropForeignKey{},
	},
	Renamed:    {RenameColumn{}, RenameTable{}, AddColumn{}},
	Recoded:    {RecodeColumn{}},
	Retargeted: {ReplaceSpan{}, SetQuestion{}, RewriteSQL{}},
}

// Allows returns an error where a relation does not go with an edit.
func (r Relation) Allows(edits []Edit) error {
	for _, e := range edits {
		if !slices.ContainsFunc(allowed[r], func(a Edit) bool { return a.op() == e.op() }) {
			return fmt.Errorf("relation %s does not allow the edit %s", r, e.op())
		}
	}
	return nil
}

// RenamesUsed tells whether edits rename a column that the gold SQL of an example
// mentions, or shows by a star: that breaks what [Invariant] promises.
func RenamesUsed(ex *Example, edits []Edit) bool {
	used := map[sqlast.BaseColumn]bool{}
	for _, c := range ex.Binding.Columns() {
		used[c.Key()] = true
	}
	for _, s := range ex.Binding.Stars() {
		for _, t := range ex.Binding.Star(s) {
			used[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()] = true
		}
	}
	return slices.ContainsFunc(edits, func(e Edit) bool {
		r, ok := e.(RenameColumn)
		return ok && used[sqlast.BaseColumn{Table: r.Table, Column: r.Column}.Key()]
	})
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
	old := newOldNames(edits)
	before, plain := skeleton(ex.Gold, ex.Binding, oldNames{})
	now, plainNow := skeleton(q, b, old)
	return before == now, plain && plainNow, nil
}

// oldNames gives tables and columns the names that they had before edits.
type oldNames struct {
	tables  map[string]string            // folded new name to old
	columns map[sqlast.BaseColumn]string // folded, by the new name of the table
}

func newOldNames(edits []Edit) oldNames {
	old := oldNames{map[string]string{}, map[sqlast.BaseColumn]string{}}
	renamed := map[string]string{}
	for _, e := range edits {
		if r, ok := e.(RenameTable); ok {
			old.tables[strings.ToLower(r.Name)] = strings.ToLower(r.Table)
			renamed[strings.ToLower(r.Table)] = r.Name
		}
	}
	for _, e := range edits {
		if r, ok := e.(RenameColumn); ok {
			table := cmp.Or(renamed[strings.ToLower(r.Table)], r.Table)
			old.columns[sqlast.BaseColumn{Table: table, Column: r.Name}.Key()] = r.Column
		}
	}
	return old
}

func (o oldNames) table(name string) string {
	name = strings.ToLower(name)
	return cmp.Or(o.tables[name], name)
}

// skeleton prints a query with every name replaced by what it stands for: the
// source, and the base table and column under the names they had in old. plain is
// false where joins use USING or NATURAL.
func skeleton(q *sqlast.Query, b *sqlast.Binding, old oldNames) (text string, plain bool) {
	plain = true
	out := sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		switch n := n.(type) {
		case *sqlast.FromItem:
			plain = plain && len(b.JoinColumns(n)) == 0
		case *sqlast.Table:
			if b.BaseTable(n) != "" {
				c := *n
				c.Name = sqlast.NewIdent(old.table(b.BaseTable(n)))
				return &c
			}
		case *sqlast.Star:
			if targets := b.Star(n); !n.Table.IsZero() && len(targets) > 0 {
				c := *n
				c.Table = sqlast.NewIdent(sourceName(targets[0], b, old))
				return &c
			}
		case *sqlast.ColumnRef:
			t := b.Target(n)
			if t.Kind == sqlast.String {
				return &sqlast.Literal{Kind: sqlast.StringLiteral, Text: n.Column.Name}
			}
			column := t.Name
			if t.Column != "" {
				column = t.Column
				if name, ok := old.columns[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]; ok {
					column = name
				}
			}
			return &sqlast.ColumnRef{Table: sqlast.NewIdent(sourceName(t, b, old)), Column: sqlast.NewIdent(strings.ToLower(column))}
		}
		return n
	})
	return sqlast.Format(out), plain
}

// sourceName returns the alias of the source of a name, else its table.
func sourceName(t sqlast.Target, b *sqlast.Binding, old oldNames) string {
	if t.Source == nil {
		return fmt.Sprint("kind", t.Kind)
	}
	if alias := t.Source.AliasName(); !alias.IsZero() {
		return strings.ToLower(alias.Name)
	}
	if table, ok := t.Source.(*sqlast.Table); ok {
		return old.table(b.BaseTable(table))
	}
	return "derived"
}
