package bird

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// typeVotes counts, for a column, the uses in gold SQL that suggest a type.
type typeVotes struct{ number, text, time int }

// winner returns the type with most votes; text without votes. Time wins a tie, and so does text over a number.
func (v *typeVotes) winner() dataset.Type {
	switch {
	case v.time > 0 && v.time >= max(v.text, v.number):
		return dataset.Time
	case v.number > v.text:
		return dataset.Number
	}
	return dataset.Text
}

// datePattern matches a date with an optional time of day, or the beginning of one in a pattern
// of LIKE.
var datePattern = lazyregexp.New(`^\d{4}-\d{1,2}(-\d{1,2})?( \d\d:\d\d.*)?%?$`)

// voter adds the votes of one query to an inference.
type voter struct {
	*inference
	binding *sqlast.Binding // of the query
}

// column returns the column that an expression refers to, with or without a cast; false for any other expression.
func (v voter) column(x sqlast.Expr) (dataset.ColumnRef, bool) {
	if c, ok := x.(*sqlast.Cast); ok {
		x = c.X
	}
	base := v.binding.Column(x)
	return v.db.Lookup(base.Table, base.Column)
}

// vote adds votes for the type of a column if x is a reference to one.
func (v voter) vote(x sqlast.Expr, added typeVotes) {
	ref, ok := v.column(x)
	if !ok {
		return
	}
	if v.votes[ref] == nil {
		v.votes[ref] = &typeVotes{}
	}
	all := v.votes[ref]
	all.number, all.text, all.time = all.number+added.number, all.text+added.text, all.time+added.time
}

// addVotes adds the votes of a query for the types of its columns, and its equations of columns.
func (in *inference) addVotes(q *sqlast.Query, b *sqlast.Binding) {
	v := voter{in, b}
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Binary:
			v.binary(n)
		case *sqlast.Between:
			v.vote(n.X, literalVote(n.Low, true)) // BETWEEN compares by size, IN by equality
		case *sqlast.In:
			for _, x := range n.List {
				v.vote(n.X, literalVote(x, false))
			}
		case *sqlast.Like:
			pattern := literalVote(n.Pattern, false)
			pattern.number = 0 // LIKE compares text
			v.vote(n.X, pattern)
		case *sqlast.Call:
			v.call(n)
		}
		return true
	})
}

// binary adds the votes of a binary operator for the types of its operands. The literal on one side of a comparison votes
// for the column on the other side. An equality of two columns is also added to the equations, see [voter.join].
func (v voter) binary(n *sqlast.Binary) {
	switch n.Op {
	case "+", "-", "*", "/", "%":
		v.vote(n.X, typeVotes{number: 1})
		v.vote(n.Y, typeVotes{number: 1})
	case "||":
		v.vote(n.X, typeVotes{text: 1})
		v.vote(n.Y, typeVotes{text: 1})
	case "=", "!=", "<", "<=", ">", ">=":
		ordered := n.Op[0] != '=' && n.Op != "!="
		v.vote(n.X, literalVote(n.Y, ordered))
		v.vote(n.Y, literalVote(n.X, ordered))
		if n.Op == "=" {
			v.join(n)
		}
	}
}

// join adds an equation if an equality compares columns of two tables, as joins do. Each pair is listed once, in either
// order, and counted each time.
func (v voter) join(n *sqlast.Binary) {
	_, leftIsColumn := n.X.(*sqlast.ColumnRef)
	_, rightIsColumn := n.Y.(*sqlast.ColumnRef)
	if !leftIsColumn || !rightIsColumn {
		return
	}
	x, isX := v.column(n.X)
	y, isY := v.column(n.Y)
	if !isX || !isY || x.Table == y.Table {
		return
	}
	v.joinCounts[x]++
	v.joinCounts[y]++
	j, reverse := dataset.ForeignKey{Column: x, Target: y}, dataset.ForeignKey{Column: y, Target: x}
	if !slices.Contains(v.equations, j) && !slices.Contains(v.equations, reverse) {
		v.equations = append(v.equations, j)
	}
}

// call adds the vote of a function for the type of its argument. A function of dates has two votes, to outweigh a
// comparison with other text.
func (v voter) call(n *sqlast.Call) {
	if len(n.Args) == 0 {
		return
	}
	switch strings.ToLower(n.Name.Name) {
	case "sum", "avg", "total", "round", "abs":
		v.vote(n.Args[0], typeVotes{number: 1})
	case "substr", "substring", "instr", "replace", "upper", "lower", "length":
		v.vote(n.Args[0], typeVotes{text: 1})
	case "date", "datetime", "time", "julianday":
		v.vote(n.Args[0], typeVotes{time: 2})
	case "strftime":
		if len(n.Args) > 1 {
			v.vote(n.Args[1], typeVotes{time: 2})
		}
	}
}

// literalVote returns the vote of a comparison with a literal. A number in quotes, as BIRD often writes numbers, votes
// for a number if the comparison is by size (ordered), and else for text.
func literalVote(x sqlast.Expr, ordered bool) typeVotes {
	if u, ok := x.(*sqlast.Unary); ok { // a sign
		x = u.X
	}
	l, ok := x.(*sqlast.Literal)
	if !ok {
		return typeVotes{}
	}
	switch l.Kind {
	case sqlast.NumberLiteral:
		return typeVotes{number: 1}
	case sqlast.StringLiteral:
		if _, err := strconv.ParseFloat(l.Text, 64); err == nil && ordered {
			return typeVotes{number: 1}
		}
		if datePattern.MatchString(l.Text) {
			return typeVotes{time: 1}
		}
		return typeVotes{text: 1}
	}
	return typeVotes{}
}

// setTypes sets the types of the columns from their votes. A column without votes gets the type
// of a column that it equals; two rounds pass a type on over a column between.
func (in *inference) setTypes() {
	for ref, v := range in.votes { // each sets a column of its own, so the order does not matter
		in.db.Column(ref).Type = v.winner()
	}
	for range 2 {
		for _, j := range in.equations {
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
