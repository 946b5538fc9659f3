package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Integrity runs SQLite's integrity check on each stored table of the database file at path and on its
// indexes, for at most the given time in all. It returns what is wrong, a line each. Rows that only break a
// constraint are in order: they can be read.
func Integrity(ctx context.Context, path string, most time.Duration) ([]string, error) {
	deadline := time.Now().Add(most)
	db, err := open(ctx, path, func(*DB) (*conn, error) { return connectUnauthorized(path) })
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tables, err := db.names(ctx, "type = 'table' AND rootpage > 0")
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, t := range tables {
		left := time.Until(deadline)
		if left <= 0 { // Limits take 0 for the default
			return faults, fmt.Errorf("%w of %v before table %s", sqldata.ErrTimeLimit, most, t)
		}
		res, err := db.ask(ctx, "PRAGMA main.integrity_check("+sqldata.QuoteName(t)+")", sqldata.Limits{Time: left})
		if e, ok := errors.AsType[*sqldata.Error](err); ok && e.Code == engine.SQLITE_CORRUPT {
			faults = append(faults, fmt.Sprintf("table %s: %s", t, e.Msg)) // the check itself ends at some damage
			continue
		}
		if err != nil {
			return faults, fmt.Errorf("table %s: %w", t, err)
		}
		for _, row := range res.Rows {
			for fault := range strings.Lines(row[0].Bytes()) {
				fault = strings.TrimSpace(fault)
				// The check begins a list of faults with the heading "*** in database main ***".
				if fault != "ok" && !strings.HasPrefix(fault, "*** in database") && !breaksConstraint(fault) {
					faults = append(faults, fmt.Sprintf("table %s: %s", t, fault))
				}
			}
		}
	}
	return faults, nil
}

// breaksConstraint reports whether a line of the integrity check is only about a row that breaks a constraint or has a
// value of another type than a strict table declares.
func breaksConstraint(fault string) bool {
	return strings.HasPrefix(fault, "CHECK constraint failed in ") || strings.HasPrefix(fault, "non-") || strings.Contains(fault, " value in ")
}

// connectUnauthorized opens a database file as [connect] does, without an authorizer, for statements of this package that
// it would refuse.
func connectUnauthorized(path string) (*conn, error) {
	c, err := connect(path)
	if err != nil {
		return nil, err
	}
	if rc := engine.Xsqlite3_set_authorizer(c.tls, c.db, 0, 0); rc != engine.SQLITE_OK {
		defer c.close()
		return nil, fmt.Errorf("%s: %w", path, c.error(rc))
	}
	return c, nil
}
