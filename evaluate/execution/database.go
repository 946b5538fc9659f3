package execution

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Database is a SQLite file on which SQL is judged, opened read-only. It is safe
// for concurrent use, but runs one query at a time: workers are faster with a
// Database each.
//
// It caches the answers to recent SQL, because the predictions of one gold, and the golds of one data set,
// are often the same.
type Database struct {
	path string
	db   engine.DB

	mu       sync.Mutex
	tables   catalog               // nil before the first call of catalog
	answers  map[answerKey]*answer // the cache
	cells    int                   // of all answers in the cache
	maxCells int                   // bounds cells
}

// The bounds of the cache of a Database: answers, and their cells.
const (
	maxAnswers = 256
	maxCells   = 1 << 16
)

// answerKey identifies an answer in the cache.
type answerKey struct {
	sql    string // in its normal form
	limits sqldata.Limits
}

// answer is the answer to a query, or the error for which it has none.
type answer struct {
	key answerKey
	res *sqldata.Result
	err error
}

// Open opens the SQLite file at path.
func Open(ctx context.Context, path string) (*Database, error) {
	db, err := engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Database{path: path, db: db, answers: map[answerKey]*answer{}, maxCells: maxCells}, nil
}

// Remember bounds the cells of the cached answers. It is called before the first query, for callers that
// keep very many databases open.
func (d *Database) Remember(cells int) { d.maxCells = cells }

// Close closes the database.
func (d *Database) Close() error { return d.db.Close() }

// denotation returns the answer to a query, with text as the official evaluator
// reads it. Callers share it and do not change it.
func (d *Database) denotation(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	limits.Steps = stepLimit(limits)
	return d.answer(ctx, answerKey{normal(sql), limits}, sql, func(res *sqldata.Result) (*sqldata.Result, error) { return decoded(res), nil })
}

// answer returns the answer to a query after read, which may transform it. It caches by the key both the answer and
// an error that the query is to blame for, but not one such as the end of the context.
func (d *Database) answer(ctx context.Context, key answerKey, sql string, read func(*sqldata.Result) (*sqldata.Result, error)) (*sqldata.Result, error) {
	d.mu.Lock()
	a := d.answers[key]
	d.mu.Unlock()
	if a != nil {
		return a.res, a.err
	}
	res, err := d.db.Query(ctx, sql, key.limits)
	if err == nil {
		res, err = read(res)
	} else if _, fatal := failureReason(err); fatal != nil {
		return nil, err
	}
	d.cache(&answer{key, res, err})
	return res, err
}

// stepsPerSecond turns a limit of time into one of steps, so that verdicts are the same
// on a slow machine and a fast one, which does ten times as many: what it stops joins
// tables without conditions. BIRD's evaluator, whose databases are large, counts time.
const stepsPerSecond = 5_000_000

// stepLimit returns the number of steps of the engine that correspond to a limit of time.
func stepLimit(l sqldata.Limits) int {
	return int(cmp.Or(l.Time, sqldata.DefaultLimits.Time).Seconds() * stepsPerSecond)
}

// catalog is the schema of a database: the columns of each table, by its name in
// lower case.
type catalog map[string][]string

// Columns makes it a [sqlast.Catalog].
func (c catalog) Columns(table string) ([]string, bool) {
	columns, ok := c[strings.ToLower(table)]
	return columns, ok
}

// catalog returns the names of the columns of each table by the name of the table in lower case. They are read once.
func (d *Database) catalog(ctx context.Context) (catalog, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tables != nil {
		return d.tables, nil
	}
	schema, err := d.db.Schema(ctx)
	if err != nil {
		return nil, err
	}
	d.tables = catalog{}
	for _, t := range schema {
		d.tables[strings.ToLower(t.Name)] = lists.Map(t.Columns, func(c sqldata.Column) string { return c.Name })
	}
	return d.tables, nil
}

// cache stores an answer, unless it takes more than a quarter of the cache. A full cache starts afresh.
func (d *Database) cache(a *answer) {
	size := a.size()
	if size > d.maxCells/4 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.answers) >= maxAnswers || d.cells+size > d.maxCells {
		clear(d.answers)
		d.cells = 0
	}
	if d.answers[a.key] == nil {
		d.answers[a.key] = a
		d.cells += size
	}
}

// size returns about how many cells of memory the answer takes, with its text.
func (a *answer) size() int {
	const cell = 32 // bytes
	n := len(a.key.sql) / cell
	if a.res == nil {
		return n
	}
	n += len(a.res.Rows) * len(a.res.Columns)
	for _, row := range a.res.Rows {
		for _, v := range row {
			n += len(v.Bytes()) / cell
		}
	}
	return n
}

// decoded returns the result with the bytes of its text that are not UTF-8 left
// out, as Python decodes with errors="ignore".
func decoded(res *sqldata.Result) *sqldata.Result {
	if !hasInvalidText(res) {
		return res
	}
	return &sqldata.Result{Columns: res.Columns, Rows: lists.Map(res.Rows, func(row []sqldata.Value) []sqldata.Value {
		return lists.Map(row, func(v sqldata.Value) sqldata.Value {
			if v.Kind() == sqldata.Text {
				return sqldata.NewText(strings.ToValidUTF8(v.Bytes(), ""))
			}
			return v
		})
	})}
}

// hasInvalidText reports whether an answer has text that is not UTF-8.
func hasInvalidText(res *sqldata.Result) bool {
	isInvalid := func(v sqldata.Value) bool { return v.Kind() == sqldata.Text && !utf8.ValidString(v.Bytes()) }
	return slices.ContainsFunc(res.Rows, func(row []sqldata.Value) bool { return slices.ContainsFunc(row, isInvalid) })
}
