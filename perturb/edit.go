package perturb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Edit is one change of a unit, as data: it serialises, compares and replays. A kind of edit is
// a struct with these methods, and [kinds] lists all of them. A kind embeds [EditDefaults] and
// overrides what it changes. Edits name tables and columns as the original schema does, whatever
// edits precede them.
type Edit interface {
	// validate returns an error if an edit that a person wrote breaks a rule that the code which
	// makes edits follows, such as names that every evaluator can read. The schema is not known.
	validate() error
	// candidate returns the candidate whose name the edit gives, or certainCandidate if it gives none.
	candidate() dataset.Candidate

	// schema makes the edit in a schema. It returns an error if the edit does not fit.
	schema(*schemaChange) error
	// content returns what the edit writes to the SQLite file.
	content(*sqlast.Dialect) []sqldata.Write
	// gold adds what the edit means for gold SQL.
	gold(*goldChange)
	// question adds what the edit changes in the question.
	question(*questionChange)
	// names adds the names that tables and columns get.
	names(*Names)
	// follow returns the edit of a column that is derived from the one that this edit changes,
	// nil if the derived column stays. followersFirst reports whether such edits come before it.
	follow(derivedColumn) Edit
	followersFirst() bool

	// Touches returns the column of the original schema that the edit changes or adds another
	// next to. Column is empty for an edit of a table, and table too for an edit of neither.
	Touches() (table, column string)
	// ChangesSchema reports whether the edit changes the database, and so its id ([VariantID]).
	ChangesSchema() bool
	// RemovesColumn reports whether the column that the edit touches has no counterpart after it.
	RemovesColumn() bool
	// CarriesLinks reports whether [Names] suffice to follow schema links through the edit.
	CarriesLinks() bool
}

// kinds lists every kind of edit with its name in JSON and the relations that allow it.
var kinds = []kind{
	newKind[RenameColumn]("rename-column", Invariant, Renamed),
	newKind[RenameTable]("rename-table", Renamed),
	newKind[Relabel]("relabel", Invariant),
	newKind[AddColumn]("add-column", Invariant, Renamed),
	newKind[RecodeColumn]("recode-column", Recoded),
	newKind[DropColumn]("drop-column", Invariant, Renamed, Unanswerable),
	newKind[DropTable]("drop-table", Invariant, Renamed, Unanswerable),
	newKind[ShuffleColumns]("shuffle-columns", Invariant),
	newKind[ShuffleTables]("shuffle-tables", Invariant),
	newKind[SplitTable]("split-table", Invariant),
	newKind[MergeTables]("merge-tables", Invariant, Reshaped),
	newKind[SplitColumn]("split-column", Reshaped),
	newKind[MergeColumns]("merge-columns", Reshaped),
	newKind[DivideTable]("divide-table", Reshaped),
	newKind[AddTable]("add-table", Invariant, Renamed),
	newKind[DropPrimaryKey]("drop-primary-key", Invariant),
	newKind[DropForeignKey]("drop-foreign-key", Invariant),
	newKind[ReplaceSpan]("replace-span", Invariant, Retargeted),
	newKind[SetQuestion]("set-question", Invariant, Retargeted),
	newKind[RewriteSQL]("rewrite-sql", Retargeted),
}

// kind is one kind of edit: a struct type that implements [Edit].
type kind struct {
	op        string     // its name in JSON
	relations []Relation // of the perturbations that may make such edits
	is        func(Edit) bool
	decode    func([]byte) (Edit, error) // parses an edit's JSON
}

// newKind returns the kind of the edits of type E.
func newKind[E Edit](op string, relations ...Relation) kind {
	return kind{
		op: op, relations: relations,
		is: func(e Edit) bool { _, ok := e.(E); return ok },
		decode: func(data []byte) (Edit, error) {
			var e E
			err := json.Unmarshal(data, &e)
			return e, err
		},
	}
}

// kindOf returns the kind of an edit.
func kindOf(e Edit) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.is(e) })]
}

// EditDefaults is embedded by every kind of edit. Its methods are those of an edit that changes
// the database and nothing in gold SQL, question, names or rows.
type EditDefaults struct{}

