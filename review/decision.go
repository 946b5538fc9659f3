package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Action is what an annotator does about a name.
type Action string

// The actions. Accept, Reject and Move answer whether a name fits its bucket; of several answers
// the last one counts.
const (
	Accept  Action = "accept"
	Reject  Action = "reject"
	Move    Action = "move"    // it belongs to the other bucket
	Add     Action = "add"     // a name of the annotator's own
	Comment Action = "comment" // on a name, or on the column if the name is empty
	Undo    Action = "undo"    // takes back an earlier decision
)

// Decision is a line of a file of decisions.
type Decision struct {
	N         int          `json:"n"`    // from 1, in the file
	Time      string       `json:"time"` // RFC 3339
	Annotator string       `json:"annotator"`
	Action    Action       `json:"action"`
	DB        string       `json:"db_id"`
	Table     string       `json:"table"`
	Column    string       `json:"column"`
	Record    *RecordID    `json:"record,omitempty"` // in the place of a column: what is decided on is a record
	Side      dataset.Side `json:"side,omitempty"`   // the bucket of the name in buckets.json, or the one to which it is added; [Criterion] for a record
	Name      string       `json:"name,omitempty"`   // of a record, which of the [Criteria]; of [Accept] empty for all of them
	Comment   string       `json:"comment,omitempty"`
	Undoes    int          `json:"undoes,omitempty"` // of [Undo]: the N that is taken back
}

// ColumnID returns the column of a decision, or the id that represents its record.
func (d *Decision) ColumnID() dataset.ColumnID {
	if d.Record != nil {
		return d.Record.subject()
	}
	return dataset.ColumnID{DB: d.DB, Table: d.Table, Column: d.Column}
}

// Item is a name of a column in one of its buckets, or a criterion of a record: what
// annotators decide on.
type Item struct {
	Column dataset.ColumnID // as [dataset.ColumnID.Key] has it
	Side   dataset.Side
	Name   string
}

// compare orders items by column, bucket and name.
func (i Item) compare(j Item) int {
	return slices.Compare([]string{i.Column.DB, i.Column.Table, i.Column.Column, string(i.Side), i.Name},
		[]string{j.Column.DB, j.Column.Table, j.Column.Column, string(j.Side), j.Name})
}

// String returns the form DB.TABLE.COLUMN SIDE "name", for messages.
func (i Item) String() string { return fmt.Sprintf("%s %s %q", i.Column, i.Side, i.Name) }

// Bounds of what a decision holds, in bytes; names in buckets.json have as many.
const (
	maxName    = 256
	maxComment = 2000
)

// Check returns an error unless a decision has all that its action needs. It does not know the names that there are to decide on.
func (d *Decision) Check() error {
	switch {
	case !slices.Contains([]Action{Accept, Reject, Move, Add, Comment, Undo}, d.Action):
		return fmt.Errorf("action is %q, expected accept, reject, move, add, comment or undo", dataset.Clip(string(d.Action)))
	case d.Action == Undo:
		if d.Undoes < 1 {
			return errors.New("takes back no decision, expected the number of one")
		}
		return nil
	case d.Action == Comment && strings.TrimSpace(d.Comment) == "":
		return errors.New("comment is empty, expected a text")
	case len(d.Name) > maxName, len(d.Comment) > maxComment:
		return fmt.Errorf("name or comment is too long, expected at most %d and %d bytes", maxName, maxComment)
	case d.Record != nil:
		return d.checkRecord()
	}
	return d.checkName()
}

// checkName returns an error unless a decision names a column and, unless it is a comment, a bucket and a name.
func (d *Decision) checkName() error {
	needsName, sides := d.Action != Comment, dataset.Sides()
	switch {
	case d.DB == "", d.Table == "", d.Column == "":
		return errors.New("names no column, expected db_id, table and column")
	case needsName && !slices.Contains(sides[:], d.Side):
		return fmt.Errorf("side is %q, expected replace or add", dataset.Clip(string(d.Side)))
	case needsName && strings.TrimSpace(d.Name) == "":
		return errors.New("name is empty, expected the name that is decided on")
	}
	return nil
}

// acceptsAll reports whether a decision accepts all criteria of a record.
func (d *Decision) acceptsAll() bool {
	return d.Record != nil && d.Action == Accept && d.Side == Criterion && d.Name == ""
}

// checkRecord returns an error unless a decision on a record is complete: it has the record and names a criterion. A comment on the
// whole record and a decision that accepts all criteria name none.
func (d *Decision) checkRecord() error {
	if err := d.Record.check(); err != nil {
		return err
	}
	switch {
	case d.Action == Comment && d.Name == "", d.acceptsAll():
		return nil
	case !slices.Contains([]Action{Accept, Reject, Comment}, d.Action):
		return fmt.Errorf("action is %q, expected accept, reject or comment on a record", d.Action)
	case d.Side != Criterion, !isCriterion(d.Name):
		return fmt.Errorf("side and name are %q and %q, expected %q and one of %s", dataset.Clip(string(d.Side)), dataset.Clip(d.Name), Criterion, strings.Join(criteriaNames(), ", "))
	}
	return nil
}

// Verdicts is what an annotator has decided, with what was taken back left out.
type Verdicts struct {
	Annotator string
	Items     map[Item]Action                         // accept, reject or move
	Added     map[Item]bool                           // names of the annotator's own
	Comments  map[dataset.ColumnID]map[string][]Notes // by column and name; the column's own under ""
}

// newVerdicts returns verdicts without a decision.
func newVerdicts() *Verdicts {
	return &Verdicts{Items: map[Item]Action{}, Added: map[Item]bool{}, Comments: map[dataset.ColumnID]map[string][]Notes{}}
}

// apply adds a decision on a column. It replaces an earlier answer on the same name, and is added to earlier comments.
func (v *Verdicts) apply(column dataset.ColumnID, d *validDecision) {
	item := Item{column, d.side, d.name}
	switch d.action {
	case Accept, Reject, Move:
		names := []string{d.name}
		if d.name == "" { // all criteria of a record
			names = criteriaNames()
		}
		for _, name := range names {
			v.Items[Item{column, d.side, name}] = d.action
		}
	case Add:
		v.Items[item], v.Added[item] = Accept, true
	}
	if d.comment != "" {
		if v.Comments[column] == nil {
			v.Comments[column] = map[string][]Notes{}
		}
		v.Comments[column][d.name] = append(v.Comments[column][d.name], Notes{d.n, d.comment})
	}
}
