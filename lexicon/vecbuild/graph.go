package vecbuild

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Weights by which the rows of a word's neighbours join its own.
const (
	paraphraseWeight = 0.5 // PPDB-XL: broad
	synonymWeight    = 0.8 // the stricter synonym pairs
	antonymWeight    = 0.5 // taken away
	degreePower      = 0.75
	refineWeight     = 0.3  // of synonyms among the short vectors
	smallValue       = 1e-3 // of a unit row; below it a feature is dropped
)

// edge joins two words.
type edge struct{ a, b int }

// graph lists the neighbours of each word, ascending and distinct.
type graph [][]int

// newGraph makes the symmetric graph of edges over n words, without loops and
// without the edges that except has.
func newGraph(n int, edges []edge, except graph) graph {
	g := make(graph, n)
	for _, e := range edges {
		if e.a != e.b && !except.has(e.a, e.b) {
			g[e.a] = append(g[e.a], e.b)
			g[e.b] = append(g[e.b], e.a)
		}
	}
	for i := range g {
		slices.Sort(g[i])
		g[i] = slices.Compact(g[i])
	}
	return g
}

func (g graph) has(a, b int) bool {
	if a >= len(g) {
		return false
	}
	_, ok := slices.BinarySearchFunc(g[a], b, cmp.Compare[int])
	return ok
}

// addNeighbours adds the rows of m that belong to the neighbours of word i.
func (g graph) addNeighbours(a *accumulator, m *sparse, i int, weight float64) {
	if len(g[i]) == 0 {
		return
	}
	scale := weight / math.Pow(float64(len(g[i])), degreePower)
	for _, j := range g[i] {
		idx, val := m.row(j)
		a.addRow(idx, val, scale)
	}
}

// rows returns a row of features for every word: its own, then those of its
// paraphrases added, then those of its antonyms taken away.
func (b *builder) rows() (*sparse, error) {
	own, err := b.ownRows()
	if err != nil {
		return nil, err
	}
	n := own.rows()
	opposed := newGraph(n, b.antonyms, nil)
	para := newGraph(n, b.para, opposed)
	syn := newGraph(n, b.synonyms, opposed)
	acc := newAccumulator(own.cols)
	near := newSparse(own.cols)
	for i := range n {
		if i%4096 == 0 && b.ctx.Err() != nil {
			return nil, b.ctx.Err()
		}
		idx, val := own.row(i)
		acc.addRow(idx, val, 1)
		para.addNeighbours(acc, own, i, paraphraseWeight)
		syn.addNeighbours(acc, own, i, synonymWeight)
		acc.flush(near, smallValue)
	}
	out := newSparse(own.cols)
	for i := range n {
		idx, val := near.row(i)
		acc.addRow(idx, val, 1)
		opposed.addNeighbours(acc, near, i, -antonymWeight)
		acc.flush(out, smallValue)
	}
	b.log("%d words, %d features, %d values", n, out.cols, len(out.val))
	return out, nil
}

// ownRows returns the rows that WordNet and the headers give, joined and of unit
// length.
func (b *builder) ownRows() (*sparse, error) {
	lemma := b.lemmatizer()
	b.wordnet.describe(b.features, lemma)
	b.headers.number(b.words, b.features)
	cols := len(b.features.list)
	raw, beside := newSparse(cols), newSparse(cols)
	acc := newAccumulator(cols)
	for i, word := range b.words.list {
		if i%4096 == 0 && b.ctx.Err() != nil {
			return nil, b.ctx.Err()
		}
		if !b.wordnet.addWord(word, acc) {
			if base := lemma(word); base != word {
				b.wordnet.addWord(base, acc)
			}
		}
		acc.flush(raw, 0)
		b.headers.addWord(i, acc)
		acc.flush(beside, 0)
	}
	rare := raw.inverseFrequency()
	out := newSparse(cols)
	for i := range raw.rows() {
		idx, val := rare.row(i)
		acc.addRow(idx, val, 1)
		idx, val = beside.row(i)
		acc.addRow(idx, val, headerWeight)
		acc.flush(out, 0)
	}
	return out, nil
}

// refine pulls synonyms together once more, among the short vectors, since the
// decomposition blurs them. It returns unit vectors.
func (b *builder) refine(terms []int, vectors [][]float64) [][]float64 {
	at := make([]int, len(b.words.list)) // position + 1
	unit := make([][]float64, len(terms))
	for i, t := range terms {
		at[t] = i + 1
		unit[i] = addUnit(nil, vectors[i])
	}
	syn := newGraph(len(at), b.synonyms, newGraph(len(at), b.antonyms, nil))
	out := make([][]float64, len(terms))
	for i, t := range terms {
		out[i] = slices.Clone(unit[i])
		scale := refineWeight / math.Pow(float64(max(1, len(syn[t]))), degreePower)
		for _, j := range syn[t] {
			if at[j] > 0 && out[i] != nil && unit[at[j]-1] != nil {
				floats.AddScaled(out[i], scale, unit[at[j]-1])
			}
		}
	}
	return out
}
