package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/perturb"
)

// Utterance lists the four relations of questions (MT-TEQL, section 3.1). Each
// makes all distinct variants of a question up to the pass's Samples. The gold SQL
// stays, so what a relation promises is checked by rule only: that grammar and
// meaning of the question hold.
var Utterance = []*perturb.Perturbation{PrefixInsertion, PrefixRemoval, PrefixSubstitution, SynonymSubstitution}

// relation is a rule of questions.
type relation struct {
	// rule returns the ways to edit a question, or why there are none.
	rule func(*dataset.Database, *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason)
	// natural is the share of the question's naturalness that a variant has to have.
	// The paper reports naturalness and filters nothing: its utterances keep 0.95 of
	// Spider's on average (table 5). These shares keep about that of each relation, of
	// removal a little less: what it leaves out is what the model finds likeliest; of
	// insertion less, as the model has seen few of the prefixes that take any question.
	natural float64
}

// run reports the variants of each example, or rejects it.
func (r relation) run(p *perturb.Pass) error {
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		options, reason := r.rule(p.DB, ex)
		if len(options) == 0 {
			p.Reject(ex, 0, reason)
			continue
		}
		if r.report(p, ex, options) == 0 {
			p.Reject(ex, 0, noNatural)
		}
	}
	return nil
}

const noNatural = "less-natural"

// report reports up to p.Samples options that change the question and keep enough of its naturalness, and returns their
// number. Their order is drawn by the question alone, so that a larger number of samples only adds variants.
func (r relation) report(p *perturb.Pass, ex *perturb.Example, options [][]perturb.Edit) (n int) {
	seen := []string{ex.Question}
	least := r.natural * fluency.Score(ex.Question)
	for _, i := range p.Rand(ex.Question).Perm(len(options)) {
		if n == p.Samples {
			break
		}
		now, err := perturb.ApplyQuestion(ex.Question, options[i])
		if err != nil || slices.Contains(seen, now) || fluency.Score(now) < least {
			continue
		}
		p.Report(perturb.Variant{Sample: n, Examples: []*perturb.Example{ex}, Edits: options[i]})
		seen = append(seen, now)
		n++
	}
	return n
}
