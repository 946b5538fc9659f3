package names

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/lexicon"
)

// kind is the way in which a training pair was made; it decides how the pair is judged.
type kind uint8

const (
	kindSynonym     kind = iota // a word replaced by a WordNet or PPDB synonym
	kindDictionary              // a word or the name replaced by the dictionary
	kindOrder                   // "X Y" as "Y of X"
	kindSame                    // the name itself
	kindSister                  // a word replaced by a co-hyponym
	kindContrast                // a word replaced by one that the contrasts exclude
	kindAntonym                 // a word replaced by an antonym
	kindHypernym                // a word replaced by a more general one
	kindHyponym                 // a word replaced by a more special one
	kindTable                   // two columns of one table
	kindShared                  // two headers with a common word
	kindRandom                  // two headers
	kindWords                   // two graded words
	kindReplacement             // hand-written for this project
	kindDistractor
	kindBroader
	kindNarrower
	kindADVETAReplacement
	kindADVETADistractor
	kinds
)

// Classes, in the order of the network's logits. A target that is open says
// nothing about what is not entailment.
const (
	entailment = iota
	neutral
	contradiction
	open_
)

// target is what one direction of a pair should come to: the probability of
// entailment, and the class of the rest.
type target struct {
	entails float64
	rest    int
}

var (
	yes     = target{1, open_}
	no      = target{0, open_}
	apart   = target{0, neutral}
	exclude = target{0, contradiction}
)

// judgement is the weight of the pairs of a kind: their part of a batch in the two
// stages of training, their weight in the loss, and what each direction should
// come to where the pair does not say so itself.
type judgement struct {
	name              string
	first, last       float64
	weight            float64
	forward, backward target
}

var judgements = [kinds]judgement{
	kindSynonym:           {"synonym", .15, .02, 1, yes, yes},
	kindDictionary:        {"dictionary", .12, .02, 1, yes, yes},
	kindOrder:             {"order", .04, .01, 1, yes, yes},
	kindSame:              {"same", .03, .01, .5, yes, yes},
	kindSister:            {"sister", .08, .08, 1, exclude, exclude},
	kindContrast:          {"contrast", .06, .14, 1, exclude, exclude},
	kindAntonym:           {"antonym", .06, .05, 1, exclude, exclude},
	kindHypernym:          {"hypernym", .03, .01, .5, yes, apart},
	kindHyponym:           {"hyponym", .03, .01, .5, apart, yes},
	kindTable:             {"table", .16, .05, 1, no, no},
	kindShared:            {"shared", .08, .03, 1, no, no},
	kindRandom:            {"random", .12, .20, 1.5, no, no},
	kindWords:             {"words", .12, .22, 1, yes, yes},
	kindReplacement:       {"replacement", 0, .15, 1, yes, yes},
	kindDistractor:        {"distractor", 0, .15, 1, no, no},
	kindBroader:           {"broader", 0, .01, .5, yes, apart},
	kindNarrower:          {"narrower", 0, .01, .5, apart, yes},
	kindADVETAReplacement: {"adveta replacement", 0, .45, 1, yes, yes},
	kindADVETADistractor:  {"adveta distractor", 0, .45, 1, no, no},
}

// handmade reports whether people wrote the pairs of a kind, which are the last kinds of the list. The
// cross-validation tests on them: each fold leaves some of them out of the training.
func (k kind) handmade() bool { return k >= kindReplacement }

// adveta reports whether the pairs of a kind are of the ADVETA data set; these are the last of the handmade kinds.
func (k kind) adveta() bool { return k >= kindADVETAReplacement }

// pair is a training pair.
type pair struct {
	entity  string // what the columns are of; may be empty
	a, b    string
	kind    kind
	targets [2]target
	key     [2]string
	// group is what a fold of the cross-validation keeps in or out as one. The
	// first stage does not learn from pairs of a group.
	group string
	held  bool // of a test set: predicted, never learnt from
}

// Bounds on the pairs of one header word and of a kind.
const (
	maxPerWord = 2
	maxHeaders = 8000
)

