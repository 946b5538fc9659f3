package question

import (
	"context"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// rule is a built-in way to paraphrase.
type rule struct {
	name string // for people: the note of its drafts
	// apply returns paraphrases, the best first, none where the rule does not fit.
	// They need not differ from each other or from the question.
	apply func(*source) []string
}

// source is a question that rules paraphrase.
type source struct {
	perturb.Resources
	ctx       context.Context
	db        *dataset.Database
	ex        *perturb.Example
	content   *perturb.Content // nil where the data set brings no rows
	question  string           // not always the example's own: rules follow one another
	alignment *indicator.Alignment
	rng       *rand.Rand // of the category and the question
	senses    *perturb.Senses
	subject   *subject // nil until a rule needs it
	changed   changed  // empty until a rule needs it
}

// maxDrafts is the number of drafts of one question, as many as the paper has its
// model write (section 3.2).
const maxDrafts = 20

// drafts returns up to [maxDrafts] different drafts by the rules of a category: the first draft of each rule, then the second of each, and
// so on.
func (c category) drafts(s *source) []perturb.Draft {
	var lists [][]string
	most := 0 // drafts of a rule
	for _, r := range c.rules {
		list := r.apply(s)
		lists, most = append(lists, list), max(most, len(list))
	}
	seen := map[string]bool{fold(s.question): true}
	var out []perturb.Draft
	for turn := range most {
		for i, list := range lists {
			if turn >= len(list) || len(out) == maxDrafts {
				continue
			}
			if key := fold(list[turn]); !seen[key] {
				seen[key] = true
				out = append(out, perturb.Draft{Question: list[turn], Source: fromRules, Note: c.rules[i].name})
			}
		}
	}
	return out
}

// compose returns drafts of multitype: for pairs of categories in random order, it applies the rules of one to a random draft of the
// other (the paper's prompts for multitype show paraphrases of several phenomena).
func (c category) compose(s *source, aligner *indicator.Aligner) []perturb.Draft {
	var single []category                             // those that have drafts
	first := map[indicator.Category][]perturb.Draft{} // their drafts of the question
	for _, part := range c.parts {
		if drafts := part.drafts(s); len(drafts) > 0 {
			first[part.name] = drafts
			single = append(single, part)
		}
	}
	var out []perturb.Draft
	seen := map[string]bool{}
	for _, pair := range s.rng.Perm(len(single) * len(single)) { // the indexes of two categories in one number
		one, two := single[pair/len(single)], single[pair%len(single)]
		if !canCombine(one.name, two.name) || len(out) >= maxDrafts {
			continue
		}
		d := first[one.name][s.rng.IntN(len(first[one.name]))]
		next := *s
		next.question, next.alignment = d.Question, aligner.Align(d.Question)
		more := two.drafts(&next)
		if len(more) == 0 {
			continue
		}
		e := more[s.rng.IntN(len(more))]
		if key := fold(e.Question); !seen[key] {
			seen[key] = true
			e.Note = d.Note + "; " + e.Note
			out = append(out, e)
		}
	}
	return out
}

// canCombine reports whether two categories change indicators of different kinds, so that
// neither undoes the other. An adjective for a column changes a keyword, too.
func canCombine(a, b indicator.Category) bool {
	const keyword, column, value = 1, 2, 4
	changes := map[indicator.Category]int{
		indicator.KeywordSynonym: keyword, indicator.KeywordCarrier: keyword,
		indicator.ColumnSynonym: column, indicator.ColumnCarrier: column, indicator.ColumnValue: column,
		indicator.ColumnAttribute: keyword | column,
		indicator.ValueSynonym:    value,
	}
	return changes[a]&changes[b] == 0
}
