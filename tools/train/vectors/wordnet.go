package vectors

import (
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

// Weights of the features that a synset gives to its words.
const (
	ancestorLevels = 6    // hypernyms are followed this far
	ancestorDecay  = 0.65 // a level; shared out by the root of the number of hypernyms
	similarWeight  = 0.6  // similar, also, attribute, entails, causes
	partWeight     = 0.3  // meronyms and domains
	lexfileWeight  = 0.25 // lexicographer file: the broadest kind of meaning
	glossWeight    = 0.4  // content words of the definition, and members
	derivedWeight  = 0.4  // synsets that a sense is derived from, pertains to, …
)

// wordnet holds synsets and senses by number.
type wordnet struct {
	synsets []synset
	byID    map[string]int
	senses  []sense
	byKey   map[string]int   // sense key to sense
	ofWord  map[string][]int // term to senses, most frequent first
}

type synset struct {
	id, lexfile   string
	members       []string
	gloss         string
	relations     string
	features      []int32
	featureValues []float64
}

// sense is a meaning of a word.
type sense struct {
	word, pos string
	synset    int
	weight    float64
	relations string
}

// readWordNet reads the synsets and senses.
func readWordNet(b *builder, src Sources) error {
	wn := &b.wordnet
	wn.byID, wn.byKey, wn.ofWord = map[string]int{}, map[string]int{}, map[string][]int{}
	err := b.readTable(src.Synsets, 6, func(f []string) {
		wn.byID[f[0]] = len(wn.synsets)
		wn.synsets = append(wn.synsets, synset{id: f[0], lexfile: f[2], members: strings.Split(f[3], "|"), gloss: f[4], relations: f[5]})
	})
	if err != nil {
		return err
	}
	var named []sense // capitalised lemmas rank after plain ones of the same letters
	add := func(s sense, key string) {
		wn.ofWord[s.word] = append(wn.ofWord[s.word], len(wn.senses))
		wn.senses = append(wn.senses, s)
		wn.byKey[key] = len(wn.senses) - 1
	}
	var namedKeys []string
	err = b.readTable(src.Senses, 5, func(f []string) {
		id, ok := wn.byID[f[3]]
		key := lexicon.Key(f[0])
		if !ok || !usable(key) {
			return
		}
		s := sense{word: key, pos: f[1], synset: id, relations: f[4]}
		if f[0] != strings.ToLower(f[0]) {
			named, namedKeys = append(named, s), append(namedKeys, f[2])
			return
		}
		add(s, f[2])
	})
	for i, s := range named {
		add(s, namedKeys[i])
	}
	wn.weigh()
	return err
}

// usable reports whether a table takes a term: not too long, and with a letter.
func usable(term string) bool {
	return len(term) <= lexicon.MaxTermLen &&
		strings.Count(term, " ") < lexicon.MaxPhraseWords &&
		strings.ContainsFunc(term, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// weigh gives each sense of a word 1 over its rank in its part of speech, times
// the root of that part's share of the word's senses.
func (wn *wordnet) weigh() {
	for _, senses := range wn.ofWord {
		count := make(map[string]int)
		for _, s := range senses {
			wn.senses[s].weight = float64(count[wn.senses[s].pos] + 1)
			count[wn.senses[s].pos]++
		}
		for _, s := range senses {
			share := float64(count[wn.senses[s].pos]) / float64(len(senses))
			wn.senses[s].weight = math.Sqrt(share) / wn.senses[s].weight
		}
	}
}

// relation yields the name and target of each of the relations of a row whose
// target is known.
func relation(list string, known map[string]int, do func(name string, target int)) {
	for _, r := range strings.Fields(list) {
		name, id, _ := strings.Cut(r, ":")
		if target, ok := known[id]; ok {
			do(name, target)
		}
	}
}

// describe sets the features of every synset, each with a weight: itself, its lexicographer file, its ancestors, related synsets,
// and the lemmas of the words in its gloss and its members.
func (wn *wordnet) describe(features *names, lemma func(string) string) {
	hypernyms := make([][]int, len(wn.synsets))
	for i := range wn.synsets {
		relation(wn.synsets[i].relations, wn.byID, func(name string, target int) {
			if name == "hypernym" {
				hypernyms[i] = append(hypernyms[i], target)
			}
		})
	}
	for i := range wn.synsets {
		s := &wn.synsets[i]
		at := make(map[int32]int)
		add := func(name string, weight float64) {
			id := int32(features.add(name))
			k, ok := at[id]
			if !ok {
				k = len(s.features)
				at[id] = k
				s.features, s.featureValues = append(s.features, id), append(s.featureValues, 0)
			}
			s.featureValues[k] = max(s.featureValues[k], weight)
		}
		add("s:"+s.id, 1)
		add("f:"+s.lexfile, lexfileWeight)
		ancestors(i, hypernyms, func(a int, weight float64) { add("s:"+wn.synsets[a].id, weight) })
		relation(s.relations, wn.byID, func(name string, target int) {
			if w := relationWeight(name); w > 0 {
				add("s:"+wn.synsets[target].id, w)
			}
		})
		words := lexicon.Words(s.gloss)
		for _, m := range s.members {
			words = append(words, lexicon.Words(m)...)
		}
		for _, w := range words {
			if isContent(w) {
				add("w:"+lemma(w), glossWeight)
			}
		}
	}
}

// ancestors walks up from a synset, breadth first, each ancestor once.
func ancestors(from int, hypernyms [][]int, do func(synset int, weight float64)) {
	type step struct {
		synset int
		weight float64
	}
	seen := map[int]bool{from: true}
	level := []step{{from, 1}}
	for range ancestorLevels {
		var up []step
		for _, s := range level {
			parents := hypernyms[s.synset]
			weight := s.weight * ancestorDecay / math.Sqrt(float64(len(parents)))
			for _, p := range parents {
				if !seen[p] {
					seen[p] = true
					do(p, weight)
					up = append(up, step{p, weight})
				}
			}
		}
		level = up
	}
}

// relationWeight returns the weight of a relation between synsets; 0 for those that bring no meaning along.
func relationWeight(name string) float64 {
	switch {
	case name == "similar", name == "also", name == "attribute", name == "entails", name == "causes":
		return similarWeight
	case strings.HasPrefix(name, "mero_"), strings.HasPrefix(name, "domain_"):
		return partWeight
	}
	return 0
}

// notDerived are the relations between senses that bring no meaning along.
var notDerived = []string{"antonym", "exemplifies"}

// addWord sums the features of a word's senses into a, and those of the senses
// that they derive from.
func (wn *wordnet) addWord(word string, a *lowrank.Accumulator) bool {
	for _, i := range wn.ofWord[word] {
		s := &wn.senses[i]
		wn.addSynset(s.synset, s.weight, a)
		relation(s.relations, wn.byKey, func(name string, target int) {
			if !slices.Contains(notDerived, name) {
				wn.addSynset(wn.senses[target].synset, derivedWeight*s.weight, a)
			}
		})
	}
	return len(wn.ofWord[word]) > 0
}

// addSynset adds the features of a synset into a.
func (wn *wordnet) addSynset(i int, weight float64, a *lowrank.Accumulator) {
	s := &wn.synsets[i]
	a.AddRow(s.features, s.featureValues, weight)
}

// antonyms returns the pairs of words that WordNet opposes.
func (wn *wordnet) antonyms(words *names) []edge {
	var edges []edge
	for i := range wn.senses {
		s := &wn.senses[i]
		relation(s.relations, wn.byKey, func(name string, target int) {
			if name == "antonym" {
				edges = append(edges, edge{words.add(s.word), words.add(wn.senses[target].word)})
			}
		})
	}
	return edges
}

// isContent reports whether a word of a definition says something.
func isContent(word string) bool {
	return len(word) > 2 && !stopWords[word] && word[0] >= 'a'
}

var stopWords = wordSet(`the and for with from that this these those which who whom whose what when where
	how are was were been being has have had does did not but its his her him she they them their there
	into onto upon out off over under than then some any all each every other another such same one two
	can may might will would should could must being used usually often especially something someone
	somebody anything kind type sort form made make makes making having about between among through
	during before after above below more most less least very much many also only used using use etc
	characterized typically relating related pertaining certain various several particular`)

// wordSet returns the words of a list as a set.
func wordSet(list string) map[string]bool {
	return lists.Set(strings.Fields(list), func(w string) string { return w })
}
