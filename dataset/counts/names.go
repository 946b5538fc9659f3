package counts

import (
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Names counts the names of one kind, REPLACE or ADD, for the columns of tables
// (ADVETA, table 1). Tables without any name count in the averages, columns without
// names do not: that is how the paper's averages come about.
type Names struct {
	Tables     int     `json:"tables"`
	Columns    int     `json:"columns"`   // of all tables
	Perturbed  int     `json:"perturbed"` // columns that have names
	Candidates int     `json:"candidates"`
	PerTable   float64 `json:"perturbed_per_table"`
	PerColumn  float64 `json:"candidates_per_column"` // that has names
	// Originals counts the different names of the columns that have names.
	Originals     int `json:"unique_originals"`
	OriginalWords int `json:"unique_original_words"`
	// UniqueColumns counts the different names of these columns and of their
	// candidates together, which gives the paper's figures for Spider.
	UniqueColumns int `json:"unique_columns"`
	UniqueWords   int `json:"unique_words"` // in them, see [dataset.Words]
}

// namesCounter counts the names for columns.
type namesCounter struct {
	n              Names
	originals, all vocabulary
}

// column counts a column with its natural name and its candidates.
func (c *namesCounter) column(name string, candidates []string) {
	c.n.Perturbed++ // columns with candidates
	c.n.Candidates += len(candidates)
	c.originals.add(name)
	c.all.add(name)
	for _, candidate := range candidates {
		c.all.add(candidate)
	}
}

// names returns the counts with their averages.
func (c *namesCounter) names() Names {
	n := c.n
	n.PerTable, n.PerColumn = ratio(n.Perturbed, n.Tables), ratio(n.Candidates, n.Perturbed)
	n.Originals, n.OriginalWords = len(c.originals.names), len(c.originals.words)
	n.UniqueColumns, n.UniqueWords = len(c.all.names), len(c.all.words)
	return n
}

// OfBuckets counts the names of one kind that buckets have for the columns of dbs.
func OfBuckets(dbs []*dataset.Database, buckets dataset.Buckets, side dataset.Side) Names {
	var c namesCounter
	for _, db := range dbs {
		for t := range db.Tables {
			c.n.Tables++
			for i := range db.Tables[t].Columns {
				c.n.Columns++
				ref := dataset.ColumnRef{Table: t, Column: i}
				bucket := buckets[db.ColumnID(ref).Key()]
				list := *side.Of(&bucket)
				if len(list) == 0 {
					continue
				}
				names := lists.Map(list, func(candidate dataset.Candidate) string { return candidate.Name })
				c.column(db.Column(ref).Name, names)
			}
		}
	}
	return c.names()
}
