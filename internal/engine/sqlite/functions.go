package sqlite

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// The engine heeds an interrupt only between two of its instructions, and a call of a
// function is one instruction. So the time of a query is bounded only where that of every
// call is. Three ways were weighed. A bound on arguments that is small enough for functions
// of quadratic time (unhex of 16 KiB takes a second) refuses rows that data sets have. A
// helper process that can be killed needs one a worker, and sends each answer through a
// pipe, which takes longer than most queries. A list of the functions that may be called is
// the one that fails safely: it has those whose time is linear in their arguments, which
// are bounded, and what the engine will have tomorrow is not on it. The engine's own
// trim, replace and instr are quadratic and are what queries use, so they are replaced by
// linear ones that answer alike. A test times every function that the engine has.

// allowedFunctions are the functions that SQL of others may call: what data sets and models use,
// each of time linear in the bytes of its arguments.
var allowedFunctions = wordfile.ReadSet(`
	abs ceil ceiling floor round trunc sign mod pow power sqrt exp ln log log10 log2 pi
	acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh degrees radians
	avg count group_concat string_agg max min sum total
	cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
	date datetime time julianday strftime timediff unixepoch current_date current_time current_timestamp
	char concat concat_ws format printf glob hex instr length like lower ltrim octet_length quote
	replace rtrim soundex substr substring trim unicode upper zeroblob
	coalesce if ifnull iif likelihood likely nullif typeof unlikely
	json json_array json_array_length json_extract json_group_array json_group_object json_object
	json_quote json_type json_valid -> ->>
	changes last_insert_rowid total_changes sqlite_version ` + sqldata.CellFunction)

// function is a function of SQL by name and number of arguments, -1 for any.
type function struct {
	name string
	args int32
	call func(*libc.TLS, uintptr, int32, uintptr)

	address uintptr // of the name, for the engine
}

// linear are the functions that take the place of the engine's.
var linear = []function{
	{name: "trim", args: 1, call: trimBoth}, {name: "trim", args: 2, call: trimBoth},
	{name: "ltrim", args: 1, call: trimLeft}, {name: "ltrim", args: 2, call: trimLeft},
	{name: "rtrim", args: 1, call: trimRight}, {name: "rtrim", args: 2, call: trimRight},
	{name: "replace", args: 3, call: replaceAll}, {name: "instr", args: 2, call: inString},
}

// replaced are all functions that take the place of the engine's: the linear ones, and for
// what is not allowed one that refuses. An authorizer would not do: it is not asked about
// what is called by a generated column, an index or a constraint.
var replaced = sync.OnceValues(func() ([]function, error) {
	c, err := openRaw("functions", "mode=memory", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		return nil, err
	}
	defer c.close()
	rows, err := c.all("PRAGMA function_list")
	if err != nil {
		return nil, err
	}
	list := slices.Clone(linear)
	for _, row := range rows {
		f := function{name: row[0].Bytes(), args: int32(row[4].Int()), call: refuse}
		known := slices.ContainsFunc(list, func(g function) bool { return g.name == f.name && g.args == f.args })
		if !known && !allowedFunctions[strings.ToLower(f.name)] {
			f.args = max(f.args, -1) // below -1 the engine says how many there are at least
			list = append(list, f)
		}
	}
	for i := range list {
		list[i].address = mustCString(list[i].name)
	}
	return list, nil
})

// replaceFunctions registers the functions of [replaced], which override the engine's.
func (c *conn) replaceFunctions() error {
	list, err := replaced()
	if err != nil {
		return err
	}
	for _, f := range list {
		rc := engine.Xsqlite3_create_function_v2(c.tls, c.db, f.address, f.args, engine.SQLITE_UTF8|engine.SQLITE_DETERMINISTIC|engine.SQLITE_INNOCUOUS, 0, callback(f.call), 0, 0, 0)
		if rc != engine.SQLITE_OK {
			return c.error(rc)
		}
	}
	return nil
}

// refusal begins as the engine's own message does of what its authorizer denies.
var refusal = mustCString("not authorized to use a function that is not on the list")

// mustCString returns s as a C string that is never freed. It panics if there is no memory.
func mustCString(s string) uintptr {
	p, err := libc.CString(s)
	if err != nil {
		panic(err) // no memory for a line of text
	}
	return p
}

// refuse implements an SQL function that no query may call: it returns an error to the engine.
func refuse(tls *libc.TLS, ctx uintptr, _ int32, _ uintptr) {
	engine.Xsqlite3_result_error(tls, ctx, refusal, -1)
}

// argument is an argument of an SQL function that the engine calls.
type argument struct {
	tls *libc.TLS
	p   uintptr // the engine's sqlite3_value
}

// arguments returns the n arguments of a call; argv points to the engine's array of them.
func arguments(tls *libc.TLS, n int32, argv uintptr) []argument {
	args := make([]argument, n)
	for i := range args {
		args[i] = argument{tls, pointerAt(argv + uintptr(i)*pointerSize)}
	}
	return args
}

// kind returns the SQLite type code of the argument.
func (a argument) kind() int32 { return engine.Xsqlite3_value_type(a.tls, a.p) }

// text returns the argument as text, in the engine's memory: it is valid until the next call on the
// argument. ok is false for NULL.
func (a argument) text() (text []byte, ok bool) {
	p := engine.Xsqlite3_value_text(a.tls, a.p)
	if p == 0 {
		return nil, false
	}
	return libc.GoBytes(p, int(engine.Xsqlite3_value_bytes(a.tls, a.p))), true
}

