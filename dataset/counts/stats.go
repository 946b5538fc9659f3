// Package counts counts what a data set and a set of names hold, as tables 1 and 11
// of ADVETA do.
//
// The paper does not define its counts. Those here are the readings that give its
// figures for Spider, or come nearest; comments note where they differ.
package counts

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Data counts a split (ADVETA, table 11, and the first rows of table 1).
type Data struct {
	Databases int `json:"databases"` // that the split asks about
	Tables    int `json:"tables"`    // of these databases
	Columns   int `json:"columns"`
	Questions int `json:"questions"`
	// Interactions and Finals are those of SParC and CoSQL. The paper's counts of
	// questions are Questions + Finals there.
	Interactions int     `json:"interactions,omitempty"`
	Finals       int     `json:"finals,omitempty"`
	PerTable     float64 `json:"columns_per_table"`
	// UniqueColumns counts the different natural names of columns, without case. The
	// paper's counts are of perturbed columns alone, see [Names.Originals].
	UniqueColumns int `json:"unique_columns"`
	UniqueWords   int `json:"unique_words"` // in them, see [dataset.Words]
}

// DataCounter counts the units of a split.
type DataCounter struct {
	data         Data
	names        vocabulary
	interactions map[int]bool
}

// Add counts a unit. The questions of an interaction may be in several units.
func (c *DataCounter) Add(u *dataset.Unit) {
	c.Schema(u.DB)
	for _, ex := range u.Examples {
		c.Question(ex)
	}
}

// Schema counts a database with its tables, columns and their names.
func (c *DataCounter) Schema(db *dataset.Database) {
	c.data.Databases++
	c.data.Tables += len(db.Tables)
	for _, t := range db.Tables {
		c.data.Columns += len(t.Columns)
		for _, column := range t.Columns {
			c.names.add(column.Name)
		}
	}
}

// Question counts a question, its final question if it has one, and its interaction once.
func (c *DataCounter) Question(ex *dataset.Example) {
	c.data.Questions++
	if ex.Final != nil {
		c.data.Finals++
	}
	if ex.Interaction > 0 {
		if c.interactions == nil {
			c.interactions = map[int]bool{}
		}
		c.interactions[ex.Interaction] = true
	}
}

// Data returns the counts so far.
func (c *DataCounter) Data() Data {
	d := c.data
	d.Interactions = len(c.interactions)
	d.PerTable = ratio(d.Columns, d.Tables)
	d.UniqueColumns, d.UniqueWords = len(c.names.names), len(c.names.words)
	return d
}

// vocabulary holds different names and their different words. [dataset.Words] splits a name such that the
// figures come nearest to the paper's for Spider: one word more each for RPL and ADD. Splits at blanks alone,
// or by letters alone, differ more.
type vocabulary struct{ names, words map[string]bool }

// add adds a name and its words in lower case.
func (v *vocabulary) add(name string) {
	if v.names == nil {
		v.names, v.words = map[string]bool{}, map[string]bool{}
	}
	if name = strings.ToLower(name); v.names[name] {
		return
	}
	v.names[name] = true
	for _, w := range dataset.Words(name) {
		v.words[w] = true
	}
}

// ratio returns n/total, or 0 if total is 0.
func ratio(n, total int) float64 {
	if total == 0 {
		return 0
	}
	return float64(n) / float64(total)
}
