package train

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
)

// kind says how a training pair was made, and with that how it is judged.
type kind uint8

const (
	kindSynonym    kind = iota // a word replaced by a WordNet or PPDB synonym
	kindDictionary             // a word or the name replaced by the dictionary
	kindOrder                  // "X Y" as "Y of X"
	kindSame                   // the name itself
	kindSister                 // a word replaced by a co-hyponym
	kindAntonym                // a word replaced by an antonym
	kindHypernym               // a word replaced by a more general one
	kindHyponym                // a word replaced by a more special one
	kindTable                  // two columns of one table
	kindShared                 // two headers with a common word
	kindRandom                 // two headers
	kinds
)

// Classes, in the order of the network's logits.
const (
	entailment = iota
	neutral
	contradiction
)

// judgement is how pairs of a kind are judged: positives by a graded target on
// the geometric mean of both entailments, others by a class each way. Share is
// the part of a batch.
type judgement struct {
	name              string
	share, weight     float64
	positive          bool
	forward, backward int
}

var judgements = [kinds]judgement{
	kindSynonym:    {"synonym", .15, 1, true, 0, 0},
	kindDictionary: {"dictionary", .15, 1, true, 0, 0},
	kindOrder:      {"order", .04, 1, true, 0, 0},
	kindSame:       {"same", .03, .5, true, 0, 0},
	kindSister:     {"sister", .10, 1, false, contradiction, contradiction},
	kindAntonym:    {"antonym", .06, 1, false, contradiction, contradiction},
	kindHypernym:   {"hypernym", .04, .5, false, entailment, neutral},
	kindHyponym:    {"hyponym", .04, .5, false, neutral, entailment},
	kindTable:      {"table", .17, 1, false, neutral, neutral},
	kindShared:     {"shared", .08, 1, false, neutral, neutral},
	kindRandom:     {"random", .06, .5, false, neutral, neutral},
}

// pair is a training pair.
type pair struct {
	a, b   string
	kind   kind
	target float64 // of positives
	base   string  // the header it was made from: one base is wholly held out or not at all
}

// Bounds on the pairs of one header word and of a kind.
const (
	maxPerWord = 2
	maxHeaders = 8000
)

// maker makes training pairs from headers.
type maker struct {
	rng         *rand.Rand
	extractor   *feature.Extractor
	wordnet     *wordnet
	paraphrases map[string][]string
	counts      map[string]uint32 // lemma to headers
	tables      []table
	headers     []string // seen in two tables or more, sorted
	pairs       []pair
	seen        map[[2]string]bool
}

