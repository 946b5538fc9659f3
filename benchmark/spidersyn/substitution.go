package spidersyn

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Substitution is Spider-Syn's synonym substitution. People chose the synonyms of
// the paper's data set, by domain; here a dictionary does, restricted to the domain
// of the table. Every word that can change changes, as there: an average question of
// Spider-Syn's dev set has 1.4 changes.
//
// Reserved words (id, name, age, year) stay as they are; a longer phrase of the
// dictionary that holds one ("first name") is replaced as a whole, as in the
// paper's data ("given name").
var Substitution = &perturb.Perturbation{
	Name:     "spidersyn/substitution",
	Doc:      "Replaces the words of a question that stand for tables, columns and values of its gold SQL with synonyms of their domain.",
	Paper:    "Spider-Syn, section 2",
	Version:  1,
	Relation: perturb.Invariant,
	Run:      substitute,
}

// Reasons of rejection.
const (
	noDictionary = "there is no dictionary"
	noLink       = "no word of the question stands for an item or value of the gold SQL"
	noSynonym    = "no linked word has a synonym that fits and names nothing else in the schema"
)

func substitute(p *perturb.Pass) error {
	if p.Dictionary == nil {
		for _, ex := range p.Examples {
			p.Reject(ex, 0, noDictionary)
		}
		return p.Context.Err()
	}
	s := newSchema(p.Resources, p.DB)
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		switch slots, linked := s.slots(ex); {
		case !linked:
			p.Reject(ex, 0, noLink)
		case len(slots) == 0:
			p.Reject(ex, 0, noSynonym)
		default:
			reportDistinct(p, ex, slots)
		}
	}
	return nil
}

// drawsPerSample is how often, on average, synonyms are drawn for a further
// variant before the question is taken to have no more.
const drawsPerSample = 4

// reportDistinct reports up to p.Samples variants: the first has the best synonym
// of each term, the others draw.
func reportDistinct(p *perturb.Pass, ex *perturb.Example, slots []slot) {
	seen := map[string]bool{}
	for draw := 0; draw < drawsPerSample*p.Samples && len(seen) < p.Samples; draw++ {
		var rng *rand.Rand
		if draw > 0 {
			rng = p.Rand(ex.Question, strconv.Itoa(draw))
		}
		edits := replace(ex.Question, slots, choose(slots, rng))
		now, err := perturb.ApplyQuestion(ex.Question, edits)
		if err != nil || seen[now] || now == ex.Question {
			continue
		}
		p.Report(perturb.Variant{Sample: len(seen), Examples: []*perturb.Example{ex}, Edits: edits})
		seen[now] = true
	}
}

// choose returns a synonym, in normal form, for each term: the best without rng,
// else of n the one at rank i (from 0) with probability (2(n-i)-1)/n², as
// dictionaries give the best first. No two terms have one synonym; a term that all
// of its are taken from has "".
func choose(slots []slot, rng *rand.Rand) map[string]string {
	chosen, taken := map[string]string{}, map[string]bool{}
	for _, s := range slots {
		if _, ok := chosen[s.term]; ok {
			continue
		}
		chosen[s.term] = ""
		var free []option
		for _, o := range s.options {
			if !taken[o.normal] {
				free = append(free, o)
			}
		}
		if n := len(free); n > 0 {
			i := 0
			if rng != nil {
				i = min(rng.IntN(n), rng.IntN(n))
			}
			chosen[s.term], taken[free[i].normal] = free[i].normal, true
		}
	}
	return chosen
}

// replace returns the edits that put the chosen synonyms into the question, with
// the articles that need another form before them.
func replace(question string, slots []slot, chosen map[string]string) []perturb.Edit {
	tokens := perturb.Tokens(question)
	var edits []perturb.Edit
	for _, s := range slots {
		i := slices.IndexFunc(s.options, func(o option) bool { return o.normal == chosen[s.term] })
		if i < 0 {
			continue
		}
		was := question[s.start:s.end]
		from := dataset.Candidate{Name: s.options[i].text, Source: "dictionary", Evidence: s.term + " -> " + s.options[i].text, Similarity: 1, Forward: 1, Backward: 1}
		with := inCaseOf(was, s.options[i].text)
		if t := slices.IndexFunc(tokens, func(t perturb.Token) bool { return t.Start == s.start }); t > 0 {
			a := tokens[t-1]
			if form, ok := article(question[a.Start:a.End], with); ok {
				edits = append(edits, perturb.ReplaceSpan{Start: a.Start, End: a.End, Was: question[a.Start:a.End], With: form, From: from})
			}
		}
		edits = append(edits, perturb.ReplaceSpan{Start: s.start, End: s.end, Was: was, With: with, From: from})
	}
	return edits
}
