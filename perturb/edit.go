package perturb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// Edit is one change of a unit, as data: it serialises, compares and replays.
// The set of edits is closed; [kinds] lists it. Edits of schemas change the
// database and so its id ([VariantID]), those of questions leave it alone, and
// gold SQL is rewritten under all of them in one place ([RewriteGold]).
type Edit interface {
	// op is the edit's name in JSON.
	op() string
	// schema makes the edit in after, a copy of before in which the edits that
	// precede it are made. It returns an error where the edit does not fit.
	schema(before, after *dataset.Database) error
	// content returns what the edit writes to the SQLite file.
	content() []sqlite.Write
	// from returns the candidate that the edit follows; the zero Candidate with
	// scores of 1 where there is none.
	from() dataset.Candidate
}

// SchemaEdit tells whether an edit changes the database.
func SchemaEdit(e Edit) bool {
	_, question := e.(questionEdit)
	return !question
}

// kinds lists every edit.
var kinds = map[string]func([]byte) (Edit, error){
	RenameColumn{}.op():   decodeEdit[RenameColumn],
	RenameTable{}.op():    decodeEdit[RenameTable],
	Relabel{}.op():        decodeEdit[Relabel],
	AddColumn{}.op():      decodeEdit[AddColumn],
	RecodeColumn{}.op():   decodeEdit[RecodeColumn],
	DropColumn{}.op():     decodeEdit[DropColumn],
	ShuffleColumns{}.op(): decodeEdit[ShuffleColumns],
	ShuffleTables{}.op():  decodeEdit[ShuffleTables],
	SplitTable{}.op():     decodeEdit[SplitTable],
	MergeTables{}.op():    decodeEdit[MergeTables],
	DropPrimaryKey{}.op(): decodeEdit[DropPrimaryKey],
	DropForeignKey{}.op(): decodeEdit[DropForeignKey],
	ReplaceSpan{}.op():    decodeEdit[ReplaceSpan],
	SetQuestion{}.op():    decodeEdit[SetQuestion],
	RewriteSQL{}.op():     decodeEdit[RewriteSQL],
}

// MarshalEdits returns edits as a JSON array of objects, each with its kind
// under "edit".
func MarshalEdits(edits []Edit) ([]byte, error) {
	out := make([]json.RawMessage, len(edits))
	for i, e := range edits {
		fields, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		kind, err := json.Marshal(e.op())
		if err != nil {
			return nil, err
		}
		out[i] = slices.Concat([]byte(`{"edit":`), kind, []byte(","), fields[1:])
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
		var kind struct {
			Edit string `json:"edit"`
		}
		if err := json.Unmarshal(r, &kind); err != nil {
			return nil, fmt.Errorf("edit %d: %w", i, err)
		}
		decode := kinds[kind.Edit]
		if decode == nil {
			return nil, fmt.Errorf(`edit %d: "edit" is %q, expected one of %s`, i, kind.Edit, strings.Join(ops(), ", "))
		}
		var err error
		if edits[i], err = decode(r); err != nil {
			return nil, fmt.Errorf("edit %d: %w", i, err)
		}
	}
	return edits, nil
}

func decodeEdit[E Edit](data []byte) (Edit, error) {
	var e E
	err := json.Unmarshal(data, &e)
	return e, err
}

// ops returns the names of all edits, quoted and sorted.
func ops() []string {
	var names []string
	for name := range kinds {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	return names
}

// LowestScores returns the smallest of each score among the candidates that the
// edits use.
func LowestScores(edits []Edit) (similarity, forward, backward float64) {
	similarity, forward, backward = 1, 1, 1
	for _, e := range edits {
		c := e.from()
		similarity, forward, backward = min(similarity, c.Similarity), min(forward, c.Forward), min(backward, c.Backward)
	}
	return similarity, forward, backward
}

// Touches returns the column of the original schema that an edit changes or puts
// another beside; column is empty where it does neither.
func Touches(e Edit) (table, column string) {
	switch e := e.(type) {
	case RenameColumn:
		return e.Table, e.Column
	case Relabel:
		return e.Table, e.Column
	case RecodeColumn:
		return e.Table, e.Column
	case DropColumn:
		return e.Table, e.Column
	case SplitTable:
		return e.Table, e.Column
	case AddColumn:
		return e.Table, e.Beside
	}
	return "", ""
}

// certain is the candidate of edits that follow none.
var certain = Certain("", "", "")

// Certain returns a candidate that stands for its original by construction: no
// model was asked, so that nothing speaks against it.
func Certain(name, source, evidence string) dataset.Candidate {
	return dataset.Candidate{Name: name, Source: source, Evidence: evidence, Similarity: 1, Forward: 1, Backward: 1}
}

// SchemaEdits returns the edits that change the database.
func SchemaEdits(edits []Edit) []Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return !SchemaEdit(e) })
}
