package vectors

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

// Weights by which the rows of a word's neighbours join its own.
const (
	paraphraseWeight = 0.5  // PPDB-XL: broad
	synonymWeight    = 0.6  // the stricter synonym pairs
	antonymWeight    = 0.35 // taken away
	degreePower      = 0.75
	rounds           = 2    // paraphrases of paraphrases count too
	refineWeight     = 0.3  // of either kind among the short vectors
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

// has reports whether b is a neighbour of a.
func (g graph) has(a, b int) bool {
	if a >= len(g) {
		return false
	}
	_, ok := slices.BinarySearchFunc(g[a], b, cmp.Compare[int])
	return ok
}

// addNeighbours adds the rows of m that belong to the neighbours of word i.
func (g graph) addNeighbours(a *lowrank.Accumulator, m *lowrank.Matrix, i int, weight float64) {
	if len(g[i]) == 0 {
		return
	}
	scale := weight / math.Pow(float64(len(g[i])), degreePower)
	for _, j := range g[i] {
		idx, val := m.Row(j)
		a.AddRow(idx, val, scale)
	}
}

// thesaurus holds the graphs of the words.
type thesaurus struct{ paraphrases, synonyms, antonyms graph }

// thesaurus leaves antonyms out of the other two.
func (b *builder) thesaurus() thesaurus {
	n := len(b.words.list)
	opposed := newGraph(n, b.antonyms, nil)
	return thesaurus{newGraph(n, b.para, opposed), newGraph(n, b.synonyms, opposed), opposed}
}

// rows returns a row of features for every word: its own with those of its
// paraphrases added, round by round (retrofitting, Faruqui et al. 2015, over
// sparse rows), then those of its antonyms taken away.
func (b *builder) rows(th thesaurus) (*lowrank.Matrix, error) {
	own, err := b.ownRows()
	if err != nil {
		return nil, err
	}
	near := own
	for range rounds {
		last := near
		near, err = b.eachWord(own, func(i int, acc *lowrank.Accumulator) {
			th.paraphrases.addNeighbours(acc, last, i, paraphraseWeight)
			th.synonyms.addNeighbours(acc, last, i, synonymWeight)
		})
		if err != nil {
			return nil, err
		}
	}
	out, err := b.eachWord(near, func(i int, acc *lowrank.Accumulator) {
		th.antonyms.addNeighbours(acc, near, i, -antonymWeight)
	})
	if err != nil {
		return nil, err
	}
	b.log("%d words, %d features, %d values", out.Rows(), out.Cols(), out.Values())
	return out, nil
}

// eachWord returns the rows of m with what add gives to each, of unit length.
func (b *builder) eachWord(m *lowrank.Matrix, add func(i int, acc *lowrank.Accumulator)) (*lowrank.Matrix, error) {
	out, acc := lowrank.New(m.Cols()), lowrank.NewAccumulator(m.Cols())
	for i := range m.Rows() {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		idx, val := m.Row(i)
		acc.AddRow(idx, val, 1)
		add(i, acc)
		acc.Flush(out, smallValue)
	}
	return out, nil
}

// ownRows returns the rows that WordNet and the headers give, joined and of unit
// length.
func (b *builder) ownRows() (*lowrank.Matrix, error) {
	lemma := b.lemmatizer()
	b.wordnet.describe(b.features, lemma)
	b.headers.number(b.words, b.features)
	cols := len(b.features.list)
	raw, beside := lowrank.New(cols), lowrank.New(cols)
	acc := lowrank.NewAccumulator(cols)
	for i, word := range b.words.list {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		if !b.wordnet.addWord(word, acc) {
			if base := lemma(word); base != word {
				b.wordnet.addWord(base, acc)
			}
		}
		acc.Flush(raw, 0)
		b.headers.addWord(i, acc)
		acc.Flush(beside, 0)
	}
	rare := raw.InverseFrequency()
	out := lowrank.New(cols)
	for i := range raw.Rows() {
		idx, val := rare.Row(i)
		acc.AddRow(idx, val, 1)
		idx, val = beside.Row(i)
		acc.AddRow(idx, val, headerWeight)
		acc.Flush(out, 0)
	}
	return out, nil
}

// refine moves the vector of each term towards those of its paraphrases and synonyms, which the decomposition has blurred. terms
// are the numbers of the terms that vectors belong to. A term without a vector gets none.
func refine(th thesaurus, terms []int, vectors [][]float64) [][]float64 {
	unit := make(map[int][]float64, len(terms))
	for i, t := range terms {
		if v := addUnit(nil, vectors[i]); v != nil {
			unit[t] = v
		}
	}
	out := make([][]float64, len(terms))
	for i, t := range terms {
		if unit[t] == nil {
			continue
		}
		out[i] = slices.Clone(unit[t])
		for _, g := range []graph{th.paraphrases, th.synonyms} {
			scale := refineWeight / math.Pow(float64(max(1, len(g[t]))), degreePower)
			for _, j := range g[t] {
				if v := unit[j]; v != nil {
					floats.AddScaled(out[i], scale, v)
				}
			}
		}
	}
	return out
}
