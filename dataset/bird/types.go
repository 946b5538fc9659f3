package bird

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// votes count what gold SQL does with a column.
type votes struct{ number, text, time int }

// typ returns the type with most votes; text if there are none.
func (v *votes) typ() dataset.Type {
	switch {
	case v.time > 0 && v.time >= max(v.text, v.number):
		return dataset.Time
	case v.number > v.text:
		return dataset.Number
	}
	return dataset.Text
}

var dateText = lazyregexp.New(`^\d{4}-\d{1,2}(-\d{1,2})?( \d\d:\d\d.*)?%?$`)

// use notes what a query does with its columns.
func (in *inference) use(q *sqlast.Query, b *sqlast.Binding) {
	column := func(x sqlast.Expr) (dataset.ColumnRef, bool) {
		if c, ok := x.(*sqlast.Cast); ok {
			x = c.X
		}
		base := b.Column(x)
		return in.db.Lookup(base.Table, base.Column)
	}
	vote := func(x sqlast.Expr, v votes) {
		ref, ok := column(x)
		if !ok {
			return
		}
		if in.votes[ref] == nil {
			in.votes[ref] = &votes{}
		}
		all := in.votes[ref]
		all.number, all.text, all.time = all.number+v.number, all.text+v.text, all.time+v.time
	}
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Binary:
			in.binary(n, column, vote)
		case *sqlast.Between:
			vote(n.X, literalVote(n.Low, true))
		case *sqlast.In:
			for _, x := range n.List {
				vote(n.X, literalVote(x, false))
			}
		case *sqlast.Like:
			v := literalVote(n.Pattern, false)
			v.number = 0
			vote(n.X, v)
		case *sqlast.Call:
			in.call(n, vote)
		}
		return true
	})
}

// binary adds the votes of an operator for the types of its operands, and a reference if it
// equates columns of two tables.
func (in *inference) binary(n *sqlast.Binary, column func(sqlast.Expr) (dataset.ColumnRef, bool), vote func(sqlast.Expr, votes)) {
	switch n.Op {
	case "+", "-", "*", "/", "%":
		vote(n.X, votes{number: 1})
		vote(n.Y, votes{number: 1})
	case "||":
		vote(n.X, votes{text: 1})
		vote(n.Y, votes{text: 1})
	case "=", "!=", "<", "<=", ">", ">=":
		ordered := n.Op[0] != '=' && n.Op != "!="
		vote(n.X, literalVote(n.Y, ordered))
		vote(n.Y, literalVote(n.X, ordered))
		if n.Op == "=" {
			in.join(n, column)
		}
	}
}

// join records that an equality joins columns of two tables, if it does.
func (in *inference) join(n *sqlast.Binary, column func(sqlast.Expr) (dataset.ColumnRef, bool)) {
	_, left := n.X.(*sqlast.ColumnRef)
	_, right := n.Y.(*sqlast.ColumnRef)
	if !left || !right {
		return
	}
	x, isX := column(n.X)
	y, isY := column(n.Y)
	if !isX || !isY || x.Table == y.Table {
		return
	}
	in.joined[x]++
	in.joined[y]++
	j, reverse := dataset.ForeignKey{Column: x, Target: y}, dataset.ForeignKey{Column: y, Target: x}
	if !slices.Contains(in.joins, j) && !slices.Contains(in.joins, reverse) {
		in.joins = append(in.joins, j)
	}
}

// call adds the vote of a function for the type of its argument.
func (in *inference) call(n *sqlast.Call, vote func(sqlast.Expr, votes)) {
	if len(n.Args) == 0 {
		return
	}
	switch strings.ToLower(n.Name.Name) {
	case "sum", "avg", "total", "round", "abs":
		vote(n.Args[0], votes{number: 1})
	case "substr", "substring", "instr", "replace", "upper", "lower", "length":
		vote(n.Args[0], votes{text: 1})
	case "date", "datetime", "time", "julianday":
		vote(n.Args[0], votes{time: 2})
	case "strftime":
		if len(n.Args) > 1 {
			vote(n.Args[1], votes{time: 2})
		}
	}
}

// literalVote returns the vote of a comparison with a literal. A number in quotes votes for a
// number only if ordered is set, the comparison being by size, because BIRD often quotes numbers.
func literalVote(x sqlast.Expr, ordered bool) votes {
	if u, ok := x.(*sqlast.Unary); ok {
		x = u.X
	}
	l, ok := x.(*sqlast.Literal)
	if !ok {
		return votes{}
	}
	switch l.Kind {
	case sqlast.NumberLiteral:
		return votes{number: 1}
	case sqlast.StringLiteral:
		if _, err := strconv.ParseFloat(l.Text, 64); err == nil && ordered {
			return votes{number: 1}
		}
		if dateText.MatchString(l.Text) {
			return votes{time: 1}
		}
		return votes{text: 1}
	}
	return votes{}
}

// setTypes sets the type of each column from the votes of gold SQL; a column without votes gets
// the type of a column that it joins with.
func (in *inference) setTypes() {
	for ref, v := range in.votes { // each sets one column
		in.db.Column(ref).Type = v.typ()
	}
	for range 2 {
		for _, j := range in.joins {
			x, y := in.votes[j.Column], in.votes[j.Target]
			switch {
			case x == nil && y != nil:
				in.votes[j.Column], in.db.Column(j.Column).Type = y, in.db.Column(j.Target).Type
			case y == nil && x != nil:
				in.votes[j.Target], in.db.Column(j.Target).Type = x, in.db.Column(j.Column).Type
			}
		}
	}
}
