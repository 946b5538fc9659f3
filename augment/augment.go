// Package augment finds names for columns: ADVETA's contextualized table
// augmentation (section 4).
//
// [Sources] propose names for the columns of a table: a thesaurus of headings, similar web
// tables, a dictionary, attributes of the table's entity, a large model. An [Augmenter]
// has an NLI model score every name against its column in both directions, and a policy
// puts it into the REPLACE bucket or the ADD bucket, or rejects it. A model of [Validity]
// then predicts whether people accept it. A rejected name comes with the reason, see
// [Column].
package augment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever/statistics"
)

// Column is what was found for one column.
type Column struct {
	ID       dataset.ColumnID
	Bucket   dataset.Bucket
	Rejected []Rejected
}

// Rejected is a proposed name that came into neither bucket, with the reason.
type Rejected struct {
	dataset.Candidate
	Reason string `json:"reason"`
}

// Augmenter finds names for columns and decides on them.
type Augmenter struct {
	Sources    []Source
	Resources  Resources
	Classifier nli.Classifier
	Policy     nli.Policy
	Entities   *nli.EntityPredictor
	Known      *nli.Entities // entities that need no prediction; may be nil
	Validity   *Validity     // predicts whether people accept a name; nil where entailments alone decide
	Prefer     dataset.Prefer
	Judge      *chat.Client // a large model that grades names, which moves their validity; may be nil
}

// Judged is a name proposed for a column, with its scores and what was decided on it.
type Judged struct {
	Proposal
	Column   int          // in its table
	Decision nli.Decision // the bucket, or why the name is in none
	source   *Source

	tables   int            // of the same kind, which were retrieved
	together int            // embedded tables that have the column and the name
	fit      statistics.Fit // of the name in the asked table, by the embedded tables
}

// reject takes a name out of its bucket.
func (j *Judged) reject(format string, args ...any) {
	j.Decision = nli.Decision{Reason: fmt.Sprintf(format, args...)}
}

// Propose returns the names of all sources for the columns of a table, by column and then
// by source. A name that several sources propose for a column keeps the first source. Names
// that the table already has, the SQL names of its columns among them, are dropped, whatever
// their case, punctuation or number.
// If the error is an [*Unanswered], only the names of that model are missing.
func (a *Augmenter) Propose(ctx context.Context, u *dataset.Unit, table int) ([]Judged, error) {
	t := &u.DB.Tables[table]
	agreement, err := a.agree(ctx, u, table)
	if err != nil {
		return nil, err
	}
	keyed := rerank.Asked(t)
	asked := &Asked{Unit: u, Table: table, Agreement: agreement, keys: keyed.Keys, rows: keyed.Entity}
	p := newProposed(t)
	var missing error
	for s := range a.Sources {
		source := &a.Sources[s]
		lists, err := source.Propose(ctx, &a.Resources, asked)
		if err != nil {
			if _, ok := errors.AsType[*Unanswered](err); !ok {
				return nil, err
			}
			missing = err
		}
		p.add(source, lists, agreement.Tables)
	}
	names := slices.Concat(p.columns...)
	if a.retrieves() { // otherwise the agreement has no tables
		for i := range names {
			names[i].confirm(asked)
		}
	}
	return names, missing
}

// proposed holds the names that sources proposed for the columns of a table.
type proposed struct {
	columns [][]Judged
	seen    map[columnName]bool
	taken   map[string]bool // names of the table, by normal form
	measure map[string]bool // names of the table without their units, by normal form: a weight repeats a weight in kg
}

// columnName is a name for a column, given by its position.
type columnName struct {
	column int
	name   string
}

// newProposed returns the still empty lists of proposed names for the columns of t, with the names that are taken: those of t, and those of
// its columns without units, as a "weight" would repeat a "weight in kg".
func newProposed(t *dataset.Table) *proposed {
	p := &proposed{columns: make([][]Judged, len(t.Columns)), seen: map[columnName]bool{}, taken: map[string]bool{}, measure: map[string]bool{}}
	for _, name := range takenNames(t) {
		p.taken[lexicon.Normal(name)] = true
	}
	for _, c := range t.Columns {
		p.measure[lexicon.Normal(strings.Join(english.WithoutUnit(lexicon.Words(c.Name)), " "))] = true
	}
	return p
}

// add adds the names of a source, a list for each column, that are new for the column and that the table lacks. tables is
// the number of retrieved tables.
func (p *proposed) add(source *Source, lists [][]Proposal, tables int) {
	for i, list := range lists {
		for _, proposal := range list {
			name := columnName{i, proposal.Name}
			if p.seen[name] || p.isTaken(&proposal) {
				continue
			}
			p.seen[name] = true
			proposal.Source = source.Name
			p.columns[i] = append(p.columns[i], Judged{Proposal: proposal, Column: i, source: source, tables: tables})
		}
	}
}

// isTaken reports whether the table has a proposed name already; for an ADD name, also whether the name lacks only the unit of one.
func (p *proposed) isTaken(proposal *Proposal) bool {
	name := lexicon.Normal(proposal.Name)
	return p.taken[name] || proposal.Side == dataset.Add && p.measure[name]
}

