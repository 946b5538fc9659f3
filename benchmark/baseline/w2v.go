package baseline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// w2v draws from the terms of highest cosine to a column's name. The paper's
// vectors are ConceptNet Numberbatch; here they are the ones that the pass
// brings, of which the embedded ones hold similarity more than relatedness: what
// is near under them is rather a synonym.
//
// The paper does not say what is near to a name of several words. Its examples
// (table 10) have both terms of the vocabulary ("name" for "song name") and names
// with a near term in the place of a word ("folk-song name"), and so has this.
var w2v = Attacker{
	Name:  "w2v",
	Doc:   "Renames mentioned columns to names near to theirs in word vectors, and in as many samples again adds columns of less near names.",
	Paper: "ADVETA, appendix D",
	open: func(p *perturb.Pass) (ranking, perturb.Reason) {
		f, ok := newFinder(p.Vectors)
		if !ok {
			return nil, noVectors
		}
		return func(ref dataset.ColumnRef) ([]dataset.Candidate, error) {
			return free(p.DB, ref, f.wordVectors(wordsOf(p.DB, ref))), nil
		}, ""
	},
}

// wordVectors returns candidates for a name given by its words, the most similar first: terms near to the whole name, and the name
// with one word replaced by a term near to that word.
func (f *finder) wordVectors(words []string) []dataset.Candidate {
	name := strings.Join(words, " ")
	target, _, _ := lexicon.Phrase(f.vectors, name)
	var found []dataset.Candidate
	for _, n := range f.nearest(name) {
		found = append(found, dataset.Candidate{Name: n.Term, Source: "w2v", Similarity: decimal.Round(n.Cosine)})
	}
	for i, w := range words {
		if len(words) == 1 || classesOf(w)&function != 0 {
			continue
		}
		for _, n := range f.nearest(w) {
			replaced := strings.Join(slices.Replace(slices.Clone(words), i, i+1, n.Term), " ")
			vec, _, _ := lexicon.Phrase(f.vectors, replaced)
			found = append(found, dataset.Candidate{
				Name: replaced, Source: "w2v", Evidence: w + " -> " + n.Term, Similarity: cosine(target, vec),
			})
		}
	}
	slices.SortStableFunc(found, func(a, b dataset.Candidate) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return found
}
