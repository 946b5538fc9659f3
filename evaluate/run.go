package evaluate

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Options configure [Run].
type Options struct {
	Metrics   []Metric
	Execution execution.Options // how answers are compared; its Strict applies to all metrics
	Gold      string            // the file of the gold SQL, for messages
	Databases map[string]*dataset.Database
	Content   string                         // folder of DB_ID/DB_ID.sqlite, for "exec"
	Server    string                         // the address that Content stands for, "" for files
	Suite     func(db, gold string) []string // the databases of a suite for a gold SQL, in the order to try them; for "suite"
	Workers   int                            // cases judged at once; 0 means 1
	Skip      func(error)                    // called for each record that cannot be judged at all; may be nil
}

// Record is a case with its scores, one for each metric of the options.
type Record struct {
	Index    int
	DB       string
	Query    string // gold SQL
	Hardness exact.Hardness
	Scores   []Score

	Interaction, Turn int    // as in [dataset.Example]; 0 for single questions
	Difficulty        string // as in [dataset.Example]; may be empty
}

// Run scores the pairs by the metrics of o and calls each with the records, in the
// order of the pairs. A pair whose database has no schema is reported to o.Skip.
// Memory is bounded by the number of workers. An error of each ends the run.
func Run(ctx context.Context, pairs dataset.Stream[*dataset.Pair], o Options, each func(*Record) error) error {
	workers := max(o.Workers, 1)
	jobs := make(chan *job)
	queue := make(chan *job, 4*workers) // the jobs in order; bounds those in work
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(jobs)
		defer close(queue)
		return sendJobs(pairs, &o, func(j *job) error {
			for _, to := range []chan<- *job{queue, jobs} { // deliver waits for the job, a worker does it
				select {
				case to <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	})
	schemas := newSchemaCache(&o)
	for range workers {
		g.Go(func() error {
			w := &worker{options: &o, limits: runLimits}
			defer w.close()
			for j := range jobs {
				records, err := w.judgeAll(ctx, schemas[j.db](), j.pairs)
				if err != nil {
					return err
				}
				j.done <- records
			}
			return nil
		})
	}
	g.Go(func() error { return deliver(ctx, queue, each) })
	return g.Wait()
}

// deliver calls each with the records of the jobs of queue, in their order, once each job is done.
func deliver(ctx context.Context, queue <-chan *job, each func(*Record) error) error {
	for j := range queue {
		select {
		case records := <-j.done:
			for _, r := range records {
				if err := each(r); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// A job holds successive pairs on one database.
type job struct {
	db    string
	pairs []*dataset.Pair
	done  chan []*Record // receives their records
}

// jobSize is large enough for a worker to profit from the answers it remembers,
// and small enough for a data set of one database to occupy all workers.
const jobSize = 64

// sendJobs splits the pairs into jobs, of at most jobSize successive pairs on one database, and passes these to send. It
// reports pairs without a schema to o.Skip and leaves them out.
func sendJobs(pairs dataset.Stream[*dataset.Pair], o *Options, send func(*job) error) error {
	j := &job{done: make(chan []*Record, 1)} // the worker need not wait until its records are delivered
	err := pairs(o.skip, func(p *dataset.Pair) error {
		if o.Databases[p.DB] == nil {
			o.skip(&dataset.RecordError{File: o.Gold, Record: p.Index + 1, Err: fmt.Errorf("db_id %q has no schema, expected one of tables.json", p.DB)})
			return nil
		}
		if len(j.pairs) > 0 && (j.db != p.DB || len(j.pairs) == jobSize) {
			if err := send(j); err != nil {
				return err
			}
			j = &job{done: make(chan []*Record, 1)}
		}
		j.db, j.pairs = p.DB, append(j.pairs, p)
		return nil
	})
	if err != nil || len(j.pairs) == 0 {
		return err
	}
	return send(j)
}

// skip reports a record that cannot be judged at all.
func (o *Options) skip(err error) {
	if o.Skip != nil {
		o.Skip(err)
	}
}

// schemaCache computes the schema of each database for exact set match once, when it is first needed. It
// maps a db_id to a function that returns the schema.
type schemaCache map[string]func() *exact.Schema

// newSchemaCache returns the cache for the databases of the options.
func newSchemaCache(o *Options) schemaCache {
	schemas := schemaCache{}
	for id, db := range o.Databases {
		schemas[id] = sync.OnceValue(func() *exact.Schema {
			schema := exact.NewSchema(db)
			schema.AnyLimit = o.Execution.PlugValue    // the gold SQL's constants replace the predicted ones, that of LIMIT too
			if o.Execution.Strict && o.Content != "" { // only strict mode uses what the file declares
				declare(schema, o.contentPath(id))
			}
			return schema
		})
	}
	return schemas
}

// declare adds the constraints that a database file declares to a schema. A file that cannot be read adds none: execution
// reports it.
func declare(schema *exact.Schema, path string) {
	layout, err := sqlite.ReadLayout(context.Background(), path)
	if err != nil {
		return
	}
	for _, t := range layout.Tables {
		notNull := slices.Clone(t.PrimaryKey) // taken to have no NULL, see the documentation of evaluate/exact
		for i, c := range t.Columns {
			if t.NotNull[i] {
				notNull = append(notNull, c.Name)
			}
		}
		schema.Declare(t.Name, notNull, append(t.Unique, t.PrimaryKey))
	}
}

// limits bounds what a worker keeps open and in memory.
type limits struct {
	ids    int   // database ids
	cost   int64 // of their files, in bytes of memory, see fileCost
	golds  int   // prepared golds
	text   int   // bytes of their SQL
	answer int   // cells of the answers that a file keeps; 0 means the default
}

// runLimits is for a file of predictions, in which successive ones are on the same database.
var runLimits = limits{ids: 4, cost: math.MaxInt64, golds: jobSize, text: math.MaxInt}

// fileCost returns about how much memory, in bytes, an open file may take: a connection with its answers,
// and as many pages of the file as the engine keeps.
func fileCost(path string) int64 {
	const connection, pages = 512 << 10, 16 << 20
	info, err := os.Stat(path)
	if err != nil {
		return connection // the error is found when it is opened
	}
	return connection + min(info.Size(), pages)
}

// worker judges cases with databases of its own, because queries on one database wait for each other.
type worker struct {
	options *Options
	limits  limits
	open    []*openDatabases // in the order of their last use, the latest last
	golds   map[goldKey]*preparedGold
	text    int // bytes of the SQL of golds
}

// goldKey identifies a gold SQL on a database.
type goldKey struct{ db, query string }

// openDatabases holds the open files for a db_id.
type openDatabases struct {
	id    string
	files map[string]*execution.Database // by path
	cost  int64                          // of the files
}

// preparedGold is a gold SQL prepared for each metric.
type preparedGold struct {
	exact    *exact.Gold
	run      *execution.Gold
	official *execution.Gold // by the official comparison, where run is strict
}

// judgeAll scores pairs of one schema by all metrics.
func (w *worker) judgeAll(ctx context.Context, schema *exact.Schema, pairs []*dataset.Pair) ([]*Record, error) {
	records := make([]*Record, len(pairs))
	for i, p := range pairs {
		r, err := w.judgePair(ctx, schema, p, w.options.Metrics)
		if err != nil {
			return nil, err
		}
		records[i] = r
	}
	return records, nil
}

// judgePair scores one pair by the given metrics.
func (w *worker) judgePair(ctx context.Context, schema *exact.Schema, p *dataset.Pair, metrics []Metric) (*Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := w.prepareGold(schema, p.DB, p.Query)
	c := &Case{Pair: p, schema: schema, gold: g, options: w.options, worker: w}
	r := &Record{
		Index: p.Index, DB: p.DB, Query: p.Query, Hardness: g.exact.Hardness(), Interaction: p.Interaction, Turn: p.Turn, Difficulty: p.Difficulty,
	}
	for _, m := range metrics {
		s, err := m.Score(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", w.options.Gold, p.Index+1, m.Name, err)
		}
		r.Scores = append(r.Scores, s)
	}
	return r, nil
}

// prepareGold returns the prepared gold for a query. It is cached, because successive examples often have
// the same gold. A full cache starts afresh. In strict mode there is a second gold as the official evaluator runs it, for
// the count of verdicts that strict mode changes.
func (w *worker) prepareGold(schema *exact.Schema, db, query string) *preparedGold {
	key := goldKey{db, query}
	g := w.golds[key]
	if g == nil {
		isFull := len(w.golds) >= w.limits.golds || w.text+len(query) > w.limits.text
		if w.golds == nil || isFull {
			w.golds, w.text = map[goldKey]*preparedGold{}, 0
		}
		o := w.options.Execution
		g = &preparedGold{exact: schema.Gold(query), run: execution.NewGold(query, o)}
		g.official = g.run
		if o.Strict {
			o.Strict, o.OfficialValue = false, true
			g.official = execution.NewGold(query, o)
		}
		w.golds[key] = g
		w.text += len(query)
	}
	return g
}

// contentPath returns the database file of a db_id: ID/ID.sqlite below o.Content or, in users' own flat folders, ID.sqlite, with
// any extension of an engine. If there is no such file, it returns where one is expected.
func (o *Options) contentPath(id string) string {
	for _, ext := range engine.Exts {
		for _, path := range []string{filepath.Join(o.Content, id, id+ext), filepath.Join(o.Content, id+ext)} {
			if dataset.IsFile(path) {
				return path
			}
		}
	}
	return filepath.Join(o.Content, id, id+engine.Ext("")) // .sqlite
}

// content returns the database of an example. If the file is missing or cannot be read, such
// as the empty file that some evaluators create, it returns none and sets c.noContent.
func (w *worker) content(ctx context.Context, c *Case) ([]*execution.Database, error) {
	if w.options.Content == "" {
		return nil, nil
	}
	dbs, err := w.databases(ctx, c.DB, []string{w.options.contentPath(c.DB)})
	if err != nil && ctx.Err() == nil {
		c.noContent, err = err.Error(), nil
	}
	return dbs, err
}

// suite returns the databases of the suite for an example.
func (w *worker) suite(ctx context.Context, c *Case) ([]*execution.Database, error) {
	if w.options.Suite == nil {
		return nil, nil
	}
	return w.databases(ctx, c.DB, w.options.Suite(c.DB, c.Query))
}

// databases returns the open databases of files that belong to a db_id. It keeps databases open for later calls, and
// closes those of the db_ids that were used longest ago once they exceed the worker's limits.
func (w *worker) databases(ctx context.Context, id string, paths []string) ([]*execution.Database, error) {
	at := slices.IndexFunc(w.open, func(o *openDatabases) bool { return o.id == id })
	var o *openDatabases
	if at < 0 {
		if len(w.open) >= w.limits.ids {
			w.closeOldest()
		}
		o = &openDatabases{id: id, files: map[string]*execution.Database{}}
	} else {
		o = w.open[at]
		w.open = slices.Delete(w.open, at, at+1)
	}
	w.open = append(w.open, o)
	dbs := make([]*execution.Database, len(paths))
	for i, path := range paths {
		if o.files[path] == nil {
			cost := fileCost(path)
			for len(w.open) > 1 && w.cost()+cost > w.limits.cost {
				w.closeOldest()
			}
			db, err := execution.Open(ctx, path)
			if err != nil {
				return nil, err
			}
			if w.limits.answer > 0 {
				db.Remember(w.limits.answer)
			}
			o.files[path] = db
			o.cost += cost
		}
		dbs[i] = o.files[path]
	}
	return dbs, nil
}

// closeOldest closes the databases that were used least recently.
func (w *worker) closeOldest() {
	w.open[0].close()
	w.open = slices.Delete(w.open, 0, 1)
}

// cost returns the cost of all open files.
func (w *worker) cost() int64 {
	return lists.Sum(w.open, func(o *openDatabases) int64 { return o.cost })
}

// close closes all databases.
func (w *worker) close() {
	for _, o := range w.open {
		o.close()
	}
}

// close closes the databases. It ignores errors because they were only read.
func (o *openDatabases) close() {
	for _, db := range o.files {
		_ = db.Close()
	}
}
