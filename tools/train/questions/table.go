package questions

import (
	"maps"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/internal/learn/nli/questionpair"
	"github.com/tabperturb/tabperturb/nli/question"
)

// counts are what a table is made from; they add up over databases.
type counts struct {
	words     map[string]*wordCount
	pairs     map[string]*pairCount
	databases float64 // that ask at all
}

// wordCount counts the pairs of questions in which one has a word.
type wordCount struct {
	lost      [2]float64 // pairs that ask the same and others, in which the word has no mate
	kept      [2]float64
	databases float64 // that ask with the word
}

// pairCount counts the pairs of questions in which one word may replace another.
type pairCount struct {
	same, other float64
	databases   int
}

// newCounts returns counts of nothing.
func newCounts() *counts {
	return &counts{words: make(map[string]*wordCount), pairs: make(map[string]*pairCount)}
}

// word returns the count of a word, a new one if it has none yet.
func (c *counts) word(text string) *wordCount {
	w := c.words[text]
	if w == nil {
		w = &wordCount{}
		c.words[text] = w
	}
	return w
}

// schemaFlips are the kinds of flips whose lost words are counted.
var schemaFlips = []string{OtherSQL, "column", "lost column", "lost condition"}

// countDatabase counts the pairs of one database. Flips of paraphrases and
// questions at random are left out: what they lose is lost by accident.
func countDatabase(e *questionpair.Extractor, pairs []Pair, read map[string]questionpair.Question) *counts {
	c := newCounts()
	c.databases = 1
	for _, p := range pairs {
		side := 1
		switch {
		case p.Class == question.Entailment:
			side = 0
		case !slices.Contains(schemaFlips, p.Kind):
			continue
		}
		a, b := read[p.A], read[p.B]
		left, right, lost := e.Open(a, b)
		c.add(a, lost, side)
		c.add(b, lost, side)
		c.link(left, right, side)
	}
	return c
}

// add counts the words of a question; lost are those without a counterpart in the other question. side is 0 for pairs that ask
// the same and 1 for others.
func (c *counts) add(q questionpair.Question, lost []string, side int) {
	for _, t := range q.Tokens {
		if t.Kind != questionpair.Word || t.Value || t.Implied {
			continue
		}
		w := c.word(t.Text)
		w.databases = 1
		if slices.Contains(lost, t.Text) {
			w.lost[side]++
		} else {
			w.kept[side]++
		}
	}
}

// link counts the pairs of words that may replace each other, each of left with each of right. side is 0 for questions that
// ask the same, 1 for others. Phrases with more than nine pairs are ignored.
func (c *counts) link(left, right []string, side int) {
	if len(left)*len(right) > 9 {
		return
	}
	share := 1 / math.Max(float64(len(left)), float64(len(right)))
	for _, x := range left {
		for _, y := range right {
			key := questionpair.PairKey(x, y)
			p := c.pairs[key]
			if p == nil {
				p = &pairCount{databases: 1}
				c.pairs[key] = p
			}
			if side == 0 {
				p.same += share
			} else {
				p.other += share
			}
		}
	}
}

// merge adds the counts of other.
func (c *counts) merge(other *counts) {
	c.databases += other.databases
	for text, w := range other.words {
		sum := c.word(text)
		for side := range sum.lost {
			sum.lost[side] += w.lost[side]
			sum.kept[side] += w.kept[side]
		}
		sum.databases += w.databases
	}
	for key, p := range other.pairs {
		sum := c.pairs[key]
		if sum == nil {
			sum = &pairCount{}
			c.pairs[key] = sum
		}
		sum.same += p.same
		sum.other += p.other
		sum.databases += p.databases
	}
}

// What a word or a pair of words needs to be in the table.
const (
	leastSeen      = 8   // losses of a word
	leastDatabases = 4   // that ask with the word
	leastShare     = 1.5 // weight of a pair
	leastScore     = .75 // log-odds of a pair
)

// table returns the table of the counts: for each word how much its loss shows that two questions differ and how rare it
// is, and for each pair of words how much it shows that they mean the same. All are logarithms of ratios, rounded to
// sixteenths so that they are short in the file.
func (c *counts) table() *questionpair.Table {
	t := &questionpair.Table{Words: make(map[string]questionpair.WordScore), Pairs: make(map[string]float64)}
	for text, w := range c.words {
		lost := w.lost[0] + w.lost[1]
		if lost < leastSeen || w.databases < leastDatabases {
			continue
		}
		// The share of losses, among pairs that ask the same and among others.
		same := (w.lost[0] + .5) / (w.lost[0] + w.kept[0] + 5)
		other := (w.lost[1] + 1.5) / (w.lost[1] + w.kept[1] + 5)
		t.Words[text] = questionpair.WordScore{
			Loss:   sixteenths(math.Log(other / same)),
			Rarity: sixteenths(math.Log((c.databases + 1) / (w.databases + .5))),
		}
	}
	var same, other float64
	for _, key := range slices.Sorted(maps.Keys(c.pairs)) { // sums depend on the order
		same += c.pairs[key].same
		other += c.pairs[key].other
	}
	prior := math.Log((other + 1) / (same + 1))
	for key, p := range c.pairs {
		score := math.Log((p.same+.3)/(p.other+.3)) + prior
		if p.same+p.other >= leastShare && math.Abs(score) >= leastScore {
			t.Pairs[key] = sixteenths(max(-4, min(4, score)))
		}
	}
	return t
}

// sixteenths rounds a number to sixteenths.
func sixteenths(x float64) float64 { return math.Round(16*x) / 16 }
