package questionpair

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// side is one question of an alignment.
type side struct {
	words   []Token   // of content
	token   []int     // by word: its position among the question's tokens
	cover   []float64 // by word: how well the other question covers it, 0 to 1
	partner []int     // by word: the word of the other question that covers it; -1 for none
}

// alignment pairs the words of two questions that have the same sense.
type alignment struct {
	a, b         side
	similarLinks []link // the phrases that were aligned by similarity
}

// link aligns the words of a from a0 to before a1 with those of b from b0 to before b1.
type link struct {
	a0, a1, b0, b1 int
	Likeness
}

// newSide returns the words of content of a question, none of them covered.
func newSide(q Question) side {
	var s side
	for i, t := range q.Tokens {
		if t.Kind == Word {
			s.words = append(s.words, t)
			s.token = append(s.token, i)
		}
	}
	s.cover = make([]float64, len(s.words))
	s.partner = slices.Repeat([]int{-1}, len(s.words))
	return s
}

// newAlignment returns an alignment of two questions that links no words yet.
func newAlignment(a, b Question) *alignment { return &alignment{a: newSide(a), b: newSide(b)} }

// The cover of a word by one that is not equal.
const (
	stemCover   = .97 // by one of the same stem: "enrolled", "enrollment"
	repeatCover = .9  // by one that covers another word: the question repeats what the other asks once
)

// equal aligns equal words in their order, then those out of order, then those of
// one stem.
func (al *alignment) equal() {
	for _, m := range diff.Common(len(al.a.words), len(al.b.words), func(i, j int) bool {
		return al.a.words[i].Text == al.b.words[j].Text
	}) {
		al.pair(m[0], m[1], 1)
	}
	al.pairWhere(func(x, y Token) bool { return x.Text == y.Text }, 1)
	al.pairWhere(func(x, y Token) bool { return x.Stem == y.Stem }, stemCover)
}

// pair aligns word i of a with word j of b.
func (al *alignment) pair(i, j int, cover float64) {
	al.a.cover[i], al.b.cover[j] = cover, cover
	al.a.partner[i], al.b.partner[j] = j, i
}

// pairWhere aligns the words without a partner for which same holds, in their order.
func (al *alignment) pairWhere(same func(x, y Token) bool, cover float64) {
	for i, x := range al.a.words {
		for j, y := range al.b.words {
			if al.a.partner[i] < 0 && al.b.partner[j] < 0 && same(x, y) {
				al.pair(i, j, cover)
			}
		}
	}
}

// repeats covers the words of a side without a partner whose stem a covered word of the other has.
func (s *side) repeats(other *side) {
	for i, t := range s.words {
		if s.partner[i] >= 0 {
			continue
		}
		for j, u := range other.words {
			if t.Stem == u.Stem && other.partner[j] >= 0 {
				s.cover[i], s.partner[i] = repeatCover, j
				break
			}
		}
	}
}

// Bounds on the search for similar phrases.
const (
	maxOpen   = 10  // words of a side without a partner
	maxGram   = 2   // words of a phrase
	leastSame = .05 // probability of a link
)

// similar aligns phrases of the words that are not aligned yet, by similarity, the best links first.
func (al *alignment) similar(e *Extractor, t *Table) {
	left, right := al.a.grams(), al.b.grams()
	var links []link
	for _, x := range left {
		for _, y := range right {
			l := link{a0: x[0], a1: x[1], b0: y[0], b1: y[1]}
			if l.Likeness = al.same(e, t, l); l.Same >= leastSame {
				links = append(links, l)
			}
		}
	}
	// Of links of equal probability, the longer covers more words. The 6 keeps length the lesser term.
	value := func(l link) float64 { return l.Same * float64(l.a1-l.a0+l.b1-l.b0+6) }
	slices.SortStableFunc(links, func(x, y link) int { return cmp.Compare(value(y), value(x)) })
	for _, l := range links {
		if al.a.free(l.a0, l.a1) && al.b.free(l.b0, l.b1) {
			al.similarLinks = append(al.similarLinks, l)
			al.a.fill(l.a0, l.a1, l.b0, l.b1, l.Same)
			al.b.fill(l.b0, l.b1, l.a0, l.a1, l.Same)
		}
	}
}

// grams returns the phrases, of at most maxGram words, of words that have no partner: each as the position of its first
// word and the position after its last. To bound the search, only the first maxOpen such words begin a phrase.
func (s *side) grams() [][2]int {
	var out [][2]int
	open := 0
	for i := range s.words {
		if s.partner[i] >= 0 {
			continue
		}
		if open++; open > maxOpen {
			break
		}
		for n := 1; n <= maxGram && i+n <= len(s.words) && s.free(i, i+n); n++ {
			// A phrase of several words holds no implied word, and either values alone or none.
			first, last := &s.words[i], &s.words[i+n-1]
			if isPhrase := !first.Implied && !last.Implied && first.Value == last.Value; n > 1 && !isPhrase {
				break
			}
			out = append(out, [2]int{i, i + n})
		}
	}
	return out
}

// free reports whether no word from position from to before to has a partner.
func (s *side) free(from, to int) bool {
	return slices.Max(s.partner[from:to]) < 0
}

// fill covers the words of a phrase by those of the other side's phrase, from first to before end, in order;
// the last one covers all words that are left.
func (s *side) fill(from, to, first, end int, cover float64) {
	for i := from; i < to; i++ {
		s.cover[i], s.partner[i] = cover, min(first+i-from, end-1)
	}
}

// same returns the likeness of the phrases of a link. Two values are alike only if they are equal, and
// those were aligned before.
func (al *alignment) same(e *Extractor, t *Table, l link) Likeness {
	x, y := al.a.words[l.a0:l.a1], al.b.words[l.b0:l.b1]
	if x[0].Value && y[0].Value {
		return Likeness{}
	}
	found := e.phrases(t, x, y)
	if x[0].Value || y[0].Value { // a value and words of content are seldom the same
		found.Same /= 2
	}
	return found
}

// phrases returns the likeness of two phrases. Its log-odds are those of the model of names, reduced by the
// share t.Doubt, plus those that the table has learned of a pair of single words.
func (e *Extractor) phrases(t *Table, x, y []Token) Likeness {
	found := e.Compare(join(x), join(y))
	learned := 0.0
	if len(x) == 1 && len(y) == 1 {
		learned = t.pair(x[0].Text, y[0].Text)
	}
	found.Same = sigmoid((1-t.Doubt)*logit(found.Same) + learned)
	return found
}
