package namepair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Features of a cell: word a of the premise against word b of the hypothesis.
const (
	cellEqual = iota
	cellLemma
	cellStem
	cellCosine
	cellCoarse // cosine of the first components, which say what kind of thing it is
	cellFine   // cosine of the last
	cellMetric // cosine in the learned metric
	cellCosineKnown
	cellDictionary
	cellContrast
	cellKind
	cellKindKnown
	cellGeneral // by how much b is more general
	cellColumn
	cellColumnKnown
	cellTrigrams
	cellEdit
	cellAbbreviation
	cellNumbers   // both numbers, and different
	cellOneNumber // one of them written with digits
	cellStopA
	cellStopB
	cellHeads // both heads
	// CellDim is the number of features of a cell.
	CellDim
)

// Features of a word.
const (
	wordIDF = iota
	wordHead
	wordStop
	wordDigit
	wordLast
	wordFirst
	wordNoVector
	wordSeen
	wordFrequency
	wordLength
	// WordDim is the number of features of a word.
	WordDim
)

// Features of a pair of names as phrases.
const (
	phraseEqual = iota
	phraseCosine
	phraseMetric
	phraseCosineKnown
	phraseWhole
	phraseWholeKnown
	phraseDictionary
	phraseContrast
	phraseKind
	phraseKindKnown
	phraseColumn
	phraseColumnKnown
	phraseTrigrams
	phraseOverlapA // share of the premise's lemmas, by idf, that the hypothesis holds
	phraseOverlapB
	phraseCoverA // share of the premise's words, by idf, with a synonym in the hypothesis
	phraseCoverB
	phraseAlignA // mean over the premise's words, by idf, of the best match in the hypothesis
	phraseAlignB
	phraseSameLemmas
	phraseLengthA
	phraseLengthB
	phraseLengthDiff
	phraseOneOf // one side holds "of", "by" or the like
	phraseHeadCosine
	phraseHeadKind
	phraseHeadLemma
	phraseEmpty
	// PhraseDim is the number of features of a pair of names.
	PhraseDim
)

// Group is a set of features that measure much the same.
type Group struct{ Cells, Phrase []int }

// WordLists are the features for words that are listed as synonyms, or as
// excluding each other.
var WordLists = Group{[]int{cellDictionary, cellContrast}, []int{phraseDictionary, phraseCoverA, phraseCoverB, phraseContrast}}

// SameLemmaCell is the feature of a cell whose lemmas are equal.
const SameLemmaCell = cellLemma

// Input is what the network reads of a pair: Cells has A×B cells of CellDim,
// row-major; WordsA and WordsB a row of WordDim each word.
type Input struct {
	A, B           int
	Cells          []float32
	WordsA, WordsB []float32
	Phrase         []float32
}

// Names are a premise A and a hypothesis B, with the domain of what precedes
// both and its last word.
type Names struct {
	A, B   *Name
	domain uint8
	before string
}

// Names prepares a pair that was cut.
func (e *Extractor) Names(p Parts) Names {
	return Names{A: e.Name(p.A), B: e.Name(p.B), domain: e.contexts.Get(cache.Key{Before: p.Entity, Text: p.Shared}, keptNames, e.domainOf), before: p.before()}
}

// domainOf returns the domain of the entity and the shared words of a pair.
func (e *Extractor) domainOf(context cache.Key) uint8 {
	return e.Name(join(context.Before, context.Text)).domain
}

// Pair writes the features of a pair into in, reusing its memory: those of each pair of words ("cells"), of each word
// and of the names as phrases. A name of one word is read in the sense that n.before, the word in front of it, gives it. A
// name without words counts as one unknown word.
func (e *Extractor) Pair(in *Input, n Names) {
	a, b := e.inSense(n.before, n.A), e.inSense(n.before, n.B)
	wa, wb := a.wordsOrBlank(), b.wordsOrBlank()
	in.A, in.B = len(wa), len(wb)
	in.Cells = zeroed(in.Cells, len(wa)*len(wb)*CellDim)
	in.WordsA = zeroed(in.WordsA, len(wa)*WordDim)
	in.WordsB = zeroed(in.WordsB, len(wb)*WordDim)
	in.Phrase = zeroed(in.Phrase, PhraseDim)
	e.wordFeatures(in.WordsA, wa)
	e.wordFeatures(in.WordsB, wb)
	for i := range wa {
		for j := range wb {
			at := (i*len(wb) + j) * CellDim
			e.cell(in.Cells[at:at+CellDim], &wa[i], &wb[j])
		}
	}
	dictionary(in, pairDomain(n.domain, a, b), a, b)
	contrasts(in, a, b)
	phrases(in, a, b)
}

