package names

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

// Weights of what a synset passes on to its words in the space of kinds.
const (
	selfWeight     = .5 // the synset itself: near nothing but its synonyms
	ancestorDecay  = .8 // per hypernym
	ancestorLevels = 6
	lexfileWeight  = .4 // lexicographer file: the broadest kind
	opposedWeight  = 1  // a pair of antonyms is of one kind

	kindDim      = 64
	kindSenses   = 4 // the foremost senses of a lemma count
	maxTermWords = 3
)

// kinds adds to d a vector for each lemma that keep accepts, and how general it is. The vectors of lemmas whose senses share
// hypernyms, similar senses or antonyms are near each other. A lemma is the more general the more descendants its
// senses have.
func (w *wordnet) kinds(ctx context.Context, d *knowledge.Data, seed uint64, keep func(term string) bool) error {
	for _, text := range slices.Sorted(maps.Keys(w.senses)) {
		words := strings.Fields(text)
		if len(words) <= maxTermWords && isWord(text) && keep(text) {
			d.Kinds.Terms = append(d.Kinds.Terms, text)
		}
	}
	features := w.kindFeatures()
	acc := lowrank.NewAccumulator(len(w.synsets) + len(w.lexfiles()) + len(w.opposed))
	rows := lowrank.New(len(w.synsets) + len(w.lexfiles()) + len(w.opposed))
	descendants := w.descendants()
	most := math.Log(float64(1 + slices.Max(append(descendants, 1))))
	for _, text := range d.Kinds.Terms {
		senses := w.senses[text]
		var general, all float64
		for _, s := range senses[:min(kindSenses, len(senses))] {
			for _, f := range features[s.synset] {
				acc.Add(f.at, s.weight*f.weight)
			}
			weight := s.weight * s.weight
			general += weight * math.Log(float64(1+descendants[s.synset])) / most
			all += weight
		}
		acc.Flush(rows, 0)
		d.Lemmas = append(d.Lemmas, knowledge.Lemma{
			Senses:  uint8(min(len(senses), math.MaxUint8)),
			General: uint8(math.Round(math.MaxUint8 * general / max(all, 1e-9))),
		})
	}
	var err error
	d.Kinds.Dim, d.Kinds.Rows, err = compress(ctx, rows, kindDim, seed)
	return err
}

type kindFeature struct {
	at     int32
	weight float64
}

// lexfiles lists the lexicographer files.
func (w *wordnet) lexfiles() []string {
	var names []string
	for i := range w.synsets {
		names = append(names, w.synsets[i].lexfile)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// kindFeatures returns the features of each synset: synsets, then lexicographer
// files, then pairs of antonyms.
func (w *wordnet) kindFeatures() [][]kindFeature {
	lexfiles := w.lexfiles()
	out := make([][]kindFeature, len(w.synsets))
	for i := range w.synsets {
		at := map[int32]float64{}
		w.climb(i, 1, 0, at)
		at[int32(i)] = selfWeight
		for _, l := range w.synsets[i].like {
			w.climb(l, 1, 0, at)
		}
		file, _ := slices.BinarySearch(lexfiles, w.synsets[i].lexfile)
		at[int32(len(w.synsets)+file)] = lexfileWeight
		for _, k := range slices.Sorted(maps.Keys(at)) {
			out[i] = append(out[i], kindFeature{k, at[k]})
		}
	}
	for k, pair := range w.opposed {
		f := kindFeature{int32(len(w.synsets) + len(lexfiles) + k), opposedWeight}
		for _, s := range pair {
			out[s] = append(out[s], f)
			for _, l := range w.synsets[s].like {
				out[l] = append(out[l], kindFeature{f.at, f.weight * ancestorDecay})
			}
		}
	}
	return out
}

// climb notes a synset and its hypernyms, each with its greatest weight.
func (w *wordnet) climb(from int, weight float64, level int, at map[int32]float64) {
	if level > ancestorLevels || at[int32(from)] >= weight {
		return
	}
	at[int32(from)] = weight
	for _, p := range w.synsets[from].parents {
		w.climb(p, weight*ancestorDecay, level+1, at)
	}
}

// descendants counts the synsets under each synset by its foremost hypernyms.
func (w *wordnet) descendants() []int {
	n := make([]int, len(w.synsets))
	for i := range w.synsets {
		for p, steps := w.synsets[i].parent, 0; p >= 0 && steps < 32; p, steps = w.synsets[p].parent, steps+1 {
			n[p]++
		}
	}
	return n
}

// compress reduces rows to vectors of at most dim numbers by a low-rank factorisation, and rounds them to bytes. It returns their
// dimension and the vectors one after the other.
func compress(ctx context.Context, rows *lowrank.Matrix, dim int, seed uint64) (int, []int8, error) {
	m := rows.InverseFrequency().DropEmptyColumns()
	if dim = min(dim, m.Rows(), m.Cols()); dim == 0 {
		return 0, nil, nil
	}
	vectors, err := lowrank.Factorise(ctx, m, dim, seed)
	if err != nil {
		return 0, nil, err
	}
	out := make([]int8, 0, dim*len(vectors))
	for _, v := range vectors {
		square := lists.Sum(v, func(x float64) float64 { return x * x })
		// Steps of a quarter of the root mean square: values that deflate well.
		unit := math.Sqrt(cmp.Or(square, 1)/float64(dim)) / 4
		for _, x := range v {
			out = append(out, int8(max(-127, min(127, math.Round(x/unit)))))
		}
	}
	return dim, out, nil
}
