package questionpair

import (
	"context"
	"math"
	"strings"

	snowball "github.com/kljensen/snowball/english"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

// Lexicon has the resources by which the extractor compares words.
type Lexicon struct {
	Vectors   lexicon.Vectors
	Contrasts *lexicon.Contrasts
	// Names reports whether two words or short phrases name the same.
	Names nli.Classifier
}

// Extractor reads questions and makes features of pairs of them. It is safe for
// concurrent use.
type Extractor struct {
	lexicon Lexicon
	rules   rules
	kinds   map[string][]string

	entries cache.Cache[entry]
	same    cache.Cache[Likeness]
}

// Likeness is how alike two phrases are.
type Likeness struct {
	Same   float64 // probability that they name the same
	Cosine float64 // of their vectors, in -1..1
}

// Bounds on what is kept.
const (
	maxEntries = 1 << 15
	maxSame    = 1 << 18
)

// New returns an extractor.
func New(l Lexicon) *Extractor {
	return &Extractor{lexicon: l, rules: newRules(), kinds: newKinds()}
}

// entry is what is known of a word.
type entry struct{ base, stem string } // base form, and its stem

// entry returns the base form of a word and its stem.
func (e *Extractor) entry(text string) entry {
	return e.entries.Get(cache.Key{Text: text}, maxEntries, e.analyse)
}

// analyse returns the base form of a word, the singular of a noun or the infinitive of a verb, and its stem. Agents and
// comparatives stay: a teacher is not what teaches. A phrase is returned as it is.
func (e *Extractor) analyse(word cache.Key) entry {
	text := word.Text
	if strings.Contains(text, " ") {
		return entry{text, text}
	}
	base := english.Singular(text)
	if base == text && !strings.HasSuffix(text, "er") && !strings.HasSuffix(text, "est") {
		if lemmas := english.Lemmas(text, e.known); len(lemmas) > 0 {
			base = lemmas[0]
		}
	}
	return entry{base, snowball.Stem(base, true)}
}

// known reports whether a term has a vector.
func (e *Extractor) known(term string) bool {
	var buf [512]float32
	_, ok := e.lexicon.Vectors.Lookup(buf[:0], term)
	return ok
}

// Compare compares two phrases of base forms; their order does not matter.
func (e *Extractor) Compare(a, b string) Likeness {
	if a == b {
		return Likeness{1, 1}
	}
	if a > b {
		a, b = b, a
	}
	return e.same.Get(cache.Key{Before: a, Text: b}, maxSame, e.compare)
}

// compare computes [Extractor.Compare] of two different phrases in alphabetical order. They name the same
// where each entails the other: Same is the geometric mean of both probabilities.
func (e *Extractor) compare(phrases cache.Key) (found Likeness) {
	a, b := phrases.Before, phrases.Text
	// The classifier's only error is that of its context.
	scores, err := e.lexicon.Names.Classify(context.Background(), []nli.Pair{{Premise: a, Hypothesis: b}, {Premise: b, Hypothesis: a}})
	if err == nil && len(scores) == 2 {
		found.Same = math.Sqrt(scores[0].Entailment * scores[1].Entailment)
	}
	x, _, _ := lexicon.Phrase(e.lexicon.Vectors, a)
	y, _, _ := lexicon.Phrase(e.lexicon.Vectors, b)
	found.Cosine = lexicon.Cosine(x, y)
	return found
}

// Excludes reports whether two base forms cannot name the same.
func (e *Extractor) Excludes(a, b string) bool { return e.lexicon.Contrasts.Excludes(a, b) }