// inSense returns n in the sense that the word before it gives: "bank" after "river". A name of several words is
// returned as it is.
func (e *Extractor) inSense(before string, n *Name) *Name {
	if before == "" || len(n.words) != 1 {
		return n
	}
	return e.senses.Get(cache.Key{Before: before, Text: n.text}, keptNames, e.findSense)
}

// findSense returns the name k.Text in the sense that it has after the word k.Before. If that phrase is no known
// term, it returns the name without context.
func (e *Extractor) findSense(k cache.Key) *Name {
	return cmp.Or(e.Name(k.Before+" "+k.Text).sense, e.Name(k.Text))
}

// pairDomain returns the domain in which a pair is judged: that of the context, else the one that the names agree on; 0 if
// they disagree or have none.
func pairDomain(context uint8, a, b *Name) uint8 {
	switch {
	case context != 0:
		return context
	case a.domain == 0 || a.domain == b.domain:
		return b.domain
	case b.domain == 0:
		return a.domain
	}
	return 0
}

// Equal reports whether two names have the same words.
func Equal(a, b *Name) bool { return a.text == b.text }

// SameLemmas reports whether two names have the same lemmas.
func SameLemmas(a, b *Name) bool { return a.lemmas == b.lemmas }

// Words is the number of words of the name.
func (n *Name) Words() int { return len(n.words) }

// Cosine returns the cosine of the mean vectors of two names; 0 if one is
// unknown.
func Cosine(a, b *Name) float32 { return dot(a.mean, b.mean) }

// blank replaces the words of a name without any.
var blank = []word{{}}

// wordsOrBlank returns the words of a name, one unknown word if it has none.
func (n *Name) wordsOrBlank() []word {
	if len(n.words) == 0 {
		return blank
	}
	return n.words
}

// zeroed returns n zeros in the memory of s where that is enough.
func zeroed(s []float32, n int) []float32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// wordFeatures writes the features of words to dst, a row each. Divisors bring them to 0..1.
func (e *Extractor) wordFeatures(dst []float32, words []word) {
	for i := range words {
		w, f := &words[i], dst[i*WordDim:(i+1)*WordDim]
		f[wordIDF] = w.idf
		f[wordHead] = bit(w.head)
		f[wordStop] = bit(w.stop)
		f[wordDigit] = bit(w.digit)
		f[wordLast] = bit(i == len(words)-1)
		f[wordFirst] = bit(i == 0)
		f[wordNoVector] = bit(w.vector == nil)
		f[wordSeen] = bit(w.idf < 1) // the idf of a word that no header has is 1
		f[wordFrequency] = float32(min(1, 20*e.Knowledge.Frequency(w.headerWord)))
		f[wordLength] = float32(min(len(w.runes), 12)) / 12
	}
}

// cell writes the features of the cell of words a and b to f. The dictionary and the contrasts are added
// later: they may match several words at once.
func (e *Extractor) cell(f []float32, a, b *word) {
	f[cellStopA], f[cellStopB] = bit(a.stop), bit(b.stop)
	f[cellHeads] = bit(a.head && b.head)
	f[cellEqual] = bit(a.text == b.text && a.text != "")
	same := a.lemma == b.lemma && a.lemma != "" || a.number >= 0 && a.number == b.number
	f[cellLemma] = bit(same)
	f[cellStem] = bit(a.stem == b.stem && a.stem != "")
	if cosine(f, cellCosine, cellCosineKnown, a.vector, b.vector) {
		n := len(a.vector) // the parts are those of [word.measure]
		f[cellMetric] = dot(a.projected, b.projected)
		f[cellCoarse] = partial(a.vector[:n/8], b.vector[:n/8], a.coarse*b.coarse)
		f[cellFine] = partial(a.vector[n/3:], b.vector[n/3:], a.fine*b.fine)
	}
	f[cellNumbers] = bit(a.number >= 0 && b.number >= 0 && a.number != b.number)
	f[cellOneNumber] = bit(a.digit != b.digit)
	f[cellTrigrams] = jaccard(a.grams, b.grams)
	f[cellEdit] = editRatio(a.runes, b.runes)
	f[cellAbbreviation] = bit(!same && (abbreviates(a.text, b.text) || abbreviates(b.text, a.text)))
	f[cellDictionary] = bit(same)
	if cosine(f, cellKind, cellKindKnown, a.kind, b.kind) {
		f[cellGeneral] = b.general - a.general
	}
	cosine(f, cellColumn, cellColumnKnown, a.column, b.column)
}

