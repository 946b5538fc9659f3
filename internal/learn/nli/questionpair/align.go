package questionpair

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// side is one question of an alignment: its words of content, how well the other
// question covers each (0 to 1), and by which of its words (-1 for none).
type side struct {
	words []Token
	place []int // of each word among the question's tokens
	cover []float64
	mate  []int
}

// alignment pairs the words of two questions that have the same sense.
type alignment struct {
	a, b side
	soft []link // those by similarity
}

// link is a phrase of each side: words from and up to.
type link struct {
	a0, a1, b0, b1 int
	Likeness
}

func newSide(q Question) side {
	var s side
	for i, t := range q.Tokens {
		if t.Kind == Word {
			s.words = append(s.words, t)
			s.place = append(s.place, i)
		}
	}
	s.cover = make([]float64, len(s.words))
	s.mate = slices.Repeat([]int{-1}, len(s.words))
	return s
}

func newAlignment(a, b Question) *alignment { return &alignment{a: newSide(a), b: newSide(b)} }

// The cover of a word by one that is not equal.
const (
	stemCover   = .97 // of one stem: "enrolled", "enrollment"
	repeatCover = .9  // said already: the other question says it once
)

// equal aligns equal words in their order, then those out of order, then those of
// one stem.
func (al *alignment) equal() {
	for _, m := range diff.Common(len(al.a.words), len(al.b.words), func(i, j int) bool {
		return al.a.words[i].Text == al.b.words[j].Text
	}) {
		al.mate(m[0], m[1], 1)
	}
	al.each(func(x, y Token) bool { return x.Text == y.Text }, 1)
	al.each(func(x, y Token) bool { return x.Stem == y.Stem }, stemCover)
}

func (al *alignment) mate(i, j int, cover float64) {
	al.a.cover[i], al.b.cover[j] = cover, cover
	al.a.mate[i], al.b.mate[j] = j, i
}

func (al *alignment) each(same func(x, y Token) bool, cover float64) {
	for i, x := range al.a.words {
		for j, y := range al.b.words {
			if al.a.mate[i] < 0 && al.b.mate[j] < 0 && same(x, y) {
				al.mate(i, j, cover)
			}
		}
	}
}

// repeats covers what a side repeats of what is aligned already.
func (s *side) repeats(other *side) {
	for i, t := range s.words {
		if s.mate[i] >= 0 {
			continue
		}
		for j, u := range other.words {
			if t.Stem == u.Stem && other.mate[j] >= 0 {
				s.cover[i], s.mate[i] = repeatCover, j
				break
			}
		}
	}
}

// Bounds on the search for similar phrases.
const (
	maxOpen   = 10  // words of a side that seek a mate
	maxGram   = 2   // words of a phrase
	leastSame = .05 // probability of a link
)

// similar aligns what is left by similarity, the best links first.
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
	// Of links as good, the longer explains more.
	value := func(l link) float64 { return l.Same * float64(l.a1-l.a0+l.b1-l.b0+6) }
	slices.SortStableFunc(links, func(x, y link) int { return cmp.Compare(value(y), value(x)) })
	for _, l := range links {
		if al.a.free(l.a0, l.a1) && al.b.free(l.b0, l.b1) {
			al.soft = append(al.soft, l)
			al.a.fill(l.a0, l.a1, l.b0, l.b1, l.Same)
			al.b.fill(l.b0, l.b1, l.a0, l.a1, l.Same)
		}
	}
}

// grams returns the phrases of words that have no mate.
func (s *side) grams() [][2]int {
	var out [][2]int
	open := 0
	for i := range s.words {
		if s.mate[i] >= 0 {
			continue
		}
		if open++; open > maxOpen {
			break
		}
		for n := 1; n <= maxGram && i+n <= len(s.words) && s.free(i, i+n); n++ {
			if n > 1 && (s.words[i+n-1].Implied || s.words[i].Implied || s.words[i].Value != s.words[i+n-1].Value) {
				break
			}
			out = append(out, [2]int{i, i + n})
		}
	}
	return out
}

func (s *side) free(from, to int) bool {
	return slices.Max(s.mate[from:to]) < 0
}

// fill makes the words of a phrase the mates of those of the other, in order.
func (s *side) fill(from, to, first, end int, cover float64) {
	for i := from; i < to; i++ {
		s.cover[i], s.mate[i] = cover, min(first+i-from, end-1)
	}
}

// same compares the phrases of a link. Two values are the same only where they
// are equal.
func (al *alignment) same(e *Extractor, t *Table, l link) Likeness {
	x, y := al.a.words[l.a0:l.a1], al.b.words[l.b0:l.b1]
	if x[0].Value && y[0].Value {
		return Likeness{}
	}
	found := e.phrases(t, x, y)
	if x[0].Value || y[0].Value {
		found.Same /= 2
	}
	return found
}

// phrases compares two phrases by what is known of names and by what the table
// has learned of single words.
func (e *Extractor) phrases(t *Table, x, y []Token) Likeness {
	found := e.Compare(join(x), join(y))
	learned := 0.0
	if len(x) == 1 && len(y) == 1 {
		learned = t.pair(x[0].Text, y[0].Text)
	}
	found.Same = sigmoid((1-t.Doubt)*logit(found.Same) + learned)
	return found
}
