package feature

import (
	"math"
	"slices"
)

// Features of a pair of questions: what concerns both, and what each of them has
// that the other lacks. Swapping the questions swaps A and B.
type Features struct{ Shared, A, B []float64 }

// Input appends the features as a network reads them; swapped, as if the
// questions had changed places.
func (f *Features) Input(dst []float64, swapped bool) []float64 {
	a, b := f.A, f.B
	if swapped {
		a, b = b, a
	}
	return append(append(append(dst, f.Shared...), a...), b...)
}

// Inputs is the length of what Input appends.
func Inputs() int {
	e := &Extractor{}
	f := e.Pair(&Table{}, Question{}, Question{})
	return len(f.Shared) + len(f.A) + len(f.B)
}

// Pair makes the features of two questions.
func (e *Extractor) Pair(t *Table, a, b Question) *Features {
	al := newAlignment(a, b)
	al.equal()
	al.similar(e, t)
	al.a.repeats(&al.b)
	al.b.repeats(&al.a)
	f := &Features{}
	f.A = al.a.kin(e, t, al.a.lost(nil, t, a, b))
	f.B = al.b.kin(e, t, al.b.lost(nil, t, b, a))
	f.Shared = al.shape(nil, a, b)
	f.Shared = al.links(f.Shared, e)
	f.Shared = e.edits(f.Shared, t, a, b)
	f.Shared = clashes(f.Shared, a, b)
	f.Shared = al.neighbours(f.Shared, a, b)
	return f
}

// uncovered is the cover below which a word counts as lost.
const uncovered = .5

// lost appends what the other question has nothing for: words, values, numbers
// and operators, with what their loss costs.
func (s *side) lost(dst []float64, t *Table, own, other Question) []float64 {
	var mass, total, loss, rarity, count, values, implied, worstCover, listed, listedCost, again, listedAgain float64
	var costs []float64
	worstCover = 1
	for i, w := range s.words {
		score := t.word(w.Text)
		gone := 1 - s.cover[i]
		if w.Implied {
			implied += gone
			continue
		}
		total += score.Rarity
		mass += gone * score.Rarity
		if w.Value && gone > .2 {
			values++
		}
		if s.cover[i] == repeatCover {
			again++
			if w.Listed {
				listedAgain++
			}
		}
		if s.cover[i] < uncovered {
			if w.Listed {
				listed++
				listedCost = max(listedCost, score.Loss)
			}
			count++
			loss += score.Loss
			rarity += score.Rarity
		}
		costs = append(costs, gone*max(score.Loss, 0))
		worstCover = min(worstCover, s.cover[i])
	}
	slices.SortFunc(costs, func(x, y float64) int { return -cmpFloat(x, y) })
	costs = append(costs, 0, 0, 0)
	numbers := missing(numbersOf(own), numbersOf(other))
	dst = append(dst, mass/(total+1), mass/5, loss/4, rarity/5, count/2, values, implied, 1-worstCover, listed, listedCost, again/2, listedAgain, float64(listedOf(own)-listedOf(other))/4,
		costs[0], costs[1], costs[2], float64(len(numbers)), float64(len(s.words))/10)
	for _, name := range operators {
		dst = append(dst, float64(clamp(count2(own, name)-count2(other, name), 0, 2)))
	}
	return dst
}

// kin appends what the loss of words costs that another word of the same question
// does not imply: who keeps cats keeps pets, what is in France is in a country.
func (s *side) kin(e *Extractor, t *Table, dst []float64) []float64 {
	sum, worst := 0.0, 0.0
	for i, w := range s.words {
		if s.cover[i] >= uncovered || w.Implied || w.Value {
			continue
		}
		best := 0.0
		for j, u := range s.words {
			if i == j || s.cover[j] < uncovered {
				continue
			}
			near := 0.0
			if u.Place && isArea(w.Text) {
				near = 1
			} else if !u.Value {
				near = e.Compare(w.Text, u.Text).Cosine
			}
			best = max(best, near)
		}
		cost := max(t.word(w.Text).Loss, 0) * (1 - best)
		sum += cost
		worst = max(worst, cost)
	}
	return append(dst, sum/4, worst)
}

// isArea tells whether a word says what kind of place a place is.
func isArea(text string) bool {
	switch text {
	case "country", "nation", "region", "continent", "state", "nationality", "citizenship", "origin", "place", "location", "territory", "area":
		return true
	}
	return false
}

func cmpFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func listedOf(q Question) int {
	n := 0
	for _, t := range q.Tokens {
		if t.Kind == Word && t.Listed {
			n++
		}
	}
	return n
}

func clamp(x, low, high int) int { return max(low, min(high, x)) }

