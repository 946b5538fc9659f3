package questionpair

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// Features are the features of a pair of questions: those of both, and those of what each of them has and
// the other lacks. To swap the questions is to swap A and B.
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
	f.A = al.a.kin(e, t, a, &al.b, al.a.lost(nil, t, a, b))
	f.B = al.b.kin(e, t, b, &al.a, al.b.lost(nil, t, b, a))
	f.Shared = al.shape(nil, a, b)
	f.Shared = al.links(f.Shared, e)
	f.Shared = e.edits(f.Shared, t, a, b)
	f.Shared = clashes(f.Shared, a, b)
	f.Shared = al.neighbours(f.Shared, a, b)
	return f
}

// uncovered is the cover below which a word is lost.
const uncovered = .5

// losses sum the words of a question that the other does not cover. A word with little cover is lost; its
// score has its rarity and the cost of its loss.
type losses struct {
	totalRarity, openRarity  float64   // rarity of all words; the same times the share that is not covered
	words, rarity, cost      float64   // lost words: number, rarity, cost
	values, implied          float64   // number of values, and sum over implied words, that are not covered
	listed, listedCost       float64   // lost words of lists: number, highest cost
	nouns, nounCost          float64   // lost words that are neither verbs nor values: number, highest cost
	repeated, listedRepeated float64   // words that are covered as a repetition; those of them in lists
	leastCover               float64   // lowest cover of a word
	costs                    []float64 // of words, times the share that is not covered; highest first
}

// losses sums the words of s that the other question does not cover, by the scores of t.
func (s *side) losses(t *Table) losses {
	l := losses{leastCover: 1}
	for i, w := range s.words {
		lost := 1 - s.cover[i] // share of the word that is not covered
		if w.Implied {
			l.implied += lost
			continue
		}
		score := t.word(w.Text)
		l.totalRarity += score.Rarity
		l.openRarity += lost * score.Rarity
		l.costs = append(l.costs, lost*max(score.Loss, 0))
		l.leastCover = min(l.leastCover, s.cover[i])
		if w.Value && lost > .2 { // not for a repetition or another form
			l.values++
		}
		if s.cover[i] == repeatCover {
			l.repeated++
			l.listedRepeated += one(w.Listed)
		}
		if s.cover[i] < uncovered {
			l.lose(w, score)
		}
	}
	slices.SortFunc(l.costs, func(x, y float64) int { return cmp.Compare(y, x) })
	l.costs = append(l.costs, 0, 0, 0) // three at least, for features of the three highest
	return l
}

// lose adds a word of one question that the other lacks, with its rarity and cost, to the sums of losses.
func (l *losses) lose(w Token, score WordScore) {
	l.words++
	l.rarity += score.Rarity
	l.cost += score.Loss
	if w.Listed {
		l.listed++
		l.listedCost = max(l.listedCost, score.Loss)
	}
	if !w.Verb && !w.Value {
		l.nouns++
		l.nounCost = max(l.nounCost, score.Loss)
	}
}

// one returns 1 for true, 0 for false.
func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// lost appends features of what the question own has and other lacks: words, values and numbers, with the cost of
// their loss (see [losses]), and for each operator how much more often own has it, up to 2. Divisors bring them into one range.
func (s *side) lost(dst []float64, t *Table, own, other Question) []float64 {
	l := s.losses(t)
	dst = append(dst, l.openRarity/(l.totalRarity+1), l.openRarity/5, l.cost/4, l.rarity/5, l.words/2, l.values, l.implied, 1-l.leastCover,
		l.listed, l.listedCost, l.repeated/2, l.listedRepeated, l.nouns/2, l.nounCost, float64(listedOf(own)-listedOf(other))/4,
		l.costs[0], l.costs[1], l.costs[2], float64(len(missing(numbersOf(own), numbersOf(other)))), float64(len(s.words))/10)
	for _, name := range operators {
		dst = append(dst, float64(max(0, min(2, operatorCount(own, name)-operatorCount(other, name)))))
	}
	return dst
}

// listedOf counts the words of a question that are one of several things.
func listedOf(q Question) int {
	return len(lists.Filter(q.Tokens, func(t Token) bool { return t.isWord() && t.Listed }))
}

// operatorCount counts how often a question has an operator.
func operatorCount(q Question, operator string) int {
	return len(lists.Filter(q.Tokens, Token{Kind: Operator, Text: operator}.sameAs))
}

