package sqlite

import (
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// register defines [sqldata.CellFunction] on a connection, for the cells of a draft.
func (db *DB) register(c *conn) error {
	name, err := libc.CString(sqldata.CellFunction)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	// tabperturb_cell(COLUMN, CELL) returns the cell of the computed column of that number for the source's cell.
	c.function = func(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
		call, args := call{tls, ctx}, arguments(tls, n, argv)
		column := args[0].value().Int()
		if column < 0 || column >= int64(len(db.cells)) {
			call.fail("a draft has no such column")
			return
		}
		cell, err := db.cells[column](args[1].value())
		if err != nil {
			call.fail(err.Error())
			return
		}
		call.result(cell)
	}
	const flags = engine.SQLITE_UTF8 | engine.SQLITE_DETERMINISTIC | engine.SQLITE_INNOCUOUS
	if rc := engine.Xsqlite3_create_function(c.tls, c.db, name, 2, flags, 0, *(*uintptr)(unsafe.Pointer(&c.function)), 0, 0); rc != engine.SQLITE_OK {
		return c.error(rc)
	}
	return nil
}

// call is a call of a function by the engine, which waits for its result.
type call struct {
	tls *libc.TLS
	ctx uintptr
}

// fail ends the call with an error message.
func (c call) fail(message string) {
	if p, err := libc.CString(message); err == nil {
		engine.Xsqlite3_result_error(c.tls, c.ctx, p, int32(len(message)))
		libc.Xfree(c.tls, p)
	}
}

// result ends the call with a cell, whose bytes the engine copies.
func (c call) result(v sqldata.Value) {
	switch v.Kind() {
	case sqldata.Null:
		engine.Xsqlite3_result_null(c.tls, c.ctx)
	case sqldata.Integer:
		engine.Xsqlite3_result_int64(c.tls, c.ctx, v.Int())
	case sqldata.Real:
		engine.Xsqlite3_result_double(c.tls, c.ctx, v.Float())
	default:
		p, err := libc.CString(v.Bytes())
		if err != nil {
			engine.Xsqlite3_result_error_nomem(c.tls, c.ctx)
			return
		}
		defer libc.Xfree(c.tls, p)
		if v.Kind() == sqldata.Text {
			engine.Xsqlite3_result_text(c.tls, c.ctx, p, int32(len(v.Bytes())), engine.SQLITE_TRANSIENT)
		} else {
			engine.Xsqlite3_result_blob(c.tls, c.ctx, p, int32(len(v.Bytes())), engine.SQLITE_TRANSIENT)
		}
	}
}
