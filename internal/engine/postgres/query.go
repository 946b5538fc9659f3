package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DB is a database on a server, which is only read. It is safe for concurrent use.
type DB struct {
	server *server
	tables prefix.Tables // that differ from the server's
}

// server is the connections to one address, shared by all databases that are open there.
type server struct {
	pool *pgxpool.Pool

	mu     sync.Mutex
	tables []table // what the role may read; nil before the first call of introspect
}

// servers has the servers of the process by address.
var servers = struct {
	sync.Mutex
	byAddress map[string]*server
}{byAddress: map[string]*server{}}

// settings are those of a session in which answers depend on nothing but the database. An address may have others.
var settings = [][2]string{
	{"default_transaction_read_only", "on"}, {"idle_in_transaction_session_timeout", "60s"}, {"datestyle", "ISO"},
	{"intervalstyle", "postgres"}, {"timezone", "UTC"}, {"bytea_output", "hex"}, {"extra_float_digits", "1"}, {"client_encoding", "UTF8"}, {"standard_conforming_strings", "on"},
}

// maxTemporary is what the server may write to temporary files for a query, where the role may bound that.
const maxTemporary = "4GB"

// Draft opens the database that the file at path names, as it would be after the writes. It connects when a write or a query needs the server.
func Draft(ctx context.Context, path string, writes ...sqldata.Write) (*DB, error) {
	c, err := readContent(path)
	if err != nil {
		return nil, err
	}
	s, err := serverOf(c.address)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	db := &DB{server: s, tables: prefix.Tables{Engine: s, Dialect: sqlast.PostgreSQL, List: c.tables}}
	if err := db.tables.Apply(ctx, writes); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// Copy writes to dst the file of the database that src names with the writes applied. On the server nothing changes.
func Copy(ctx context.Context, src, dst string, writes ...sqldata.Write) error {
	c, err := readContent(src)
	if err != nil {
		return err
	}
	db, err := Draft(ctx, src, writes...)
	if err != nil {
		return err
	}
	c.tables = db.tables.List
	return c.write(dst)
}

// Create writes to dst the file of the database that src names with other rows in the tables, a list for each. Cells have the types of the
// server's columns.
func Create(ctx context.Context, src, dst string, tables []sqldata.Table, rows [][][]sqldata.Value) error {
	c, err := readContent(src)
	if err != nil {
		return err
	}
	db, err := Draft(ctx, src)
	if err != nil {
		return err
	}
	all, err := db.server.introspect(ctx)
	if err != nil {
		return err
	}
	own := db.tables.Schema(lists.Map(all, func(t table) sqldata.Table { return t.Table }))
	for i, t := range tables {
		at := slices.IndexFunc(own, func(o sqldata.Table) bool { return o.Name == t.Name })
		if at < 0 {
			return fmt.Errorf("%s: has no table %s, expected it as the schema does", src, t.Name)
		}
		c.replace(prefix.Rows(db.server, t, rows[i], func(column int) string { return typeIn(own[at], t.Columns[column].Name) }))
	}
	return c.write(dst)
}

// typeIn returns the SQL type of a column of a table; text if it has none.
func typeIn(t sqldata.Table, column string) string {
	for _, c := range t.Columns {
		if c.Name == column {
			return cmp.Or(c.Type, "text")
		}
	}
	return "text"
}

// serverOf returns the server of an address, the same for all calls with it. It opens no connection yet.
func serverOf(address string) (*server, error) {
	servers.Lock()
	defer servers.Unlock()
	if s := servers.byAddress[address]; s != nil {
		return s, nil
	}
	c, err := config(address)
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, setting := range settings {
		if _, given := c.ConnConfig.RuntimeParams[setting[0]]; !given {
			fmt.Fprintf(&script, "SET %s = '%s';", setting[0], setting[1])
		}
	}
	c.PingTimeout = connectTimeout
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		if _, err := conn.PgConn().Exec(ctx, script.String()).ReadAll(); err != nil {
			return err
		}
		_, _ = conn.PgConn().Exec(ctx, "SET temp_file_limit = '"+maxTemporary+"'").ReadAll() // few roles may
		return nil
	}
	c.ConnConfig.ConnectTimeout = cmp.Or(c.ConnConfig.ConnectTimeout, connectTimeout)
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		return nil, err
	}
	s := &server{pool: pool}
	servers.byAddress[address] = s
	return s, nil
}

// Close has nothing to close: the connections are of all databases of the server.
func (db *DB) Close() error { return nil }

