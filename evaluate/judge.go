package evaluate

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// Judge judges pairs as they come and keeps databases, golds and answers from one to
// the next, within bounds. It is for one caller at a time.
type Judge struct {
	schemas schemaCache
	worker  *worker
}

// judgeLimits is for pairs that come in any order: the databases of whole data sets and
// suites stay open, in half a gigabyte of memory at most, and each keeps few answers.
var judgeLimits = limits{ids: 1 << 20, cost: 512 << 20, golds: 1024, text: 1 << 20, answer: 1 << 13}

// Judges returns a maker of judges by the same options, which share what is read only.
func Judges(o Options) func() *Judge {
	schemas := newSchemaCache(&o)
	return func() *Judge { return &Judge{schemas, &worker{options: &o, limits: judgeLimits}} }
}

// Judge scores a pair by the given metrics, as [Run] does by the metrics of the options. The
// error is that of the context, of reading a database, or that there is no such database.
func (j *Judge) Judge(ctx context.Context, p *dataset.Pair, metrics []Metric) (*Record, error) {
	if j.worker.options.Databases[p.DB] == nil {
		return nil, fmt.Errorf("db_id %q has no schema, expected one of tables.json", p.DB)
	}
	return j.worker.judgePair(ctx, j.schemas[p.DB](), p, metrics)
}

// Close closes the databases.
func (j *Judge) Close() { j.worker.close() }
