package perturb

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Holds tells whether the answers of an example's gold SQL before and after a
// variant's edits are equal, which every relation but [Retargeted] promises:
// equal rows, as a list where the gold SQL orders them and as a bag where it does
// not. The names of the result columns may differ.
func Holds(gold *sqlast.Query, before, after *sqldata.Result) bool {
	if len(gold.OrderBy) > 0 {
		return sqldata.EqualList(before, after)
	}
	return sqldata.EqualBag(before, after)
}

// Conclusive tells whether an answer could show a change: it has a value other than
// NULL and 0, which a query over no rows gives as well.
func Conclusive(answer *sqldata.Result) bool {
	for _, row := range answer.Rows {
		for _, v := range row {
			if !v.IsNull() && v != sqldata.NewInt(0) {
				return true
			}
		}
	}
	return false
}

// allowed lists the edits that go with a relation. Under Invariant a column may be
// renamed where the gold SQL does not use it, which then stays as it is: of which
// example that holds is for package verify to say.
var allowed = map[Relation][]Edit{
	Invariant: {
		AddColumn{}, Relabel{}, ReplaceSpan{}, SetQuestion{}, RenameColumn{}, DropColumn{}, ShuffleColumns{}, ShuffleTables{},
		SplitTable{}, MergeTables{}, DropPrimaryKey{}, DropForeignKey{},
	},
	Renamed:    {RenameColumn{}, RenameTable{}, AddColumn{}},
	Recoded:    {RecodeColumn{}},
	Retargeted: {ReplaceSpan{}, SetQuestion{}, RewriteSQL{}},
}

// Allows returns an error where a relation does not go with an edit.
func (r Relation) Allows(edits []Edit) error {
	for _, e := range edits {
		if !slices.ContainsFunc(allowed[r], func(a Edit) bool { return a.op() == e.op() }) {
			return fmt.Errorf("relation %s does not allow the edit %s", r, e.op())
		}
	}
	return nil
}
