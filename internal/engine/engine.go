// Package engine is what the rest of the program knows of SQL engines: the content of a database is
// a file, and the ending of its name determines the engine that opens it.
package engine

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/postgres"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DB is the content of a database, read only. It is safe for concurrent use.
type DB interface {
	// Schema returns the tables in the order in which they were made, without views.
	Schema(ctx context.Context) ([]sqldata.Table, error)
	// Views returns the names of the views.
	Views(ctx context.Context) ([]string, error)
	// Virtual returns the names of tables that have no rows of their own, and in shadows, in lower case,
	// those of the tables in which the engine may store their rows.
	Virtual(ctx context.Context) (virtual []string, shadows map[string]bool, err error)
	// Kept returns what must not change, for views and triggers depend on it.
	Kept(ctx context.Context) (sqldata.Kept, error)
	// Fixed returns the columns that cannot be dropped.
	Fixed(ctx context.Context) ([]sqldata.DropColumn, error)
	// Query runs one SELECT, WITH or VALUES statement. It fails with [sqldata.ErrRefused] for any other statement, with
	// the other errors of [sqldata] past a limit, and with a [*sqldata.Error] where the engine refuses the SQL.
	Query(ctx context.Context, sql string, limits sqldata.Limits) (*sqldata.Result, error)
	// Program returns the program that the engine compiles a query to, as text, or "" if that is not known. If a query on
	// a file and one on a draft of it have equal programs, they have equal answers, except for programs that call
	// [sqldata.CellFunction], whose cells are a draft's own.
	Program(ctx context.Context, sql string) string
	// Enforces reports whether each cell has the declared type of its column, text is UTF-8, and declared keys hold.
	Enforces() bool
	// Dialect returns the name of its SQL's dialect, as [sqlast.DialectNamed] takes it; "" for SQLite's.
	Dialect() string
	// Advice returns a sentence for people on the rights that the connection has beyond those that it needs, or "".
	Advice(ctx context.Context) (string, error)
	Close() error
}

// Open opens the content of a database.
func Open(ctx context.Context, path string) (DB, error) { return Draft(ctx, path) }

// Draft opens the content of a database as it would be after the writes, without making them: the content stays as it is, and no
// file is written. It fails with [sqldata.ErrTooLarge] where a draft cannot hold what the writes change.
func Draft(ctx context.Context, path string, writes ...sqldata.Write) (DB, error) {
	var db DB
	var err error
	if isServer(path) {
		db, err = postgres.Draft(ctx, path, writes...)
	} else {
		db, err = sqlite.Draft(ctx, path, writes...)
	}
	if err != nil {
		return nil, err // db is not nil: it holds a nil pointer
	}
	return db, nil
}

// isServer reports whether the content at path is on a server.
func isServer(path string) bool { return strings.EqualFold(filepath.Ext(path), postgres.Ext) }

// Exts lists the endings of the names of content in a data directory.
var Exts = []string{".sqlite", postgres.Ext}

// Ext returns the ending for the name of a copy of the content at path.
func Ext(path string) string {
	if isServer(path) {
		return postgres.Ext
	}
	return ".sqlite"
}

// DialectOf returns the dialect of the SQL of the content at path.
func DialectOf(path string) *sqlast.Dialect {
	if isServer(path) {
		return sqlast.PostgreSQL
	}
	return sqlast.SQLite
}

// IsAddress reports whether text is the address of a server rather than a path.
func IsAddress(text string) bool { return postgres.IsAddress(text) }

// IsLocal reports whether the rows of the content at path are in that file, so that they can be sampled, made anew and changed by any statement.
func IsLocal(path string) bool { return !isServer(path) }

// WriteAddress writes the file that names the database at an address, DIR/NAME/NAME.postgres where NAME is that of the database, and
// returns its path. A password in the address is left out of the file and returned.
func WriteAddress(dir, address string) (path, password string, err error) {
	_, password, err = postgres.WriteAddress(func(name string) string {
		path = filepath.Join(dir, name, name+postgres.Ext)
		return path
	}, address)
	return path, password, err
}

// What a server has of perturbed databases, as schemas of views.
type (
	Stage     = postgres.Stage
	Staged    = postgres.Staged
	Perturbed = postgres.Perturbed
)

// OpenStage connects to the database on a server at an address, to stage perturbed databases there.
func OpenStage(ctx context.Context, address string) (*Stage, error) {
	return postgres.OpenStage(ctx, address)
}

// Copy writes to dst a copy of the content src with the writes applied in order. The copy appears whole or not at all.
func Copy(ctx context.Context, src, dst string, writes ...sqldata.Write) error {
	if isServer(src) {
		return postgres.Copy(ctx, src, dst, writes...)
	}
	return sqlite.Copy(ctx, src, dst, writes...)
}

// Create writes to path a database with the tables and their rows, a list for each table: for the engine of the content src, or for SQLite if
// src is "".
func Create(ctx context.Context, src, path string, tables []sqldata.Table, rows [][][]sqldata.Value) error {
	if isServer(src) {
		return postgres.Create(ctx, src, path, tables, rows)
	}
	return sqlite.Create(ctx, path, tables, rows)
}

// Integrity returns the faults of the database file at path, one line each, after checks for at most limit. It checks nothing on a server.
func Integrity(ctx context.Context, path string, limit time.Duration) (faults []string, err error) {
	if isServer(path) {
		return nil, nil
	}
	return sqlite.Integrity(ctx, path, limit)
}

// IsEmpty reports whether no table of the database has a row.
func IsEmpty(ctx context.Context, db DB) (bool, error) {
	tables, err := db.Schema(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range tables {
		res, err := db.Query(ctx, "SELECT 1 FROM "+sqldata.QuoteName(t.Name)+" LIMIT 1", sqldata.Limits{})
		if err != nil {
			return false, err
		}
		if len(res.Rows) > 0 {
			return false, nil
		}
	}
	return true, nil
}