// phrases writes to in.Phrase the features of two names as wholes: equality, cosines of their vectors, shares of common
// words and trigrams, lengths and head words.
func phrases(in *Input, a, b *Name) {
	f := in.Phrase
	f[phraseEqual] = bit(a.text == b.text)
	f[phraseEmpty] = bit(len(a.words) == 0 || len(b.words) == 0)
	if cosine(f, phraseCosine, phraseCosineKnown, a.mean, b.mean) {
		f[phraseMetric] = dot(a.projected, b.projected)
	}
	// The vectors of the whole names as terms, of the kinds of things that they name, and of the names as columns.
	cosine(f, phraseWhole, phraseWholeKnown, a.whole, b.whole)
	cosine(f, phraseKind, phraseKindKnown, a.kind, b.kind)
	cosine(f, phraseColumn, phraseColumnKnown, a.column, b.column)
	if a.lemmas == b.lemmas {
		f[phraseDictionary] = 1
	}
	f[phraseTrigrams] = jaccard(a.grams, b.grams)
	f[phraseOverlapA], f[phraseOverlapB] = overlap(a.words, b.words), overlap(b.words, a.words)
	// The cell of word i of a and word j of b is number i*in.B+j.
	f[phraseAlignA] = align(in, a.words, in.B, 1, in.A, in.B)
	f[phraseAlignB] = align(in, b.words, 1, in.B, in.B, in.A)
	f[phraseSameLemmas] = bit(f[phraseOverlapA] > .999 && f[phraseOverlapB] > .999)
	f[phraseLengthA], f[phraseLengthB] = float32(len(a.words))/maxWords, float32(len(b.words))/maxWords
	f[phraseLengthDiff] = max(f[phraseLengthA]-f[phraseLengthB], f[phraseLengthB]-f[phraseLengthA])
	f[phraseOneOf] = bit(hasOf(a) != hasOf(b)) // exactly one has a word like "of"
	if ha, hb := head(a.words), head(b.words); ha >= 0 && hb >= 0 {
		x, y := &a.words[ha], &b.words[hb]
		f[phraseHeadCosine], f[phraseHeadKind] = dot(x.vector, y.vector), dot(x.kind, y.kind)
		f[phraseHeadLemma] = bit(x.lemma == y.lemma)
	}
}

// align returns how well the words are matched by their best counterparts: 1 for a
// listed synonym, else the cosine, as a mean weighted by idf. The m words are step cells
// apart, their n counterparts stride cells.
func align(in *Input, words []word, step, stride, m, n int) float32 {
	var sum, all float32
	for i := range min(m, len(words)) { // a name without words has a cell all the same
		var best float32
		for j := range n {
			cell := in.Cells[(i*step+j*stride)*CellDim:]
			best = max(best, cell[cellDictionary], cell[cellCosine])
		}
		weight := words[i].weight()
		sum, all = sum+weight*best, all+weight
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// overlap returns the share of the words of a, by idf, whose lemma b holds.
func overlap(a, b []word) float32 {
	var marks [maxWords]bool
	for i := range a {
		marks[i] = slices.ContainsFunc(b, func(w word) bool { return w.lemma == a[i].lemma })
	}
	return covered(a, marks)
}

// hasOf reports whether a name holds "of", "by" or the like.
func hasOf(n *Name) bool {
	return slices.ContainsFunc(n.words, func(w word) bool { return english.IsTie(w.text) })
}

// abbreviates reports whether short reads as a clipped form of long: same first
// letter, its letters in long's order, and at most half as long.
func abbreviates(short, long string) bool {
	if len(short) < 2 || 2*len(short) > len(long)+1 || short[0] != long[0] {
		return false
	}
	rest := long
	for i := range len(short) {
		at := strings.IndexByte(rest, short[i])
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// bit returns 1 for true, 0 for false.
func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// cosine sets a feature of f to the cosine of two unit vectors, and knownFeature to 1, if both are
// known, which it reports.
func cosine(f []float32, feature, knownFeature int, a, b []float32) (known bool) {
	if a == nil || b == nil {
		return false
	}
	f[feature], f[knownFeature] = dot(a, b), 1
	return true
}

// partial returns the cosine of parts of two vectors, whose lengths multiply to
// norm.
func partial(a, b []float32, norm float32) float32 {
	if norm == 0 || len(a) != len(b) {
		return 0
	}
	return lexicon.Dot(a, b) / norm
}

// dot returns the inner product; 0 if one of a and b is nil.
func dot(a, b []float32) float32 {
	if len(a) != len(b) {
		return 0
	}
	return lexicon.Dot(a, b)
}

// jaccard returns the share of common elements of two sorted sets.
func jaccard(a, b []uint32) float32 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i, j = i+1, j+1
		}
	}
	if both == 0 {
		return 0
	}
	return float32(both) / float32(len(a)+len(b)-both)
}

// editRatio returns one minus the Levenshtein distance over the longer length; 0 if a word is empty.
func editRatio(a, b []rune) float32 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var row [maxRunes + 1]int // of the table of distances: from the part of a so far to each beginning of b
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return 1 - float32(row[len(b)])/float32(max(len(a), len(b)))
}
