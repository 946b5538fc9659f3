package adveta

import (
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Replace is ADVETA-RPL.
var Replace = &perturb.Perturbation{
	Name:        "adveta/replace",
	Doc:         "Renames every column that the gold SQL mentions and that has REPLACE names to a semantically equivalent one of them.",
	Paper:       "ADVETA, sections 2.2 and 5.2",
	Version:     1,
	Needs:       perturb.NeedsBuckets,
	Relation:    perturb.Renamed,
	EveryColumn: true,
	Files:       true,
	Run: kind{
		isFixed:    func(db *dataset.Database, ref dataset.ColumnRef) bool { return db.Column(ref).Fixed },
		candidates: func(b dataset.Bucket) []dataset.Candidate { return b.Replace },
		edit: func(p *perturb.Pass, column dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
			return perturb.RenameColumn{
				Table: p.DB.Tables[column.Table].Original, Column: p.DB.Column(column).Original,
				Name: name, Natural: c.Name, From: bare(c),
			}
		},
	}.run,
}
