package sqlite

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // patches the engine for use by several goroutines
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// conn is a connection to the engine itself. It does not go through the driver for database/sql, which
// turns text of columns declared as DATE into times, so that the text is lost, and can interrupt a query
// only before its first row. One goroutine at a time may use a conn; any may call interrupt.
type conn struct {
	tls *libc.TLS
	db  uintptr
	vfs engine.Tsqlite3_vfs // file system of a sandboxed connection; the engine holds its address

	memory *account

	left    int                            // units of stepGrain steps left to the statement that runs
	handler func(*libc.TLS, uintptr) int32 // counts left down; a field, as the engine holds its address

	function func(*libc.TLS, uintptr, int32, uintptr) // [sqldata.CellFunction] of a draft; a field for the same reason

	mu sync.Mutex // held while interrupting, so that close waits for it
}

// openConn opens a database file. params is the query of its file URI, such as "mode=ro". SQL can call the
// functions of allowedFunctions only, from queries, generated columns, indexes and constraints alike.
func openConn(path, params string, flags int32) (*conn, error) {
	c, err := openRaw(path, params, flags)
	if err != nil {
		return nil, err
	}
	if err := c.replaceFunctions(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// openRaw opens a database file as [openConn] does, but SQL can call all functions of the engine.
func openRaw(path, params string, flags int32) (*conn, error) {
	if err := Configure(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive's letter is no host
	}
	name, err := libc.CString((&url.URL{Scheme: "file", Path: slashed, RawQuery: params}).String())
	if err != nil {
		return nil, err
	}
	c := &conn{tls: libc.NewTLS(), memory: &account{}}
	accounts.Store(c.tls.ID, c.memory)
	defer libc.Xfree(nil, name) // c.tls may be closed by then
	rc := c.out(func(p uintptr) int32 {
		return engine.Xsqlite3_open_v2(c.tls, name, p, flags|engine.SQLITE_OPEN_URI|engine.SQLITE_OPEN_NOMUTEX, 0)
	}, &c.db)
	if rc != engine.SQLITE_OK {
		err := c.error(rc)
		c.close()
		return nil, err
	}
	engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_ATTACHED, 0)
	return c, nil
}

// disableTriggers keeps triggers of the database from running.
func (c *conn) disableTriggers() error {
	return c.configure(engine.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
}

// configure sets an option of the connection, one of SQLITE_DBCONFIG_*, to 0 or 1.
func (c *conn) configure(option, value int32) error {
	args := libc.NewVaList(value, uintptr(0))
	defer libc.Xfree(c.tls, args)
	if rc := engine.Xsqlite3_db_config(c.tls, c.db, option, args); rc != engine.SQLITE_OK {
		return c.error(rc)
	}
	return nil
}

// close closes the connection, once. It waits for an interrupt under way.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db != 0 {
		engine.Xsqlite3_close_v2(c.tls, c.db)
		c.db = 0
	}
	accounts.Delete(c.tls.ID)
	c.tls.Close()
}

// interrupt stops the statement that runs, if any.
func (c *conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db != 0 {
		engine.Xsqlite3_interrupt(nil, c.db)
	}
}

// out calls f with the address p of pointers in the engine's memory, one for each of dst, and sets dst to
// the pointers that f stored there.
func (c *conn) out(f func(p uintptr) int32, dst ...*uintptr) int32 {
	p := c.tls.Alloc(pointerSize * len(dst))
	defer c.tls.Free(pointerSize * len(dst))
	mem := libc.GoBytes(p, pointerSize*len(dst))
	clear(mem)
	rc := f(p)
	for i, d := range dst {
		*d = pointerAt(p + uintptr(i)*pointerSize)
	}
	return rc
}

// pointerSize is the size of a pointer in bytes.
const pointerSize = bits.UintSize / 8

