// Package sqlite runs SQL in a sandbox and writes database files.
//
// [Open] opens a file read-only and [DB.Query] runs one SELECT on it within
// [sqldata.Limits] of time, rows and memory; nothing else runs, no file but that one is
// touched, and the file alone determines an answer: random() is refused and
// the clock is constant. [Copy] writes a copy of a database with columns renamed and
// added, and [Create] makes a database from a schema. Equal input gives files with
// equal bytes.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// DB is a database that is read only. It is safe for concurrent use; queries
// on one DB wait for each other.
type DB struct {
	mu      sync.Mutex
	path    string
	connect func(*DB) (*conn, error) // opens another connection
	runner  *runner                  // runs the queries; nil after a query that did not stop
	left    *runner                  // the runner of that query
	closed  bool

	isDraft    bool
	tablesOnce sync.Once
	tables     *prefix.Tables // nil before [DB.prefix]
	tablesErr  error
	cells      []func(sqldata.Value) (sqldata.Value, error) // by computed column of a draft: its cell from the source's cell
}

// magic is the beginning of every database file.
const magic = "SQLite format 3\x00"

// Open opens the database file at path. The file is taken to be immutable: no
// locks, no journal. It returns an error if a journal next to it holds changes.
func Open(ctx context.Context, path string) (*DB, error) {
	return open(ctx, path, func(*DB) (*conn, error) { return connect(path) })
}

// open checks the file at path and opens a database on it. connect opens the connection, and another one after a query that did not stop.
func open(ctx context.Context, path string, connect func(*DB) (*conn, error)) (*DB, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkFile(path); err != nil {
		return nil, err
	}
	db := &DB{path: path, connect: connect}
	c, err := connect(db)
	if err != nil {
		return nil, err
	}
	db.runner = newRunner(c)
	return db, nil
}

// connect opens a connection that can only read.
func connect(path string) (*conn, error) {
	c, err := openConn(path, "mode=ro&immutable=1", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// Reading the schema shows damage now, not at the first query. The cache, in KiB,
	// is that large for sorting's sake: the engine spills what does not fit.
	if err = c.exec("PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cache_size=-16000; SELECT count(*) FROM sqlite_schema"); err == nil {
		err = c.sandbox()
	}
	if err != nil {
		c.close()
		if e := (*sqldata.Error)(nil); errors.As(err, &e) {
			err = e // without the statement, which is no user's
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// checkFile returns an error unless the file at path is a SQLite database, by its first bytes, that holds
// all its committed rows and no others.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: leads nowhere, expected a SQLite database: %w", path, errors.Unwrap(err))
	}
	if !info.Mode().IsRegular() { // a pipe would not even open
		return fmt.Errorf("%s: is no ordinary file, expected a SQLite database", path)
	}
	head, err := readHead(path)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(head, magic) {
		return fmt.Errorf("%s: not a SQLite database%s, expected a file that begins with %q", path, otherKind(head), strings.TrimRight(magic, "\x00"))
	}
	return checkJournals(path)
}

// otherKinds lists files that people take for SQLite databases, by the bytes at an offset.
var otherKinds = []struct {
	offset      int
	bytes, name string
}{
	{8, "DUCK", "a DuckDB database"}, {4, "Standard Jet DB", "an Access database"}, {4, "Standard ACE DB", "an Access database"},
	{0, "\x1f\x8b", "a file compressed by gzip"}, {0, "PK\x03\x04", "a ZIP archive or spreadsheet"}, {0, "PAR1", "a Parquet file"},
}

// otherKind returns the end of an error on a file that is no database: " but " and the kind of file that begins
// with head. It is "" for an unknown kind.
func otherKind(head string) string {
	if head == "" {
		return " but a file of 0 bytes, as evaluators leave where they look for one that is missing"
	}
	for _, k := range otherKinds {
		if len(head) > k.offset && strings.HasPrefix(head[k.offset:], k.bytes) {
			return " but " + k.name
		}
	}
	return ""
}

// headLength is the length in bytes of the header of a write-ahead log.
const headLength = 32

// readHead returns the first bytes of a file: one more than headLength, or all if it has fewer.
func readHead(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headLength+1))
	return string(head), err
}

// journals has the first bytes of a journal that holds changes, by the ending of its name after the database's. A
// rollback journal whose transaction has ended is empty or begins with zeros.
var journals = map[string]string{"-wal": "\x37\x7f\x06", "-journal": "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"}

// checkJournals returns an error if a journal next to the database file at path holds changes: without it, the file
// lacks committed rows, or has some that were rolled back.
func checkJournals(path string) error {
	real, err := filepath.EvalSymlinks(path) // SQLite looks next to the file that a link leads to
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(real + suffix); err != nil || !info.Mode().IsRegular() {
			continue // there is no such journal
		}
		head, err := readHead(real + suffix)
		switch {
		case err != nil:
			return fmt.Errorf("%s: the journal beside it cannot be read: %w", path, err)
		case len(head) > headLength && strings.HasPrefix(head, journals[suffix]):
			return fmt.Errorf("%s: has changes in %s beside it, expected a database that was closed; reading it once with SQLite's own shell, as by \"sqlite3 FILE .schema\", takes them in",
				path, filepath.Base(real+suffix))
		}
	}
	return nil
}

// Close closes the database, after the query that runs.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	if db.runner != nil {
		close(db.runner.tasks)
		<-db.runner.stopped
		db.runner = nil
	}
	return nil
}

