package spidersyn

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb"
)

// minFactuality is the entailment that a question with words of an attack needs in both directions where there is a factuality
// model; the paper asks people. Synonyms that come from written lists need minWritten: the model drops those alone that it denies.
const minFactuality, minWritten = 0.5, 0.02

// isFactual reports whether a question and its paraphrase entail each other: with at least [minFactuality] in both directions for words
// of an attack, else with [minWritten].
func (s *schema) isFactual(e nli.Entailments) bool {
	least := minWritten
	if s.attack != nil {
		least = minFactuality
	}
	return min(e.Forward, e.Backward) >= least
}

// factual returns the slots of a question without the synonyms that change what it asks, as the factuality model judges each
// replaced alone, and without slots that lose all synonyms. Without a model it returns the slots as they are.
func (s *schema) factual(p *perturb.Pass, question string, slots []slot) ([]slot, error) {
	if p.Factuality == nil {
		return slots, nil
	}
	type synonym struct{ term, normal string }
	var asked []synonym
	var questions []string            // with each of asked
	for _, t := range byCost(slots) { // one slot of each term: all slots of a term change together
		for _, o := range t.options {
			now, err := perturb.ApplyQuestion(question, replaceSlots(question, slots, map[string]string{t.term: o.normal}))
			if err == nil {
				asked, questions = append(asked, synonym{t.term, o.normal}), append(questions, now)
			}
		}
	}
	scores, err := p.Judge(question, questions)
	if err != nil {
		return nil, err
	}
	var out []slot
	for _, t := range slots {
		t.options = lists.Filter(t.options, func(o option) bool {
			i := slices.Index(asked, synonym{t.term, o.normal})
			return i >= 0 && s.isFactual(scores[i]) // -1: it could not be put into the question
		})
		if len(t.options) > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// judged returns the edits, all of them [perturb.ReplaceSpan], with the entailments of the question that they make in their candidates.
func judged(edits []perturb.Edit, e nli.Entailments) []perturb.Edit {
	out := make([]perturb.Edit, len(edits))
	for i, edit := range edits {
		s := edit.(perturb.ReplaceSpan)
		s.From.Forward, s.From.Backward = e.Forward, e.Backward
		out[i] = s
	}
	return out
}
