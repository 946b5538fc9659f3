package questionpair

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// edits appends how the one question is changed into the other where both are
// read from left to right: words for words, and words that come or go.
func (e *Extractor) edits(dst []float64, t *Table, a, b Question) []float64 {
	common := diff.Common(len(a.Tokens), len(b.Tokens), func(i, j int) bool { return a.Tokens[i].sameAs(b.Tokens[j]) })
	common = append(common, [2]int{len(a.Tokens), len(b.Tokens)})
	i, j := 0, 0
	replaced, moved, worst, sum, cosine := 0.0, 0.0, 1.0, 0.0, 1.0
	for _, c := range common {
		x, y := contentOf(a.Tokens[i:c[0]]), contentOf(b.Tokens[j:c[1]])
		switch {
		case min(len(x), len(y)) > 0:
			replaced++
			p := Likeness{Same: .05}
			if max(len(x), len(y)) <= 4 && !x[0].Value && !y[0].Value {
				p = e.phrases(t, x, y)
			}
			worst, cosine = min(worst, p.Same), min(cosine, p.Cosine)
			sum += logit(p.Same)
		case len(x)+len(y) > 0:
			moved++
		}
		i, j = c[0]+1, c[1]+1
	}
	return append(dst, replaced/2, moved/2, logit(worst)/4, sum/(replaced+1)/4, cosine)
}

// contentOf returns the words that are not implied.
func contentOf(tokens []Token) []Token {
	return tokensThat(tokens, func(t Token) bool { return t.isWord() && !t.Implied })
}

// attachments are the operators that are asked together what word they stand
// before.
var attachments = [][]string{{"COUNT"}, {"HIGH", "LOW"}, {"AVG", "SUM"}, {"GT", "LT", "GE", "LE"}, {"EACH"}, {"SORT", "ASC", "DESC"}, {"NOT"}}

// neighbours appends how often operators stand before words that do not stand
// for each other: the one asks for the highest age, the other for the highest
// salary.
func (al *alignment) neighbours(dst []float64, a, b Question) []float64 {
	for _, names := range attachments {
		wrong, right := 0.0, 0.0
		x, y := al.a.attached(a, names), al.b.attached(b, names)
		for _, i := range x {
			for _, j := range y {
				if al.mated(i, j) || al.a.words[i].Stem == al.b.words[j].Stem {
					right++
				} else {
					wrong++
				}
			}
		}
		dst = append(dst, wrong/(right+1), min(right, 1))
	}
	n, m := len(al.a.words)-1, len(al.b.words)-1
	if min(n, m) < 0 {
		return append(dst, 0, 0)
	}
	return append(dst, one(al.mated(0, 0)), one(al.mated(n, m)))
}

// mated reports whether the words i and j are mates from either side.
func (al *alignment) mated(i, j int) bool { return al.a.mate[i] == j || al.b.mate[j] == i }

// attached returns the words that follow one of the operators directly.
func (s *side) attached(q Question, names []string) []int {
	var out []int
	for k, at := range s.place {
		if at > 0 && q.Tokens[at-1].Kind == Operator && slices.Contains(names, q.Tokens[at-1].Text) {
			out = append(out, k)
		}
	}
	return out
}
