package perturb

import "github.com/tabperturb/tabperturb/internal/sqlite"

// Expected returns the answer that the gold SQL after the edits must have, given
// that of the gold SQL before them.
func Expected(_ *Example, _ []Edit, before *sqlite.Result) (*sqlite.Result, error) {
	return before, nil
}
