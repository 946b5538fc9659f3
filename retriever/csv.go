package retriever

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
)

// readCSV reads a CSV file of one table, up to the last row of the sample.
func readCSV(in *input) error {
	r := bufio.NewReader(in.r)
	if err := checkText(r); err != nil {
		return in.reportBad(0, err)
	}
	// The raw bound leaves room for characters that cleaning drops.
	c := csvtable.NewReader(r, in.lim.Columns, 16*max(in.lim.CellRunes, in.lim.HeaderRunes))
	var records [][]string
	for len(records) <= in.lim.Rows { // the header and Rows rows
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			if syntax, ok := errors.AsType[*csvtable.SyntaxError](err); ok {
				return in.reportBad(syntax.Line, syntax.Err)
			}
			return err
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return in.reportBad(0, fmt.Errorf("file is empty: %w", ErrNoHeader))
	}
	return in.emit(0, raw{id: in.name, header: records[0], rows: records[1:]})
}
