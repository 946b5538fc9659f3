package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// difference returns the reason and the detail for a prediction whose answer does not match the gold's.
// groups has the group of each row of the gold, within which the order does not count; nil for one group.
func difference(gold, pred *sqldata.Result, groups []int) (Reason, string) {
	if len(gold.Columns) != len(pred.Columns) {
		return OtherColumns, describeWidths(gold, pred)
	}
	if len(gold.Rows) != len(pred.Rows) {
		return OtherRows, fmt.Sprintf("%d rows, expected %d; %s", len(pred.Rows), len(gold.Rows), describeRows(gold, pred))
	}
	if groups != nil { // the order counts
		if same, _ := match(gold, pred, nil); same {
			for i := range gold.Rows {
				if !slices.EqualFunc(gold.Rows[i], pred.Rows[i], sqldata.Value.Equal) {
					return OtherOrder, fmt.Sprintf("row %d is %s, expected %s", i+1, formatRow(pred.Rows[i]), formatRow(gold.Rows[i]))
				}
			}
		}
	}
	if column := missingColumn(gold, pred); column >= 0 {
		return OtherColumns, fmt.Sprintf("no column of the prediction holds what column %d of the gold (%s) holds", column+1, gold.Columns[column])
	}
	return OtherRows, describeRows(gold, pred)
}

// describeWidths describes answers with different numbers of columns.
func describeWidths(gold, pred *sqldata.Result) string {
	return fmt.Sprintf("number of columns is %d, expected %d", len(pred.Columns), len(gold.Columns))
}

// missingColumn returns the index of the first column of the gold that equals no column of the prediction,
// by its values in any order. It returns -1 if there is none, and if no column has an equal one, because
// then it is the rows that differ.
func missingColumn(gold, pred *sqldata.Result) int {
	c := classes{}
	count := map[uint64]int{}
	goldColumns := c.number(gold)
	for _, column := range c.number(pred) {
		count[columnHash(column)]++
	}
	missing, anyEqual := -1, false
	for i, column := range goldColumns {
		h := columnHash(column)
		switch {
		case count[h] > 0:
			count[h]--
			anyEqual = true
		case missing < 0:
			missing = i
		}
	}
	if !anyEqual {
		return -1
	}
	return missing
}

// columnHash returns a hash of a column that does not depend on the order of its rows.
func columnHash(column []uint32) (h uint64) {
	for _, class := range column {
		h += mixHash(uint64(class), 0)
	}
	return h
}

// describeRows describes the first row that one answer has more often than the other. It compares the
// columns in their order.
func describeRows(gold, pred *sqldata.Result) string {
	c := classes{}
	goldRows, predRows := rowHashes(c.number(gold)), rowHashes(c.number(pred))
	count := map[uint64]int{}
	for _, h := range predRows {
		count[h]++
	}
	for i, h := range goldRows {
		if count[h]--; count[h] < 0 {
			return "lacks row " + formatRow(gold.Rows[i])
		}
	}
	for i, h := range predRows {
		if count[h] > 0 {
			return "has row " + formatRow(pred.Rows[i]) + " too often"
		}
	}
	return "its columns do not go together as the gold's"
}

// rowHashes returns a hash of each row of an answer.
func rowHashes(columns [][]uint32) []uint64 {
	hashes := make([]uint64, len(columns[0]))
	for _, column := range columns {
		for row, class := range column {
			hashes[row] = mixHash(hashes[row], uint64(class))
		}
	}
	return hashes
}

// formatRow returns a row for people, with long cells and rows cut.
func formatRow(row []sqldata.Value) string {
	const maxCell, maxCells = 40, 8 // bytes of a cell, cells
	var cells []string
	for i, v := range row {
		if i == maxCells {
			cells = append(cells, "…")
			break
		}
		s := v.String()
		if len(s) > maxCell {
			s = s[:maxCell] + "…" // oneLine drops what is left of a character that was cut
		}
		cells = append(cells, s)
	}
	return "(" + strings.Join(cells, ", ") + ")"
}
