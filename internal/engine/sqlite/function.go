package sqlite

import (
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// CellFunction is the SQL function by which a draft computes cells: of the number of the
// column among those that are computed, and a cell of the column that it is computed from.
const CellFunction = "tabperturb_cell"

// register gives the connection the function of the draft's cells.
func (d *draft) register() error {
	c := d.conn
	name, err := libc.CString(CellFunction)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	c.function = func(tls *libc.TLS, ctx uintptr, _ int32, args uintptr) {
		call := call{tls, ctx}
		column := valueAt(tls, args, 0).Int()
		if column < 0 || column >= int64(len(d.cells)) {
			call.fail("a draft has no such column")
			return
		}
		cell, err := d.cells[column](valueAt(tls, args, 1))
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

// valueAt returns one of the arguments that the engine calls a function with.
func valueAt(tls *libc.TLS, args uintptr, i int) sqldata.Value {
	v := pointerAt(args + uintptr(i)*pointerSize)
	switch engine.Xsqlite3_value_type(tls, v) {
	case engine.SQLITE_INTEGER:
		return sqldata.NewInt(engine.Xsqlite3_value_int64(tls, v))
	case engine.SQLITE_FLOAT:
		return sqldata.NewFloat(engine.Xsqlite3_value_double(tls, v))
	case engine.SQLITE_TEXT:
		p := engine.Xsqlite3_value_text(tls, v)
		return sqldata.NewText(argumentBytes(tls, v, p))
	case engine.SQLITE_BLOB:
		p := engine.Xsqlite3_value_blob(tls, v)
		return sqldata.NewBlob(argumentBytes(tls, v, p))
	}
	return sqldata.Value{}
}

func argumentBytes(tls *libc.TLS, v, p uintptr) string {
	if p == 0 {
		return ""
	}
	return string(libc.GoBytes(p, int(engine.Xsqlite3_value_bytes(tls, v))))
}

// call is a call of a function by the engine, which waits for its result.
type call struct {
	tls *libc.TLS
	ctx uintptr
}

func (c call) fail(message string) {
	if p, err := libc.CString(message); err == nil {
		engine.Xsqlite3_result_error(c.tls, c.ctx, p, int32(len(message)))
		libc.Xfree(c.tls, p)
	}
}

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
