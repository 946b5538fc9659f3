package benchmark

import (
	"slices"
	"sync/atomic"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// Estimate is what a build may take on disk. It is computed from the sizes of databases and the
// numbers of examples and samples; no perturbation is run.
type Estimate struct {
	Records   int   `json:"records"`           // at most
	Databases int   `json:"databases"`         // perturbed ones, about
	Files     int64 `json:"files"`             // bytes of the SQLite files that [DatabasesFull] writes, about
	Samples   int64 `json:"samples,omitempty"` // of those that [DatabasesRows] writes
	Text      int64 `json:"text"`              // bytes of all else, about
	Largest   int64 `json:"largest"`           // bytes of the largest original
}

// What the estimate multiplies by: the largest that was seen on Spider's development set.
const (
	distinctSchemas = 0.4  // perturbed schemas for each record of a perturbation of schemas
	textOfRecord    = 4000 // bytes of a record with its two examples
	textOfSchema    = 6000 // bytes of a schema in tables.json
	sizeOfTable     = 8192 // bytes of a table with an index, without rows
	sizeOfRow       = 120
)

// What a core does in a second, as seen on Spider's development set and on a database of
// 1.6 GB.
const (
	recordsPerSecond = 1200
	bytesPerSecond   = 400e6 // of the database, for each gold SQL
)

// Seconds returns how long a build of the units may take one core.
func (c *Config) Seconds(units []*dataset.Unit) float64 {
	microseconds := lists.Sum(c.sizes(units), func(n int64) int64 { return n })
	return float64(microseconds) / 1e6
}

// Estimate returns the estimate for a build of the units.
func (c *Config) Estimate(units []*dataset.Unit) Estimate {
	var e Estimate
	for _, u := range units {
		size := dataset.FileSize(u.DB.SQLite)
		e.Largest = max(e.Largest, size)
		e.Files += size // the original, which all share
		for _, p := range c.Perturbations {
			records := len(u.Examples) * c.samples(p)
			e.Records += records
			if !p.Files {
				continue
			}
			schemas := int(distinctSchemas*float64(records) + 0.5) // rounded
			if c.onePerSample(p) {
				schemas = c.samples(p)
			}
			e.Databases += schemas
			e.Files += int64(schemas) * size
			if c.Databases == DatabasesRows {
				e.Samples += int64(schemas) * min(size, int64(len(u.DB.Tables))*(sizeOfTable+sizeOfRow*int64(c.Rows)))
			}
		}
	}
	e.Text = textOfRecord*int64(e.Records) + textOfSchema*int64(e.Databases)
	return e
}

// onePerSample reports whether a perturbation makes one schema of a database for each sample.
func (c *Config) onePerSample(p *perturb.Perturbation) bool {
	if p.EveryColumn { // the scope decides
		return c.Scope == perturb.ScopeDatabase
	}
	return p.Group == perturb.GroupDB && p.Relation == perturb.Renamed // Dr.Spider renames for all questions together
}

// Bytes returns the bytes on disk that a build with a choice of databases may take.
func (e Estimate) Bytes(d Databases) int64 {
	switch d {
	case DatabasesNone:
		return e.Text
	case DatabasesRows:
		return e.Text + e.Samples
	}
	return e.Text + e.Files
}

// steps counts the progress of one perturbation on a unit. It has a step for each record that the
// perturbation may make; steps of records that it does not make follow at its end.
type steps struct {
	report func()
	left   *atomic.Int64
}

// stepsOf returns the steps of a perturbation on the unit, none if Config.Step is nil.
func (w *work) stepsOf(p *perturb.Perturbation) steps {
	s := steps{w.Step, &atomic.Int64{}}
	if w.Step != nil {
		s.left.Store(int64(len(w.unit.Examples) * w.samples(p)))
	}
	return s
}

// step reports one step, unless all were reported.
func (s steps) step() {
	if s.left.Add(-1) >= 0 {
		s.report()
	}
}

// rest reports the steps that are left.
func (s steps) rest() {
	for s.left.Add(-1) >= 0 {
		s.report()
	}
}

// skipSteps reports all steps of perturbations that have a shard of the unit already.
func (b *builder) skipSteps(w *work, todo []*perturb.Perturbation) {
	for _, p := range b.Perturbations {
		if !slices.Contains(todo, p) {
			w.stepsOf(p).rest()
		}
	}
}

// Steps returns how often a build of the units calls [Config.Step].
func (c *Config) Steps(units []*dataset.Unit) (n int) {
	for _, u := range units {
		for _, p := range c.Perturbations {
			n += len(u.Examples) * c.samples(p)
		}
	}
	return n
}