// blob returns the argument's bytes as they are.
func (a argument) blob() []byte {
	p := engine.Xsqlite3_value_blob(a.tls, a.p)
	return libc.GoBytes(p, int(engine.Xsqlite3_value_bytes(a.tls, a.p)))
}

// value returns the argument as a cell.
func (a argument) value() sqldata.Value {
	switch a.kind() {
	case engine.SQLITE_INTEGER:
		return sqldata.NewInt(engine.Xsqlite3_value_int64(a.tls, a.p))
	case engine.SQLITE_FLOAT:
		return sqldata.NewFloat(engine.Xsqlite3_value_double(a.tls, a.p))
	case engine.SQLITE_TEXT:
		text, _ := a.text()
		return sqldata.NewText(string(text))
	case engine.SQLITE_BLOB:
		return sqldata.NewBlob(string(a.blob()))
	}
	return sqldata.Value{} // NULL
}

// texts returns all arguments of a call as text. ok is false if one is NULL; the call then sets no result, which is NULL.
func texts(tls *libc.TLS, n int32, argv uintptr) (all [][]byte, ok bool) {
	for _, a := range arguments(tls, n, argv) {
		text, ok := a.text()
		if !ok {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}

// answerText sets text as the result of a call, which the engine copies.
func answerText(tls *libc.TLS, ctx uintptr, text []byte) {
	if len(text) == 0 { // it has no first byte to point to
		engine.Xsqlite3_result_text(tls, ctx, emptyText, 0, engine.SQLITE_STATIC)
		return
	}
	engine.Xsqlite3_result_text(tls, ctx, uintptr(unsafe.Pointer(&text[0])), int32(len(text)), engine.SQLITE_TRANSIENT)
	runtime.KeepAlive(text)
}

var emptyText = mustCString("")

// trimBoth implements the SQL function trim.
func trimBoth(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
	trim(tls, ctx, n, argv, true, true)
}

// trimLeft implements the SQL function ltrim.
func trimLeft(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
	trim(tls, ctx, n, argv, true, false)
}

// trimRight implements the SQL function rtrim.
func trimRight(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
	trim(tls, ctx, n, argv, false, true)
}

// trim removes characters of the second argument, or blanks if there is none, from the left or the
// right end of the first, as trimFunc of the engine's func.c does in quadratic time. A byte that is no
// UTF-8 counts as one character; the engine takes several for one.
func trim(tls *libc.TLS, ctx uintptr, n int32, argv uintptr, left, right bool) {
	all, ok := texts(tls, n, argv)
	if !ok {
		return
	}
	if n == 1 {
		all = append(all, []byte{' '})
	}
	text, set := all[0], map[string]bool{}
	for rest, _, _ := bytes.Cut(all[1], []byte{0}); len(rest) > 0; { // the engine ends the list at a NUL too
		_, size := utf8.DecodeRune(rest)
		set[string(rest[:size])] = true
		rest = rest[size:]
	}
	for left && len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		if !set[string(text[:size])] {
			break
		}
		text = text[size:]
	}
	for right && len(text) > 0 {
		_, size := utf8.DecodeLastRune(text)
		if !set[string(text[len(text)-size:])] {
			break
		}
		text = text[:len(text)-size]
	}
	answerText(tls, ctx, text)
}

// replaceAll replaces the second argument by the third in the first, as replaceFunc of the engine's
// func.c does. The result is NULL where an argument is.
func replaceAll(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
	args := arguments(tls, n, argv)
	text, ok := args[0].text()
	if !ok {
		return
	}
	pattern, ok := args[1].text()
	switch {
	case !ok:
		return
	case len(pattern) == 0, pattern[0] == 0: // as the engine, whose patterns end at a NUL
		answerText(tls, ctx, text)
		return
	}
	by, ok := args[2].text()
	if !ok {
		return
	}
	length := int64(len(text)) + int64(bytes.Count(text, pattern))*int64(len(by)-len(pattern))
	if length > int64(engine.Xsqlite3_limit(tls, engine.Xsqlite3_context_db_handle(tls, ctx), engine.SQLITE_LIMIT_LENGTH, -1)) { // -1 keeps the limit
		engine.Xsqlite3_result_error_toobig(tls, ctx)
		return
	}
	answerText(tls, ctx, bytes.ReplaceAll(text, pattern, by))
}

// inString answers a call of instr(TEXT, PART) with the position of PART in TEXT, from 1, or 0 if TEXT lacks it, as
// instrFunc of the engine's func.c does. Positions count characters, or bytes if both are blobs. The answer is NULL if an
// argument is.
func inString(tls *libc.TLS, ctx uintptr, n int32, argv uintptr) {
	args := arguments(tls, n, argv)
	if args[0].kind() == engine.SQLITE_NULL || args[1].kind() == engine.SQLITE_NULL {
		return
	}
	var text, part []byte
	blobs := args[0].kind() == engine.SQLITE_BLOB && args[1].kind() == engine.SQLITE_BLOB
	if blobs {
		text, part = args[0].blob(), args[1].blob()
	} else {
		text, _ = args[0].text()
		part, _ = args[1].text()
	}
	at := bytes.Index(text, part)
	switch {
	case at <= 0, blobs: // both count the same
	case utf8.RuneStart(part[0]):
		at = countCharacters(text[:at])
	default: // part begins within a character, which the engine finds at the beginning of text alone
		at = -1
	}
	engine.Xsqlite3_result_int64(tls, ctx, int64(at+1))
}

// countCharacters counts the characters of text as the engine does, valid UTF-8 or not: the first byte, and all
// later bytes that can begin a character.
func countCharacters(text []byte) int {
	return 1 + lists.Count(text[1:], utf8.RuneStart)
}