// numbersOf returns the numbers of a question.
func numbersOf(q Question) []string {
	return texts(lists.Filter(q.Tokens, func(t Token) bool { return t.Kind == Number }))
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

// shape appends the features of word order: whether the questions are equal, whether one is a prefix of the other, the
// share of equal words, the share of aligned pairs in another order, swapped values, the share of common words in
// order, and the difference in length.
func (al *alignment) shape(dst []float64, a, b Question) []float64 {
	equal, n := 0, len(al.a.words)+len(al.b.words)
	var partners [][2]int
	for i, j := range al.a.partner {
		if j >= 0 {
			partners = append(partners, [2]int{i, j})
			if al.a.cover[i] == 1 { // the words are equal, one in each question
				equal += 2
			}
		}
	}
	crossed, pairs, swapped := 0, 0, 0
	for i, x := range partners {
		for _, y := range partners[i+1:] {
			pairs++
			if x[1] > y[1] {
				crossed++
				if al.a.words[x[0]].Value && al.a.words[y[0]].Value {
					swapped++
				}
			}
		}
	}
	x, y := explicit(a), explicit(b)
	identical := one(slices.EqualFunc(x, y, Token.sameAs))
	shorter := min(len(x), len(y))
	prefix := one(slices.EqualFunc(x[:shorter], y[:shorter], Token.sameAs)) // one is the other without its end, often a condition
	common := len(diff.Common(len(x), len(y), func(i, j int) bool { return x[i].sameAs(y[j]) }))
	return append(dst, identical, prefix, ratio(equal, n), ratio(crossed, pairs), min(float64(swapped), 2), ratio(2*common, len(x)+len(y)),
		math.Abs(float64(len(al.a.words)-len(al.b.words)))/5)
}

// explicit returns the tokens that are not implied.
func explicit(q Question) []Token {
	return lists.Filter(q.Tokens, func(t Token) bool { return !t.Implied })
}

// sameAs reports whether two tokens have the same kind and text.
func (t Token) sameAs(u Token) bool { return t.Kind == u.Kind && t.Text == u.Text }

// ratio returns n/d, 1 where d is 0.
func ratio(n, d int) float64 {
	if d == 0 {
		return 1
	}
	return float64(n) / float64(d)
}

// links appends features of the links by similarity: the lowest and the mean log-odds, their number, how many join words
// that exclude each other, the lowest cosine, and what [alignment.coexisting] and [alignment.repeatedLinks] count. Divisors
// bring them into one range.
func (al *alignment) links(dst []float64, e *Extractor) []float64 {
	worst, sum, excluded, cosine := 1.0, 0.0, 0.0, 1.0
	for _, l := range al.similarLinks {
		worst, cosine = min(worst, l.Same), min(cosine, l.Cosine)
		sum += logit(l.Same)
		if e.Excludes(join(al.a.words[l.a0:l.a1]), join(al.b.words[l.b0:l.b1])) {
			excluded++
		}
	}
	n := float64(len(al.similarLinks))
	return append(dst, logit(worst)/4, sum/(n+1)/4, n/3, excluded, cosine, al.coexisting(), al.repeatedLinks())
}

// coexisting counts the links by similarity whose two phrases are both in one question, as in "products of
// manufacturers": there, neither replaces the other.
func (al *alignment) coexisting() float64 {
	n := 0.0
	for _, l := range al.similarLinks {
		n += one(al.a.hasPhrase(al.b.words[l.b0:l.b1]) || al.b.hasPhrase(al.a.words[l.a0:l.a1]))
	}
	return n
}

// repeatedLinks returns half the number of links that repeat the two phrases of another link: a word is replaced
// wherever it occurs.
func (al *alignment) repeatedLinks() float64 {
	different := map[[2]string]bool{}
	for _, l := range al.similarLinks {
		different[[2]string{join(al.a.words[l.a0:l.a1]), join(al.b.words[l.b0:l.b1])}] = true
	}
	return float64(len(al.similarLinks)-len(different)) / 2
}

// hasPhrase reports whether a side has the words in a row, by their stems.
func (s *side) hasPhrase(words []Token) bool {
	for i := 0; i+len(words) <= len(s.words); i++ {
		if slices.EqualFunc(s.words[i:i+len(words)], words, func(x, y Token) bool { return x.Stem == y.Stem }) {
			return true
		}
	}
	return false
}
