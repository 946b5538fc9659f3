package perturb

import (
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Holds tells whether the answers of an example's gold SQL before and after a
// variant's edits are as the relation promises. Both relations promise the same
// answer: equal rows, as a list where the gold SQL orders them and as a bag
// where it does not. The names of the result columns may differ.
func Holds(gold *sqlast.Query, before, after *sqlite.Result) bool {
	if len(gold.OrderBy) > 0 {
		return sqlite.EqualList(before, after)
	}
	return sqlite.EqualBag(before, after)
}
