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

// substitute reports variants in which synonyms of their sense replace names of tables and columns. It rejects all examples if the
// pass has no dictionary.
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

// report reports the variants of each example, or rejects it with the reason: its question names no table or column, has no synonyms
// that fit, or none with which it asks the same.
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

// drawsPerSample is the number of draws of synonyms per wanted variant, after which the
// question is taken to have no more.
const drawsPerSample = 4

// reportDistinct reports up to p.Samples variants with distinct questions and returns their number. The first has the
// best synonym, the others have random ones.
func (s *schema) reportDistinct(p *perturb.Pass, ex *perturb.Example, slots []slot) (int, error) {
	seen := map[string]bool{ex.Question: true}
	reported := 0
	for draw := 0; draw < drawsPerSample*p.Samples && reported < p.Samples; draw++ {
		var rng *rand.Rand // nil for the best synonym
		if draw > 0 {
			rng = p.Rand(ex.Question, strconv.Itoa(draw))
		}
		edits := replaceSlots(ex.Question, slots, chooseSynonym(slots, rng))
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

// chooseSynonym returns a map of the one term that changes to its synonym, in normal form: {"student": "pupil"}. Without rng it
// chooses the safest term and synonym, else at random, safer ones more often. The map is empty without slots.
func chooseSynonym(slots []slot, rng *rand.Rand) map[string]string {
	draw := func(n int) int { // a rank from 0 to n-1: i with probability (2(n-i)-1)/n²
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

// byCost returns one slot of each term, sorted by the cost of their best options, the lowest first.
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

// replaceSlots returns the edits that put the chosen synonyms, by term and in normal form, into the question, and that
// change an article before them if need be ("an instructor" for "a teacher").
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
