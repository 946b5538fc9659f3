package baseline

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// TextFooler's parameters (Jin et al., 2020, section 3). Its released code passes
// 0.5 where the paper says 0.7.
const (
	synonyms         = 50  // nearest words of a word
	synonymThreshold = 0.7 // their least cosine
)

// textFooler replaces the words of a name by words of high cosine and the same
// class that keep the sentence similar. There is no ranking of words by
// importance, as the column is known, and no model to fool: names are ranked by
// the similarity of the sentence, by which TextFooler chooses among those that
// fool its victim.
//
// Its vectors are counter-fitted ones; here they are the ones that the pass
// brings, of which the embedded ones are counter-fitted as well.
var textFooler = Attacker{
	Name: "textfooler",
	Doc: "Renames mentioned columns by TextFooler's word transformer, synonyms by vectors that keep word class and sentence, " +
		"and in as many samples again adds columns of lower-ranked names.",
	Paper: "ADVETA, appendix D; Jin et al. 2020, section 3",
	open: func(p *perturb.Pass) (ranking, perturb.Reason) {
		f, ok := newFinder(p.Vectors)
		if !ok {
			return nil, noVectors
		}
		return func(ref dataset.ColumnRef) ([]dataset.Candidate, error) {
			words := wordsOf(p.DB, ref)
			opts, err := options(words, func(i int) ([]substitute, error) { return f.synonyms(words[i]), nil })
			if err != nil {
				return nil, err
			}
			return free(p.DB, ref, bySentence(p, ref, combine(words, opts))), nil
		}, ""
	},
}

// synonyms returns the nearest words to a word whose cosine is at least synonymThreshold, best first, with scores from -0.3 to 0.
func (f *finder) synonyms(word string) []substitute {
	var out []substitute
	for _, n := range f.nearest(word) {
		if n.Cosine < synonymThreshold || len(out) == synonyms {
			break
		}
		if isWord(n.Term) {
			out = append(out, substitute{n.Term, n.Cosine - 1})
		}
	}
	return out
}

// bySentence returns the names with which the sentence of a column stays similar to the original one (sentenceThreshold), the most
// similar first.
func bySentence(p *perturb.Pass, ref dataset.ColumnRef, names []replaced) []dataset.Candidate {
	type scored struct {
		dataset.Candidate
		similarity float64
	}
	s := newSentence(p, ref)
	var kept []scored
	for _, n := range names {
		c := n.candidate(p, ref, "textfooler")
		if similarity := s.similarity(p.Vectors, c.Name); similarity >= sentenceThreshold {
			kept = append(kept, scored{c, similarity})
		}
	}
	slices.SortStableFunc(kept, func(a, b scored) int { return cmp.Compare(b.similarity, a.similarity) })
	return lists.Map(kept, func(s scored) dataset.Candidate { return s.Candidate })
}
