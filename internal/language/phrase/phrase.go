// Package phrase finds phrases in sentences by patterns over their words:
//
//	with|having ARTICLE? COLUMN{1,3} of? VALUE
//
// A pattern is a sequence of elements, one for each word:
//
//	word         this word, in lower case
//	CLASS        a word of the class: what classes there are is up to the Text
//	a|b|CLASS    any of these
//	A&B, A&!B    a word of both classes; of the first and not of the second
//	x? x* x+     x or nothing; x any number of times; once or more
//	x{m,n}       x from m to n times
//	(x y / z)    x and y, or else z
//	name=x       x, which Match.Span finds by this name
//	[x y]        the part of the phrase that Match.Part is
//	!x           no x: as the first element, before the phrase; elsewhere, next
//	^ $          the beginning of the sentence; its end, closing marks apart
//	ANCHOR       the words that On is given; they, too, can have classes: ANCHOR&A&!B
//
// As in a parsing expression grammar, an element takes what it can and never gives
// back: of alternatives the first that fits counts, and a repetition goes on while
// it can.
package phrase

import (
	"slices"
	"strings"
)

// Text is a sentence as patterns see it.
type Text interface {
	// Word returns the word at i in lower case, "" outside the sentence.
	Word(i int) string
	// Class returns how many words from i on are one thing of the class, 0 for
	// none. It is asked for every i.
	Class(name string, i int) int
}

// One returns the number of words that [Text.Class] reports for a class of single words: 1 where the word belongs to the
// class, else 0.
func One(belongs bool) int {
	if belongs {
		return 1
	}
	return 0
}

// Pattern is a pattern of words. [Grammar.Must] returns one.
type Pattern struct {
	read func() parsed
}

// parsed is a pattern after parsing.
type parsed struct {
	elements sequence
	anchor   int // index of the element that On places, or -1
}

// Match is where a pattern fits.
type Match struct {
	Span  // the phrase as a whole
	Part  Span
	spans []namedSpan
}

// Span is the words from Start to before End.
type Span struct{ Start, End int }

// Empty reports whether the span holds no words.
func (s Span) Empty() bool { return s.Start >= s.End }

// namedSpan is the words that a named element took.
type namedSpan struct {
	name string
	Span
}

// Get returns the words that an element of that name or class took, the last of
// several; an empty span where none did.
func (m Match) Get(name string) Span {
	for i := len(m.spans) - 1; i >= 0; i-- {
		if m.spans[i].name == name {
			return m.spans[i].Span
		}
	}
	return Span{}
}

// Each returns the words of every element of that name or class, in order.
func (m Match) Each(name string) []Span {
	var out []Span
	for _, s := range m.spans {
		if s.name == name {
			out = append(out, s.Span)
		}
	}
	return out
}

// Has reports whether an element of that name or class took any words.
func (m Match) Has(name string) bool { return !m.Get(name).Empty() }

// At matches the phrase that begins at i.
func (p *Pattern) At(t Text, i int) (Match, bool) {
	m := newMatcher(t)
	end, ok := p.read().elements.take(m, i, false)
	return m.match(i, end), ok
}

// Fits reports whether the phrase begins at i.
func (p *Pattern) Fits(t Text, i int) bool {
	_, ok := p.At(t, i)
	return ok
}

// Within reports whether the phrase begins at one of the words from start to before
// end.
func (p *Pattern) Within(t Text, start, end int) bool {
	for i := start; i < end; i++ {
		if p.Fits(t, i) {
			return true
		}
	}
	return false
}

// Before matches the phrase that ends before i, from its last word to its first. Its
// classes match single words only.
func (p *Pattern) Before(t Text, i int) (Match, bool) {
	m := newMatcher(t)
	start, ok := p.read().elements.take(m, i, true)
	return m.match(start, i), ok
}

// On matches the phrase around a span, the words of the pattern's anchor: the elements before the anchor as
// [Pattern.Before] does, those after it as [Pattern.At] does.
func (p *Pattern) On(t Text, at Span) (Match, bool) {
	parsed := p.read()
	m := newMatcher(t)
	a := parsed.elements[parsed.anchor].(anchor)
	if !a.holds(m, at.Start) { // the anchor has classes, and the first word is not of them
		return Match{}, false
	}
	start, ok := parsed.elements[:parsed.anchor].take(m, at.Start, true)
	if !ok {
		return Match{}, false
	}
	m.spans = append(m.spans, namedSpan{a.name, at})
	end, ok := parsed.elements[parsed.anchor+1:].take(m, at.End, false)
	return m.match(start, end), ok
}

// All returns every phrase among the first n words, by where it begins.
func (p *Pattern) All(t Text, n int) func(yield func(Match) bool) {
	return func(yield func(Match) bool) {
		for i := range n {
			if m, ok := p.At(t, i); ok && !yield(m) {
				return
			}
		}
	}
}

// matcher is one attempt at a match.
type matcher struct {
	Text
	part  Span
	spans []namedSpan
}