// Query runs one SELECT, WITH or VALUES statement. It fails with [sqldata.ErrRefused]
// where sql is anything else or calls what the sandbox does not have, with
// [sqldata.ErrTimeLimit], [sqldata.ErrSteps] or [sqldata.ErrTooLarge] past a limit, with the context's error where
// that ended first, and with an [*sqldata.Error] where the engine refuses the SQL.
func (db *DB) Query(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !sqldata.IsSelect(sql) {
		return nil, sqldata.ErrRefused
	}
	if db.isDraft {
		sql = db.tables.Before(sql)
	}
	return db.ask(ctx, sql, limits)
}

// ask runs a statement; the engine ensures that it writes nothing. Queries on one DB run one after the other.
func (db *DB) ask(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if db.closed {
		return nil, fmt.Errorf("%s: database is closed", db.path)
	}
	if db.runner == nil {
		// At most one query may go on unattended: wait for it before another connection is opened.
		select {
		case <-db.left.stopped:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(limits.OrDefault().Time):
			return nil, fmt.Errorf("%w of %v: an earlier query has not ended", sqldata.ErrTimeLimit, limits.OrDefault().Time)
		}
		c, err := db.connect(db)
		if err != nil {
			return nil, err
		}
		db.runner = newRunner(c)
	}
	limits = limits.OrDefault()
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	res, err := db.run(limited, sql, limits)
	var e *sqldata.Error
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, sqldata.ErrSteps):
		return nil, fmt.Errorf("%w: %d", err, limits.Steps)
	case limited.Err() != nil:
		return nil, fmt.Errorf("%w of %v", sqldata.ErrTimeLimit, limits.Time)
	case !errors.As(err, &e):
		return nil, err
	case e.Code == engine.SQLITE_AUTH, strings.HasPrefix(e.Msg, "not authorized"): // for functions there is no code
		return nil, fmt.Errorf("%w: %w", sqldata.ErrRefused, err)
	case e.Code == engine.SQLITE_TOOBIG, e.Code == engine.SQLITE_NOMEM, e.Code == engine.SQLITE_FULL:
		return nil, fmt.Errorf("%w: %w", sqldata.ErrTooLarge, err)
	}
	return nil, err
}

// run runs a query until the context is done. The engine sees an interrupt only
// between two instructions. A query that ignores it keeps its connection, and the
// next query opens another one.
func (db *DB) run(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	t := task{ctx: ctx, sql: sql, limits: limits, done: make(chan struct{})}
	db.runner.tasks <- &t
	select {
	case <-t.done:
		return t.res, t.err
	case <-ctx.Done():
	}
	if db.runner.interrupt(t.done) {
		return t.res, t.err
	}
	close(db.runner.tasks) // it closes the connection once the query ends
	db.left, db.runner = db.runner, nil
	return nil, ctx.Err()
}

// query runs one statement within the limits. It returns ErrRefused for a second statement or one that writes.
func (c *conn) query(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_LENGTH, int32(min(limits.Bytes, maxValue)))
	c.memory.most.Store(c.memory.used.Load() + limits.Work)
	s, tail, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer s.finalize()
	switch {
	case sqldata.SkipBlank(tail) != "", !s.readOnly():
		return nil, sqldata.ErrRefused
	case limits.Steps == 0:
		return s.rows(ctx, limits)
	}
	c.count(limits.Steps)
	defer engine.Xsqlite3_progress_handler(c.tls, c.db, 0, 0, 0)
	res, err := s.rows(ctx, limits)
	if err != nil && c.left < 0 {
		err = sqldata.ErrSteps
	}
	return res, err
}

// count makes the engine interrupt the statements of the connection after a number of steps.
func (c *conn) count(steps int) {
	c.left = steps / stepGrain
	c.handler = func(*libc.TLS, uintptr) int32 {
		c.left--
		return int32(uint(c.left) >> 63) // 1 below 0, which makes the engine interrupt
	}
	engine.Xsqlite3_progress_handler(c.tls, c.db, stepGrain, *(*uintptr)(unsafe.Pointer(&c.handler)), 0)
}

// rows steps through the statement and returns its answer, within the limits on rows and bytes.
func (s *stmt) rows(ctx context.Context, limits sqldata.Limits) (*sqldata.Result, error) {
	res := &sqldata.Result{Columns: s.columns()}
	width := len(res.Columns)
	var bytes int64
	var cells []sqldata.Value // rows are cut from blocks of cells
	for {
		// An interrupt that comes between two steps is lost on the engine.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := s.step()
		if err != nil {
			return nil, err
		}
		if !more {
			return res, nil
		}
		if len(res.Rows) == limits.Rows {
			return nil, fmt.Errorf("%w: more than %d rows", sqldata.ErrTooLarge, limits.Rows)
		}
		if cap(cells)-len(cells) < width { // a new block, which doubles the rows, up to 256
			cells = make([]sqldata.Value, 0, width*min(max(len(res.Rows), 1), 256))
		}
		for i := range width {
			v := s.value(i)
			bytes += v.Size()
			cells = append(cells, v)
		}
		if bytes > limits.Bytes {
			return nil, fmt.Errorf("%w: more than %d bytes", sqldata.ErrTooLarge, limits.Bytes)
		}
		res.Rows = append(res.Rows, cells[len(cells)-width:len(cells):len(cells)])
	}
}
