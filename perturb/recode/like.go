package recode

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// rewriteLike returns a pattern match. If a text was split into parts, a pattern for a whole part
// becomes a comparison: "date LIKE '%2008%'" becomes "year = 2008". It refuses all other patterns
// over recoded columns.
func (r *Rewriter) rewriteLike(x *sqlast.Like) sqlast.Expr {
	c := r.coding(x.X)
	if c.unchanged() {
		return r.copyUnrecoded(x).(sqlast.Expr)
	}
	pattern := "" // refused below if the operator is another, such as GLOB, or the pattern no constant
	if x.Wildcards() {
		v, _ := Constant(r.binding, x.Pattern)
		pattern = v.Bytes()
	}
	ref, isRef := x.X.(*sqlast.ColumnRef)
	word := strings.Trim(pattern, "%")
	switch { // wildcards within the word could match across the parts; a column of width 1 was not split
	case c.width() == 1, !isRef, word == "", strings.ContainsAny(word, "%_"):
		panic(refusal(refusedPattern))
	}
	op := "="
	if x.Not {
		op = "!="
	}
	for i := range c.width() { // the parts
		if part, ok := c.partFor(i, pattern, word); ok {
			return &sqlast.Binary{Pos: x.Pos, Op: op, X: r.newColumnRef(ref, c, i), Y: literal(part, x.Pos)}
		}
	}
	panic(refusal(refusedPattern))
}

// partFor returns the value of the new column at position i that equals word without case. ok is
// false unless there is one and the pattern matches exactly the old values that have this part.
func (c coding) partFor(i int, pattern, word string) (part sqldata.Value, ok bool) {
	for _, cell := range c.recoding.Map.Cells {
		matches := strings.EqualFold(cell.New[i].String(), word)
		switch {
		case matches != matchesLike(cell.Old.String(), pattern, word):
			return part, false
		case !matches:
		case part.IsNull():
			part = cell.New[i]
		case part != cell.New[i]:
			return part, false
		}
	}
	return part, !part.IsNull()
}

// matchesLike reports whether a text is LIKE a pattern that is a word with or without % at its ends.
// SQLite folds ASCII letters alone; if that matters, the answers show it.
func matchesLike(text, pattern, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	head, tail := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%")
	switch {
	case head && tail:
		return strings.Contains(text, word)
	case head:
		return strings.HasSuffix(text, word)
	case tail:
		return strings.HasPrefix(text, word)
	}
	return text == word
}