// pointerAt reads a pointer from memory of the engine.
func pointerAt(p uintptr) uintptr {
	if pointerSize == 8 {
		return uintptr(binary.NativeEndian.Uint64(libc.GoBytes(p, pointerSize)))
	}
	return uintptr(binary.NativeEndian.Uint32(libc.GoBytes(p, pointerSize)))
}

// setPointer writes a pointer to memory of the engine.
func setPointer(p, value uintptr) {
	if pointerSize == 8 {
		setInt64(p, int64(value))
	} else {
		binary.NativeEndian.PutUint32(libc.GoBytes(p, pointerSize), uint32(value))
	}
}

// setInt64 writes an integer to memory of the engine.
func setInt64(p uintptr, value int64) {
	binary.NativeEndian.PutUint64(libc.GoBytes(p, 8), uint64(value))
}

// callback returns the address by which the engine calls f. It must be a declared function: a closure could
// be garbage collected.
func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// error returns the [*sqldata.Error] for a result code, whose last byte is its primary code: with the message of the last call on the
// connection, if that is open.
func (c *conn) error(rc int32) error {
	msg := libc.GoString(engine.Xsqlite3_errstr(c.tls, rc))
	if c.db != 0 {
		msg = libc.GoString(engine.Xsqlite3_errmsg(c.tls, c.db))
	}
	return &sqldata.Error{Code: int(rc), Msg: msg, IO: slices.Contains([]int32{engine.SQLITE_IOERR, engine.SQLITE_FULL, engine.SQLITE_CANTOPEN}, rc&0xff)}
}

// exec runs the statements of sql and drops their rows.
func (c *conn) exec(sql string) error {
	for sql != "" {
		tail, err := c.execFirst(sql)
		if err != nil {
			return err
		}
		sql = tail
	}
	return nil
}

// execFirst runs the first statement of sql and returns what follows it.
func (c *conn) execFirst(sql string) (tail string, err error) {
	s, tail, err := c.prepare(sql)
	if err == nil && s != nil {
		_, err = s.all()
		s.finalize()
	}
	if err != nil {
		return "", fmt.Errorf("%w (in %q)", err, sql)
	}
	return tail, nil
}

// all runs a query that this package wrote, without limits, and returns its rows.
func (c *conn) all(sql string) ([][]sqldata.Value, error) {
	s, _, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer s.finalize()
	return s.all()
}

// column returns the first column of the answer of a query, as text.
func (c *conn) column(sql string) ([]string, error) {
	rows, err := c.all(sql)
	return lists.Map(rows, func(row []sqldata.Value) string { return row[0].Bytes() }), err
}

// stmt is a compiled statement.
type stmt struct {
	c    *conn
	stmt uintptr
}

// prepare compiles the first statement of sql and returns what follows it. The
// statement is nil if there are only blanks and comments.
func (c *conn) prepare(sql string) (s *stmt, tail string, err error) {
	sql = sqldata.SkipBlank(sql)
	if sql == "" {
		return nil, "", nil
	}
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, "", &sqldata.Error{Code: engine.SQLITE_MISUSE, Msg: "SQL holds a NUL character"}
	}
	text, err := libc.CString(sql)
	if err != nil {
		return nil, "", err
	}
	defer libc.Xfree(c.tls, text)
	s = &stmt{c: c}
	var end uintptr
	rc := c.out(func(p uintptr) int32 {
		return engine.Xsqlite3_prepare_v2(c.tls, c.db, text, int32(len(sql)+1), p, p+pointerSize)
	}, &s.stmt, &end)
	if rc != engine.SQLITE_OK {
		return nil, "", c.error(rc)
	}
	return s, sql[end-text:], nil // end is the engine's pointer into text after the statement
}

// readOnly reports whether the statement changes nothing in the database file.
func (s *stmt) readOnly() bool { return engine.Xsqlite3_stmt_readonly(s.c.tls, s.stmt) != 0 }

// finalize frees the statement.
func (s *stmt) finalize() { engine.Xsqlite3_finalize(s.c.tls, s.stmt) }

