package execution

import (
	"cmp"
	"container/list"
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// Database is a SQLite file on which SQL is judged, opened read-only. It is safe
// for concurrent use, but runs one query at a time: workers are faster with a
// Database each.
//
// It remembers the denotations of recent SQL, because the predictions of one
// gold, and the golds of one data set, are often the same.
type Database struct {
	path string
	db   *sqlite.DB

	mu     sync.Mutex
	tables catalog    // nil before the first call of catalog
	recent *list.List // of *answer, the latest first
	bySQL  map[answerKey]*list.Element
	cells  int // of all answers in recent
	most   int // bound on cells
}

// What a Database remembers; larger answers are run again.
const (
	maxAnswers = 256
	maxCells   = 1 << 16
)

type answerKey struct {
	sql    string // in its normal form
	limits sqlite.Limits
}

type answer struct {
	key answerKey
	res *sqldata.Result
	err error
}

// Open opens the SQLite file at path.
func Open(ctx context.Context, path string) (*Database, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Database{path: path, db: db, recent: list.New(), bySQL: map[answerKey]*list.Element{}, most: maxCells}, nil
}

// Remember bounds the answers that are remembered, in cells. It is called before the
// first query, where very many databases are open at once.
func (d *Database) Remember(cells int) { d.most = cells }

// Close closes the database.
func (d *Database) Close() error { return d.db.Close() }

// denotation returns the answer to a query, with text as the official evaluator
// reads it. Callers share it and do not change it.
func (d *Database) denotation(ctx context.Context, sql string, limits sqlite.Limits) (*sqldata.Result, error) {
	limits.Steps = stepsOf(limits)
	return d.answer(ctx, answerKey{normal(sql), limits}, sql, func(res *sqldata.Result) (*sqldata.Result, error) { return decoded(res), nil })
}

// answer returns the answer to a query after read, which may transform it. Both the answer and an
// error are cached by the key.
func (d *Database) answer(ctx context.Context, key answerKey, sql string, read func(*sqldata.Result) (*sqldata.Result, error)) (*sqldata.Result, error) {
	if a := d.recall(key); a != nil {
		return a.res, a.err
	}
	res, err := d.db.Query(ctx, sql, key.limits)
	if err == nil {
		res, err = read(res)
	} else if _, fatal := failure(err); fatal != nil {
		return nil, err
	}
	d.remember(&answer{key, res, err})
	return res, err
}

// stepsPerSecond turns a limit of time into one of steps, so that verdicts are the same
// on a slow machine and a fast one, which does ten times as many: what it stops joins
// tables without conditions. BIRD's evaluator, whose databases are large, counts time.
const stepsPerSecond = 5_000_000

func stepsOf(l sqlite.Limits) int {
	return int(cmp.Or(l.Time, sqlite.DefaultLimits.Time).Seconds() * stepsPerSecond)
}

// catalog is the schema of a database: the columns of each table, by its name in
// lower case.
type catalog map[string][]string

// Columns makes it a [sqlast.Catalog].
func (c catalog) Columns(table string) ([]string, bool) {
	columns, ok := c[strings.ToLower(table)]
	return columns, ok
}

// catalog returns the tables of the database with their columns, read once.
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
		columns := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = c.Name
		}
		d.tables[strings.ToLower(t.Name)] = columns
	}
	return d.tables, nil
}

// recall returns a cached answer, or nil.
func (d *Database) recall(key answerKey) *answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.bySQL[key]
	if e == nil {
		return nil
	}
	d.recent.MoveToFront(e)
	return e.Value.(*answer)
}

// remember caches an answer, unless it takes more than a quarter of the cache, and drops the
// answers that were used least recently.
func (d *Database) remember(a *answer) {
	if a.size() > d.most/4 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bySQL[a.key] != nil {
		return
	}
	d.bySQL[a.key] = d.recent.PushFront(a)
	d.cells += a.size()
	for d.recent.Len() > maxAnswers || d.cells > d.most {
		oldest := d.recent.Remove(d.recent.Back()).(*answer)
		delete(d.bySQL, oldest.key)
		d.cells -= oldest.size()
	}
}

// size is about how many cells the answer would fill, its text among them.
func (a *answer) size() int {
	const cell = 32
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
	clean := &sqldata.Result{Columns: res.Columns, Rows: make([][]sqldata.Value, len(res.Rows))}
	for i, row := range res.Rows {
		clean.Rows[i] = make([]sqldata.Value, len(row))
		for j, v := range row {
			if v.Kind() == sqldata.Text {
				v = sqldata.NewText(strings.ToValidUTF8(v.Bytes(), ""))
			}
			clean.Rows[i][j] = v
		}
	}
	return clean
}

// hasInvalidText reports whether an answer has text that is not UTF-8.
func hasInvalidText(res *sqldata.Result) bool {
	for _, row := range res.Rows {
		for _, v := range row {
			if v.Kind() == sqldata.Text && !utf8.ValidString(v.Bytes()) {
				return true
			}
		}
	}
	return false
}
