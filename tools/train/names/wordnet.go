package names

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// wordnet is Open English WordNet in memory.
type wordnet struct {
	synsets []synset
	index   map[string]int     // synset id to position
	senses  map[string][]sense // lower-case lemma to senses
	// opposites lists the antonyms of a lemma, as first seen.
	opposites map[string][]string
	// opposed lists the synsets that have antonyms of a synset's words.
	opposed [][2]int
}

// synset is a set of words with one meaning, and its relations to others by their positions.
type synset struct {
	members  []string
	lexfile  string
	parent   int   // foremost hypernym; -1 for none
	parents  []int // all hypernyms
	like     []int // similar, also, attribute
	children []int
}

// sense is a meaning of a lemma.
type sense struct {
	synset int
	weight float64 // 0..1
	pos    byte
}

// readWordNet reads the synsets, the senses and the antonyms.
func readWordNet(ctx context.Context, s *Sources) (*wordnet, error) {
	w := &wordnet{index: map[string]int{}, senses: map[string][]sense{}, opposites: map[string][]string{}}
	var relations []string
	err := lines(ctx, s.Synsets, func(line string) error {
		f := strings.Split(line, "\t")
		if len(f) < 6 {
			return fmt.Errorf("%d fields, expected 6", len(f))
		}
		if f[0] == "synset" {
			return nil
		}
		w.index[f[0]] = len(w.synsets)
		w.synsets = append(w.synsets, synset{members: strings.Split(strings.ToLower(f[3]), "|"), lexfile: f[2], parent: -1})
		relations = append(relations, f[5])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, r := range relations {
		for field := range strings.FieldsSeq(r) {
			kind, target, _ := strings.Cut(field, ":")
			if p, ok := w.index[target]; ok {
				w.relate(i, p, kind)
			}
		}
	}
	if err := w.readSenses(ctx, s.Senses); err != nil {
		return nil, err
	}
	for _, file := range s.Antonyms {
		err := lines(ctx, file, func(line string) error {
			if f := strings.Fields(line); len(f) == 2 {
				w.addAntonym(f[0], f[1])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// relate adds a relation of one synset to another. Only a foremost hypernym gets the synset as its child.
func (w *wordnet) relate(from, to int, kind string) {
	s := &w.synsets[from]
	switch kind {
	case "hypernym", "instance_hypernym":
		s.parents = append(s.parents, to)
		if s.parent < 0 {
			s.parent = to
			w.synsets[to].children = append(w.synsets[to].children, from)
		}
	case "similar", "attribute":
		s.like = append(s.like, to)
	}
}

// readSenses reads the table of senses: the meanings of each lemma with their weights, and the antonyms.
func (w *wordnet) readSenses(ctx context.Context, file string) error {
	synsetOf := map[string]int{} // by sense id
	type opposed struct {
		synset int
		sense  string
	}
	var antonyms []opposed
	err := lines(ctx, file, func(line string) error {
		f := strings.Split(line, "\t")
		if len(f) < 4 {
			return fmt.Errorf("%d fields, expected at least 4", len(f))
		}
		at, ok := w.index[f[3]]
		if !ok {
			if f[0] == "lemma" {
				return nil
			}
			return fmt.Errorf("unknown synset %q", f[3])
		}
		lemma := strings.ToLower(f[0])
		synsetOf[f[2]] = at
		w.senses[lemma] = append(w.senses[lemma], sense{synset: at, pos: f[1][0]})
		if len(f) > 4 {
			for field := range strings.FieldsSeq(f[4]) {
				if id, ok := strings.CutPrefix(field, "antonym:"); ok {
					other, _, _ := strings.Cut(id, "%")
					w.addAntonym(lemma, strings.ReplaceAll(other, "_", " "))
					antonyms = append(antonyms, opposed{at, id})
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range antonyms {
		if other, ok := synsetOf[a.sense]; ok {
			w.opposed = append(w.opposed, [2]int{a.synset, other})
		}
	}
	for _, senses := range w.senses {
		weigh(senses)
	}
	return nil
}

// addAntonym adds a pair of antonyms, both ways.
func (w *wordnet) addAntonym(a, b string) {
	if a != b && !slices.Contains(w.opposites[a], b) {
		w.opposites[a], w.opposites[b] = append(w.opposites[a], b), append(w.opposites[b], a)
	}
}

// weigh gives the n-th sense of a part of speech the weight 1/n times the root
// of the part's share of the senses.
func weigh(senses []sense) {
	share, rank := map[byte]float64{}, map[byte]float64{}
	for _, s := range senses {
		share[s.pos] += 1 / float64(len(senses))
	}
	for i, s := range senses {
		rank[s.pos]++
		senses[i].weight = math.Sqrt(share[s.pos]) / rank[s.pos]
	}
	slices.SortStableFunc(senses, func(x, y sense) int { return cmp.Compare(y.weight, x.weight) })
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// isWord reports whether s has nothing but letters and single blanks.
func isWord(s string) bool {
	return s != "" && strings.Trim(s, letters+" ") == ""
}

// substitute is a word that may stand for another, with how well, 0..1.
type substitute struct {
	word     string
	strength float64
}

// related lists substitutes for a lemma: the words of the synsets to which step leads from its first three senses. It
// leaves out terms of more than two words and, unless step stays at a sense, the synonyms of the lemma.
func (w *wordnet) related(lemma string, step func(at int) []int) []substitute {
	var out []substitute
	seen := map[string]bool{lemma: true}
	senses := w.senses[lemma]
	for _, s := range senses[:min(3, len(senses))] {
		for _, at := range step(s.synset) {
			if at != s.synset {
				for _, m := range w.synsets[s.synset].members {
					seen[m] = true
				}
			}
			for _, m := range w.synsets[at].members {
				if seen[m] || !isWord(m) || strings.Count(m, " ") > 1 {
					continue
				}
				seen[m] = true
				out = append(out, substitute{m, math.Sqrt(s.weight * w.weight(m, at))})
			}
		}
	}
	return out
}

// weight returns the weight of a synset among a lemma's senses.
func (w *wordnet) weight(lemma string, at int) float64 {
	for _, s := range w.senses[lemma] {
		if s.synset == at {
			return s.weight
		}
	}
	return 0
}

// itself is the step from a synset to itself: to the synonyms of its words.
func (w *wordnet) itself(at int) []int { return []int{at} }

// above is the step from a synset to its foremost hypernym.
func (w *wordnet) above(at int) []int {
	if p := w.synsets[at].parent; p >= 0 {
		return []int{p}
	}
	return nil
}

// below is the step from a synset to its hyponyms.
func (w *wordnet) below(at int) []int { return w.synsets[at].children }

// beside returns the synsets with the same hypernym as a synset, without itself. It returns none if there are more than 60,
// because such a hypernym is too general. It is a step for related.
func (w *wordnet) beside(at int) []int {
	if p := w.synsets[at].parent; p >= 0 && len(w.synsets[p].children) <= 60 {
		return slices.DeleteFunc(slices.Clone(w.synsets[p].children), func(s int) bool { return s == at })
	}
	return nil
}
