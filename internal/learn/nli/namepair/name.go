// Package namepair turns a pair of column names into the numbers that the
// compact model reads: features of each pair of words ("cells"), of each word,
// and of the two names as phrases. [Extractor.Name] prepares a name once;
// [Extractor.Pair] compares two prepared names in one direction.
package namepair

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"

	stemmer "github.com/kljensen/snowball/english"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Bounds on what is read of a name; web-table headers seldom reach them.
const (
	maxBytes = 256 // of a name
	maxWords = 6   // of a name
	maxRunes = 24  // of a word
)

// Extractor makes features. It is safe for concurrent use; its fields must not
// change once it is in use, because it caches prepared names.
type Extractor struct {
	Vectors    lexicon.Vectors
	Dictionary lexicon.Dictionary
	Contrasts  *lexicon.Contrasts
	Domains    *lexicon.DomainWords
	Knowledge  *knowledge.Base

	names    cache.Cache[*Name]
	senses   cache.Cache[*Name]
	contexts cache.Cache[uint8] // domains
	words    cache.Cache[word]
	lemmas   cache.Cache[string]
}

// Bounds on what is kept: a name or word takes one to two kilobytes.
const (
	keptNames  = 1 << 13
	keptWords  = 1 << 13
	keptLemmas = 1 << 16
)

// Name is a prepared column name.
type Name struct {
	text      string // words joined by blanks
	lemmas    string // lemmas joined by blanks
	words     []word
	mean      []float32 // unit vector: mean of the words' weighted by idf; nil if no word has one
	projected []float32 // mean in the learned metric
	whole     []float32 // unit vector of the whole name as one term; nil if unknown
	kind      []float32 // unit vector of what it names; nil if unknown
	general   float32   // of kind
	column    []float32 // unit vector of the whole name as a column; nil if unknown
	grams     []uint32  // sorted
	spans     []span    // the name's runs of words, sorted
	synonyms  []span    // what the dictionary has for runs of words, sorted
	sense     *Name     // its last word by itself, in the sense that it has in the name; nil if the name is no known term
	domain    uint8     // of the dictionary that its words are at home in; 0 for none
	sets      []setSpan // sets of contrasts that runs of words belong to, sorted
}

// word is a word of a name with its features.
type word struct {
	text, lemma, stem string
	runes             []rune
	vector            []float32 // unit; nil if unknown
	projected         []float32 // vector in the learned metric
	coarse, fine      float32   // lengths of the parts of vector that are compared by themselves
	kind, column      []float32 // unit; nil if unknown
	general           float32
	grams             []uint32       // sorted
	headerWord        knowledge.Word // its lemma among the words of headers
	idf               float32
	number            int // noNumber for most
	stop, digit, head bool
}

