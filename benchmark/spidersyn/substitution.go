package spidersyn

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
)

// Substitution is Spider-Syn's synonym substitution. People chose the synonyms of
// the paper's data set, by domain; here they are those of the sense that a table or
// column has in its database, and a model of whole questions drops what asks something
// else. An average question of Spider-Syn has about one change (0.96 in train, 1.4
// in dev): here one term changes, wherever the question has it.
//
// Reserved words (id, name, age, year) stay as they are; a longer name that holds one
// ("first name") is replaced as a whole, as in the paper's data ("given name").
var Substitution = &perturb.Perturbation{
	Name:     "spidersyn/substitution",
	Doc:      "Replaces the words of a question that stand for tables and columns of its gold SQL with synonyms of their sense.",
	Paper:    "Spider-Syn, section 2",
	Version:  4,
	Relation: perturb.Invariant,
	Judged:   true,
	Run:      substitute,
}

// Reasons of rejection.
const (
	noDictionary = "no-dictionary"
	noLink       = "no-linked-word"
	noSynonym    = "no-safe-synonym"
	notFactual   = "synonyms-not-factual"
)

// substitute replaces names by those of their sense.
func substitute(p *perturb.Pass) error {
	if p.Dictionary == nil {
		p.RejectAll(p.Examples, 0, noDictionary)
		return p.Context.Err()
	}
	senses, err := p.Senses()
	if err != nil {
		return err
	}
	s := newSchema(p.Resources, p.DB)
	s.addSenses(senses)
	return s.report(p)
}

// report reports variants of each example whose question has slots with synonyms, or rejects it.
func (s *schema) report(p *perturb.Pass) error {
	questions := contextOf(p.Examples)
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		slots, linked, err := s.slots(ex, questions)
		switch {
		case err != nil:
			return err
		case !linked:
			p.Reject(ex, 0, noLink)
		case len(slots) == 0:
			p.Reject(ex, 0, noSynonym)
		default:
			if slots, err = s.factual(p, ex.Question, slots); err != nil {
				return err
			}
			if n, err := s.reportDistinct(p, ex, slots); err != nil {
				return err
			} else if n == 0 {
				p.Reject(ex, 0, notFactual)
			}
		}
	}
	return nil
}

// contextOf returns the questions of examples.
func contextOf(examples []*perturb.Example) []string {
	return lists.Map(examples, func(ex *perturb.Example) string { return ex.Question })
}

// drawsPerSample is how often, on average, synonyms are drawn for a further
// variant before the question is taken to have no more.
const drawsPerSample = 4

// reportDistinct reports up to p.Samples variants and returns their number: the
// first has the best synonyms, the others draw.
func (s *schema) reportDistinct(p *perturb.Pass, ex *perturb.Example, slots []slot) (int, error) {
	seen := map[string]bool{ex.Question: true}
	reported := 0
	for draw := 0; draw < drawsPerSample*p.Samples && reported < p.Samples; draw++ {
		var rng *rand.Rand
		if draw > 0 {
			rng = p.Rand(ex.Question, strconv.Itoa(draw))
		}
		edits := replaceSlots(ex.Question, slots, chooseSynonyms(slots, rng))
		now, err := perturb.ApplyQuestion(ex.Question, edits)
		if err != nil || seen[now] {
			continue
		}
		seen[now] = true
		scores, err := p.Judge(ex.Question, []string{now})
		if err != nil {
			return reported, err
		}
		if !s.isFactual(scores[0]) {
			continue
		}
		p.Report(perturb.Variant{Sample: reported, Examples: []*perturb.Example{ex}, Edits: judged(edits, scores[0])})
		reported++
	}
	return reported, nil
}

// chooseSynonyms returns the term that changes with its synonym, in normal form: without rng the safest of both, else of n in
// the order of safety the one at rank i (from 0) with probability (2(n-i)-1)/n². It is empty without slots.
func chooseSynonyms(slots []slot, rng *rand.Rand) map[string]string {
	draw := func(n int) int {
		if rng == nil {
			return 0
		}
		return min(rng.IntN(n), rng.IntN(n))
	}
	chosen := map[string]string{}
	if terms := byCost(slots); len(terms) > 0 {
		t := terms[draw(len(terms))]
		chosen[t.term] = t.options[draw(len(t.options))].normal
	}
	return chosen
}

// byCost returns a slot of each term, in the order of their safest synonyms.
func byCost(slots []slot) []slot {
	var terms []slot
	for _, s := range slots {
		if !slices.ContainsFunc(terms, func(t slot) bool { return t.term == s.term }) {
			terms = append(terms, s)
		}
	}
	slices.SortStableFunc(terms, func(a, b slot) int { return a.options[0].cost - b.options[0].cost })
	return terms
}

// replaceSlots returns the edits that put the chosen synonyms into the question, with
// the articles that need another form before them.
func replaceSlots(question string, slots []slot, chosen map[string]string) []perturb.Edit {
	tokens := english.Tokens(question)
	var edits []perturb.Edit
	for _, s := range slots {
		i := slices.IndexFunc(s.options, func(o option) bool { return o.normal == chosen[s.term] })
		if i < 0 {
			continue
		}
		was := question[s.start:s.end]
		from := perturb.Certain(s.options[i].text, s.source, s.term+" -> "+s.options[i].text)
		with := inCaseOf(was, s.options[i].text)
		if t := slices.IndexFunc(tokens, func(t english.Token) bool { return t.Start == s.start }); t > 0 {
			a := tokens[t-1]
			if form, ok := english.FitArticle(a.Of(question), with); ok {
				edits = append(edits, perturb.ReplaceSpan{Start: a.Start, End: a.End, Was: question[a.Start:a.End], With: form, From: from})
			}
		}
		edits = append(edits, perturb.ReplaceSpan{Start: s.start, End: s.end, Was: was, With: with, From: from})
	}
	return edits
}
