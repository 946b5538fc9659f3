package sqlast

import (
	"slices"
	"strings"
)

// Whole is a column that joins the texts of others, which the new schema lacks.
type Whole struct {
	Table, Name string
	Columns     []string                            // in the order in which they are joined
	Join        func(parts []string) (string, bool) // false if the parts would not come back
}

// compareWholes makes the copy of a SELECT compare a joined column where the WHERE clause compares all its parts with texts:
// full_name = 'Ann Lee' for first_name = 'Ann' AND last_name = 'Lee'.
func (s *reshaper) compareWholes(n *Select) {
	for _, f := range n.From {
		t, ok := f.Source.(*Table)
		if !ok {
			continue
		}
		for _, w := range s.Wholes {
			if equalFold(s.b.tables[t], w.Table) {
				s.compareWhole(n, t, w)
			}
		}
	}
}

// compareWhole makes the copy of a SELECT compare w, a joined column of the table t, if its WHERE clause compares all parts of w with
// texts: the comparison of the first part becomes that of w, and those of the others are removed. Nothing changes if a part is not
// compared, or if the joined text would not split into the parts again.
func (s *reshaper) compareWhole(n *Select, t *Table, w Whole) {
	var equations []*Binary
	var parts []string
	for _, column := range w.Columns {
		eq, text := s.equationOf(n, t, column)
		if eq == nil {
			return
		}
		equations, parts = append(equations, eq), append(parts, text)
	}
	text, ok := w.Join(parts)
	if !ok || strings.Contains(text, "'") { // Spider's tokenizer knows no doubled quotes
		return
	}
	for _, eq := range equations {
		s.exempt(eq)
	}
	first := s.copies[equations[0]].(*Binary)
	whole := &ColumnRef{Pos: first.Pos, Table: first.X.(*ColumnRef).Table, Column: NewIdent(w.Name)}
	s.refs = append(s.refs, &wantedRef{node: whole, target: s.targetIn(s.copies[t].(Source), w.Table, w.Name)})
	first.X, first.Y = whole, &Literal{Pos: first.Pos, Kind: StringLiteral, Text: text}
	core := s.copies[n].(*Select)
	isGone := func(x Expr) bool {
		return slices.ContainsFunc(equations[1:], func(eq *Binary) bool { return s.copies[eq] == Node(x) })
	}
	core.Where = Conjunction(slices.DeleteFunc(Conjuncts(core.Where), isGone)...)
}

// equationOf returns the condition of WHERE that a column of a table equals a text, and the text; nil if there is none.
func (s *reshaper) equationOf(n *Select, t *Table, column string) (*Binary, string) {
	for _, x := range Conjuncts(n.Where) {
		if eq := Equation(x); eq != nil && s.refers(eq.X, t, column) {
			if text := s.b.Literal(eq.Y); text != nil && text.Kind == StringLiteral {
				return eq, text.Text
			}
		}
	}
	return nil, ""
}
