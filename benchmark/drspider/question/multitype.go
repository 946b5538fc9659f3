package question

import (
	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/perturb"
)

// compose paraphrases in two ways: the rules of one category draft from a draft of another (the paper's prompts for
// multitype show paraphrases of several phenomena).
func (c category) compose(s *source, aligner *indicator.Aligner) []perturb.Draft {
	var single []category
	first := map[indicator.Category][]perturb.Draft{}
	for _, part := range c.parts {
		if drafts := part.drafts(s); len(drafts) > 0 {
			first[part.name] = drafts
			single = append(single, part)
		}
	}
	var out []perturb.Draft
	seen := map[string]bool{}
	for _, a := range s.rng.Perm(len(single) * len(single)) {
		one, two := single[a/len(single)], single[a%len(single)]
		if !together(one.name, two.name) || len(out) >= maxDrafts {
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
			e.Note, e.Reopens = d.Note+"; "+e.Note, d.Reopens || e.Reopens
			out = append(out, e)
		}
	}
	return out
}

// together reports whether two categories change indicators of two kinds, so that
// neither undoes the other. An adjective for a column changes a keyword, too.
func together(a, b indicator.Category) bool {
	const keyword, column, value = 1, 2, 4
	changes := map[indicator.Category]int{
		indicator.KeywordSynonym: keyword, indicator.KeywordCarrier: keyword,
		indicator.ColumnSynonym: column, indicator.ColumnCarrier: column, indicator.ColumnValue: column,
		indicator.ColumnAttribute: keyword | column,
		indicator.ValueSynonym:    value,
	}
	return changes[a]&changes[b] == 0
}
