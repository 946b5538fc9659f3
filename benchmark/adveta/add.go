package adveta

import (
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Add is ADVETA-ADD. The paper leaves the cells of a new column out "for
// simplicity"; here they come from the web table that held the name, or are made
// up in the column's type, so that the new table can be queried.
var Add = &perturb.Perturbation{
	Name:        "adveta/add",
	Doc:         "Adds, for every column that the gold SQL mentions and that has ADD names, a semantically associated column to the same table.",
	Paper:       "ADVETA, sections 2.3 and 5.2",
	Version:     1,
	Needs:       perturb.NeedsBuckets,
	Relation:    perturb.Invariant,
	EveryColumn: true,
	Files:       true,
	Run: kind{
		isFixed:    func(db *dataset.Database, ref dataset.ColumnRef) bool { return db.Tables[ref.Table].Kept },
		candidates: func(b dataset.Bucket) []dataset.Candidate { return b.Add },
		edit: func(p *perturb.Pass, column dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
			original := p.DB.Column(column)
			typ := perturb.TypeOf(c, *original)
			return perturb.AddColumn{
				Table: p.DB.Tables[column.Table].Original, Beside: original.Original, Name: name, Natural: c.Name,
				Type: typ, Cells: perturb.Cells(p.Rand("cells", strconv.Itoa(column.Table), name), c, typ), From: bare(c),
			}
		},
	}.run,
}
