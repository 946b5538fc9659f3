package questionpair

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// opposites are pairs of operators. A question that has one instead of the other asks something else.
var opposites = [][2]string{
	{"HIGH", "LOW"}, {"GT", "LT"}, {"GE", "LE"}, {"GE", "LT"}, {"GT", "LE"}, {"ASC", "DESC"}, {"AVG", "SUM"}, {"AVG", "HIGH"},
	{"AVG", "LOW"}, {"SUM", "HIGH"}, {"SUM", "LOW"}, {"COUNT", "SUM"}, {"COUNT", "AVG"}, {"OR", "AND"}, {"GT", "GE"}, {"LT", "LE"},
}

// clashes appends features of contradictions: opposite operators, an odd number of negations, other numbers
// and values, other bounds of a number, other roles of a value.
func clashes(dst []float64, a, b Question) []float64 {
	for _, o := range opposites {
		dst = append(dst, one(turned(a, b, o)))
	}
	parity := float64((surplus(a, b, "NOT")%2 + 2) % 2) // 0 or 1; % alone may be -1
	return append(dst, parity, float64(otherNumbers(a, b)), float64(otherValues(a, b)), bounds(a, b), roles(a, b))
}

// surplus returns how often a has an operator, less how often b has it.
func surplus(a, b Question, name string) int { return operatorCount(a, name) - operatorCount(b, name) }

// turned reports whether one question has an operator of the pair o more often, and the other its opposite.
func turned(a, b Question, o [2]string) bool { return surplus(a, b, o[0])*surplus(a, b, o[1]) < 0 }

// otherNumbers counts the numbers of one question in the place of which the other has other numbers: it is 0 if either has all of the other's.
func otherNumbers(a, b Question) int {
	x, y := numbersOf(a), numbersOf(b)
	return min(len(missing(x, y)), len(missing(y, x)))
}

// otherValues counts the values of one question in the place of which the other has other values: it is 0 if the words of either have all of the other's.
func otherValues(a, b Question) int {
	return min(len(missing(valuesOf(a), wordsOf(b))), len(missing(valuesOf(b), wordsOf(a))))
}

// Contradicts reports whether two questions differ in their numbers, their values or
// in the direction of a comparison (GT, LT) or an extreme (HIGH, LOW). If a data set has
// them as paraphrases, one of them has a mistake.
func Contradicts(a, b Question) bool {
	return otherNumbers(a, b) > 0 || otherValues(a, b) > 0 ||
		slices.ContainsFunc(opposites[:2], func(o [2]string) bool { return turned(a, b, o) })
}

// valuesOf returns the stems of the values of a question.
func valuesOf(q Question) []string {
	return stems(lists.Filter(q.Tokens, func(t Token) bool { return t.Value }))
}

// wordsOf returns the stems of the words of a question.
func wordsOf(q Question) []string { return stems(lists.Filter(q.Tokens, Token.isWord)) }

// stems returns the stems of tokens.
func stems(tokens []Token) []string { return lists.Map(tokens, func(t Token) string { return t.Stem }) }

// bounds counts the numbers that both questions have with different operators
// right before.
func bounds(a, b Question) float64 {
	x, y := boundsOf(a), boundsOf(b)
	n := 0.0
	for number, op := range x {
		if other, ok := y[number]; ok && other != op {
			n++
		}
	}
	return n
}

// bounding are the operators that say how a number bounds something.
var bounding = []string{"GT", "LT", "GE", "LE", "BETWEEN", "HIGH", "LOW"}

// boundsOf returns, for each number of a question, the bounding operator within the two
// tokens before it; "" if there is none.
func boundsOf(q Question) map[string]string {
	out := make(map[string]string)
	for i, t := range q.Tokens {
		if t.Kind != Number {
			continue
		}
		out[t.Text] = ""
		before := lists.Filter(q.Tokens[max(0, i-2):i], func(t Token) bool { return t.Kind == Operator })
		if last := len(before) - 1; last >= 0 && slices.Contains(bounding, before[last].Text) {
			out[t.Text] = before[last].Text
		}
	}
	return out
}

// roles counts the values that have another role in the other question: "from Rome", "to
// Rome".
func roles(a, b Question) float64 {
	hasRole := func(t Token) bool { return t.Value && t.Role != NoRole }
	n := 0.0
	for _, x := range lists.Filter(a.Tokens, hasRole) {
		for _, y := range lists.Filter(b.Tokens, hasRole) {
			n += one(x.sameAs(y) && x.Role != y.Role)
		}
	}
	return n
}