// stops are words that carry no meaning of their own in a column name.
var stops = []string{"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "per", "the", "to", "was", "with"}

// clip cuts a name after maxBytes bytes, at the end of a character.
func clip(name string) string {
	if len(name) > maxBytes {
		return strings.ToValidUTF8(name[:maxBytes], "")
	}
	return name
}

// Name prepares a column name. Of longer names the first words count.
func (e *Extractor) Name(name string) *Name {
	return e.names.Get(cache.Key{Text: clip(name)}, keptNames, e.prepare)
}

// prepare computes [Extractor.Name] of the text of k: the features of its words and of the name as a whole.
func (e *Extractor) prepare(k cache.Key) *Name {
	texts := lexicon.Words(k.Text)
	texts = texts[:min(len(texts), maxWords)]
	n := &Name{words: make([]word, len(texts))}
	lemmas := make([]string, len(texts))
	for i, t := range texts {
		n.words[i] = e.words.Get(cache.Key{Text: t}, keptWords, e.prepareWord)
		lemmas[i] = n.words[i].lemma
		texts[i] = n.words[i].text
	}
	n.text, n.lemmas = strings.Join(texts, " "), strings.Join(lemmas, " ")
	if h := head(n.words); h >= 0 {
		n.words[h].head = true
	}
	n.mean = e.mean(n.words)
	n.projected = e.Knowledge.Project(n.mean)
	n.grams = trigrams(n.text)
	n.spans, n.synonyms = e.spans(n.words)
	n.sets = e.sets(n.words)
	n.domain = domain(e.Domains.Domain(n.text, nil))
	n.column = e.Knowledge.Column(n.lemmas)
	if len(texts) > 1 { // perhaps a known term, as it is written or by its lemmas
		n.whole = e.vector(n.text, n.lemmas)
		n.kind, n.general = e.Knowledge.Kind(n.text), e.Knowledge.General(n.text)
		if n.kind == nil {
			n.kind, n.general = e.Knowledge.Kind(n.lemmas), e.Knowledge.General(n.lemmas)
		}
		if n.whole != nil {
			n.sense = e.sense(n)
		}
	} else if len(texts) == 1 {
		n.whole, n.kind = n.words[0].vector, n.words[0].kind
	}
	return n
}

// sense returns the last word of a name that is a known term, as a name: "party" for "political party". The word gets
// the vectors of the whole term and, if known, the kind of thing that the term names. It returns nil if the last word is
// no single word as a name.
func (e *Extractor) sense(n *Name) *Name {
	last := *e.Name(n.words[len(n.words)-1].text)
	if len(last.words) != 1 {
		return nil
	}
	w := last.words[0]
	w.vector, w.projected = n.whole, e.Knowledge.Project(n.whole)
	w.measure()
	if n.kind != nil {
		w.kind, w.general = n.kind, n.general
	}
	last.words = []word{w}
	last.mean, last.whole, last.projected, last.kind = w.vector, w.vector, w.projected, w.kind
	return &last
}

// Stop reports whether a word carries no meaning of its own in a column name.
func Stop(word string) bool { return slices.Contains(stops, word) }

// prepareWord computes the features of a word of a name, but for head, which depends on the name.
func (e *Extractor) prepareWord(k cache.Key) word {
	w := word{text: k.Text, runes: []rune(k.Text)}
	if len(w.runes) > maxRunes {
		w.runes = w.runes[:maxRunes]
		w.text = string(w.runes)
	}
	w.lemma = e.Lemma(w.text)
	w.stem = stemmer.Stem(w.lemma, false)
	w.stop = Stop(w.text)
	w.digit = strings.IndexAny(w.text, "0123456789") == 0
	w.headerWord = e.Knowledge.Word(w.lemma)
	w.idf = float32(e.Knowledge.IDF(w.headerWord))
	w.grams = trigrams(w.text)
	w.number = number(w.text)
	w.vector = e.vector(w.text, w.lemma)
	w.know(e.Knowledge, w.lemma)
	if w.vector == nil && w.kind == nil && !w.digit {
		// An abbreviation, perhaps: its first synonym is its long form.
		if s := e.Dictionary.Synonyms(w.text); len(s) > 0 {
			w.vector = e.vector(s[0])
			w.know(e.Knowledge, s[0])
		}
	}
	w.projected = e.Knowledge.Project(w.vector)
	w.measure()
	return w
}

// know sets what the taxonomy and the headers of tables have of a lemma.
func (w *word) know(k *knowledge.Base, lemma string) {
	w.kind, w.column, w.general = k.Kind(lemma), k.Column(lemma), k.General(lemma)
}

// measure sets the lengths of the first eighth and of the last two thirds of the vector. The first
// components distinguish kinds of things, the last ones meanings.
func (w *word) measure() {
	if n := len(w.vector); n > 0 {
		w.coarse, w.fine = length(w.vector[:n/8]), length(w.vector[n/3:])
	}
}

// vector returns the unit vector of the first known form, or nil.
func (e *Extractor) vector(forms ...string) []float32 {
	for _, f := range forms {
		if v, ok := e.Vectors.Lookup(nil, f); ok {
			return unit(v)
		}
	}
	return nil
}

// mean returns the mean vector of words, weighted by idf and scaled to length one; nil if none is known.
func (e *Extractor) mean(words []word) []float32 {
	var sum []float32
	for _, w := range words {
		if w.vector == nil {
			continue
		}
		if sum == nil {
			sum = make([]float32, len(w.vector))
		}
		weight := w.weight()
		for i, x := range w.vector {
			sum[i] += float32(weight * x)
		}
	}
	return unit(sum)
}

// weight returns how much a word counts in its name: more for a rare word, a little even for one with idf 0, and a tenth of that
// for a stop word.
func (w *word) weight() float32 {
	if w.stop {
		return .1 * (w.idf + .05)
	}
	return w.idf + .05
}

// head returns the position of the word for the kind of thing that a name
// names: the last content word, or the one before "of", "by" and the like; -1
// if there is none.
func head(words []word) int {
	h := -1
	for i, w := range words {
		if h >= 0 && english.IsTie(w.text) {
			return h
		}
		if !w.stop && (!w.digit || h < 0) { // a number is the head only if no word is before it
			h = i
		}
	}
	return h
}

// unit scales v to length one, in place; nil if its length is 0 or not finite.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return nil
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// length returns the Euclidean length of a vector.
func length(v []float32) float32 { return float32(math.Sqrt(float64(lexicon.Dot(v, v)))) }

// trigrams returns the hashes of the letter trigrams of s with its borders,
// sorted and distinct.
func trigrams(s string) []uint32 {
	runes := []rune("^" + s + "$")
	var grams []uint32
	for i := 0; i+3 <= len(runes); i++ {
		h := fnv.New32a()
		h.Write([]byte(string(runes[i : i+3])))
		grams = append(grams, h.Sum32())
	}
	slices.Sort(grams)
	return slices.Compact(grams)
}