// frequentHeaders returns the headers of two or more tables and at most five
// words, the most frequent first up to maxHeaders, then sorted.
func frequentHeaders(tables []table) []string {
	counts := map[string]int{}
	for _, t := range tables {
		for _, n := range t.names {
			counts[n]++
		}
	}
	var headers []string
	for _, h := range slices.Sorted(maps.Keys(counts)) {
		if counts[h] >= 2 && strings.Count(h, " ") < 5 {
			headers = append(headers, h)
		}
	}
	slices.SortStableFunc(headers, func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	headers = headers[:min(len(headers), maxHeaders)]
	slices.Sort(headers)
	return headers
}

func (m *maker) add(k kind, base, a, b string, target float64) {
	if a == "" || b == "" || (a == b) != (k == kindSame) || m.seen[[2]string{a, b}] || m.seen[[2]string{b, a}] {
		return
	}
	m.seen[[2]string{a, b}] = true
	m.pairs = append(m.pairs, pair{a, b, k, target, base})
}

// fromHeaders makes the pairs that change a word of a header.
func (m *maker) fromHeaders(ctx context.Context) error {
	for i, h := range m.headers {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.rng.IntN(16) == 0 {
			m.add(kindSame, h, h, h, 1)
		}
		words := strings.Fields(h)
		m.reorder(h, words)
		m.both(h, words)
		m.phrases(h, words)
		for at, w := range words {
			if !feature.Stop(w) && w[0] >= 'a' && w[0] <= 'z' {
				m.substitutions(h, words, at)
			}
		}
	}
	return nil
}

// reorder makes "Y of X" of "X Y".
func (m *maker) reorder(h string, words []string) {
	if len(words) == 2 && !feature.Stop(words[0]) && !feature.Stop(words[1]) && isWord(h) && m.rng.IntN(6) == 0 {
		m.add(kindOrder, h, h, words[1]+" of "+words[0], .9)
	}
}

// phrases replaces runs of words that the dictionary has as one.
func (m *maker) phrases(h string, words []string) {
	for n := 2; n <= min(4, len(words)); n++ {
		for start := range len(words) - n + 1 {
			for _, s := range m.some(m.dictionary(strings.Join(words[start:start+n], " ")), 2*maxPerWord) {
				changed := slices.Concat(words[:start], []string{s.word}, words[start+n:])
				m.add(kindDictionary, h, h, strings.Join(changed, " "), .9)
			}
		}
	}
}

func (m *maker) substitutions(h string, words []string, at int) {
	word := words[at]
	lemma := m.extractor.Lemma(word)
	put := func(k kind, subs []substitute, limit int, target func(strength float64) float64) {
		for _, s := range m.some(subs, limit) {
			changed := slices.Clone(words)
			changed[at] = s.word
			m.add(k, h, h, strings.Join(changed, " "), target(s.strength))
		}
	}
	soft := func(strength float64) float64 { return .55 + .4*min(1, strength) }
	put(kindSynonym, m.wordnet.related(lemma, m.wordnet.itself), maxPerWord, soft)
	put(kindSynonym, m.paraphrasesOf(word), maxPerWord, soft)
	put(kindDictionary, m.dictionary(word, lemma), maxPerWord, func(float64) float64 { return .9 })
	none := func(float64) float64 { return 0 }
	put(kindHypernym, m.wordnet.related(lemma, m.wordnet.above), 1, none)
	put(kindHyponym, m.common(m.wordnet.related(lemma, m.wordnet.below)), 1, none)
	put(kindSister, m.common(m.wordnet.related(lemma, m.wordnet.beside)), maxPerWord, none)
	put(kindAntonym, m.antonyms(lemma), maxPerWord, none)
}

// synonyms lists all that may stand for a word.
func (m *maker) synonyms(word string) []substitute {
	lemma := m.extractor.Lemma(word)
	return slices.Concat(m.dictionary(word, lemma), m.wordnet.related(lemma, m.wordnet.itself), m.paraphrasesOf(word))
}

// both replaces the two words of a header at once.
func (m *maker) both(h string, words []string) {
	if len(words) != 2 || m.rng.IntN(3) > 0 {
		return
	}
	x, y := m.some(m.synonyms(words[0]), 1), m.some(m.synonyms(words[1]), 1)
	if len(x) > 0 && len(y) > 0 {
		m.add(kindSynonym, h, h, x[0].word+" "+y[0].word, .5+.4*min(x[0].strength, y[0].strength, 1))
	}
}

// some draws up to limit of the substitutes, stronger ones more readily.
func (m *maker) some(subs []substitute, limit int) []substitute {
	if len(subs) <= limit {
		return subs
	}
	subs = slices.Clone(subs)
	for i := range limit {
		var total float64
		for _, s := range subs[i:] {
			total += s.strength + .05
		}
		r := m.rng.Float64() * total
		for j := i; j < len(subs); j++ {
			if r -= subs[j].strength + .05; r <= 0 || j == len(subs)-1 {
				subs[i], subs[j] = subs[j], subs[i]
				break
			}
		}
	}
	return subs[:limit]
}

// common keeps the substitutes that occur in headers themselves.
func (m *maker) common(subs []substitute) []substitute {
	return slices.DeleteFunc(subs, func(s substitute) bool { return m.counts[s.word] < 2 })
}

// minCosine is what the vectors must say of a PPDB paraphrase: PPDB alone holds
// much that is merely related.
const minCosine = .5

func (m *maker) paraphrasesOf(word string) []substitute {
	var out []substitute
	name := m.extractor.Name(word)
	for _, p := range m.paraphrases[word] {
		other := m.extractor.Name(p)
		cosine := feature.Cosine(name, other)
		if isWord(p) && cosine > minCosine && m.extractor.Lemma(p) != m.extractor.Lemma(word) {
			out = append(out, substitute{p, float64(cosine)})
		}
	}
	return out
}

func (m *maker) dictionary(forms ...string) []substitute {
	var out []substitute
	for _, f := range slices.Compact(forms) {
		for _, s := range m.extractor.Dictionary.Synonyms(f) {
			out = append(out, substitute{normal(s), 1})
		}
	}
	return out
}

func (m *maker) antonyms(lemma string) []substitute {
	var out []substitute
	for _, other := range m.wordnet.opposites[lemma] {
		if isWord(other) {
			out = append(out, substitute{other, 1})
		}
	}
	return out
}

// normal is the spelling of names in training pairs.
func normal(name string) string { return strings.Join(lexicon.Words(name), " ") }
