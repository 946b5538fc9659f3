package questionpair

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// edits appends features of how one question is edited into the other, between the tokens of their longest
// common subsequence: the number of replacements, of insertions and deletions, and how alike the replaced
// phrases are.
func (e *Extractor) edits(dst []float64, t *Table, a, b Question) []float64 {
	common := diff.Common(len(a.Tokens), len(b.Tokens), func(i, j int) bool { return a.Tokens[i].sameAs(b.Tokens[j]) })
	common = append(common, [2]int{len(a.Tokens), len(b.Tokens)}) // so that the tokens after the last common one are compared too
	i, j := 0, 0
	replaced, moved, worst, sum, cosine := 0.0, 0.0, 1.0, 0.0, 1.0
	for _, c := range common {
		x, y := contentOf(a.Tokens[i:c[0]]), contentOf(b.Tokens[j:c[1]])
		switch {
		case min(len(x), len(y)) > 0: // x in place of y
			replaced++
			p := Likeness{Same: .05} // of long phrases and values, which are not compared
			if max(len(x), len(y)) <= 4 && !x[0].Value && !y[0].Value {
				p = e.phrases(t, x, y)
			}
			worst, cosine = min(worst, p.Same), min(cosine, p.Cosine)
			sum += logit(p.Same)
		case len(x)+len(y) > 0: // in one question only
			moved++
		}
		i, j = c[0]+1, c[1]+1
	}
	return append(dst, replaced/2, moved/2, logit(worst)/4, sum/(replaced+1)/4, cosine) // divisors bring the features into one range
}

// contentOf returns the words of content that are not implied.
func contentOf(tokens []Token) []Token {
	return lists.Filter(tokens, func(t Token) bool { return t.isWord() && !t.Implied })
}

// attachments are groups of operators; [alignment.neighbours] compares the words after those of a group.
var attachments = [][]string{{"COUNT"}, {"HIGH", "LOW"}, {"AVG", "SUM"}, {"GT", "LT", "GE", "LE"}, {"EACH"}, {"SORT", "ASC", "DESC"}, {"NOT"}}

// neighbours appends two features for each group of operators, by the pairs of a word of a and a word of b directly after
// one of the group: how many are not aligned for one that is, and whether any is. One question may ask for the highest
// age, the other for the highest salary. Then it appends whether the first words are aligned, and whether the last are.
func (al *alignment) neighbours(dst []float64, a, b Question) []float64 {
	for _, names := range attachments {
		wrong, right := 0.0, 0.0
		x, y := al.a.attached(a, names), al.b.attached(b, names)
		for _, i := range x {
			for _, j := range y {
				if al.paired(i, j) || al.a.words[i].Stem == al.b.words[j].Stem {
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
	return append(dst, one(al.paired(0, 0)), one(al.paired(n, m)))
}

// paired reports whether word i of a covers word j of b, or the reverse.
func (al *alignment) paired(i, j int) bool { return al.a.partner[i] == j || al.b.partner[j] == i }

// attached returns the positions of the words directly after one of the operators.
func (s *side) attached(q Question, names []string) []int {
	var out []int
	for k, at := range s.token {
		if at > 0 && q.Tokens[at-1].Kind == Operator && slices.Contains(names, q.Tokens[at-1].Text) {
			out = append(out, k)
		}
	}
	return out
}