// maker makes training pairs from headers.
type maker struct {
	rng         *rand.Rand
	extractor   *namepair.Extractor
	wordnet     *wordnet
	paraphrases map[string][]string
	counts      map[string]uint32 // lemma to headers
	tables      []table
	headers     []string            // seen in two tables or more, sorted
	excluding   map[uint16][]member // words of headers by set of contrasts
	pairs       []pair
	seen        map[[2]string]bool
	excluded    map[[2]string]bool // pairs of test sets
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
	headers := lists.Filter(slices.Sorted(maps.Keys(counts)), func(h string) bool { return counts[h] >= 2 && strings.Count(h, " ") < 5 })
	slices.SortStableFunc(headers, func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	headers = headers[:min(len(headers), maxHeaders)]
	slices.Sort(headers)
	return headers
}

// exclude keeps a pair out of the training.
func (m *maker) exclude(a, b string) { m.excluded[m.key(a, b)] = true }

// banned reports whether the model would read an excluded pair: "home country"
// against "home city" reads "country" against "city".
func (m *maker) banned(a, b string) bool {
	c := namepair.Cut("", a, b)
	return m.excluded[m.key(a, b)] || m.excluded[m.key(c.A, c.B)]
}

// key is the form in which a pair is known, either way round: the lemmas of its
// singulars, for a plural may have another lemma than its singular.
func (m *maker) key(a, b string) [2]string {
	a, b = m.extractor.Lemmas(lexicon.Normal(a)), m.extractor.Lemmas(lexicon.Normal(b))
	return [2]string{min(a, b), max(a, b)}
}

// add adds a pair with the targets of its kind, whose entailment it multiplies by strength, and returns it. It returns nil
// for a repeated pair, one of a test set, one of equal names unless its kind is that, and an empty name. All pairs of ADVETA
// are added, as often as the set has them, because they are also measured on.
func (m *maker) add(k kind, a, b string, strength float64) *pair {
	key, banned := m.key(a, b), m.banned(a, b)
	isUnwanted := (a == b) != (k == kindSame) || m.seen[key] || banned
	if a == "" || b == "" || isUnwanted && !k.adveta() {
		return nil
	}
	m.seen[key] = true
	p := pair{a: a, b: b, kind: k, key: key, held: banned, targets: [2]target{judgements[k].forward, judgements[k].backward}}
	for i := range p.targets {
		p.targets[i].entails *= strength
	}
	m.pairs = append(m.pairs, p)
	return &m.pairs[len(m.pairs)-1]
}

// fromHeaders makes the pairs that change a word of a header.
func (m *maker) fromHeaders(ctx context.Context) error {
	for _, h := range m.headers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.rng.IntN(16) == 0 {
			m.add(kindSame, h, h, 1)
		}
		words := strings.Fields(h)
		m.reorder(h, words)
		m.both(h, words)
		m.phrases(h, words)
		for at, w := range words {
			if !namepair.Stop(w) && w[0] >= 'a' && w[0] <= 'z' {
				m.substitutions(h, words, at)
			}
		}
	}
	return nil
}

// reorder makes "Y of X" of "X Y".
func (m *maker) reorder(h string, words []string) {
	if len(words) == 2 && !namepair.Stop(words[0]) && !namepair.Stop(words[1]) && isWord(h) && m.rng.IntN(6) == 0 {
		m.add(kindOrder, h, words[1]+" of "+words[0], .9)
	}
}

// phrases replaces runs of words that the dictionary has as one.
func (m *maker) phrases(h string, words []string) {
	for n := 2; n <= min(4, len(words)); n++ {
		for start := range len(words) - n + 1 {
			for _, s := range m.some(m.dictionary(strings.Join(words[start:start+n], " ")), 2*maxPerWord) {
				changed := slices.Concat(words[:start], []string{s.word}, words[start+n:])
				m.add(kindDictionary, h, strings.Join(changed, " "), .9)
			}
		}
	}
}

