package perturb

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/nli"
)

// Resources are what perturbations draw words from and are judged by. Every
// field may be nil: what needs it then rejects its examples, with that reason.
type Resources struct {
	Dictionary lexicon.Dictionary
	// Headings gives names to columns by the sense that they have in their table. It is
	// a function, as reading them takes longer than most perturbations that need none.
	Headings      func() *heading.Thesaurus
	Abbreviations *lexicon.Abbreviations
	Domains       *lexicon.DomainWords
	Contrasts     *lexicon.Contrasts
	Vectors       lexicon.Vectors
	// Attributes are the columns that tables about an entity have (MT-TEQL, section 3.2).
	Attributes func() *lexicon.Attributes

	// NLI scores pairs of column names in the sentences of nli.Template.
	NLI nli.Classifier
	// Factuality scores whole questions: whether the second asks the same as the
	// first (Dr.Spider, section 3.2).
	Factuality nli.Classifier
	// Paraphraser drafts questions in addition to the built-in rules; may be nil.
	Paraphraser Paraphraser
	// Masked proposes words for a blank.
	Masked Masked
	// Annotations are alternative names of tables and columns, by database id.
	Annotations Annotations
}

// Models returns the keys of the models among the resources.
func (r Resources) Models() []string {
	var keys []string
	for _, k := range []interface{ Key() string }{r.NLI, r.Factuality, r.Paraphraser, r.Masked} {
		if k != nil {
			keys = append(keys, k.Key())
		}
	}
	return keys
}

// Annotations are alternative names of tables and columns (Spider-Syn, section 3.1). A key with
// an empty Column is of a table.
type Annotations map[dataset.ColumnID][]string

// Masked is a masked language model.
type Masked interface {
	// Fill returns up to k words for the token [MASK] of text, the most probable
	// first.
	Fill(ctx context.Context, text string, k int) ([]Word, error)
	// Key identifies the model and its weights.
	Key() string
}

// Word is a word with its probability.
type Word struct {
	Text        string
	Probability float64
}

// Mention is a part of the gold SQL that a question mentions.
type Mention struct {
	Kind   string // "keyword", "column", "table" or "value"
	Text   string // the words of the question; empty if it is implied
	Stands string // what they stand for: "count(*)", "singer.name", "'France' of singer.country"
}

// Task asks for paraphrases of one example's question.
type Task struct {
	Category string // name of the perturbation without its family: "column-carrier"
	DB       *dataset.Database
	Example  *Example
	Mentions []Mention // what the question speaks of, whatever the category
}

// Draft is a paraphrase that nobody has checked.
type Draft struct {
	Question string
	Source   string // "rules", or the name of a model
	Note     string // how it was made, for people
}

// Paraphraser drafts paraphrases. Implementations are safe for concurrent use;
// the same task gives the same drafts.
type Paraphraser interface {
	Drafts(ctx context.Context, t Task) ([]Draft, error)
	// Key identifies all that drafts depend on but the task.
	Key() string
}
