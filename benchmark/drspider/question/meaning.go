package question

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/english"
)

// meaning compares what a draft asks with what the question asks in ways that the
// factuality model overlooks: to it "cats and dogs" entail "cats or dogs", and a
// question with a condition entails the same without it.
type meaning struct {
	category indicator.Category
	before   *indicator.Alignment
}

// differs tells whether the draft of an alignment asks something else: an "or"
// comes or goes, what the question mentions is lost, or a number of nothing is left.
func (m meaning) differs(after *indicator.Alignment) bool {
	if alternatives(m.before) != alternatives(after) || dangles(after.Question) && !dangles(m.before.Question) {
		return true
	}
	return slices.ContainsFunc(m.before.Mentions, func(e indicator.Mention) bool {
		return !e.Implied() && !mentions(after, e.Element) && m.loses(e, after)
	})
}

// loses tells whether an element that the aligner does not find in a draft is lost.
// It is not where the category leaves such elements out, or says them in words
// that the aligner does not know.
func (m meaning) loses(e indicator.Mention, after *indicator.Alignment) bool {
	switch e.Kind {
	case indicator.Value:
		return m.losesValue(e, after)
	case indicator.Column:
		switch m.category {
		case indicator.KeywordSynonym, indicator.KeywordCarrier, indicator.ValueSynonym, indicator.Others:
			return e.Via == indicator.Name
		case indicator.ColumnSynonym:
			return !renews(m.before, after)
		case indicator.Multitype:
			return e.Has(indicator.OrderBy) && !renews(m.before, after)
		}
	case indicator.Table:
		switch m.category {
		case indicator.KeywordSynonym, indicator.KeywordCarrier, indicator.Others:
			return e.Via == indicator.Name
		}
	}
	return false
}

func (m meaning) losesValue(e indicator.Mention, after *indicator.Alignment) bool {
	if carries(after, e.Element) || says(after, e) {
		return false // "multiple" says the comparison and its constant
	}
	_, err := strconv.ParseFloat(e.Value, 64)
	if number := err == nil; number || m.category != indicator.ValueSynonym && m.category != indicator.Multitype {
		return true
	}
	s, words, found := newSentence(after.Question), newSentence(e.Text).low, 0
	for _, w := range words {
		if slices.Contains(s.low, w) {
			found++
		}
	}
	return 2*found < len(words) && !renews(m.before, after) // "JetBlue" says "JetBlue Airways"
}

func mentions(a *indicator.Alignment, e indicator.Element) bool {
	return slices.ContainsFunc(a.Mentions, func(m indicator.Mention) bool {
		// The same constant compared in several places is mentioned once.
		return !m.Implied() && (m.Element == e || e.Kind == indicator.Value && m.Kind == e.Kind && m.Value == e.Value)
	})
}

func carries(a *indicator.Alignment, value indicator.Element) bool {
	return slices.ContainsFunc(a.Mentions, func(m indicator.Mention) bool {
		return m.Kind == indicator.Keyword && m.Keyword == value.Op && m.Value == value.Value && m.Via == indicator.Carrier
	})
}

// says tells whether a draft has another form of a constant that the rules of
// values know: another name or adjective of a place, or a form of the word list.
func says(a *indicator.Alignment, value indicator.Mention) bool {
	s := newSentence(a.Question)
	holds := func(form string) bool {
		words := newSentence(strings.TrimPrefix(form, "the ")).low
		for i := range s.low {
			n := 0
			for n < len(words) && (s.at(i+n) == words[n] || singular(s.at(i+n)) == words[n]) {
				n++
			}
			if n == len(words) && n > 0 {
				return true
			}
		}
		return false
	}
	for _, name := range []string{value.Value, value.Text} {
		if c, ok := countryNamed(name); ok && (slices.ContainsFunc(c.names, holds) || holds(c.adjective) || holds(c.official)) {
			return true
		}
	}
	is := func(w string) bool {
		return strings.EqualFold(w, value.Value) || strings.EqualFold(w, value.Text) || strings.EqualFold(w, english.Singular(strings.ToLower(value.Text)))
	}
	return slices.ContainsFunc(valueForms(), func(f forms) bool {
		return (slices.ContainsFunc(f.words, is) || slices.ContainsFunc(f.codes, is)) && slices.ContainsFunc(f.words, holds)
	})
}

// renews tells whether a draft has a content word that the question lacks, which
// may be a name for a constant that no list knows.
func renews(before, after *indicator.Alignment) bool {
	was, now := newSentence(before.Question), newSentence(after.Question)
	for i, w := range now.low {
		if now.isContent(i) && !slices.ContainsFunc(was.low, func(o string) bool { return singular(o) == singular(w) }) {
			return true
		}
	}
	return false
}

// dangles tells whether a sentence ends with a number that is not said of what:
// "and the largest number?".
func dangles(question string) bool {
	s := newSentence(question)
	for i := range s.low {
		bare := !s.isContent(i-1) || s.is(i-1, "total", "most", "greatest", "largest", "highest", "biggest", "smallest", "fewest", "lowest", "least", "corresponding", "average", "exact")
		if bare && s.is(i, "number", "numbers", "count") && (i+1 == len(s.low) || s.is(i+1, ".", "?", "!")) {
			return true
		}
	}
	return false
}

// comparing are words behind "or" that make one comparison with the word before.
var comparing = []string{"more", "less", "fewer", "later", "earlier", "above", "below", "higher", "lower", "greater", "larger", "smaller", "older", "younger", "longer", "shorter",
	"over", "under", "after", "before", "equal", "not", "beyond", "up"}

// alternatives counts the coordinating "or"s of a question: those inside a
// constant and of comparisons like "10 or more" are none.
func alternatives(a *indicator.Alignment) int {
	s, n := newSentence(a.Question), 0
	for i, t := range s.toks {
		inValue := slices.ContainsFunc(a.Mentions, func(m indicator.Mention) bool {
			return m.Kind == indicator.Value && m.Start <= t.Start && t.End <= m.End
		})
		if s.is(i, "or", "nor") && !inValue && !s.is(s.skip(i+1, "is", "was", "the", "exactly"), comparing...) {
			n++
		}
	}
	return n
}
