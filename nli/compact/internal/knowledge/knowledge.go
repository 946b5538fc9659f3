// Package knowledge holds what the compact model knows beside word vectors: how
// often a word occurs in the headers of web tables, and a small taxonomy of
// words, from which it tells synonyms, more general words, sister words and
// antonyms. The trainer builds a [Data]; [New] indexes it for look-up.
package knowledge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Count is a word with the number of distinct headers that hold it.
type Count struct {
	Word string
	N    uint32
}

// Sense is one meaning of a lemma. Weight is 1..255 for 0..1: how likely the
// lemma is to have this meaning.
type Sense struct {
	Synset uint32
	Weight uint8
}

// Lemma is a word, or a term with single blanks, with its senses.
type Lemma struct {
	Text   string
	Senses []Sense
}

// Data is the knowledge as it is stored.
type Data struct {
	Headers  uint32      // distinct headers counted
	Counts   []Count     // by word
	Lemmas   []Lemma     // by text
	Parents  []uint32    // of each synset its hypernym plus one; 0 for none
	Antonyms [][2]uint32 // positions in Lemmas, the smaller first, ascending
}

// Base answers questions about words. It is safe for concurrent use.
type Base struct {
	data   Data
	words  map[string]Word
	lemmas map[string]uint32
}

// New indexes d, which must not change afterwards. It reports positions that
// point outside d and tables that are out of order.
func New(d Data) (*Base, error) {
	b := &Base{data: d, words: make(map[string]Word, len(d.Counts)), lemmas: make(map[string]uint32, len(d.Lemmas))}
	for i, c := range d.Counts {
		b.words[c.Word] = Word(i) + 1
	}
	for i, l := range d.Lemmas {
		b.lemmas[l.Text] = uint32(i)
		for _, s := range l.Senses {
			if int(s.Synset) >= len(d.Parents) {
				return nil, fmt.Errorf("lemma %q: synset %d, expected less than %d", l.Text, s.Synset, len(d.Parents))
			}
		}
	}
	for i, p := range d.Parents {
		if int(p) > len(d.Parents) {
			return nil, fmt.Errorf("synset %d: parent %d, expected at most %d", i, p, len(d.Parents))
		}
	}
	for i, a := range d.Antonyms {
		if a[0] >= a[1] || int(a[1]) >= len(d.Lemmas) {
			return nil, fmt.Errorf("antonym pair %d: (%d, %d), expected ascending positions below %d", i, a[0], a[1], len(d.Lemmas))
		}
	}
	if !slices.IsSortedFunc(d.Antonyms, comparePairs) {
		return nil, fmt.Errorf("antonym pairs are out of order")
	}
	return b, nil
}

// Data returns what b was made from. It must not be changed.
func (b *Base) Data() *Data { return &b.data }

// Word stands for a word of the headers; 0 for any other.
type Word uint32

// Word looks up a lemma among the words of the headers.
func (b *Base) Word(lemma string) Word { return b.words[lemma] }

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

// Senses returns the number of senses of a lemma, 0 where it is unknown.
func (b *Base) Senses(lemma string) int {
	i, ok := b.lemmas[lemma]
	if !ok {
		return 0
	}
	return len(b.data.Lemmas[i].Senses)
}

// Antonyms tells whether one lemma is an antonym of the other.
func (b *Base) Antonyms(x, y string) bool {
	i, ok := b.lemmas[x]
	j, also := b.lemmas[y]
	if !ok || !also {
		return false
	}
	_, found := slices.BinarySearchFunc(b.data.Antonyms, [2]uint32{min(i, j), max(i, j)}, comparePairs)
	return found
}

func comparePairs(x, y [2]uint32) int {
	return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
}

// maxLevel bounds the walk to the root: further up all words meet.
const maxLevel = 6

// Node is a synset that a lemma reaches: Level hypernyms above a sense of
// weight Weight, 0..1.
type Node struct {
	Synset uint32
	Level  uint8
	Weight float32
}

// Ancestry returns the synsets that a lemma reaches, by ascending synset and
// level, of each the likeliest; nil where the lemma is unknown.
func (b *Base) Ancestry(lemma string) []Node {
	i, ok := b.lemmas[lemma]
	if !ok {
		return nil
	}
	var nodes []Node
	for _, s := range b.data.Lemmas[i].Senses {
		synset := s.Synset
		for level := range uint8(maxLevel + 1) {
			nodes = append(nodes, Node{synset, level, float32(s.Weight) / 255})
			parent := b.data.Parents[synset]
			if parent == 0 {
				break
			}
			synset = parent - 1
		}
	}
	slices.SortFunc(nodes, func(x, y Node) int {
		return cmp.Or(cmp.Compare(x.Synset, y.Synset), cmp.Compare(x.Level, y.Level), cmp.Compare(y.Weight, x.Weight))
	})
	return slices.CompactFunc(nodes, func(x, y Node) bool { return x.Synset == y.Synset && x.Level == y.Level })
}

// decay is the loss of nearness per hypernym.
var decay = [2*maxLevel + 1]float32{1, .8, .64, .512, .4096, .3277, .2621, .2097, .1678, .1342, .1074, .0859, .0687}

// Relation says how a lemma x relates to a lemma y, each 0..1.
type Relation struct {
	Synonym  float32 // x and y share a sense
	Hyponym  float32 // x is a kind of y
	Hypernym float32 // y is a kind of x
	Sister   float32 // x and y are two kinds of one thing
	Path     float32 // nearness by the best way over a common ancestor
}

// Relate compares two ancestries.
func Relate(x, y []Node) Relation {
	var r Relation
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].Synset < y[j].Synset:
			i++
		case x[i].Synset > y[j].Synset:
			j++
		default:
			for k := j; k < len(y) && y[k].Synset == x[i].Synset; k++ {
				r.meet(x[i], y[k])
			}
			i++
		}
	}
	return r
}

// meet takes in that x and y reach one synset by a and b.
func (r *Relation) meet(a, b Node) {
	near := float32(math.Sqrt(float64(a.Weight*b.Weight))) * decay[a.Level+b.Level]
	r.Path = max(r.Path, near)
	switch {
	case a.Level == 0 && b.Level == 0:
		r.Synonym = max(r.Synonym, near)
	case b.Level == 0:
		r.Hyponym = max(r.Hyponym, near)
	case a.Level == 0:
		r.Hypernym = max(r.Hypernym, near)
	case a.Level == 1 && b.Level == 1:
		r.Sister = max(r.Sister, near)
	}
}
