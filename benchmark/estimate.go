package benchmark

import (
	"os"

	"github.com/tabperturb/tabperturb/dataset"
)

// Estimate is what a build may take on disk, by the sizes of databases and the numbers of
// examples and samples; nothing is drawn for it.
type Estimate struct {
	Records   int   `json:"records"`   // at most
	Databases int   `json:"databases"` // perturbed ones, about
	Files     int64 `json:"files"`     // bytes of the SQLite files that [DatabasesFull] writes, about
	Text      int64 `json:"text"`      // bytes of all else, about
}

// What the estimate multiplies by: the largest that was seen on Spider's development set.
const (
	distinctSchemas = 0.4  // perturbed schemas for each record of a perturbation of schemas
	textOfRecord    = 4000 // bytes of a record with its two examples
	textOfSchema    = 6000 // bytes of a schema in tables.json
)

// What a core does in a second, as seen on Spider's development set and on a database of
// 1.6 GB.
const (
	recordsPerSecond = 1200
	bytesPerSecond   = 400e6 // of the database, for each gold SQL
)

// Seconds returns how long a build of the units may take.
func (c *Config) Seconds(units []*dataset.Unit) float64 {
	seconds := 0.0
	for _, u := range units {
		for _, p := range c.Perturbations {
			seconds += float64(len(u.Examples)*c.samples(p)) / recordsPerSecond
		}
		if info, err := os.Stat(u.DB.SQLite); err == nil {
			seconds += float64(info.Size()) * float64(len(u.Examples)) / bytesPerSecond
		}
	}
	return seconds / float64(max(c.Workers, 1))
}

// Estimate returns what a build of the units may take.
func (c *Config) Estimate(units []*dataset.Unit) Estimate {
	var e Estimate
	for _, u := range units {
		size := int64(0)
		if info, err := os.Stat(u.DB.SQLite); err == nil {
			size = info.Size()
			e.Files += size // the original, which all share
		}
		for _, p := range c.Perturbations {
			records := len(u.Examples) * c.samples(p)
			e.Records += records
			if !p.Files {
				continue
			}
			schemas := int(distinctSchemas*float64(records) + 0.5)
			e.Databases += schemas
			e.Files += int64(schemas) * size
		}
	}
	e.Text = textOfRecord*int64(e.Records) + textOfSchema*int64(e.Databases)
	return e
}

// Bytes returns what a build that writes these databases may take.
func (e Estimate) Bytes(d Databases) int64 {
	if d == DatabasesNone {
		return e.Text
	}
	return e.Text + e.Files
}
