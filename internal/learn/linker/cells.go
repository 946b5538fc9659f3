package linker

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Bounds on the cells that are read. Longer ones are texts that no question repeats.
const (
	maxDistinct  = 1000 // distinct cells of a column
	maxCellBytes = 48   // of a cell
	maxCellWords = 5    // of a cell
)

// Cells is an index of the columns of a database by the values in them.
type Cells struct {
	columns map[string][]int32 // by the words of a cell, joined by blanks: the columns that have it, ascending
	ranges  []valueRange       // by column
	before  *Cells             // of the schema before columns were added; nil if none were
	moved   []int32            // by column of before: its position now
}

// find returns the columns that have a cell of these words, joined by blanks. In an edited schema, c.columns has the added
// columns only; the others are found in c.before, by the numbers that they had there.
func (c *Cells) find(words string) []int32 {
	own := c.columns[words]
	if c.before == nil {
		return own
	}
	before := lists.Map(c.before.find(words), func(column int32) int32 { return c.moved[column] })
	return slices.Concat(own, before)
}

// valueRange is the range of the numbers of a column.
type valueRange struct{ low, high float64 }

// noNumbers is the range of a column without numbers.
var noNumbers = valueRange{math.Inf(1), math.Inf(-1)}

// holds reports whether a number is in the range.
func (r valueRange) holds(x float64) bool { return x >= r.low && x <= r.high }

// ReadCells reads the first distinct cells of each column of a database that has content. A column
// that cannot be read has none.
func ReadCells(ctx context.Context, db *dataset.Database) (*Cells, error) {
	c := &Cells{columns: map[string][]int32{}}
	for _, t := range db.Tables {
		for range t.Columns {
			c.ranges = append(c.ranges, noNumbers)
		}
	}
	if db.SQLite == "" {
		return c, nil
	}
	file, err := engine.Open(ctx, db.SQLite)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	column := int32(0)
	for _, t := range db.Tables {
		for _, col := range t.Columns {
			sql := fmt.Sprintf("SELECT DISTINCT %s FROM %s LIMIT %d", sqldata.QuoteName(col.Original), sqldata.QuoteName(t.Original), maxDistinct)
			res, err := file.Query(ctx, sql, sqldata.Limits{})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				c.add(column, res.Rows)
			}
			column++
		}
	}
	return c, nil
}

// add stores the cells of a column, one in each row. Numbers also extend its range.
func (c *Cells) add(column int32, rows [][]sqldata.Value) {
	for _, row := range rows {
		v := row[0]
		switch {
		case v.IsNumber():
			r := &c.ranges[column]
			r.low, r.high = min(r.low, v.Float()), max(r.high, v.Float())
		case v.Kind() != sqldata.Text: // NULL or a blob
			continue
		}
		c.put(column, v.String())
	}
}

// put stores that a column has a cell, unless the cell is long. The caller puts the columns in ascending order.
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
	if len(in) == 0 || in[len(in)-1] != column { // a column has several cells of these words once
		c.columns[key] = append(in, column)
	}
}
