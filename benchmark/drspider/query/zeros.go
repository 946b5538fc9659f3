package query

import (
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// losesZeros reports whether the gold SQL counts, for each row of a table, rows of another one that refer to it, and leaves out rows
// without any: "three concerts or fewer" would mean them.
func losesZeros(p *perturb.Pass, ex *perturb.Example) bool {
	used := ex.Binding.Tables()
	for _, key := range p.DB.ForeignKeys {
		counted, each := p.DB.Tables[key.Column.Table].Original, p.DB.Tables[key.Target.Table].Original
		column := sqlast.BaseColumn{Table: counted, Column: p.DB.Column(key.Column).Original}
		if !slices.Contains(used, counted) || !slices.Contains(used, each) || !groupsBy(ex, each, column) {
			continue
		}
		if p.Content == nil || leavesOut(p, each, p.DB.Column(key.Target).Original, column) {
			return true
		}
	}
	return false
}

// groupsBy reports whether the gold SQL groups by a column of a table, or by one that refers to it.
func groupsBy(ex *perturb.Example, table string, reference sqlast.BaseColumn) bool {
	return slices.ContainsFunc(ex.Gold.Select.GroupBy, func(g sqlast.Expr) bool {
		c := ex.Binding.Column(g)
		return c.Table == table || c == reference
	})
}

// leavesOut reports whether a table has a key that no row refers to by another column, or cannot be read.
func leavesOut(p *perturb.Pass, table, key string, reference sqlast.BaseColumn) bool {
	found, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT 1 FROM %s WHERE %s NOT IN (SELECT %s FROM %s WHERE %[3]s IS NOT NULL) LIMIT 1",
		sqldata.QuoteName(table), sqldata.QuoteName(key), sqldata.QuoteName(reference.Column), sqldata.QuoteName(reference.Table)))
	return err != nil || len(found.Rows) > 0
}
