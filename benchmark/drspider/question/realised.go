package question

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// fromGold is the source of drafts that say the gold SQL.
const fromGold = "gold SQL"

// maxRealised is the number of questions that a gold SQL is said as.
const maxRealised = 32

// anew is a question that says a gold SQL, with how it differs from the example's own.
type anew struct {
	realise.Question
	columns []indicator.Category // what becomes of the columns that the question names
	after   *indicator.Alignment
	change  indicator.Change
}

// realisedOf is the key under which a pass stores the realised questions of an example. The first draw of the example's
// stream tells runs with different seeds apart.
type realisedOf struct {
	ex   *perturb.Example
	draw uint64
}

// realised returns the questions that say an example's gold SQL, the same for every category; none where the gold SQL
// cannot be said for certain. The caller must not change them.
func realised(p *perturb.Pass, s *source, aligner *indicator.Aligner) ([]anew, error) {
	rng := p.CommonRand("realise", s.ex.Question, s.ex.Query)
	return perturb.Memoize(p.Memo, realisedOf{s.ex, rng.Uint64()}, func() (list []anew, err error) {
		nouns := func(c dataset.ColumnRef) []string { return nounsOf(s.senses, p.DB, c) }
		questions, err := realise.Questions(p.DB, s.ex.Gold, s.ex.Binding, nouns, rng, maxRealised)
		if _, abstained := errors.AsType[*realise.Abstained](err); err != nil && !abstained {
			return nil, err
		}
		for _, q := range questions {
			if columns, ok := changes(p.DB, s.question, q); ok {
				after := aligner.Align(q.Text)
				list = append(list, anew{q, columns, after, aligner.Classify(s.alignment, after)})
			}
		}
		return list, nil
	})
}

// nounsOf returns the names that may stand for a column in a sentence.
func nounsOf(senses *perturb.Senses, db *dataset.Database, c dataset.ColumnRef) (out []string) {
	for _, s := range senses.Column(c) {
		if !unlikeNoun(s.Name) && saysOtherwise(s.Name, db.Column(c).Name) && !names(wordsOf(s.Name), lexicon.Bare(db.Column(c).Name)) && !strings.Contains(s.Name, " per ") && english.IsPlural(s.Name) == english.IsPlural(db.Column(c).Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

// needsNoun are names that say too little alone.
var needsNoun = []string{"number", "code", "key"}

// saysOtherwise reports whether a name has a word that a column's own lacks: "home town" is
// the hometown, "dates of publication" are publication dates.
func saysOtherwise(name, column string) bool {
	own := lexicon.Bare(column)
	if strings.EqualFold(strings.ReplaceAll(name, " ", ""), strings.ReplaceAll(own, " ", "")) || slices.Contains(needsNoun, name) {
		return false
	}
	words := wordsOf(own)
	return slices.ContainsFunc(wordsOf(name), func(w string) bool { return !functionWords[w] && !slices.Contains(words, w) })
}

// manners are the categories of what becomes of a column that the question names.
var manners = map[realise.Manner]indicator.Category{
	realise.Reworded:   indicator.ColumnSynonym,
	realise.Carried:    indicator.ColumnCarrier,
	realise.Attributed: indicator.ColumnAttribute,
	realise.Valued:     indicator.ColumnValue,
}

// saysAnew returns the drafts of a category among what the gold SQL is said as. What
// becomes of columns is known from how they are said, the rest from the indicators. Of
// what changes no indicator the rules of the category make drafts as well.
func (c category) saysAnew(p *perturb.Pass, s *source, aligner *indicator.Aligner) ([]perturb.Draft, error) {
	list, err := realised(p, s, aligner)
	if err != nil {
		return nil, err
	}
	var out []perturb.Draft
	bases := 0
	for _, q := range list {
		if c.of(q.Question, q.columns, q.change) {
			out = append(out, perturb.Draft{Question: q.Text, Source: fromGold, Note: "said anew"})
		}
		if bases < maxBases && len(q.columns) == 0 && q.change.Is(indicator.Others) && c.restates() {
			bases++
			again := *s
			again.question, again.alignment = q.Text, q.after
			drafts, err := c.restated(p, &again, aligner, s.alignment)
			if err != nil {
				return nil, err
			}
			out = append(out, drafts...)
		}
	}
	return out, nil
}

// maxBases is the number of questions said anew of one example to which rules are applied.
const maxBases = 6

// restates reports whether the category's rules may follow what is said anew: those that
// change a few words, whatever the sentence around them.
func (c category) restates() bool {
	return slices.Contains([]indicator.Category{indicator.ValueSynonym, indicator.KeywordSynonym, indicator.ColumnValue, indicator.ColumnAttribute}, c.name)
}

// restated applies the rules of a category to a question that was said anew, and keeps
// the best draft that asks the same and changes what the category changes, beside both
// that question and the original. Its factuality can be told beside the former alone, from
// which it differs little.
func (c category) restated(p *perturb.Pass, s *source, aligner *indicator.Aligner, original *indicator.Alignment) ([]perturb.Draft, error) {
	var drafts []perturb.Draft
	for _, d := range c.drafts(s) {
		after := aligner.Align(d.Question)
		if !d.Reopens && aligner.Classify(s.alignment, after).Is(c.name) && aligner.Classify(original, after).Is(c.name) {
			drafts = append(drafts, d)
		}
	}
	list, err := judged(p, s.question, drafts)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	best := slices.MaxFunc(list, func(a, b checked) int { return cmp.Compare(a.factuality(), b.factuality()) })
	if best.factuality() < MinFactuality || (meaning{c.name, s.alignment}).differs(aligner.Align(best.Question)) {
		return nil, nil
	}
	return []perturb.Draft{{Question: best.Question, Source: fromGold, Note: "said anew, " + best.Note}}, nil
}

// changes returns the categories of what becomes of the columns that a question names;
// ok is false where one is implied at one place and named at another.
func changes(db *dataset.Database, question string, q realise.Question) (list []indicator.Category, ok bool) {
	before, after := wordsOf(question), wordsOf(q.Text)
	found := map[indicator.Category]bool{}
	for column, manner := range q.Manners {
		category, implied := manners[manner]
		name := db.Column(column).Name
		switch {
		case !implied || !names(before, name):
		case !names(after, name):
			found[category] = true
		case manner == realise.Carried:
			return nil, false
		}
	}
	for _, c := range indicator.Categories() {
		if found[c] {
			list = append(list, c)
		}
	}
	return list, true
}

// of reports whether a question is of a category: of the column's where that is all that
// changed, of a keyword's where no column did, of multitype where several changed.
func (c category) of(q realise.Question, columns []indicator.Category, change indicator.Change) bool {
	keywords := 0
	for _, k := range []indicator.Category{indicator.KeywordSynonym, indicator.KeywordCarrier} {
		if change.Kinds.Has(k) {
			keywords++
		}
	}
	switch c.name {
	case indicator.ValueSynonym:
		return false // values are said as they stand in the data
	case indicator.Multitype:
		return len(columns)+keywords > 1
	case indicator.KeywordCarrier:
		return len(columns) == 0 && change.Is(c.name) && !strings.HasPrefix(q.Text, "Count ") // says the keyword
	case indicator.Others, indicator.KeywordSynonym:
		return len(columns) == 0 && change.Is(c.name)
	}
	return len(columns) == 1 && columns[0] == c.name && keywords == 0
}

func wordsOf(text string) []string { return strings.Fields(lexicon.Normal(text)) }

// names reports whether words have those of a column's name.
func names(words []string, column string) bool {
	for _, w := range wordsOf(column) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}
