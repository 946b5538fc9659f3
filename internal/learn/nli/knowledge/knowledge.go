// Package knowledge holds what the compact model knows in addition to word vectors, the
// dictionary and the contrasts: how often a word occurs in the headers of web
// tables, which words are next to a word there, and what kind of thing it names. The
// trainer builds a [Data]; [New] indexes it for look-up.
package knowledge

import (
	"fmt"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Count is a word with the number of distinct headers that hold it.
type Count struct {
	Word string
	N    uint32
}

// Space is a table of vectors for terms: words, or several joined by blanks. A
// row is a direction; its length has no meaning.
type Space struct {
	Dim   int
	Terms []string // ascending
	Rows  []int8   // a row of Dim for each term
}

// Lemma is what is known of a term of [Data.Kinds].
type Lemma struct {
	Senses  uint8 // how many meanings it has, at most 255
	General uint8 // 0..255: how many kinds of the thing there are, on a scale of logarithms
}

// Data is the knowledge as it is stored.
type Data struct {
	Headers uint32  // distinct headers counted
	Counts  []Count // by word
	// Kinds places terms by the kinds of things that they name: a hammer lies near
	// a saw, and opposites near each other. It is distilled from a taxonomy.
	Kinds  Space
	Lemmas []Lemma // of the terms of Kinds
	Metric Metric
	// Columns places lemmas and whole headers by the headers that are next to
	// them in tables.
	Columns Space
}

// Metric takes word vectors of In components to Out directions, a row each, in
// which words of different meaning differ most.
type Metric struct {
	In, Out int
	Rows    []float32
}

// Project returns the vector v in the directions of the metric, scaled to length one; nil if v has
// another number of components.
func (b *Base) Project(v []float32) []float32 {
	m := &b.data.Metric
	if m.Out == 0 || len(v) != m.In {
		return nil
	}
	out := make([]float32, m.Out)
	var square float64
	for d := range out {
		out[d] = lexicon.Dot(m.Rows[d*m.In:(d+1)*m.In], v)
		square += float64(out[d]) * float64(out[d])
	}
	if square == 0 {
		return nil
	}
	for d := range out {
		out[d] *= float32(1 / math.Sqrt(square))
	}
	return out
}

// Base answers questions about words. It is safe for concurrent use.
type Base struct {
	data           Data
	words          map[string]Word
	kinds, columns map[string]int
}

// New indexes d, which must not change afterwards. It returns an error for tables
// that are out of order or of the wrong size.
func New(d Data) (*Base, error) {
	b := &Base{data: d, words: make(map[string]Word, len(d.Counts))}
	for i, c := range d.Counts {
		b.words[c.Word] = Word(i) + 1 // 0 is for unknown words
	}
	var err error
	if b.kinds, err = d.Kinds.index("kinds"); err != nil {
		return nil, err
	}
	if b.columns, err = d.Columns.index("columns"); err != nil {
		return nil, err
	}
	if len(d.Lemmas) != len(d.Kinds.Terms) {
		return nil, fmt.Errorf("%d lemmas, expected one for each of %d kinds", len(d.Lemmas), len(d.Kinds.Terms))
	}
	if m := d.Metric; len(m.Rows) != m.In*m.Out {
		return nil, fmt.Errorf("metric: %d values, expected %d rows of %d", len(m.Rows), m.Out, m.In)
	}
	return b, nil
}

// index returns the row of each term. It rejects unsorted terms and rows of another size; name is for the
// error.
func (s *Space) index(name string) (map[string]int, error) {
	if len(s.Rows) != s.Dim*len(s.Terms) {
		return nil, fmt.Errorf("%s: %d values, expected %d rows of %d", name, len(s.Rows), len(s.Terms), s.Dim)
	}
	if !slices.IsSorted(s.Terms) {
		return nil, fmt.Errorf("%s: terms are out of order", name)
	}
	rows := make(map[string]int, len(s.Terms))
	for i, t := range s.Terms {
		rows[t] = i
	}
	return rows, nil
}

// Data returns the stored form of b. The caller must not change it.
func (b *Base) Data() *Data { return &b.data }

// Word is the number of a word of the headers; 0 for any other.
type Word uint32

// Word looks up a lemma among the words of the headers.
func (b *Base) Word(lemma string) Word { return b.words[lemma] }

// count returns the number of headers that hold a word.
func (b *Base) count(w Word) float64 {
	if w == 0 {
		return 0
	}
	return float64(b.data.Counts[w-1].N)
}

// Frequency returns the share of headers that hold the word, 0..1.
func (b *Base) Frequency(w Word) float64 { return b.count(w) / max(1, float64(b.data.Headers)) }

// IDF returns the inverse document frequency of a word over headers, scaled to
// 0..1; words never seen have 1.
func (b *Base) IDF(w Word) float64 {
	n := max(1, float64(b.data.Headers))
	return math.Log((n+1)/(b.count(w)+1)) / math.Log(n+1)
}

// Senses returns the number of senses of a lemma, 0 if it is unknown.
func (b *Base) Senses(lemma string) int {
	if i, ok := b.kinds[lemma]; ok {
		return int(b.data.Lemmas[i].Senses)
	}
	return 0
}

// General returns how general the thing is that a lemma names, 0..1: how many
// kinds of it there are. It is 0 if the lemma is unknown.
func (b *Base) General(lemma string) float32 {
	if i, ok := b.kinds[lemma]; ok {
		return float32(b.data.Lemmas[i].General) / math.MaxUint8
	}
	return 0
}

// Kind returns the direction of a term among the kinds of things, of length one;
// nil if it is unknown.
func (b *Base) Kind(term string) []float32 { return b.data.Kinds.unit(b.kinds, term) }

// Column returns the direction of a lemma or a whole header among the columns of
// tables, of length one; nil if it is unknown.
func (b *Base) Column(term string) []float32 { return b.data.Columns.unit(b.columns, term) }

// unit returns the vector of a term, scaled to length one, by the rows of index; nil for an unknown term.
func (s *Space) unit(index map[string]int, term string) []float32 {
	i, ok := index[term]
	if !ok {
		return nil
	}
	row := s.Rows[i*s.Dim : (i+1)*s.Dim]
	var square float64
	for _, x := range row {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return nil
	}
	v := make([]float32, s.Dim)
	for k, x := range row {
		v[k] = float32(float64(x) / math.Sqrt(square))
	}
	return v
}
