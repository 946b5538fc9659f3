package perturb

import (
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// Edit is one change of a unit, as data: it serialises, compares and replays.
// The set of edits is closed; [ApplySchema], [RewriteGold] and [ApplyContent]
// know every member.
type Edit interface {
	// op is the edit's name in JSON.
	op() string
}

// RenameColumn gives a column another name; what it holds stays.
type RenameColumn struct {
	Table   string            `json:"table"`  // SQL name
	Column  string            `json:"column"` // SQL name before the edit
	Name    string            `json:"name"`   // SQL name after the edit
	Natural string            `json:"natural"`
	From    dataset.Candidate `json:"from"` // the candidate that was chosen, without its cells
}

// AddColumn puts a new column at the end of a table.
type AddColumn struct {
	Table   string            `json:"table"`  // SQL name
	Beside  string            `json:"beside"` // SQL name of the column that it distracts from
	Name    string            `json:"name"`   // SQL name of the new column
	Natural string            `json:"natural"`
	Type    dataset.Type      `json:"type"`
	Cells   []string          `json:"cells"` // values that fill the rows in turn; never empty
	From    dataset.Candidate `json:"from"`  // the candidate that was chosen, without its cells
}

func (RenameColumn) op() string { return "rename-column" }
func (AddColumn) op() string    { return "add-column" }

// MarshalEdits returns edits as a JSON array of objects, each with its kind
// under "edit".
func MarshalEdits(edits []Edit) ([]byte, error) {
	out := make([]json.RawMessage, len(edits))
	for i, e := range edits {
		var err error
		switch e := e.(type) {
		case RenameColumn:
			out[i], err = json.Marshal(struct {
				Edit string `json:"edit"`
				RenameColumn
			}{e.op(), e})
		case AddColumn:
			out[i], err = json.Marshal(struct {
				Edit string `json:"edit"`
				AddColumn
			}{e.op(), e})
		default:
			err = fmt.Errorf("unknown edit %T", e)
		}
		if err != nil {
			return nil, err
		}
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
		var err error
		switch kind.Edit {
		case RenameColumn{}.op():
			edits[i], err = decodeEdit[RenameColumn](r)
		case AddColumn{}.op():
			edits[i], err = decodeEdit[AddColumn](r)
		default:
			err = fmt.Errorf(`"edit" is %q, expected "rename-column" or "add-column"`, kind.Edit)
		}
		if err != nil {
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

// LowestScores returns the smallest of each score among the candidates that the
// edits use.
func LowestScores(edits []Edit) (similarity, forward, backward float64) {
	similarity, forward, backward = 1, 1, 1
	for _, e := range edits {
		var c dataset.Candidate
		switch e := e.(type) {
		case RenameColumn:
			c = e.From
		case AddColumn:
			c = e.From
		}
		similarity, forward, backward = min(similarity, c.Similarity), min(forward, c.Forward), min(backward, c.Backward)
	}
	return similarity, forward, backward
}
