package names

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

const (
	columnDim    = 64
	columnTables = 3 // that must have a word or header, for it to be placed
	wordContext  = .5
	contextPower = .75 // smooths the counts of contexts (Levy et al. 2015)
	maxColumns   = 40  // of a table; the rest of a wider one is left out
)

// cooccurrence counts how often two words or headers occur in the headers of one table.
type cooccurrence struct {
	ids    map[string]int
	names  []string
	tables []int // that have it, by id
	counts []map[int]float64
}

// id returns the number of a word or header, a new one if it has none yet.
func (c *cooccurrence) id(name string) int {
	id, ok := c.ids[name]
	if !ok {
		id = len(c.names)
		c.ids[name] = id
		c.names, c.tables, c.counts = append(c.names, name), append(c.tables, 0), append(c.counts, map[int]float64{})
	}
	return id
}

// columns places lemmas and whole headers by the other headers of their tables,
// the words of those, and the words of the same header: positive pointwise
// mutual information, factorised.
func columns(ctx context.Context, tables []table, lemmas func(string) string, seed uint64) (knowledge.Space, error) {
	c := &cooccurrence{ids: map[string]int{}}
	for _, t := range tables {
		if err := ctx.Err(); err != nil {
			return knowledge.Space{}, err
		}
		c.count(t, lemmas)
	}
	kept := map[int]int{}
	var s knowledge.Space
	var order []int
	for _, name := range slices.Sorted(maps.Keys(c.ids)) {
		if id := c.ids[name]; c.tables[id] >= columnTables && strings.Count(name, " ") < 5 {
			kept[id] = len(order)
			order, s.Terms = append(order, id), append(s.Terms, name)
		}
	}
	if len(order) == 0 {
		return s, nil
	}
	rows := c.information(order, kept)
	var err error
	s.Dim, s.Rows, err = compress(ctx, rows, columnDim, seed)
	return s, err
}

// count counts the co-occurrences in one table: a word or header with the other headers and their words, and with the
// other words of its own header. A word weighs [wordContext] of a whole header.
func (c *cooccurrence) count(t table, lemmas func(string) string) {
	names := t.names[:min(len(t.names), maxColumns)]
	whole := make([]int, len(names))
	parts := make([][]int, len(names))
	seen := map[int]bool{}
	for i, n := range names {
		l := lemmas(n)
		whole[i] = c.id(l)
		if words := strings.Fields(l); len(words) > 1 {
			for _, w := range words {
				parts[i] = append(parts[i], c.id(w))
			}
		}
		for _, id := range append(parts[i], whole[i]) {
			if !seen[id] {
				seen[id] = true
				c.tables[id]++
			}
		}
	}
	for i := range names {
		for j := range names {
			for _, a := range append([]int{whole[i]}, parts[i]...) {
				if i != j {
					c.counts[a][whole[j]]++
				}
				for _, b := range parts[j] {
					if a != b {
						c.counts[a][b] += wordContext
					}
				}
			}
		}
	}
}

// information returns the positive pointwise mutual information of the words in order with those in kept, which has their
// columns: a row for each of order. Counts of contexts are smoothed by a power, so that rare ones weigh less.
func (c *cooccurrence) information(order []int, kept map[int]int) *lowrank.Matrix {
	smooth := make([]float64, len(order))
	var total float64
	sums := make([]float64, len(order))
	for i, id := range order {
		for other, n := range c.counts[id] {
			if _, ok := kept[other]; ok {
				sums[i] += n
			}
		}
		smooth[i] = math.Pow(sums[i], contextPower)
		total += smooth[i]
	}
	rows := lowrank.New(len(order))
	acc := lowrank.NewAccumulator(len(order))
	for i, id := range order {
		for _, other := range slices.Sorted(maps.Keys(c.counts[id])) {
			j, ok := kept[other]
			if !ok {
				continue
			}
			if x := math.Log(c.counts[id][other] / sums[i] * total / smooth[j]); x > 0 {
				acc.Add(int32(j), x)
			}
		}
		acc.Flush(rows, 0)
	}
	return rows
}