// step moves to the next row and reports whether there is one.
func (s *stmt) step() (bool, error) {
	switch rc := engine.Xsqlite3_step(s.c.tls, s.stmt); rc {
	case engine.SQLITE_ROW:
		return true, nil
	case engine.SQLITE_DONE:
		return false, nil
	default:
		return false, s.c.error(rc)
	}
}

// all steps through the rows that are left, and returns them.
func (s *stmt) all() (rows [][]sqldata.Value, err error) {
	for {
		more, err := s.step()
		if !more || err != nil {
			return rows, err
		}
		row := make([]sqldata.Value, engine.Xsqlite3_column_count(s.c.tls, s.stmt))
		for i := range row {
			row[i] = s.value(i)
		}
		rows = append(rows, row)
	}
}

// run binds the values, runs the statement, which returns no rows, and resets it.
func (s *stmt) run(values ...sqldata.Value) error {
	for i, v := range values {
		if err := s.bind(int32(i+1), v); err != nil {
			return err
		}
	}
	_, err := s.step()
	s.reset()
	return err
}

// reset ends a run of the statement, which keeps its parameters.
func (s *stmt) reset() { engine.Xsqlite3_reset(s.c.tls, s.stmt) }

// bind sets parameter i of the statement, from 1. The engine copies text and blobs.
func (s *stmt) bind(i int32, v sqldata.Value) error {
	tls := s.c.tls
	var rc int32
	switch v.Kind() {
	case sqldata.Null:
		rc = engine.Xsqlite3_bind_null(tls, s.stmt, i)
	case sqldata.Integer:
		rc = engine.Xsqlite3_bind_int64(tls, s.stmt, i, v.Int())
	case sqldata.Real:
		rc = engine.Xsqlite3_bind_double(tls, s.stmt, i, v.Float())
	default:
		p, err := libc.CString(v.Bytes())
		if err != nil {
			return err
		}
		defer libc.Xfree(tls, p)
		if v.Kind() == sqldata.Text {
			rc = engine.Xsqlite3_bind_text(tls, s.stmt, i, p, int32(len(v.Bytes())), engine.SQLITE_TRANSIENT)
		} else {
			rc = engine.Xsqlite3_bind_blob(tls, s.stmt, i, p, int32(len(v.Bytes())), engine.SQLITE_TRANSIENT)
		}
	}
	if rc != engine.SQLITE_OK {
		return s.c.error(rc)
	}
	return nil
}

// columns returns the names of the statement's result columns.
func (s *stmt) columns() []string {
	names := make([]string, engine.Xsqlite3_column_count(s.c.tls, s.stmt))
	for i := range names {
		names[i] = libc.GoString(engine.Xsqlite3_column_name(s.c.tls, s.stmt, int32(i)))
	}
	return names
}

// value returns a cell of the current row.
func (s *stmt) value(column int) sqldata.Value {
	tls, i := s.c.tls, int32(column)
	switch engine.Xsqlite3_column_type(tls, s.stmt, i) {
	case engine.SQLITE_INTEGER:
		return sqldata.NewInt(engine.Xsqlite3_column_int64(tls, s.stmt, i))
	case engine.SQLITE_FLOAT:
		return sqldata.NewFloat(engine.Xsqlite3_column_double(tls, s.stmt, i))
	case engine.SQLITE_TEXT:
		p := engine.Xsqlite3_column_text(tls, s.stmt, i)
		return sqldata.NewText(s.bytes(p, i))
	case engine.SQLITE_BLOB:
		p := engine.Xsqlite3_column_blob(tls, s.stmt, i)
		return sqldata.NewBlob(s.bytes(p, i))
	}
	return sqldata.Value{} // NULL
}

// bytes returns the text or blob at p, in the engine's memory, of column i of the current row.
func (s *stmt) bytes(p uintptr, i int32) string {
	if p == 0 {
		return ""
	}
	return string(libc.GoBytes(p, int(engine.Xsqlite3_column_bytes(s.c.tls, s.stmt, i))))
}
