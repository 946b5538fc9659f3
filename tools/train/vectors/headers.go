package vectors

import (
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

const (
	headerWeight   = 0.1  // of the row of header neighbours beside WordNet's; alone it is all
	headerCount    = 3    // tables that a word or its neighbour must stand in
	contextPower   = 0.75 // smooths the counts of the neighbours (Levy et al. 2015)
	maxHeaderWords = 64   // of one table; the rest of a wider one is left out
)

// headers counts the words of table headers and which words stand in other
// columns of the same table.
type headers struct {
	tables map[int]int         // word to the tables that it stands in
	beside map[int]map[int]int // word to neighbours to tables
	column map[int]int         // neighbour to its feature
	total  float64             // of the smoothed counts of the neighbours
	pairs  float64             // of all counts
	sums   map[int]float64     // word to the sum of its counts
}

// addHeaders counts the words of headers. Words count as their lemma where WordNet
// has one.
func (b *builder) addHeaders(tables [][]string) {
	h := &b.headers
	*h = headers{tables: map[int]int{}, beside: map[int]map[int]int{}, column: map[int]int{}, sums: map[int]float64{}}
	lemma := b.lemmatizer()
	type place struct{ word, column int }
	for _, names := range tables {
		var places []place
		for c, name := range names {
			for _, w := range lexicon.Words(name) {
				if usable(w) && len(places) < maxHeaderWords {
					places = append(places, place{b.words.add(lemma(w)), c})
				}
			}
		}
		seen := make(map[[2]int]bool)
		for _, p := range places {
			if self := [2]int{p.word, p.word}; !seen[self] {
				seen[self] = true
				h.tables[p.word]++
			}
			for _, q := range places {
				if pair := [2]int{p.word, q.word}; p.column != q.column && p.word != q.word && !seen[pair] {
					seen[pair] = true
					h.count(p.word, q.word)
				}
			}
		}
	}
}

// count counts a word next to a neighbour in one header or table.
func (h *headers) count(word, neighbour int) {
	if h.beside[word] == nil {
		h.beside[word] = make(map[int]int)
	}
	h.beside[word][neighbour]++
	h.sums[word]++
	h.pairs++
}

// number gives each frequent neighbour a feature.
func (h *headers) number(words, features *names) {
	for w, name := range words.list {
		if h.tables[w] >= headerCount {
			h.column[w] = features.add("h:" + name)
			h.total += math.Pow(h.sums[w], contextPower)
		}
	}
}

// addWord adds the positive pointwise mutual information of a word with its
// neighbours.
func (h *headers) addWord(word int, a *lowrank.Accumulator) {
	if h.tables[word] < headerCount {
		return
	}
	neighbours := make([]int, 0, len(h.beside[word]))
	for n := range h.beside[word] {
		neighbours = append(neighbours, n)
	}
	slices.Sort(neighbours)
	for _, n := range neighbours {
		column, ok := h.column[n]
		if !ok {
			continue
		}
		joint := float64(h.beside[word][n]) / h.sums[word]
		alone := math.Pow(h.sums[n], contextPower) / h.total
		if pmi := math.Log(joint / alone); pmi > 0 {
			a.Add(int32(column), pmi)
		}
	}
}
