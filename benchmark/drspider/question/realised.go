package question

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/perturb"
)

// The sources of drafts that no model wrote: rules, and drafts that are realised from the gold SQL.
const (
	fromRules = "rules"
	fromGold  = "gold SQL"
)

// maxRealised is the number of questions that are realised from one gold SQL.
const maxRealised = 32

// realisation is a question realised from a gold SQL, with how it differs from the example's own question.
type realisation struct {
	realise.Question
	columns []indicator.Category // how it changes the columns that the example's question names
	after   *indicator.Alignment
	change  indicator.Change
}

// realisedOf is the key under which a pass stores the realised questions of an example. The first draw of the example's
// stream distinguishes runs with different seeds.
type realisedOf struct {
	ex   *perturb.Example
	draw uint64
}

// realised returns the questions realised from an example's gold SQL, or none if the realiser
// does not support it. It realises them once for all categories and stores them in p.Memo, so the caller must not change them.
func realised(p *perturb.Pass, s *source, aligner *indicator.Aligner) ([]realisation, error) {
	rng := p.CommonRand("realise", s.ex.Question, s.ex.Query)
	return perturb.Memoize(p.Memo, realisedOf{s.ex, rng.Uint64()}, func() (list []realisation, err error) {
		nouns := func(c dataset.ColumnRef) []string { return nounsOf(s.senses, p.DB, c) }
		questions, err := realise.Questions(s.senses.Database(), s.ex.Gold, s.ex.Binding, s.question, nouns, rng, maxRealised)
		if _, unsupported := errors.AsType[*realise.Unsupported](err); err != nil && !unsupported {
			return nil, err
		}
		for _, q := range questions {
			if columns, ok := changes(p.DB, s.alignment, q); ok {
				after := aligner.Align(q.Text)
				list = append(list, realisation{q, columns, after, aligner.Classify(s.alignment, after)})
			}
		}
		return list, nil
	})
}

// nounsOf returns the names of a column's sense that may replace its own name in a sentence. It leaves out names that begin with a word for
// the rows, as the sentence names these too: "the paper names of papers".
func nounsOf(senses *perturb.Senses, db *dataset.Database, c dataset.ColumnRef) (out []string) {
	rows := []string{english.SingularPhrase(strings.ToLower(db.Tables[c.Table].Name))} // words for the rows
	_, head := english.CutLast(rows[0])
	rows = append(rows, lexicon.DefaultDictionary().Synonyms(head)...)
	for _, s := range senses.Table(c.Table) {
		rows = append(rows, s.Name)
	}
	for _, s := range senses.Column(c) {
		beginsWith := func(name string) bool { return strings.HasPrefix(s.Name, name+" ") } // or with a synonym: "the customers' client type"
		if canReplace(s.Name, db.Column(c).Name) && !slices.ContainsFunc(rows, beginsWith) {
			out = append(out, s.Name)
		}
	}
	return out
}

// canReplace reports whether a name can replace that of a column in a sentence: "hometown" by "birthplace".
func canReplace(name, column string) bool {
	switch {
	case unlikeNoun(name), isAbbreviated(name), strings.Contains(name, " per "), heading.IsUnsaid(name, column):
		return false
	case strings.EqualFold(column, "name") && !strings.HasSuffix(name, "name") && name != "title": // "item" of a card
		return false
	case !addsWord(name, column), hasNameWords(wordsOf(name), lexicon.Bare(column)): // no new word, or all words of the column and more
		return false
	}
	return english.IsPlural(name) == english.IsPlural(column)
}

// isAbbreviated reports whether a name is an abbreviation that the dictionary does not have as a word: "twp". Questions write such words
// out.
func isAbbreviated(name string) bool {
	return len(lexicon.DefaultAbbreviations().ExpandListed(name)) > 0 && len(lexicon.DefaultDictionary().Synonyms(name)) == 0
}

// addsWord reports whether a name has a content word that a column's own name lacks. "Home town" has none for the column "hometown", nor
// "date of publication" for "publication date". It returns false for names that mean little alone, such as "number".
func addsWord(name, column string) bool {
	own := lexicon.Bare(column)
	if slices.Contains(words.Words("alone"), name) || strings.EqualFold(strings.ReplaceAll(name, " ", ""), strings.ReplaceAll(own, " ", "")) {
		return false
	}
	known := wordsOf(own)
	return slices.ContainsFunc(wordsOf(name), func(w string) bool { return !functionWords[w] && !slices.Contains(known, w) })
}

// manners maps how the realiser words a column to the category of that change.
var manners = map[realise.Manner]indicator.Category{
	realise.Reworded:   indicator.ColumnSynonym,
	realise.Carried:    indicator.ColumnCarrier,
	realise.Attributed: indicator.ColumnAttribute,
	realise.Valued:     indicator.ColumnValue,
}