// Unit finds names for the columns of a unit, in the order of the schema. It leaves out
// columns that are derived from others and those whose name is made up ("column 3").
func (a *Augmenter) Unit(ctx context.Context, u *dataset.Unit) ([]Column, error) {
	var s shard
	err := a.unit(ctx, u, &s)
	return s.Columns, err
}

// unit adds to a shard the names for the columns of a unit, the predicted entities of its tables, and the tables
// about which large models gave no answer.
func (a *Augmenter) unit(ctx context.Context, u *dataset.Unit, s *shard) error {
	if a.Validity == nil { // entailments alone decide
		a = a.withoutValidity()
	}
	return a.eachTable(ctx, u, func(u *dataset.Unit, t int, n *tableNames) error {
		if err := a.validate(ctx, u, t, n); err != nil {
			return err
		}
		if n.entity != nil {
			s.Entities = append(s.Entities, *n.entity)
		}
		s.addUnanswered(u.DB.ID+"."+u.DB.Tables[t].Original, n.unanswered)
		s.Columns = append(s.Columns, a.columns(u.DB, t, n.names)...)
		return nil
	})
}

// withoutValidity returns an augmenter that decides by entailments alone: every name has
// validity 0, which is enough, no model grades names, and the sources have neither caps nor
// buckets of their own.
func (a *Augmenter) withoutValidity() *Augmenter {
	entailing := *a
	entailing.Validity, entailing.Judge = &Validity{}, nil
	entailing.Sources = make([]Source, len(a.Sources))
	for i, s := range a.Sources {
		entailing.Sources[i] = s.withoutSides()
	}
	return &entailing
}

// addUnanswered counts a table about which large models gave no answer, and stores the reasons
// that are reported: not those that every further table would repeat.
func (s *shard) addUnanswered(table string, unanswered []*Unanswered) {
	if len(unanswered) > 0 {
		s.Unanswered++
	}
	for _, err := range unanswered {
		if err.reported() {
			s.Problems = append(s.Problems, table+": "+err.Error())
		}
	}
}

// tableNames are the names that were found for a table.
type tableNames struct {
	names      []Judged         // as [Augmenter.Propose] returns them
	entity     *nli.TableEntity // of the table, where it had to be predicted
	unanswered []*Unanswered
}

// collect stores an [*Unanswered] and returns nil for it; it returns any other error.
func (n *tableNames) collect(err error) error {
	if unanswered, ok := errors.AsType[*Unanswered](err); ok {
		n.unanswered = append(n.unanswered, unanswered)
		return nil
	}
	return err
}

// eachTable calls each for every table of a unit, with the names found for it and the decisions by
// entailment. It passes on the unit without the columns that get no names ([nameable]).
func (a *Augmenter) eachTable(ctx context.Context, u *dataset.Unit, each func(u *dataset.Unit, t int, n *tableNames) error) error {
	u = nameable(u)
	for t := range u.DB.Tables {
		n, err := a.decideTable(ctx, u, t)
		if err == nil {
			err = each(u, t, n)
		}
		if err != nil {
			return fmt.Errorf("%s.%s: %w", u.DB.ID, u.DB.Tables[t].Original, err)
		}
	}
	return nil
}

// decideTable returns the names for a table with the decisions by entailment, and the models that gave no answer. It returns no names
// for a table without columns.
func (a *Augmenter) decideTable(ctx context.Context, u *dataset.Unit, t int) (*tableNames, error) {
	n := &tableNames{}
	table := &u.DB.Tables[t]
	if len(table.Columns) == 0 {
		return n, nil
	}
	// entry is nil if the table's own name is the entity.
	entity, entry, err := a.Entities.Entity(ctx, u.DB.ID, table, a.Known)
	if err != nil {
		return nil, err
	}
	n.entity = entry
	n.names, err = a.Propose(ctx, u, t)
	if err := n.collect(err); err != nil {
		return nil, err
	}
	for _, decide := range []func(context.Context, string, *dataset.Table, []Judged) error{a.score, a.rejectConflicts, a.rejectDoubtful} {
		if err := decide(ctx, entity, table, n.names); err != nil {
			return nil, err
		}
	}
	rejectJoined(u.DB, t, n.names)
	rejectSecondNumbers(table, n.names)
	return n, nil
}

// validate predicts the validity of names, has a large model grade them if there is one, and rejects the
// names that people are not likely to accept.
func (a *Augmenter) validate(ctx context.Context, u *dataset.Unit, t int, n *tableNames) error {
	a.predict(&u.DB.Tables[t], n.names)
	if a.Judge != nil {
		if err := n.collect(a.grade(ctx, u, t, n.names)); err != nil {
			return err
		}
	}
	a.rejectInvalid(n.names)
	return nil
}

// EachSided passes to each the names of a unit that have a side, replace or add, by the entailment scores or by
// their source. These are the names whose validity is predicted.
func (a *Augmenter) EachSided(ctx context.Context, u *dataset.Unit, each func(t *dataset.Table, j *Judged) error) error {
	return a.eachTable(ctx, u, func(u *dataset.Unit, t int, n *tableNames) error {
		for i := range n.names {
			if n.names[i].Decision.Side == "" {
				continue
			}
			if err := each(&u.DB.Tables[t], &n.names[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
