package retriever

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/tabperturb/tabperturb/dataset"
)

// ParquetTable is a row of a Parquet corpus, one table per row:
//
//	required binary id (STRING); required binary caption (STRING); required binary source (STRING);
//	required group columns (LIST) { repeated group list { required group element {
//	    required binary name (STRING); required binary type (STRING);
//	    required group cells (LIST) { repeated group list { required binary element (STRING) } } } } }
//
// An empty type is inferred from the cells.
type ParquetTable struct {
	ID      string          `parquet:"id"`
	Caption string          `parquet:"caption"`
	Source  string          `parquet:"source"`
	Columns []ParquetColumn `parquet:"columns,list"`
}

// ParquetColumn is a column of a [ParquetTable].
type ParquetColumn struct {
	Name  string   `parquet:"name"`
	Type  string   `parquet:"type"`
	Cells []string `parquet:"cells,list"`
}

// readParquet reads a file of tables, one a row.
func readParquet(in *input) error {
	at, size, err := in.walker.readerAt(in.member)
	if err != nil {
		return err
	}
	record := 0
	err = parquetRows(at, size, func(row *ParquetTable) error {
		record++
		return in.emitParquet(record, row)
	})
	// emitParquet fails only with errStop. Any other error is that of the file or of the row after the last one emitted.
	if err != nil && !errors.Is(err, errStop) {
		return in.reportBad(record+1, fmt.Errorf("expected the columns id, caption, source and columns(name, type, cells): %w", err))
	}
	return err
}

// parquetRows calls each with the rows of a file, up to the first error. A panic of the
// decoder counts as one.
func parquetRows(at io.ReaderAt, size int64, each func(*ParquetTable) error) error {
	var pr *parquet.GenericReader[ParquetTable]
	err := recoverDamage(func() error {
		if err := checkFooter(at, size); err != nil {
			return err
		}
		file, err := parquet.OpenFile(at, size)
		if err == nil {
			pr = parquet.NewGenericReader[ParquetTable](file)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer pr.Close()
	for {
		var n int
		buf := make([]ParquetTable, 1)
		err := recoverDamage(func() (err error) { n, err = pr.Read(buf); return err })
		if n == 1 {
			if err := each(&buf[0]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF, err == nil && n == 0: // n is 0 if the reader makes no progress
			return nil
		case err != nil:
			return err
		}
	}
}

// checkFooter returns an error if the footer is longer than the file: the decoder allocates
// as much as the footer states.
func checkFooter(at io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := at.ReadAt(end[:], size-int64(len(end))); err != nil {
		return fmt.Errorf("read footer: %w", err)
	}
	if length := int64(binary.LittleEndian.Uint32(end[:])); string(end[4:]) != "PAR1" || length > size-int64(len(end)) {
		return errors.New("damaged Parquet file: no footer at its end")
	}
	return nil
}

// recoverDamage calls f and returns an error if it panics, as the decoder does on some damaged files.
func recoverDamage(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("damaged Parquet file, expected whole pages")
		}
	}()
	return f()
}

// emitParquet emits the table in row, turning its columns of cells into rows; short columns get empty cells.
// record numbers the row from 1 and makes the id of a table without one.
func (in *input) emitParquet(record int, row *ParquetTable) error {
	r := raw{id: row.ID, caption: row.Caption, source: row.Source}
	if r.id == "" {
		r.id = fmt.Sprintf("%s#%d", in.name, record)
	}
	height := 0
	columns := row.Columns[:min(len(row.Columns), in.lim.Columns)]
	for _, c := range columns {
		r.header = append(r.header, c.Name)
		r.types = append(r.types, dataset.Type(c.Type))
		height = max(height, min(len(c.Cells), in.lim.Rows))
	}
	for i := range height {
		cells := make([]string, len(columns))
		for j, c := range columns {
			if i < len(c.Cells) {
				cells[j] = c.Cells[i]
			}
		}
		r.rows = append(r.rows, cells)
	}
	return in.emit(record, r)
}