// validate accepts every edit.
func (EditDefaults) validate() error { return nil }

// candidate returns certainCandidate: the edit gives no candidate's name.
func (EditDefaults) candidate() dataset.Candidate { return certainCandidate }

// schema leaves the schema as it is.
func (EditDefaults) schema(*schemaChange) error { return nil }

// content returns no writes: the SQLite file stays as it is.
func (EditDefaults) content(*sqlast.Dialect) []sqldata.Write { return nil }

// gold leaves gold SQL as it is.
func (EditDefaults) gold(*goldChange) {}

// question leaves the question as it is.
func (EditDefaults) question(*questionChange) {}

// names adds no name: tables and columns keep theirs.
func (EditDefaults) names(*Names) {}

// follow returns nil: derived columns stay.
func (EditDefaults) follow(derivedColumn) Edit { return nil }

// followersFirst returns false: the edits of derived columns come after the edit.
func (EditDefaults) followersFirst() bool { return false }

// Touches returns no table and no column.
func (EditDefaults) Touches() (table, column string) { return "", "" }

// ChangesSchema returns true: the edit changes the database.
func (EditDefaults) ChangesSchema() bool { return true }

// RemovesColumn returns false: the column has a counterpart after the edit.
func (EditDefaults) RemovesColumn() bool { return false }

// CarriesLinks returns false: [Names] do not suffice to follow schema links through the edit.
func (EditDefaults) CarriesLinks() bool { return false }

// certainCandidate is the candidate of edits that follow none.
var certainCandidate = Certain("", "", "")

// Certain returns a candidate that replaces its original by construction: no model was asked,
// so all its scores are 1.
func Certain(name, source, evidence string) dataset.Candidate {
	return dataset.Candidate{Name: name, Source: source, Evidence: evidence, Similarity: 1, Forward: 1, Backward: 1}
}

// MarshalEdits returns edits as a JSON array of objects, each with the name of its kind
// under "edit": {"edit":"drop-table","table":"singer"}.
func MarshalEdits(edits []Edit) ([]byte, error) {
	out := make([]json.RawMessage, len(edits))
	for i, e := range edits {
		fields, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		out[i] = slices.Concat([]byte(`{"edit":"`), []byte(kindOf(e).op), []byte(`",`), fields[1:]) // fields without its opening brace
	}
	return json.Marshal(out)
}

// UnmarshalEdits reads what [MarshalEdits] wrote.
func UnmarshalEdits(data []byte) ([]Edit, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("edits: %w", err)
	}
	edits := make([]Edit, len(raw))
	for i, r := range raw {
		var err error
		if edits[i], err = unmarshalEdit(r); err != nil {
			return nil, fmt.Errorf("edit %d: %w", i, err)
		}
	}
	return edits, nil
}

// unmarshalEdit parses one edit. Its member "edit" names the kind, which decodes the other members.
func unmarshalEdit(data []byte) (Edit, error) {
	var named struct {
		Edit string `json:"edit"`
	}
	if err := json.Unmarshal(data, &named); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.op == named.Edit })
	if at < 0 {
		return nil, fmt.Errorf(`"edit" is %q, expected one of %s`, named.Edit, quotedOps())
	}
	return kinds[at].decode(data)
}

// quotedOps returns the names of all kinds for a message, quoted and sorted.
func quotedOps() string {
	names := lists.Map(kinds, func(k kind) string { return fmt.Sprintf("%q", k.op) })
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// LowestScores returns the lowest similarity, forward and backward entailment among the candidates
// of the edits; 1 for edits without one.
func LowestScores(edits []Edit) (similarity, forward, backward float64) {
	similarity, forward, backward = 1, 1, 1
	for _, e := range edits {
		c := e.candidate()
		similarity, forward, backward = min(similarity, c.Similarity), min(forward, c.Forward), min(backward, c.Backward)
	}
	return similarity, forward, backward
}

// SchemaEdits returns the edits that change the database.
func SchemaEdits(edits []Edit) []Edit {
	return lists.Filter(edits, Edit.ChangesSchema)
}
