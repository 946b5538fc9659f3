package augment

import (
	"context"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
)

// Source is one way to find names for columns, with everything that the rest of the
// program has to know of it. [Sources] lists them; a test checks that each is complete.
type Source struct {
	Name  string // the [dataset.Candidate.Source] of its names
	Doc   string // a sentence for `tabperturb list`
	Paper string // the section that describes it; "" where none does

	// Propose returns names for the columns of one table of a unit: a list for each
	// column, best first. It sets Similarity, as [rerank.Selector.Rank] does, and leaves
	// Source, Forward, Backward and Validity empty. [Augmenter.Propose] drops names that the
	// table already has. An [*Unanswered] as the error means that the names are incomplete.
	Propose func(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error)

	// Features reports what only this source knows of a name proposed for a column, as
	// numbers of about one for the model of [Validity]. It is nil where there is nothing
	// but what [Judged.Features] reports for every source.
	Features func(column *dataset.Column, p *Proposal, report func(name string, value float64))

	// Untrained is set where the embedded model of validity was trained without names of
	// this source. Then only those features count that do not name a source.
	Untrained bool

	// Caps holds, by bucket, the number of names up to which this source fills the bucket
	// where other sources leave room. A bucket without an entry takes all its names.
	Caps map[dataset.Side]int

	// KnowsTable is set where the source chooses names by the whole table. Then the
	// bucket that it proposes a name for counts more than the entailments.
	KnowsTable bool

	// Apart is set where the source sees to it that ADD names mean no other column. They are not compared with the
	// other columns by entailment (ADVETA, footnote 5).
	Apart bool

	// Synonyms is set where REPLACE names are synonyms from a book. They skip the checks
	// of [Augmenter.rejectDoubtful].
	Synonyms bool
}

// Sources returns all sources, the most reliable first: of a name that several propose,
// the first one's proposal counts.
func Sources() []Source {
	return []Source{thesaurusSource, retrievalSource, dictionarySource, attributesSource, modelSource}
}

// Resources is what sources find names with.
type Resources struct {
	Index      *retriever.Index // of the user's tables, in addition to the embedded statistics; may be nil
	Tables     int              // tables retrieved from the index for a table
	Dictionary lexicon.Dictionary
	Selector   *rerank.Selector // ranks names by similarity
	Proposer   *chat.Client     // a large model that proposes names; nil where none is asked
	Seed       uint64           // of drawn cells
}

// Asked is a table that names are asked for.
type Asked struct {
	Unit      *dataset.Unit
	Table     int
	Agreement *rerank.Agreement // of the retrieved tables; without headers if none are retrieved

	keys []string // of the columns, see [statistics.Key]
	rows string   // key of what a row is; "" where it is not known
}

// table returns the table asked for.
func (a *Asked) table() *dataset.Table { return &a.Unit.DB.Tables[a.Table] }

// Proposal is a name that a source proposes.
type Proposal struct {
	dataset.Candidate
	Side dataset.Side // the bucket that the source proposes it for; "" if it leaves that open
	Rank int          // among the names that the source proposes for the column and side, from 0

	// Of the sense of the column that the name was taken from; zero for other sources than the thesaurus.
	Votes    int  // cues for the sense
	Margin   int  // votes more than the next sense has
	Default  bool // without any cue it is the sense of an ordinary table
	Composed bool // it was found by the parts of the column's name, not by the whole name
	Contrast bool // it pairs with the column's name

	Header *rerank.Header // that the name is in the retrieved tables; nil where none has it

	Grade string // by a large model that judged it; "" where none did
}

// The groups of names that the thesaurus composed, and of those that pair with the column's.
const (
	composedGroup = "composed"
	contrastGroup = "contrast"
)

// group returns the name under which features of a proposal are reported: its source,
// but composed names and pairs form groups of their own.
func (p *Proposal) group() string {
	switch {
	case p.Contrast:
		return contrastGroup
	case p.Composed:
		return composedGroup
	}
	return p.Source
}

// withoutSides returns the source with neither caps nor the buckets that it proposes names
// for, so that entailments alone decide.
func (s Source) withoutSides() Source {
	propose := s.Propose
	s.Caps, s.KnowsTable, s.Apart = nil, false, false
	s.Propose = func(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
		lists, err := propose(ctx, r, a)
		for _, list := range lists {
			for i := range list {
				list[i].Side = ""
			}
		}
		return lists, err
	}
	return s
}

// takenNames returns the names of all columns of a table, as people read and as SQL
// spells them.
func takenNames(t *dataset.Table) []string {
	return lists.FlatMap(t.Columns, func(c dataset.Column) []string { return []string{c.Name, c.Original} })
}
