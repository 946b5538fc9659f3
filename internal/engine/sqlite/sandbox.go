package sqlite

import (
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Bounds on SQL that comes from a model. SQLite's own are higher; no query of a
// published data set comes near these.
const (
	maxSQL     = 256 << 10 // bytes of a statement
	maxValue   = 256 << 10 // bytes of a value or of a row
	maxProgram = 250_000   // instructions that a statement compiles to
	maxPattern = 1_000     // bytes of a LIKE or GLOB pattern
)

// now is the time that SQL sees: any fixed one, so that answers do not depend on
// the day, in the year that the official evaluator of Spider puts in the place
// of YEAR(CURDATE()), and at noon, so that it is the same day in all zones.
var now = time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)

// sandbox restricts the later statements of a connection to reading its one database:
//
//   - an authorizer refuses what is not listed in authorize;
//   - temporary files lie in memory, where the connection's account bounds them;
//   - there are no virtual tables but JSON's, no triggers, and the clock is constant.
func (c *conn) sandbox() error {
	for id, bound := range map[int32]int32{
		engine.SQLITE_LIMIT_ATTACHED:            0,
		engine.SQLITE_LIMIT_SQL_LENGTH:          maxSQL,
		engine.SQLITE_LIMIT_VDBE_OP:             maxProgram,
		engine.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: maxPattern,
		engine.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		engine.Xsqlite3_limit(c.tls, c.db, id, bound)
	}
	if err := c.disableTriggers(); err != nil {
		return err
	}
	if err := c.configure(engine.SQLITE_DBCONFIG_DEFENSIVE, 1); err != nil {
		return err
	}
	if rc := engine.Xsqlite3_drop_modules(c.tls, c.db, 0); rc != engine.SQLITE_OK {
		return c.error(rc)
	}
	if err := c.detachFiles(); err != nil {
		return err
	}
	if rc := engine.Xsqlite3_set_authorizer(c.tls, c.db, callback(authorize), 0); rc != engine.SQLITE_OK {
		return c.error(rc)
	}
	return nil
}

// Bounds on a database file of others that is edited.
const (
	maxCell     = 64 << 20  // bytes of a value or of a row
	maxEditWork = 512 << 20 // bytes of memory
)

// boundEdit bounds memory and the length of values for a connection that writes to a database file of
// others, whose generated columns, indexes and constraints compute what they declare. With generated
// columns, the bound on values is that of queries. Virtual tables are not asked for theirs: the engine may lack the module.
func (c *conn) boundEdit() error {
	c.memory.most.Store(maxEditWork)
	engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, maxPattern)
	engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_LENGTH, maxCell)
	// Generated columns are hidden by 2 or 3.
	computed, err := c.column("SELECT 1 FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x WHERE m.type = 'table' AND m.rootpage > 0 AND x.hidden > 1 LIMIT 1")
	if err == nil && len(computed) > 0 {
		engine.Xsqlite3_limit(c.tls, c.db, engine.SQLITE_LIMIT_LENGTH, maxValue)
	}
	return err
}

// detachFiles gives the connection the engine's in-memory file system, with a constant clock, for the
// temporary files that it opens from now on. The database file is open already and stays on disk.
func (c *conn) detachFiles() error {
	name, err := libc.CString("memdb")
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, name)
	memory := engine.Xsqlite3_vfs_find(c.tls, name)
	if memory == 0 {
		return &sqldata.Error{Code: engine.SQLITE_ERROR, Msg: "the engine has no in-memory files"}
	}
	vfs := unsafe.Slice((*byte)(unsafe.Pointer(&c.vfs)), unsafe.Sizeof(c.vfs))
	copy(vfs, libc.GoBytes(memory, len(vfs)))
	c.vfs.FxCurrentTimeInt64 = callback(currentTime)
	// SQLite has no function to change the file system of an open connection.
	setPointer(c.db+unsafe.Offsetof(engine.Tsqlite3{}.FpVfs), uintptr(unsafe.Pointer(&c.vfs)))
	return nil
}

// currentTime writes the time as milliseconds since noon of 24 November 4714 BC.
func currentTime(_ *libc.TLS, _, p uintptr) int32 {
	const unixEpoch = 210866760000000 // 1 January 1970 in this count
	setInt64(p, unixEpoch+now.UnixMilli())
	return engine.SQLITE_OK
}

// authorize is the engine's callback for each action of a statement that compiles: it allows reading, the functions of
// allowedFunctions and pragmas that read the schema.
func authorize(_ *libc.TLS, _ uintptr, action int32, first, second, _, _ uintptr) int32 {
	allowed := false
	switch action {
	case engine.SQLITE_SELECT, engine.SQLITE_READ, engine.SQLITE_RECURSIVE:
		allowed = true
	case engine.SQLITE_FUNCTION:
		allowed = allowedFunctions[strings.ToLower(libc.GoString(second))]
	case engine.SQLITE_PRAGMA:
		allowed = schemaPragma(libc.GoString(first))
	}
	if allowed {
		return engine.SQLITE_OK
	}
	return engine.SQLITE_DENY
}

// schemaPragma reports whether a pragma only reads the schema: those may be called
// as functions (pragma_table_info('t')).
func schemaPragma(name string) bool {
	switch strings.ToLower(name) {
	case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "foreign_key_check":
		return true
	}
	return false
}