// newMatcher returns a matcher of t. Its part begins at -1 until brackets of the pattern set it.
func newMatcher(t Text) *matcher { return &matcher{Text: t, part: Span{-1, -1}} }

// match returns the match of the words from start to before end. Its part is what the brackets of the pattern
// matched; without brackets it is the whole phrase.
func (m *matcher) match(start, end int) Match {
	part := m.part
	if part.Start < 0 {
		part = Span{start, end}
	}
	return Match{Span{start, end}, part, m.spans}
}

// element is a part of a pattern. take matches it with the words from position i on and returns the position after
// them. If back is set, it matches the words before i and returns the position of the first of them. It returns
// false if the element does not match.
type element interface {
	take(m *matcher, i int, back bool) (int, bool)
}

// sequence is elements that follow each other.
type sequence []element

// take implements [element]: backward, the last element comes first.
func (s sequence) take(m *matcher, i int, back bool) (int, bool) {
	for k := range s {
		e := s[k]
		if back {
			e = s[len(s)-1-k]
		}
		next, ok := e.take(m, i, back)
		if !ok {
			return i, false
		}
		i = next
	}
	return i, true
}

// term is what one word has to be: this word, or of all the classes and of none of
// those left out.
type term struct {
	word      string
	class     []string
	otherThan []string
}

// length returns how many words the term takes from i on, 0 if it does not fit.
func (t term) length(m *matcher, i int) int {
	switch {
	case t.word != "" && m.Word(i) == t.word:
		return 1
	case t.word != "", !t.holds(m, i):
		return 0
	}
	return m.Class(t.class[0], i) // the first class has the length, the others restrict it
}

// holds reports whether the word i is of all classes of the term, and of none that it leaves out.
func (t term) holds(m *matcher, i int) bool {
	is := func(class string) bool { return m.Class(class, i) > 0 }
	return !slices.ContainsFunc(t.otherThan, is) && !slices.ContainsFunc(t.class, func(class string) bool { return !is(class) })
}

// anchor is the words that On gets; the first of them has to be of the classes.
type anchor struct {
	term
	name string
}

// take implements [element]. It always fails: [Pattern.On] places the anchor and matches the elements around it.
func (anchor) take(_ *matcher, i int, _ bool) (int, bool) { return i, false }

// word is any of several terms.
type word []term

// take implements [element]: it takes the words of the first term that fits or, backward, one word.
func (w word) take(m *matcher, i int, back bool) (int, bool) {
	if back {
		i--
	}
	for _, t := range w {
		n := t.length(m, i)
		switch {
		case n == 0:
		case back:
			return i, true
		default:
			return i + n, true
		}
	}
	return i, false
}

// choice is the first of several sequences that fits.
type choice []sequence

// take implements [element] by the first sequence that fits; it drops the spans of those that did not.
func (c choice) take(m *matcher, i int, back bool) (int, bool) {
	for _, s := range c {
		before := *m
		if next, ok := s.take(m, i, back); ok {
			return next, true
		}
		*m = before
	}
	return i, false
}

// repeat is an element from min to max times.
type repeat struct {
	element
	min, max int
}

// take implements [element] by as many repetitions as fit, up to max. It fails if they are fewer than min.
func (r repeat) take(m *matcher, i int, back bool) (int, bool) {
	for n := range r.max {
		before := *m
		next, ok := r.element.take(m, i, back)
		if !ok {
			*m = before
			return i, n >= r.min
		}
		i = next
	}
	return i, true
}

// named is an element that Match.Get finds.
type named struct {
	element
	name string
}

// take implements [element] and stores the words that the element takes. Backward, they are those before i.
func (e named) take(m *matcher, i int, back bool) (int, bool) {
	next, ok := e.element.take(m, i, back)
	if ok {
		m.spans = append(m.spans, namedSpan{e.name, Span{min(i, next), max(i, next)}})
	}
	return next, ok
}

// not takes no words, and fits where its element does not.
type not struct {
	element
	before bool // the element would end here
}

// take implements [element]: it takes no word, and matches if the negated element does not match here or, if before is
// set, just before here. It tries that on a copy of the matcher, because spans of a negated element do not count.
func (n not) take(m *matcher, i int, _ bool) (int, bool) {
	probe := *m
	_, ok := n.element.take(&probe, i, n.before)
	return i, !ok
}

// mark is a bracket.
type mark struct{ end bool }

// take implements [element]: it takes no word, always matches, and stores that the marked part begins or ends here.
func (b mark) take(m *matcher, i int, _ bool) (int, bool) {
	if b.end {
		m.part.End = i
	} else {
		m.part.Start = i
	}
	return i, true
}

// edge is the beginning or the end of the sentence.
type edge struct{ end bool }

// take implements [element]: it takes no word, and matches at the beginning of the sentence or at its end, where only marks
// such as "?" may follow.
func (e edge) take(m *matcher, i int, _ bool) (int, bool) {
	if !e.end {
		return i, i == 0
	}
	for k := i; ; k++ {
		w := m.Word(k)
		if w == "" || !strings.Contains(".?!", w) {
			return i, w == ""
		}
	}
}