// fromRealised returns the drafts of a category among the questions realised from the gold SQL. The realiser reports how it
// changed columns, and the aligner the other changes. A question that changes no indicator gets drafts by the rules of the
// category if that is one of [restating], for at most [maxBases] such questions.
func (c category) fromRealised(p *perturb.Pass, s *source, aligner *indicator.Aligner) ([]perturb.Draft, error) {
	list, err := realised(p, s, aligner)
	if err != nil {
		return nil, err
	}
	var out []perturb.Draft
	bases := 0 // questions to which the rules were applied
	for _, q := range list {
		if c.includes(q) {
			out = append(out, perturb.Draft{Question: q.Text, Source: fromGold, Note: "said anew"})
		}
		if bases == maxBases || !q.changesNothing() || !slices.Contains(restating, c.name) {
			continue
		}
		bases++
		base := *s
		base.question, base.alignment = q.Text, q.after
		drafts, err := c.restated(p, &base, aligner, s.alignment)
		if err != nil {
			return nil, err
		}
		out = append(out, drafts...)
	}
	return out, nil
}

// maxBases is the number of realised questions of one example to which rules are applied.
const maxBases = 6

// restating are the categories whose rules apply to realised questions as well: they change a few words, whatever the
// sentence around them.
var restating = []indicator.Category{indicator.ValueSynonym, indicator.KeywordSynonym, indicator.ColumnValue, indicator.ColumnAttribute}

// changesNothing reports whether a realised question changes no indicator: neither the words for a column, by the realiser, nor anything
// else, by the classifier.
func (q realisation) changesNothing() bool {
	return len(q.columns) == 0 && q.change.Is(indicator.Others)
}

// restated applies the rules of a category to the realised question of s, and returns the most factual draft, or none if that
// asks something else. A draft must be of the category both compared with the realised question and with the original. Its factuality
// is that towards the realised question, from which it differs little.
func (c category) restated(p *perturb.Pass, s *source, aligner *indicator.Aligner, original *indicator.Alignment) ([]perturb.Draft, error) {
	drafts := slices.DeleteFunc(c.drafts(s), func(d perturb.Draft) bool {
		after := aligner.Align(d.Question)
		isOf := func(before *indicator.Alignment) bool { return aligner.Classify(before, after).Is(c.name) }
		return !isOf(s.alignment) || !isOf(original)
	})
	list, err := withFactuality(p, s.question, drafts)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	best := slices.MaxFunc(list, func(a, b checked) int { return cmp.Compare(a.factuality(), b.factuality()) })
	if best.factuality() < MinFactuality || (meaning{c.name, s.alignment}).differs(aligner.Align(best.Question)) {
		return nil, nil
	}
	return []perturb.Draft{{Question: best.Question, Source: fromGold, Note: "said anew, " + best.Note}}, nil
}

// changes returns the categories of the changes that a realised question makes to columns, in the order of the paper. It considers the
// columns that the original question names by all or some words of their names. Ok is false if the realised question implies a column at
// one place and names it at another.
func changes(db *dataset.Database, question *indicator.Alignment, q realise.Question) (list []indicator.Category, ok bool) {
	before, after := wordsOf(question.Question), wordsOf(q.Text)
	found := map[indicator.Category]bool{}
	for column, manner := range q.Manners {
		category, changed := manners[manner] // not for [realise.Named]
		name := db.Column(column).Name
		if !hasNameWords(before, name) {
			name = question.WordsFor(column)
		}
		switch {
		case !changed || name == "": // the realiser names the column, or the original question does not
		case !hasNameWords(after, name):
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

// includes reports whether a realised question belongs to a category: to multitype if it changes several kinds of indicators, else to the
// category of its only change.
func (c category) includes(q realisation) bool {
	keywords := lists.Count([]indicator.Category{indicator.KeywordSynonym, indicator.KeywordCarrier}, q.change.Kinds.Has)
	switch {
	case c.name == indicator.ValueSynonym:
		return false // the realiser writes values as the data has them
	case c.name == indicator.Multitype:
		return len(q.columns)+keywords > 1
	case c.name == indicator.KeywordCarrier && strings.HasPrefix(q.Text, "Count "):
		return false // "Count" names the keyword
	case c.name == indicator.KeywordCarrier:
		return len(q.columns) == 0 && q.change.Within(indicator.KeywordCarrier, indicator.ColumnSynonym) // the realiser changed no column
	case slices.Contains(noColumnCategories, c.name):
		return len(q.columns) == 0 && q.change.Is(c.name)
	}
	return keywords == 0 && slices.Equal(q.columns, []indicator.Category{c.name})
}

// noColumnCategories are the categories that change no column.
var noColumnCategories = []indicator.Category{indicator.Others, indicator.KeywordSynonym, indicator.KeywordCarrier}

// wordsOf returns the words of a text in their normal form.
func wordsOf(text string) []string { return strings.Fields(lexicon.Normal(text)) }

// hasNameWords reports whether words have all words of a column's name.
func hasNameWords(words []string, column string) bool {
	return !slices.ContainsFunc(wordsOf(column), func(w string) bool { return !slices.Contains(words, w) })
}
