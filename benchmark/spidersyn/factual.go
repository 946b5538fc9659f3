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

// isFactual reports whether a question and its paraphrase entail each other.
func (s *schema) isFactual(e nli.Entailments) bool {
	least := minWritten
	if s.attack != nil {
		least = minFactuality
	}
	return min(e.Forward, e.Backward) >= least
}

// factual removes the synonyms of a question's slots with which, all else as it was,
// the question asks something else, and the slots that are left without any.
func (s *schema) factual(p *perturb.Pass, question string, slots []slot) ([]slot, error) {
	if p.Factuality == nil {
		return slots, nil
	}
	type synonym struct{ term, normal string }
	var asked []synonym
	var questions []string
	for _, t := range byCost(slots) {
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
			return i >= 0 && s.isFactual(scores[i])
		})
		if len(t.options) > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// judged returns edits with the scores of the question that they make.
func judged(edits []perturb.Edit, e nli.Entailments) []perturb.Edit {
	out := make([]perturb.Edit, len(edits))
	for i, edit := range edits {
		s := edit.(perturb.ReplaceSpan)
		s.From.Forward, s.From.Backward = e.Forward, e.Backward
		out[i] = s
	}
	return out
}
