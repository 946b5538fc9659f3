package linker

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Bounds on what is kept of the cells of a database.
const (
	maxDistinct  = 1000 // cells of a column
	maxCellBytes = 48
	maxCellWords = 5
)

// Cells is an index of the columns of a database by the values in them.
type Cells struct {
	columns map[string][]int32 // by the words of a cell: the columns, ascending
	ranges  []valueRange       // by column
	before  *Cells             // what columns hold that were there before others were added; nil where none were
	moved   []int32            // by column of before: where it is now
}

// find returns the columns that have a cell.
func (c *Cells) find(words string) []int32 {
	own := c.columns[words]
	if c.before == nil {
		return own
	}
	found := slices.Clone(own)
	for _, col := range c.before.find(words) {
		found = append(found, c.moved[col])
	}
	return found
}

// valueRange is where the numbers of a column lie; empty where it holds none.
type valueRange struct{ low, high float64 }

var nowhere = valueRange{math.Inf(1), math.Inf(-1)}

func (r valueRange) holds(x float64) bool { return x >= r.low && x <= r.high }

// ReadCells reads distinct cells of each column of a database that has content, up to a
// bound. A column that cannot be read has none.
func ReadCells(ctx context.Context, db *dataset.Database) (*Cells, error) {
	c := &Cells{columns: map[string][]int32{}}
	for _, t := range db.Tables {
		for range t.Columns {
			c.ranges = append(c.ranges, nowhere)
		}
	}
	if db.SQLite == "" {
		return c, nil
	}
	file, err := sqlite.Open(ctx, db.SQLite)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	at := int32(0)
	for _, t := range db.Tables {
		for _, col := range t.Columns {
			sql := fmt.Sprintf("SELECT DISTINCT %s FROM %s LIMIT %d", sqlite.QuoteName(col.Original), sqlite.QuoteName(t.Original), maxDistinct)
			res, err := file.Query(ctx, sql, sqlite.Limits{})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				c.add(at, res.Rows)
			}
			at++
		}
	}
	return c, nil
}

func (c *Cells) add(column int32, rows [][]sqldata.Value) {
	for _, row := range rows {
		v := row[0]
		switch {
		case v.IsNumber():
			r := &c.ranges[column]
			r.low, r.high = min(r.low, v.Float()), max(r.high, v.Float())
		case v.Kind() != sqldata.Text:
			continue
		}
		c.put(column, v.String())
	}
}

// put records that a column has a cell. The column must not be below those of earlier calls.
func (c *Cells) put(column int32, cell string) {
	if len(cell) > maxCellBytes {
		return
	}
	words := lexicon.Words(strings.ToLower(cell))
	if len(words) == 0 || len(words) > maxCellWords {
		return
	}
	key := strings.Join(words, " ")
	in := c.columns[key]
	if len(in) == 0 || in[len(in)-1] != column {
		c.columns[key] = append(in, column)
	}
}