// Query runs one SELECT, WITH or VALUES statement in a transaction that only reads. It fails with [sqldata.ErrRefused] for any other
// statement, with [sqldata.ErrSchema] for a name with a schema on a draft, with [sqldata.ErrTimeLimit] or [sqldata.ErrTooLarge] past a
// limit, with [sqldata.ErrNoServer] if there is no connection, and with a [*sqldata.Error] where the server refuses the SQL.
func (db *DB) Query(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, err := allowed(sql)
	if err != nil {
		return nil, err
	}
	if len(db.tables.List) > 0 && namesSchema(q) {
		return nil, sqldata.ErrSchema
	}
	sql = q.String()
	res, err := db.server.query(ctx, "", db.tables.Before(sql), limits)
	if e, ok := errors.AsType[*sqldata.Error](err); !ok || len(db.tables.List) == 0 || !strings.HasSuffix(e.Msg, groupingError) {
		return res, err
	}
	// The query may select columns that depend on a grouped primary key, which common table expressions lack: run it on temporary tables with keys.
	temporary, rest, failed := db.keyed(ctx, sql)
	if failed != nil {
		return nil, failed
	}
	if temporary != "" {
		if res, failed = db.server.query(ctx, temporary, rest.Before(sql), limits); failed == nil {
			res.Temporary = true
			return res, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", sqldata.ErrNoKey, err)
}

// keyed divides the draft's tables that a query may mention. For those that have all columns of their primary key unchanged, it returns
// statements that create temporary tables with that key; rest has the others.
func (db *DB) keyed(ctx context.Context, sql string) (statements string, rest prefix.Tables, err error) {
	tables, err := db.server.introspect(ctx)
	if err != nil {
		return "", rest, err
	}
	rest = db.tables
	rest.List = nil
	for _, t := range db.tables.Mentioned(sql) {
		i := slices.IndexFunc(tables, func(of table) bool { return of.Name == t.Of && !of.isView })
		if i < 0 {
			rest.List = append(rest.List, t)
			continue
		}
		var key []string
		for _, c := range t.Columns { // t."name" is a column of the server's table, unchanged but for its own name
			if slices.ContainsFunc(tables[i].PrimaryKey, func(name string) bool { return c.SQL == "t."+sqldata.QuoteName(name) }) {
				key = append(key, sqldata.QuoteName(c.Name))
			}
		}
		if len(key) == 0 || len(key) < len(tables[i].PrimaryKey) {
			rest.List = append(rest.List, t)
			continue
		}
		name := "pg_temp." + sqldata.QuoteName(t.Name)
		statements += fmt.Sprintf("CREATE TABLE %[1]s AS %[2]s; ALTER TABLE %[1]s ADD PRIMARY KEY (%[3]s);", name, t.Select(), strings.Join(key, ", "))
	}
	return statements, rest, nil
}

// groupingError ends the message on a column that is neither grouped nor dependent on a key that is.
const groupingError = "(SQLSTATE 42803)"

// query runs one statement within the limits, after statements that make temporary tables, which are rolled back.
func (s *server) query(ctx context.Context, temporary, sql string, limits sqldata.Limits) (*sqldata.Result, error) {
	limits = limits.OrDefault()
	pooled, err := s.pool.Acquire(ctx) // waits while all connections are at work
	if err != nil {
		return nil, unconnected(ctx, err)
	}
	defer pooled.Release() // closes a connection that is broken
	limited, cancel := context.WithTimeout(ctx, limits.Time+patience)
	defer cancel()
	conn := pooled.Conn().PgConn()
	begin := fmt.Sprintf("BEGIN READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d", limits.Time.Milliseconds(), min(limits.Time/2, maxLock).Milliseconds())
	if temporary != "" { // only temporary writes: sql itself runs read only and calls only functions of a list
		begin = strings.Replace(begin, "ONLY", "WRITE", 1) + ";" + temporary + "SET TRANSACTION READ ONLY"
	}
	if _, err := conn.Exec(limited, begin).ReadAll(); err != nil {
		return nil, unconnected(ctx, err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		_ = conn.Exec(ending, "ROLLBACK").Close() // a connection that fails is not used again
	}()
	conn.Frontend().SetMaxBodyLen(int(min(limits.Bytes+maxOverhead, math.MaxInt32))) // of a row
	res, err := readRows(conn, conn.ExecParams(limited, sql, nil, nil, nil, nil), limits)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil && !s.answers(ctx) {
			return nil, fmt.Errorf("%w within %v", sqldata.ErrNoServer, connectTimeout)
		}
		return nil, cause(ctx, limits, err)
	}
	return res, nil
}

// answers reports whether the server answers a new connection, even by an error such as too many connections. It distinguishes a statement
// that a server cannot stop in time from a server that hangs.
func (s *server) answers(ctx context.Context) bool {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		_, answered := errors.AsType[*pgconn.PgError](err)
		return answered
	}
	conn.Close(ctx)
	return true
}

// unconnected returns the error of [DB.Query] for an err before the server got the statement: [sqldata.ErrNoServer], unless the server
// answered with an error or ctx has ended.
func unconnected(ctx context.Context, err error) error {
	if _, answered := errors.AsType[*pgconn.PgError](err); answered || ctx.Err() != nil {
		return cause(ctx, sqldata.Limits{}, err)
	}
	return fmt.Errorf("%w: %s", sqldata.ErrNoServer, oneLine(err.Error()))
}

// connectTimeout bounds the time of a connection, unless the address does.
const connectTimeout = 10 * time.Second

// maxLock bounds the time that a query waits for a lock, so that its error differs from that of a query that takes long.
const maxLock = 5 * time.Second

// patience is how much longer than its time a query may take to stop.
const patience = 500 * time.Millisecond

// maxOverhead bounds the bytes of a message of the server that are no row: lengths, errors.
const maxOverhead = 64 << 10

// readRows returns the answer of a statement. Past a limit the server stops the statement.
func readRows(conn *pgconn.PgConn, r *pgconn.ResultReader, limits sqldata.Limits) (*sqldata.Result, error) {
	var res sqldata.Result
	var bytes int64
	var past error
	fields := r.FieldDescriptions()
	for past == nil && r.NextRow() {
		row := make([]sqldata.Value, len(fields))
		for i, text := range r.Values() {
			row[i] = value(fields[i].DataTypeOID, text)
			bytes += row[i].Size()
		}
		switch res.Rows = append(res.Rows, row); {
		case len(res.Rows) > limits.Rows:
			past = fmt.Errorf("%w: more than %d rows", sqldata.ErrTooLarge, limits.Rows)
		case bytes > limits.Bytes:
			past = fmt.Errorf("%w: more than %d bytes", sqldata.ErrTooLarge, limits.Bytes)
		}
	}
	if past != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = conn.CancelRequest(ctx) // the rows under way are read and dropped
	}
	if _, err := r.Close(); past == nil && err != nil {
		return nil, err
	}
	for _, f := range r.FieldDescriptions() {
		res.Columns = append(res.Columns, f.Name)
	}
	return &res, past
}

