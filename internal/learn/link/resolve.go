package link

import (
	"cmp"
	"math"
	"slices"
)

// proposal is an item that a span may mention.
type proposal struct {
	item  Item
	score float64 // share of the name, or cosine: 0..1
}

// candidate is a run of words with the items that it may mention, one at least.
type candidate struct {
	start, end int // words from start to before end
	proposals  []proposal
	strength   float64 // the strongest of overlapping candidates is taken
}

// best returns the highest score of proposals.
func best(proposals []proposal) float64 {
	score := math.Inf(-1)
	for _, p := range proposals {
		score = max(score, p.score)
	}
	return score
}

// What is added to the score of one of several items of a span; an item that has the span as its whole name
// scores 1.
const (
	tableBonus    = 0.4  // it is a table: of "country", country.country is the rarer reading
	supportWeight = 0.1  // for each other span that its table has an item for
	mentionWeight = 0.08 // its table is named right behind ("names of the singers"), fading with distance
	mentionFade   = 0.25 // of that, a word further
)

// resolve takes the strongest candidates that do not overlap, and links each to its item with the highest
// score. Items of a table gain by other candidates that fit items of the table (support), and a column by its table
// being named after it, as in "the names of the singers" (mention).
func (s *schema) resolve(words []word, cands []candidate) []Span {
	chosen := disjoint(cands, len(words))
	support := s.support(chosen)
	spans := make([]Span, len(chosen))
	for i, c := range chosen {
		var item Item
		top := math.Inf(-1)
		for _, p := range c.proposals { // the first of equal scores is taken
			score := p.score + supportWeight*support[p.item.Table]
			if p.item.IsTable() {
				score += tableBonus
			} else {
				score += mentionWeight * mention(chosen[i:], p.item.Table)
			}
			if score > top {
				item, top = p.item, score
			}
		}
		spans[i] = Span{words[c.start].token, words[c.end-1].token + 1, item}
	}
	return spans
}

// disjoint returns the strongest of the candidates, in the order of the n words.
func disjoint(cands []candidate, n int) []candidate {
	slices.SortStableFunc(cands, func(a, b candidate) int { return cmp.Compare(b.strength, a.strength) })
	taken := make([]bool, n)
	var chosen []candidate
	for _, c := range cands {
		span := taken[c.start:c.end]
		if slices.Contains(span, true) {
			continue
		}
		for i := range span {
			span[i] = true
		}
		chosen = append(chosen, c)
	}
	slices.SortFunc(chosen, func(a, b candidate) int { return cmp.Compare(a.start, b.start) })
	return chosen
}

// support returns, by table, the number of spans whose best item is of the table. A span whose best
// items tie across tables counts for each table in equal part.
func (s *schema) support(chosen []candidate) []float64 {
	support := make([]float64, s.tables)
	for _, c := range chosen {
		top := best(c.proposals)
		var tables []int
		for _, p := range c.proposals {
			if p.score == top && !slices.Contains(tables, p.item.Table) {
				tables = append(tables, p.item.Table)
			}
		}
		for _, t := range tables {
			support[t] += 1 / float64(len(tables))
		}
	}
	return support
}

// mention returns how near behind the first of the chosen candidates the table is mentioned, by another candidate for
// which no item scores higher: 1 for the next word, less with distance, 0 if it is not mentioned.
func mention(chosen []candidate, table int) float64 {
	for _, c := range chosen[1:] {
		top := best(c.proposals)
		for _, p := range c.proposals {
			if p.item == (Item{table, -1}) && p.score == top {
				return 1 / (1 + mentionFade*float64(c.start-chosen[0].end))
			}
		}
	}
	return 0
}