func count2(q Question, operator string) int {
	n := 0
	for _, t := range q.Tokens {
		if t.Kind == Operator && t.Text == operator {
			n++
		}
	}
	return n
}

func numbersOf(q Question) []string {
	var out []string
	for _, t := range q.Tokens {
		if t.Kind == Number {
			out = append(out, t.Text)
		}
	}
	return out
}

// missing returns the items that rest lacks, each as often as it lacks it.
func missing(items, rest []string) []string {
	rest = slices.Clone(rest)
	var out []string
	for _, x := range items {
		if at := slices.Index(rest, x); at >= 0 {
			rest = slices.Delete(rest, at, at+1)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// shape appends how much the questions share and in what order.
func (al *alignment) shape(dst []float64, a, b Question) []float64 {
	equal, n := 0, len(al.a.words)+len(al.b.words)
	var mates [][2]int
	for i, j := range al.a.mate {
		if j >= 0 {
			mates = append(mates, [2]int{i, j})
			if al.a.cover[i] == 1 {
				equal += 2
			}
		}
	}
	crossed, pairs, swapped := 0, 0, 0
	for i, x := range mates {
		for _, y := range mates[i+1:] {
			pairs++
			if x[1] > y[1] {
				crossed++
				if al.a.words[x[0]].Value && al.a.words[y[0]].Value {
					swapped++
				}
			}
		}
	}
	identical := 0.0
	if slices.EqualFunc(a.Tokens, b.Tokens, Token.sameAs) {
		identical = 1
	}
	common := len(commonSubsequence(len(a.Tokens), len(b.Tokens), func(i, j int) bool { return a.Tokens[i].sameAs(b.Tokens[j]) }))
	return append(dst, identical, ratio(equal, n), ratio(crossed, pairs), min(float64(swapped), 2), ratio(2*common, len(a.Tokens)+len(b.Tokens)),
		math.Abs(float64(len(al.a.words)-len(al.b.words)))/5)
}

func (t Token) sameAs(u Token) bool { return t.Kind == u.Kind && t.Text == u.Text }

func ratio(n, d int) float64 {
	if d == 0 {
		return 1
	}
	return float64(n) / float64(d)
}

// links appends how sure the links by similarity are.
func (al *alignment) links(dst []float64, e *Extractor) []float64 {
	worst, sum, excluded, cosine := 1.0, 0.0, 0.0, 1.0
	for _, l := range al.soft {
		worst, cosine = min(worst, l.Same), min(cosine, l.Cosine)
		sum += logit(l.Same)
		if e.Excludes(join(al.a.words[l.a0:l.a1]), join(al.b.words[l.b0:l.b1])) {
			excluded++
		}
	}
	n := float64(len(al.soft))
	return append(dst, logit(worst)/4, sum/(n+1)/4, n/3, excluded, cosine, al.taken(), al.constant())
}

// taken counts the links between words of which one side has both: who says
// "products of manufacturers" does not mean one by the other.
func (al *alignment) taken() float64 {
	n := 0.0
	for _, l := range al.soft {
		if al.a.says(al.b.words[l.b0:l.b1]) || al.b.says(al.a.words[l.a0:l.a1]) {
			n++
		}
	}
	return n
}

// constant counts the links that say again what another link says: a word that is
// replaced wherever it stands.
func (al *alignment) constant() float64 {
	n := 0.0
	for i, l := range al.soft {
		for _, m := range al.soft[:i] {
			if join(al.a.words[l.a0:l.a1]) == join(al.a.words[m.a0:m.a1]) && join(al.b.words[l.b0:l.b1]) == join(al.b.words[m.b0:m.b1]) {
				n++
				break
			}
		}
	}
	return n / 2
}

// says tells whether a side has the words one after the other.
func (s *side) says(words []Token) bool {
	for i := 0; i+len(words) <= len(s.words); i++ {
		if slices.EqualFunc(s.words[i:i+len(words)], words, func(x, y Token) bool { return x.Stem == y.Stem }) {
			return true
		}
	}
	return false
}

// edits appends how the one question is changed into the other where both are
// read from left to right: words for words, and words that come or go.
func (e *Extractor) edits(dst []float64, t *Table, a, b Question) []float64 {
	common := commonSubsequence(len(a.Tokens), len(b.Tokens), func(i, j int) bool { return a.Tokens[i].sameAs(b.Tokens[j]) })
	common = append(common, [2]int{len(a.Tokens), len(b.Tokens)})
	i, j := 0, 0
	replaced, moved, worst, sum, cosine := 0.0, 0.0, 1.0, 0.0, 1.0
	for _, c := range common {
		x, y := contentOf(a.Tokens[i:c[0]]), contentOf(b.Tokens[j:c[1]])
		switch {
		case len(x) > 0 && len(y) > 0:
			replaced++
			p := Likeness{Same: .05}
			if len(x) <= 4 && len(y) <= 4 && !x[0].Value && !y[0].Value {
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

func contentOf(tokens []Token) []Token {
	var out []Token
	for _, t := range tokens {
		if t.Kind == Word && !t.Implied {
			out = append(out, t)
		}
	}
	return out
}

// opposites are operators of which the one, in the place of the other, turns the
// question round.
var opposites = [][2]string{
	{"HIGH", "LOW"}, {"GT", "LT"}, {"GE", "LE"}, {"GE", "LT"}, {"GT", "LE"}, {"ASC", "DESC"}, {"AVG", "SUM"}, {"AVG", "HIGH"},
	{"AVG", "LOW"}, {"SUM", "HIGH"}, {"SUM", "LOW"}, {"COUNT", "SUM"}, {"COUNT", "AVG"}, {"OR", "AND"}, {"GT", "GE"}, {"LT", "LE"},
}

// clashes appends what contradicts: operators and their opposites, numbers and
// values for others, one negation too many, values that change their parts.
func clashes(dst []float64, a, b Question) []float64 {
	surplus := func(name string) int { return count2(a, name) - count2(b, name) }
	for _, o := range opposites {
		x, y := surplus(o[0]), surplus(o[1])
		clash := 0.0
		if x > 0 && y < 0 || x < 0 && y > 0 {
			clash = 1
		}
		dst = append(dst, clash)
	}
	parity := float64((surplus("NOT")%2 + 2) % 2)
	numbers := min(len(missing(numbersOf(a), numbersOf(b))), len(missing(numbersOf(b), numbersOf(a))))
	values := min(len(missing(valuesOf(a), wordsOf(b))), len(missing(valuesOf(b), wordsOf(a))))
	return append(dst, parity, float64(numbers), float64(values), bounds(a, b), roles(a, b))
}

// Contradicts tells whether two questions differ in their numbers, their values or
// in the direction of a comparison or an extreme. Where they are said to ask the same,
// one of them is a slip.
func Contradicts(a, b Question) bool {
	if len(missing(numbersOf(a), numbersOf(b))) > 0 && len(missing(numbersOf(b), numbersOf(a))) > 0 {
		return true
	}
	if len(missing(valuesOf(a), wordsOf(b))) > 0 && len(missing(valuesOf(b), wordsOf(a))) > 0 {
		return true
	}
	for _, o := range opposites[:2] {
		x, y := count2(a, o[0])-count2(b, o[0]), count2(a, o[1])-count2(b, o[1])
		if x > 0 && y < 0 || x < 0 && y > 0 {
			return true
		}
	}
	return false
}

func valuesOf(q Question) []string {
	var out []string
	for _, t := range q.Tokens {
		if t.Kind == Word && t.Value {
			out = append(out, t.Stem)
		}
	}
	return out
}

func wordsOf(q Question) []string {
	var out []string
	for _, t := range q.Tokens {
		if t.Kind == Word {
			out = append(out, t.Stem)
		}
	}
	return out
}

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

func boundsOf(q Question) map[string]string {
	out := make(map[string]string)
	for i, t := range q.Tokens {
		if t.Kind != Number {
			continue
		}
		op := ""
		for k := i - 1; k >= max(0, i-2); k-- {
			if q.Tokens[k].Kind == Operator {
				switch name := q.Tokens[k].Text; name {
				case "GT", "LT", "GE", "LE", "BETWEEN", "HIGH", "LOW":
					op = name
				}
				break
			}
		}
		out[t.Text] = op
	}
	return out
}

// roles counts the values that come from where the other question has them go
// to.
func roles(a, b Question) float64 {
	n := 0.0
	for _, x := range a.Tokens {
		for _, y := range b.Tokens {
			if x.Kind == Word && x.sameAs(y) && x.Value && y.Value && x.Role != y.Role && x.Role != NoRole && y.Role != NoRole {
				n++
			}
		}
	}
	return n
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
				if al.a.mate[i] == j || al.b.mate[j] == i || al.a.words[i].Stem == al.b.words[j].Stem {
					right++
				} else {
					wrong++
				}
			}
		}
		dst = append(dst, wrong/(right+1), min(right, 1))
	}
	first, last := 0.0, 0.0
	if n, m := len(al.a.words)-1, len(al.b.words)-1; n >= 0 && m >= 0 {
		if al.a.mate[0] == 0 || al.b.mate[0] == 0 {
			first = 1
		}
		if al.a.mate[n] == m || al.b.mate[m] == n {
			last = 1
		}
	}
	return append(dst, first, last)
}

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
