// Package perturb turns candidate names into perturbed databases and proves
// that each kept its promise.
//
// A [Perturbation] reads one unit, a database with all its questions, and
// reports [Variant]s: lists of [Edit]s with the examples they cover. It mutates
// nothing. The driver applies the edits: [ApplySchema] to the schema, [RewriteGold]
// to the gold SQL, over its syntax tree, and [ApplyContent] to a copy of the SQLite
// file. [Holds] then compares the answers before and after under the [Relation]
// that was promised.
package perturb

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Relation is the promise of a perturbation about gold SQL and its answer.
type Relation string

const (
	// Invariant: the gold SQL is unchanged, but for names that became
	// ambiguous and are qualified; the answer is the same.
	Invariant Relation = "invariant"
	// Renamed: the gold SQL differs by names and qualifiers only; the answer is the
	// same.
	Renamed Relation = "renamed"
	// Recoded: gold SQL and cells change under one map of values; the answer is
	// the same but for that map.
	Recoded Relation = "recoded"
	// Reshaped: columns or tables are split or merged without loss, and gold SQL reads them
	// where they are; the answer is the same.
	Reshaped Relation = "reshaped"
	// Retargeted: question and gold SQL change together; the new gold SQL runs, its
	// answer is determined ([Unfit]) and differs if the data can show it.
	Retargeted Relation = "retargeted"
	// Unanswerable: what the gold SQL needs goes, so that the question has no answer and no gold
	// SQL; the right reaction is to refuse.
	Unanswerable Relation = "unanswerable"
)

// relations lists them all.
var relations = []Relation{Invariant, Renamed, Recoded, Reshaped, Retargeted, Unanswerable}

// Perturbation is one way to perturb a unit, as data.
type Perturbation struct {
	Name     string // "family/name", unique
	Doc      string // one sentence
	Paper    string // paper and section
	Version  int    // raised whenever the same input and seed give other variants
	Relation Relation
	Group    Group  // what it changes; empty if the paper makes no such groups
	Needs    string // the input without which it yields nothing, one of the constants; may be empty
	Judged   bool   // [Resources.Factuality] judges its questions
	Named    bool   // [Resources.NLI] judges its names
	// EveryColumn is set if it perturbs each column that the gold SQL mentions; others draw.
	EveryColumn bool
	Files       bool // its edits change the SQLite file
	Samples     int  // variants of an example that it makes by default; 0 leaves it to the run
	Run         func(*Pass) error
}

// Group is what a perturbation changes (Dr.Spider, table 3).
type Group string

// The groups.
const (
	GroupDB  Group = "DB"  // schema or content
	GroupNLQ Group = "NLQ" // the question
	GroupSQL Group = "SQL" // gold SQL, and the question with it
)

// The values of [Perturbation.Needs].
const (
	NeedsBuckets = "buckets"
	NeedsMasked  = "masked" // [Resources.Masked]
)

// Variant is a perturbed unit: edits, and the examples that they cover.
type Variant struct {
	Sample   int // which of the pass's samples, from 0
	Examples []*Example
	Edits    []Edit
}

// Example is an example with its gold SQL parsed and resolved.
type Example struct {
	*dataset.Example
	Gold    *sqlast.Query
	Binding *sqlast.Binding
	// Own are the columns that the gold SQL mentions, in order of first mention. A
	// column that is derived from another ([dataset.Column.Base]) counts as that.
	Own []dataset.ColumnRef
	// Columns are those by which changes of the schema are drawn: Own, and of a turn
	// all that its interaction mentions, the same for each turn ([JoinTurns]).
	Columns []dataset.ColumnRef
	// FinalExample is Example.Final with its gold SQL parsed and resolved; nil but for
	// the last turn of an interaction that has one.
	FinalExample *Example

	turns []*Example // see Turns
}

// NewExample parses and resolves an example's gold SQL, and sets Own and Columns to the columns that it mentions. Columns is the same
// as Own until [JoinTurns] joins the example with others.
func NewExample(db *dataset.Database, ex *dataset.Example) (*Example, error) {
	q, err := db.SQL().Parse(ex.Query)
	if err != nil {
		return nil, fmt.Errorf("gold SQL does not parse: %w", err)
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return nil, fmt.Errorf("gold SQL does not resolve: %w", err)
	}
	if len(b.Problems) > 0 {
		return nil, fmt.Errorf("gold SQL does not resolve: %w", b.Problems[0])
	}
	e := &Example{Example: ex, Gold: q, Binding: b}
	for _, c := range b.Columns() {
		ref, ok := db.Lookup(c.Table, c.Column)
		if !ok { // not a column of the schema
			continue
		}
		// A derived column counts as the column that it is derived from.
		if ref = baseOf(db, ref); !slices.Contains(e.Own, ref) {
			e.Own = append(e.Own, ref)
		}
	}
	e.Columns = e.Own
	return e, nil
}

