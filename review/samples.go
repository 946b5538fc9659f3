package review

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// rowLimits bound the reading of sample rows: a person waits for them.
var rowLimits = sqldata.Limits{Time: 2 * time.Second, Rows: MaxRows, Bytes: 8 << 20}

// maxTables bounds the tables whose sample rows are cached.
const maxTables = 64

// sampleRows are the first rows of a table.
type sampleRows struct {
	rows    [][]*string // a cell for each column of the schema; empty, not nil, for none
	problem string      // why there are no rows
}

// tableKey identifies a table by the positions of its database and of itself.
type tableKey struct{ db, table int }

// sampleCache stores the rows of the tables that were shown, at most maxTables: when full it
// starts afresh.
type sampleCache struct {
	mu   sync.Mutex
	rows map[tableKey]sampleRows
}

// rows returns the first rows of a table, from the cache if it has them. db and table are positions in the data and in the
// database. Two concurrent calls for a table that is not cached both read it.
func (d *Data) rows(ctx context.Context, db, table int) sampleRows {
	key := tableKey{db, table}
	if known, ok := d.samples.get(key); ok {
		return known
	}
	read := sampleRowsOf(ctx, d.databases[db], table)
	if ctx.Err() == nil { // a cancelled reading is incomplete
		d.samples.put(key, read)
	}
	return read
}

// sampleRowsOf reads the first rows of a table. If there are none, the result has the reason as its problem.
func sampleRowsOf(ctx context.Context, db *database, table int) sampleRows {
	read, err := readRows(ctx, db, table)
	if err != nil {
		read.problem = "the rows cannot be read: " + truncate(err.Error(), maxEvidence)
	}
	if read.rows == nil {
		read.rows = [][]*string{}
	}
	return read
}

// get returns cached rows.
func (s *sampleCache) get(key tableKey) (sampleRows, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, ok := s.rows[key]
	return rows, ok
}

// put caches rows. A full cache is emptied first.
func (s *sampleCache) put(key tableKey, rows sampleRows) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil || len(s.rows) >= maxTables {
		s.rows = map[tableKey]sampleRows{}
	}
	s.rows[key] = rows
}

// readRows reads the first rows of a table. It selects all columns and finds those of the schema by name in the answer, because
// SQLite reads the quoted name of a missing column as a text.
func readRows(ctx context.Context, db *database, table int) (sampleRows, error) {
	t := &db.Tables[table]
	if db.SQLite == "" {
		return sampleRows{problem: "the data set brings no rows"}, nil
	}
	file, err := engine.Open(ctx, db.SQLite)
	if err != nil {
		return sampleRows{}, err
	}
	defer file.Close()
	res, err := file.Query(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT %d", sqldata.QuoteName(t.Original), MaxRows), rowLimits)
	if err != nil {
		return sampleRows{}, err
	}
	if len(res.Rows) == 0 {
		return sampleRows{problem: "the table is empty"}, nil
	}
	positions := map[string]int{} // in a row of the answer, by name in lower case
	for i, name := range res.Columns {
		positions[strings.ToLower(name)] = i
	}
	out := sampleRows{rows: make([][]*string, len(res.Rows))}
	for r, row := range res.Rows {
		cells := make([]*string, len(t.Columns))
		for c := range t.Columns {
			if i, ok := positions[strings.ToLower(t.Columns[c].Original)]; ok {
				cells[c] = cellText(row[i])
			}
		}
		out.rows[r] = cells
	}
	return out, nil
}

// cellText returns a cell for people; nil for NULL.
func cellText(v sqldata.Value) *string {
	if v.IsNull() {
		return nil
	}
	text := v.String()
	if v.Kind() == sqldata.Blob {
		text = fmt.Sprintf("(%d bytes)", len(v.Bytes()))
	}
	text = truncate(text, maxCell)
	return &text
}
