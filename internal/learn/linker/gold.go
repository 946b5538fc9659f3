package linker

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Used returns, for each item of the schema, whether a query uses it: names it, or passes it
// on from a nested query. A star names no column.
func (s *Schema) Used(query string) ([]bool, error) {
	_, b, err := sqlast.ParseResolved(query, s.DB)
	if err != nil {
		return nil, err
	}
	used := make([]bool, len(s.items))
	for _, t := range b.Tables() {
		at := s.DB.Table(t)
		if at < 0 {
			return nil, fmt.Errorf("table %q, expected one of %s", dataset.Clip(t), s.DB.ID)
		}
		used[at] = true
	}
	for _, c := range b.Columns() {
		ref, ok := s.DB.Lookup(c.Table, c.Column)
		if !ok {
			return nil, fmt.Errorf("column %q, expected one of %s", dataset.Clip(c.Table+"."+c.Column), s.DB.ID)
		}
		used[s.at(ref)] = true
	}
	return used, nil
}