// cause translates an error of the client or the server, the latter by its SQLSTATE code, to an error that [DB.Query] documents.
func cause(ctx context.Context, limits sqldata.Limits, err error) error {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	long, isLong := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sqldata.ErrTooLarge):
		return err
	case isLong:
		return fmt.Errorf("%w: a row of %d bytes", sqldata.ErrTooLarge, long.ActualBodyLen)
	case !answered && errors.Is(err, context.DeadlineExceeded), answered && refused.Code == "57014": // cancelled by statement_timeout
		return fmt.Errorf("%w of %v", sqldata.ErrTimeLimit, limits.Time)
	case !answered:
		return fmt.Errorf("%w: %s", sqldata.ErrNoServer, oneLine(err.Error()))
	}
	message := oneLine(refused.Message)
	switch refused.Code[:2] {
	case "08", "28", "3D", "57": // connection, authorisation, no such database, stopped by an operator
		return fmt.Errorf("%w: %s", sqldata.ErrNoServer, message)
	case "53", "54": // resources, limits of the server
		if slices.Contains([]string{"53300", "53100"}, refused.Code) { // connections, disk
			return fmt.Errorf("%w: %s", sqldata.ErrNoServer, message)
		}
		return fmt.Errorf("%w: %s", sqldata.ErrTooLarge, message)
	}
	if refused.Code == "55P03" { // another session holds a lock on the table
		return fmt.Errorf("%w: %s", sqldata.ErrNoServer, message)
	}
	if refused.Code == "25006" { // a statement that writes, or locks rows
		return fmt.Errorf("%w: %s", sqldata.ErrRefused, message)
	}
	return &sqldata.Error{Msg: message + " (SQLSTATE " + refused.Code + ")"}
}

// oneLine returns a message without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Program returns "": the server does not expose the program that it runs.
func (db *DB) Program(context.Context, string) string { return "" }