// Column returns the column that an expression of the gold SQL names, false if it names none of
// the schema.
func (ex *Example) Column(db *dataset.Database, e sqlast.Expr) (dataset.ColumnRef, bool) {
	c := ex.Binding.Column(e)
	return db.Lookup(c.Table, c.Column)
}

// Scope is what a perturbed schema is made for, if a perturbation leaves that open.
type Scope string

// The scopes.
const (
	ScopeQuestion Scope = "question" // the columns that an example mentions (ADVETA); the default
	ScopeDatabase Scope = "database" // all examples of the database together, one schema a sample (Dr.Spider)
)

// Pass is the input of a perturbation: one unit and functions to report to.
type Pass struct {
	Resources
	Context  context.Context
	DB       *dataset.Database
	Examples []*Example
	Buckets  dataset.Buckets
	Content  *Content       // of the database; nil if the data set brings no rows
	Memo     *Memo          // what the passes over one unit share; nil to share nothing
	Samples  int            // variants wanted for each example
	Scope    Scope          // what a perturbed schema is for
	Prefer   dataset.Prefer // which names of a bucket are drawn more often; "" for evenly
	Report   func(Variant)  // takes each variant that is made
	// Reject reports why an example yields no variant for a sample although the perturbation
	// applies to it.
	Reject func(ex *Example, sample int, reason Reason, detail ...string)

	seed   [32]byte
	common [32]byte // of all perturbations of the run
}

// Seed sets the pass's randomness by the run's seed, the perturbation and the unit.
func (p *Pass) Seed(seed uint64, perturbation *Perturbation) {
	p.seed = sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%d\x00%s", seed, perturbation.Name, perturbation.Version, p.DB.ID))
	p.common = sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", seed, p.DB.ID))
}

// Rand returns the random numbers of keys. Streams of other keys are independent, whatever the
// order of the calls, so one example more or less does not change the draws of all others.
func (p *Pass) Rand(keys ...string) *rand.Rand { return keyedRand(p.seed, keys) }

// CommonRand is Rand with streams that the passes of all perturbations over a database share.
func (p *Pass) CommonRand(keys ...string) *rand.Rand { return keyedRand(p.common, keys) }

// keyedRand returns a source of random numbers that is seeded by a hash of seed and keys.
func keyedRand(seed [32]byte, keys []string) *rand.Rand {
	h := sha256.New()
	h.Write(seed[:])
	for _, k := range keys { // each after its length: "ab", "c" and "a", "bc" give other streams
		h.Write(binary.AppendUvarint(nil, uint64(len(k))))
		h.Write([]byte(k))
	}
	return rand.New(rand.NewChaCha8([32]byte(h.Sum(nil))))
}

// RejectAll rejects some examples under a sample for one reason.
func (p *Pass) RejectAll(examples []*Example, sample int, reason Reason) {
	for _, ex := range examples {
		p.Reject(ex, sample, reason)
	}
}

// Judge returns the factuality model's scores of questions, each compared with the original.
// Without a model every score is 1.
func (p *Pass) Judge(original string, questions []string) ([]nli.Entailments, error) {
	if p.Factuality == nil {
		return slices.Repeat([]nli.Entailments{{Forward: 1, Backward: 1}}, len(questions)), nil
	}
	var pairs []nli.Pair
	for _, q := range questions {
		pairs = append(pairs, nli.Pair{Premise: original, Hypothesis: q}, nli.Pair{Premise: q, Hypothesis: original})
	}
	scores, err := p.Factuality.Classify(p.Context, pairs)
	if err != nil {
		return nil, fmt.Errorf("factuality of questions: %w", err)
	}
	if len(scores) != len(pairs) {
		return nil, fmt.Errorf("factuality of questions: %d scores, expected %d", len(scores), len(pairs))
	}
	out := make([]nli.Entailments, len(questions))
	for i := range out {
		out[i] = nli.Entailments{Forward: scores[2*i].Entailment, Backward: scores[2*i+1].Entailment}
	}
	return out, nil
}

// Validate returns an error unless each perturbation has a unique name of the form family/name, a
// doc, a paper, a version, a known relation and a Run.
func Validate(list []*Perturbation) error {
	seen := map[string]bool{}
	for i, p := range list {
		family, name, ok := strings.Cut(p.Name, "/")
		switch {
		case !ok, family == "", name == "":
			return fmt.Errorf("perturbation %d: name %q, expected family/name", i, p.Name)
		case seen[p.Name]:
			return fmt.Errorf("perturbation %q: named twice", p.Name)
		case p.Doc == "", p.Paper == "", p.Run == nil, p.Version < 1:
			return fmt.Errorf("perturbation %q: lacks a doc, a paper, a version or a Run", p.Name)
		case !slices.Contains(relations, p.Relation):
			return fmt.Errorf("perturbation %q: relation %q is unknown", p.Name, p.Relation)
		}
		seen[p.Name] = true
	}
	return nil
}
