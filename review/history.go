package review

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// history holds the valid decisions of an annotator, in their order and by column, for undo. It
// stores little of each, because there may be hundreds of thousands; their result is computed when
// it is needed.
type history struct {
	columns map[dataset.ColumnID]*columnHistory // by [dataset.ColumnID.Key]
	order   []numbered                          // by number
}

// numbered is the number of a valid decision, and the column that it is about.
type numbered struct {
	n      int
	column *columnHistory
}

type columnHistory struct {
	key       dataset.ColumnID
	last      int             // number of the last decision, undone ones and undos included: the version of the column
	decisions []validDecision // by number
}

// validDecision is a decision that was not taken back.
type validDecision struct {
	n             int
	action        Action
	side          dataset.Side
	name, comment string
}

// newHistory returns a history without decisions.
func newHistory() *history { return &history{columns: map[dataset.ColumnID]*columnHistory{}} }

// apply adds a decision, or removes the one that it undoes. Decisions come in the order of their numbers.
func (h *history) apply(d *Decision) {
	if d.Action == Undo {
		h.undo(d)
		return
	}
	key := d.ColumnID().Key()
	c := h.columns[key]
	if c == nil {
		c = &columnHistory{key: key}
		h.columns[key] = c
	}
	c.decisions, c.last = append(c.decisions, validDecision{d.N, d.Action, d.Side, d.Name, d.Comment}), d.N
	h.order = append(h.order, numbered{d.N, c})
}

// undo removes the decision that d takes back, unless that was taken back before.
func (h *history) undo(d *Decision) {
	at, ok := slices.BinarySearchFunc(h.order, d.Undoes, func(p numbered, n int) int { return p.n - n })
	if !ok {
		return
	}
	c := h.order[at].column
	h.order = slices.Delete(h.order, at, at+1)
	c.decisions = slices.DeleteFunc(c.decisions, func(e validDecision) bool { return e.n == d.Undoes })
	c.last = d.N // an undo is a decision too, so it makes a new version of the column
}

// version returns the number of the last decision or undo on a column, 0 if there is none. It changes with each of them.
func (h *history) version(key dataset.ColumnID) int {
	if c := h.columns[key]; c != nil {
		return c.last
	}
	return 0
}

// last returns the number of the last valid decision and its column; 0 if there is none.
func (h *history) last() (n int, key dataset.ColumnID) {
	if len(h.order) == 0 {
		return 0, dataset.ColumnID{}
	}
	p := h.order[len(h.order)-1]
	return p.n, p.column.key
}

// decisionsOn returns the valid decisions on a column.
func (h *history) decisionsOn(key dataset.ColumnID) []validDecision {
	if c := h.columns[key]; c != nil {
		return c.decisions
	}
	return nil
}

// on returns the verdicts on a column after all its decisions, in the order of the file.
func (h *history) on(key dataset.ColumnID) *Verdicts {
	v := newVerdicts()
	list := h.decisionsOn(key)
	for i := range list {
		v.apply(key, &list[i])
	}
	return v
}

// verdicts returns the verdicts of all valid decisions, under the name of the annotator.
func (h *history) verdicts(annotator string) *Verdicts {
	v := newVerdicts()
	v.Annotator = annotator
	for key, c := range h.columns {
		for i := range c.decisions {
			v.apply(key, &c.decisions[i])
		}
	}
	return v
}
