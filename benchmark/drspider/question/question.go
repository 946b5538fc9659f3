// Package question holds the nine question perturbations of Dr.Spider: each
// paraphrases a question in one way, and leaves database and gold SQL alone
// (Dr.Spider, section 3.2, appendices A.2 and A.3).
//
// Drafts come from the rules of this package, from the pass's Paraphraser, if there is one, and from questions that are
// realised from the gold SQL, which keep its meaning by construction. All others pass the same filter. This package
// replaces the people of the paper: the crowd, whose paraphrases its prompts show, and the experts who reviewed the
// result.
package question

import (
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// category is one of the nine.
type category struct {
	name  indicator.Category
	doc   string
	rules []rule
	parts []category // of multitype: the categories that it puts together
}

// categories returns the nine in the order of the paper's table 1.
func categories() []category {
	single := []category{
		{indicator.KeywordSynonym, "Replaces words that stand for SQL keywords by synonyms: 'more than' by 'over'.", keywordSynonymRules(), nil},
		{indicator.KeywordCarrier, "Lets a phrase imply an SQL keyword: 'the number of' becomes 'how many'.", keywordCarrierRules(), nil},
		{indicator.ColumnSynonym, "Replaces words that stand for columns by synonyms.", columnSynonymRules(), nil},
		{indicator.ColumnCarrier, "Lets a phrase imply a column: 'the names of the singers' becomes 'which singers'.", columnCarrierRules(), nil},
		{indicator.ColumnAttribute, "Lets an adjective imply a column: 'the greatest age' becomes 'the oldest'.", columnAttributeRules(), nil},
		{indicator.ColumnValue, "Lets a value imply its column: 'the city of Paris' becomes 'Paris'.", columnValueRules(), nil},
		{indicator.ValueSynonym, "Writes values in other words or forms: '10' as 'ten'.", valueSynonymRules(), nil},
	}
	return append(single,
		category{indicator.Multitype, "Paraphrases in two or more of the other ways at once.", nil, single},
		category{indicator.Others, "Paraphrases the sentence and leaves the words for keywords, columns and values as they are.", othersRules(), nil})
}

// All lists the perturbations of this package.
var All = perturbations()

// perturbations returns one perturbation for each of the nine categories.
func perturbations() []*perturb.Perturbation {
	var all []*perturb.Perturbation
	for _, c := range categories() {
		all = append(all, &perturb.Perturbation{
			Name: "drspider/" + string(c.name), Doc: c.doc, Paper: "Dr.Spider, section 3.2 and appendices A.2, A.3",
			Version: 2, Relation: perturb.Invariant, Group: perturb.GroupNLQ, Judged: true, Run: c.run,
		})
	}
	return all
}

// run reports up to p.Samples paraphrases of each example, or why there is none.
func (c category) run(p *perturb.Pass) error {
	outcomes, err := c.paraphrased(p)
	if err != nil {
		return err
	}
	asked := map[string]bool{} // the drafts of earlier examples
	for n, ex := range p.Examples {
		kept := outcomes[n]
		new(Funnel).trim(p, &kept, asked) // its counts are not needed
		for i, k := range kept.list {
			p.Report(perturb.Variant{Sample: i, Examples: []*perturb.Example{ex}, Edits: []perturb.Edit{
				perturb.SetQuestion{Question: k.Question, From: k.from()},
			}})
		}
		if len(kept.list) == 0 {
			p.Reject(ex, 0, kept.reason, kept.detail)
		}
	}
	return p.Context.Err()
}

// atOnce is the number of examples for which a paraphraser is asked concurrently.
const atOnce = 4

// paraphrased returns the outcome of each example, in the order of p.Examples. It asks the paraphraser about up to [atOnce] examples
// concurrently, before it runs the rules.
func (c category) paraphrased(p *perturb.Pass) ([]outcome, error) {
	senses, err := p.Senses()
	if err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(p.Examples))
	answers := make([]answer, len(p.Examples))
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i, ex := range p.Examples {
		g.Go(func() error {
			answers[i] = c.ask(p, ex)
			return p.Context.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, ex := range p.Examples {
		if outcomes[i], err = new(Funnel).paraphrase(c, p, senses, ex, answers[i]); err != nil { // the counts are not needed
			return nil, err
		}
	}
	return outcomes, nil
}

// answer holds the drafts of a paraphraser, or why there are none.
type answer struct {
	drafts []perturb.Draft
	err    error
}

// ask returns the drafts of the paraphraser for an example, or its error. Without a paraphraser there are none.
func (c category) ask(p *perturb.Pass, ex *perturb.Example) (a answer) {
	if p.Paraphraser == nil || p.Context.Err() != nil { // the caller checks the context
		return answer{}
	}
	mentions := mentionsOf(p.DB, indicator.New(ex, p.DB).Align(ex.Question))
	a.drafts, a.err = p.Paraphraser.Drafts(p.Context, perturb.Task{Category: string(c.name), DB: p.DB, Example: ex, Mentions: mentions})
	return a
}

// mentionsOf returns the mentions that a paraphraser gets with a question (the "mentioned SQL tokens" of appendix A.2):
// all keywords and values, implied ones too, and the columns that the question names.
func mentionsOf(db *dataset.Database, a *indicator.Alignment) []perturb.Mention {
	var out []perturb.Mention
	for _, m := range a.Mentions {
		if m.Kind != indicator.Table && !(m.Kind == indicator.Column && m.Implied()) {
			out = append(out, perturb.Mention{Kind: m.Kind.String(), Text: m.Text, Stands: meaningOf(db, m)})
		}
	}
	return out
}

// meaningOf returns the SQL that a mention is for: "count(*)", "singer.name", "'France' of singer.country", "ORDER BY singer.age DESC".
func meaningOf(db *dataset.Database, m indicator.Mention) string {
	column := "*"
	if m.Column.Table >= 0 {
		column = db.Tables[m.Column.Table].Original + "." + db.Column(m.Column).Original
	}
	switch m.Kind {
	case indicator.Table:
		return db.Tables[m.Table].Original
	case indicator.Column:
		return column
	case indicator.Value:
		if column == "*" {
			return fmt.Sprintf("'%s'", m.Value)
		}
		return fmt.Sprintf("'%s' of %s", m.Value, column)
	}
	switch m.Keyword {
	case "count", "sum", "avg", "max", "min":
		return m.Keyword + "(" + column + ")"
	case "asc", "desc", "asc limit", "desc limit":
		if m.Op != "" {
			column = m.Op + "(" + column + ")"
		}
		return "ORDER BY " + column + " " + strings.ToUpper(m.Keyword)
	case "distinct":
		return "DISTINCT"
	}
	return column + " " + m.Keyword + " " + m.Value
}
