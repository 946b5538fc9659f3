package baseline

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// BERT-Attack's parameters (Li et al., 2020). Its code drops words by their
// logit; a probability is what every masked model gives.
const (
	predictions      = 48   // most probable words for a blank
	leastProbability = 1e-4 // below it a word is of low quality
)

// bertAttack replaces the words of a name by what a masked language model
// predicts in their place in the template's sentence, as long as the class of the
// word and the sentence are kept. Word pieces and function words are dropped.
// There is no ranking of words by importance and no model to fool: names are
// ranked by the product of their words' probabilities.
//
// BERT-Attack lets the model see the word that it replaces. Here the word is
// masked, so that table, cells and the name's other words alone speak for it.
var bertAttack = Attacker{
	Name: "bert-attack",
	Doc: "Renames mentioned columns by BERT-Attack's word transformer, words that a masked language model predicts in a sentence with cell values, " +
		"and in as many samples again adds columns of lower-ranked names.",
	Paper: "ADVETA, appendix D; Li et al. 2020, section 3",
	Needs: perturb.NeedsMasked,
	open: func(p *perturb.Pass) (ranking, perturb.Reason) {
		switch {
		case p.Masked == nil:
			return nil, "no-masked-model"
		case p.Vectors == nil:
			return nil, "no-sentence-vectors"
		}
		return func(ref dataset.ColumnRef) ([]dataset.Candidate, error) {
			words, s := wordsOf(p.DB, ref), newSentence(p, ref)
			opts, err := options(words, func(i int) ([]substitute, error) { return predicted(p, s, words, i) })
			if err != nil {
				return nil, err
			}
			var found []dataset.Candidate
			for _, n := range combine(words, opts) {
				if c := n.candidate(p, ref, "bert-attack"); s.similarity(p.Vectors, c.Name) >= sentenceThreshold {
					found = append(found, c)
				}
			}
			return free(p.DB, ref, found), nil
		}, ""
	},
}

// predicted returns the words that the model predicts for the i-th word of a name in its sentence, scored by the logarithm of
// their probability.
func predicted(p *perturb.Pass, s *sentence, words []string, i int) ([]substitute, error) {
	blank := slices.Replace(slices.Clone(words), i, i+1, Blank)
	found, err := Predictions(p.Context, p.Masked, s.with(strings.Join(blank, " ")))
	return lists.Map(found, func(w perturb.Word) substitute { return substitute{w.Text, math.Log(min(w.Probability, 1))} }), err
}

// Blank marks the place of the word that a masked model predicts in a text.
const Blank = "[MASK]"

// Predictions returns the words that a masked model predicts for the [Blank] of a text, in lower case and the most probable
// first, without those of low quality.
func Predictions(ctx context.Context, m perturb.Masked, text string) ([]perturb.Word, error) {
	found, err := m.Fill(ctx, text, predictions)
	var out []perturb.Word
	for _, w := range found {
		if w.Probability >= leastProbability {
			out = append(out, perturb.Word{Text: strings.ToLower(w.Text), Probability: w.Probability})
		}
	}
	return out, err
}
