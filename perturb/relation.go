package perturb

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Holds reports whether the answers of an example's gold SQL before and after a variant's edits
// are equal, which every relation but [Retargeted] promises: equal rows, in the same order if the
// gold SQL orders them. The names of the result columns may differ.
func Holds(gold *sqlast.Query, before, after *sqldata.Result) bool {
	if len(gold.OrderBy) > 0 {
		return sqldata.EqualList(before, after)
	}
	return sqldata.EqualBag(before, after)
}

// Conclusive reports whether an answer could show a change: it has a value other than NULL and 0,
// which a query over no rows gives as well.
func Conclusive(answer *sqldata.Result) bool {
	shows := func(v sqldata.Value) bool { return !v.IsNull() && v != sqldata.NewInt(0) }
	return slices.ContainsFunc(answer.Rows, func(row []sqldata.Value) bool { return slices.ContainsFunc(row, shows) })
}

// Allows returns an error if one of the edits does not go with the relation.
func (r Relation) Allows(edits []Edit) error {
	for _, e := range edits {
		if k := kindOf(e); !slices.Contains(k.relations, r) {
			return fmt.Errorf("relation %s does not allow the edit %s", r, k.op)
		}
	}
	return nil
}