// substitutions replaces one word of a header, words[at], in all ways: by synonyms, more general and more special words,
// opposites and contrasts.
func (m *maker) substitutions(h string, words []string, at int) {
	word := words[at]
	lemma := m.extractor.Lemma(word)
	put := func(k kind, subs []substitute, limit int, target func(strength float64) float64) {
		for _, s := range m.some(subs, limit) {
			changed := slices.Clone(words)
			changed[at] = s.word
			m.add(k, h, strings.Join(changed, " "), target(s.strength))
		}
	}
	soft := func(strength float64) float64 { return .55 + .4*min(1, strength) }
	put(kindSynonym, m.wordnet.related(lemma, m.wordnet.itself), maxPerWord, soft)
	put(kindSynonym, m.paraphrasesOf(word), maxPerWord, soft)
	put(kindDictionary, m.dictionary(word, lemma), maxPerWord, func(float64) float64 { return .9 })
	none := func(float64) float64 { return 1 }
	put(kindHypernym, m.wordnet.related(lemma, m.wordnet.above), 1, none)
	put(kindHyponym, m.common(m.wordnet.related(lemma, m.wordnet.below)), 1, none)
	put(kindSister, m.common(m.wordnet.related(lemma, m.wordnet.beside)), maxPerWord, none)
	put(kindAntonym, m.antonyms(lemma), maxPerWord, none)
	put(kindContrast, m.contrasts(word, lemma), maxPerWord, none)
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
	if min(len(x), len(y)) > 0 {
		m.add(kindSynonym, h, x[0].word+" "+y[0].word, .5+.4*min(x[0].strength, y[0].strength, 1))
	}
}

// some draws up to limit of the substitutes without repetition, each with a probability in proportion to its strength plus
// a small constant, by which weak ones are drawn too.
func (m *maker) some(subs []substitute, limit int) []substitute {
	if len(subs) <= limit {
		return subs
	}
	subs = slices.Clone(subs)
	for i := range limit {
		total := lists.Sum(subs[i:], func(s substitute) float64 { return s.strength + .05 })
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

// paraphrasesOf lists the PPDB paraphrases of a word whose vectors are near to its own.
func (m *maker) paraphrasesOf(word string) []substitute {
	var out []substitute
	name := m.extractor.Name(word)
	for _, p := range m.paraphrases[word] {
		other := m.extractor.Name(p)
		cosine := namepair.Cosine(name, other)
		if isWord(p) && cosine > minCosine && m.extractor.Lemma(p) != m.extractor.Lemma(word) {
			out = append(out, substitute{p, float64(cosine)})
		}
	}
	return out
}

// dictionary lists the synonyms that the dictionary has for forms of a word.
func (m *maker) dictionary(forms ...string) []substitute {
	var out []substitute
	for _, f := range slices.Compact(forms) {
		for _, s := range m.extractor.Dictionary.Synonyms(f) {
			out = append(out, substitute{normal(s), 1})
		}
	}
	return out
}

// antonyms lists the words that WordNet opposes to a lemma.
func (m *maker) antonyms(lemma string) []substitute {
	var out []substitute
	for _, other := range m.wordnet.opposites[lemma] {
		if isWord(other) {
			out = append(out, substitute{other, 1})
		}
	}
	return out
}

// contrasts returns the words of headers and paraphrases that exclude a word, given in its forms: members of the same set of
// contrasts with another meaning.
func (m *maker) contrasts(forms ...string) []substitute {
	if m.excluding == nil {
		m.excluding = map[uint16][]member{}
		words := slices.AppendSeq(slices.Collect(maps.Keys(m.counts)), maps.Keys(m.paraphrases))
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			for _, at := range m.extractor.Contrasts.Memberships(w) {
				m.excluding[at.Set] = append(m.excluding[at.Set], member{w, at.Member})
			}
		}
	}
	var out []substitute
	for _, f := range slices.Compact(forms) {
		for _, at := range m.extractor.Contrasts.Memberships(f) {
			for _, other := range m.excluding[at.Set] {
				if other.member != at.Member {
					out = append(out, substitute{other.word, 1})
				}
			}
		}
	}
	return out
}

// member is a word of a set of contrasts.
type member struct {
	word   string
	member uint16
}

// normal is the spelling of names in training pairs.
func normal(name string) string { return strings.Join(lexicon.Words(name), " ") }
