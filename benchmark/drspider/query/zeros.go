package query

import (
	"slices"

	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// losesZeros reports whether the gold SQL counts for each row of a table, say singers, the rows of another table that refer to it, say
// concerts, but leaves out singers without concerts, whom "three concerts or fewer" would mean too. Rows is the natural name of the
// table of the counted rows, concerts.
func losesZeros(p *perturb.Pass, ex *perturb.Example) (rows string, loses bool) {
	used := ex.Binding.Tables()
	for _, key := range p.DB.ForeignKeys {
		counted, each := p.DB.Tables[key.Column.Table].Original, p.DB.Tables[key.Target.Table].Original
		column := sqlast.BaseColumn{Table: counted, Column: p.DB.Column(key.Column).Original}
		countsForEach := slices.Contains(used, counted) && slices.Contains(used, each) && groupsBy(ex, each, column)
		if countsForEach && !p.Content.RefersToAll(p.Context, key) {
			return p.DB.Tables[key.Column.Table].Name, true
		}
	}
	return "", false
}

// groupsBy reports whether the gold SQL groups by a column of a table, or by the column reference, which refers to that table.
func groupsBy(ex *perturb.Example, table string, reference sqlast.BaseColumn) bool {
	return slices.ContainsFunc(ex.Gold.Select.GroupBy, func(g sqlast.Expr) bool {
		c := ex.Binding.Column(g)
		return c.Table == table || c == reference
	})
}
