package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// difference returns the reason and the detail for a prediction whose answer does not match the
// gold's.
func difference(gold, pred *sqldata.Result, groups []int) (Reason, string) {
	if len(gold.Columns) != len(pred.Columns) {
		return OtherColumns, otherWidth(gold, pred)
	}
	if len(gold.Rows) != len(pred.Rows) {
		return OtherRows, fmt.Sprintf("%d rows, expected %d; %s", len(pred.Rows), len(gold.Rows), rowOfOne(gold, pred))
	}
	if groups != nil {
		if same, _ := match(gold, pred, nil); same {
			for i := range gold.Rows {
				if !slices.EqualFunc(gold.Rows[i], pred.Rows[i], sqldata.Value.Equal) {
					return OtherOrder, fmt.Sprintf("row %d is %s, expected %s", i+1, show(pred.Rows[i]), show(gold.Rows[i]))
				}
			}
		}
	}
	if column := columnOfOne(gold, pred); column >= 0 {
		return OtherColumns, fmt.Sprintf("no column of the prediction holds what column %d of the gold (%s) holds", column+1, gold.Columns[column])
	}
	return OtherRows, rowOfOne(gold, pred)
}

func otherWidth(gold, pred *sqldata.Result) string {
	return fmt.Sprintf("number of columns is %d, expected %d", len(pred.Columns), len(gold.Columns))
}

// columnOfOne returns the first column of the gold that equals no column of the prediction, by its
// values in any order. It returns -1 if all have an equal, or none has one: then the rows differ.
func columnOfOne(gold, pred *sqldata.Result) int {
	c := classes{}
	count := map[uint64]int{}
	goldColumns := c.of(gold)
	for _, column := range c.of(pred) {
		count[bag(column)]++
	}
	missing, equal := -1, false
	for i, column := range goldColumns {
		h := bag(column)
		switch {
		case count[h] > 0:
			count[h]--
			equal = true
		case missing < 0:
			missing = i
		}
	}
	if !equal {
		return -1
	}
	return missing
}

// bag returns a hash of a column that does not depend on the order of its rows.
func bag(column []uint32) (h uint64) {
	for _, class := range column {
		h += mix(uint64(class), 0)
	}
	return h
}

// rowOfOne describes the first row that one answer has more often than the other, with the columns
// in their order.
func rowOfOne(gold, pred *sqldata.Result) string {
	c := classes{}
	goldRows, predRows := rowHashes(c.of(gold)), rowHashes(c.of(pred))
	count := map[uint64]int{}
	for _, h := range predRows {
		count[h]++
	}
	for i, h := range goldRows {
		if count[h]--; count[h] < 0 {
			return "lacks row " + show(gold.Rows[i])
		}
	}
	for i, h := range predRows {
		if count[h] > 0 {
			return "has row " + show(pred.Rows[i]) + " too often"
		}
	}
	return "its columns do not go together as the gold's"
}

// rowHashes returns a hash of each row of an answer.
func rowHashes(columns [][]uint32) []uint64 {
	hashes := make([]uint64, len(columns[0]))
	for _, column := range columns {
		for row, class := range column {
			hashes[row] = mix(hashes[row], uint64(class))
		}
	}
	return hashes
}

// show returns a row for people.
func show(row []sqldata.Value) string {
	const maxCell = 40
	cells := make([]string, 0, 8)
	for i, v := range row {
		if i == cap(cells) {
			cells = append(cells, "…")
			break
		}
		s := v.String()
		if len(s) > maxCell {
			s = s[:maxCell] + "…"
		}
		cells = append(cells, s)
	}
	return "(" + strings.Join(cells, ", ") + ")"
}
