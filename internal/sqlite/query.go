// Package sqlite runs SQL in a sandbox and writes database files.
//
// [Open] opens a file read-only and [DB.Query] runs one SELECT on it within
// [Limits] of time, rows and memory; nothing else runs. [EqualList] and
// [EqualBag] compare answers. [Copy] writes a copy of a database with columns
// renamed and added, [Create] makes a database from a schema, and [Generate]
// the rows of one that has none. Equal input gives files with equal bytes.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	engine "modernc.org/sqlite/lib"
)

// The ways in which a query fails that are not the fault of its SQL.
var (
	ErrTimeLimit = errors.New("the query passed its time limit")
	ErrTooLarge  = errors.New("the answer is too large")
	ErrRefused   = errors.New("refused: expected one SELECT, WITH or VALUES statement that writes nothing")
)

// Limits bound a query. A field that is zero has the value of [DefaultLimits].
type Limits struct {
	Time  time.Duration // wall-clock time
	Rows  int           // rows of the answer
	Bytes int64         // memory of the answer, and of any one value on the way to it
}

// DefaultLimits are generous for the data sets that are published.
var DefaultLimits = Limits{Time: 10 * time.Second, Rows: 200_000, Bytes: 128 << 20}

// DB is a database that is read only. It is safe for concurrent use; queries
// on one DB wait for each other.
type DB struct {
	mu   sync.Mutex
	path string
	conn *conn
}

// magic is what every database file begins with.
const magic = "SQLite format 3\x00"

// Open opens the database file at path. The file is taken to be immutable: no
// locks, no journal.
func Open(ctx context.Context, path string) (*DB, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkMagic(path); err != nil {
		return nil, err
	}
	c, err := openConn(path, "mode=ro&immutable=1", engine.SQLITE_OPEN_READONLY)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// Reading the schema shows damage now, not at the first query.
	if err := c.exec("PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; SELECT count(*) FROM sqlite_schema"); err != nil {
		c.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &DB{path: path, conn: c}, nil
}

func checkMagic(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	if n, err := f.Read(head); n < len(magic) || string(head) != magic {
		if err != nil && n > 0 {
			return err
		}
		return fmt.Errorf("%s: not a SQLite database, expected a file that begins with %q", path, strings.TrimRight(magic, "\x00"))
	}
	return nil
}

// Close closes the database, after the query that runs.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn != nil {
		db.conn.close()
		db.conn = nil
	}
	return nil
}

// Result is an answer.
type Result struct {
	Columns []string
	Rows    [][]Value
}

// Query runs one SELECT, WITH or VALUES statement. It fails with [ErrRefused]
// where sql is anything else, with [ErrTimeLimit] or [ErrTooLarge] past a
// limit, with the context's error where that ended first, and with an [*Error]
// where the engine refuses the SQL.
func (db *DB) Query(ctx context.Context, sql string, limits Limits) (*Result, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.conn == nil {
		return nil, fmt.Errorf("%s: database is closed", db.path)
	}
	limits = limits.orDefault()
	if !isSelect(sql) {
		return nil, ErrRefused
	}
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	engine.Xsqlite3_limit(db.conn.tls, db.conn.db, engine.SQLITE_LIMIT_LENGTH, int32(min(limits.Bytes, 1<<30)))

	interrupted := make(chan struct{})
	stop := context.AfterFunc(limited, func() {
		db.conn.interrupt()
		close(interrupted)
	})
	res, err := db.conn.query(limited, sql, limits)
	if !stop() {
		<-interrupted // or it could hit the next query
	}
	var e *Error
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("%w of %v", ErrTimeLimit, limits.Time)
	case errors.As(err, &e) && (e.Code == engine.SQLITE_TOOBIG || e.Code == engine.SQLITE_NOMEM):
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return nil, err
}

func (l Limits) orDefault() Limits {
	if l.Time <= 0 {
		l.Time = DefaultLimits.Time
	}
	if l.Rows <= 0 {
		l.Rows = DefaultLimits.Rows
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	return l
}

func (c *conn) query(ctx context.Context, sql string, limits Limits) (*Result, error) {
	s, tail, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer s.finalize()
	if skipBlank(tail) != "" || !s.readOnly() {
		return nil, ErrRefused
	}
	res := &Result{Columns: s.columns()}
	var bytes int64
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
			return nil, fmt.Errorf("%w: more than %d rows", ErrTooLarge, limits.Rows)
		}
		row := make([]Value, len(res.Columns))
		for i := range row {
			row[i] = s.value(i)
			bytes += row[i].size()
		}
		if bytes > limits.Bytes {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limits.Bytes)
		}
		res.Rows = append(res.Rows, row)
	}
}

// isSelect tells whether the first word of sql is one that begins a query.
func isSelect(sql string) bool {
	sql = skipBlank(sql)
	end := strings.IndexFunc(sql, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
	if end < 0 {
		end = len(sql)
	}
	switch strings.ToUpper(sql[:end]) {
	case "SELECT", "WITH", "VALUES":
		return true
	}
	return false
}

// skipBlank returns sql without the blanks, semicolons and comments that it
// begins with.
func skipBlank(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\n\r\f;")
		var end string
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			return sql
		}
		_, rest, found := strings.Cut(sql[2:], end)
		if !found {
			return ""
		}
		sql = rest
	}
}

// QuoteName returns a name in double quotes, for use in SQL.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
