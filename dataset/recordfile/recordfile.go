// Package recordfile reads and writes records.parquet, the file of a build's records.
package recordfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/tabperturb/tabperturb/dataset"
)

// group is the number of records in a row group, which is held in memory until it is
// written.
const group = 8192

// Writer writes a records.parquet, zstd-compressed. Equal records give
// equal bytes.
type Writer struct {
	w *parquet.GenericWriter[dataset.Record]
	n int
}

// NewWriter begins a records.parquet.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: parquet.NewGenericWriter[dataset.Record](w, parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("tabperturb", "1", ""))}
}

// Write adds records. After each row group of records it writes the group to the file.
func (w *Writer) Write(records ...dataset.Record) error {
	for _, r := range records {
		if _, err := w.w.Write([]dataset.Record{r}); err != nil {
			return err
		}
		if w.n++; w.n%group == 0 {
			if err := w.w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close ends the file; it does not close the writer below.
func (w *Writer) Close() error { return w.w.Close() }

// Read passes the records of a records.parquet to each.
func Read(path string, each func(dataset.Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var failed error
	err = read(f, func(r dataset.Record) bool {
		failed = each(r)
		return failed == nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return failed
}

// read reads the records of a Parquet file until yield returns false.
func read(f *os.File, yield func(dataset.Record) bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var r *parquet.GenericReader[dataset.Record]
	err = recoverPanic(func() error {
		file, err := parquet.OpenFile(f, info.Size())
		if err == nil {
			r = parquet.NewGenericReader[dataset.Record](file)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w, expected a file written by build", err)
	}
	defer recoverPanic(r.Close)
	batch := make([]dataset.Record, 256)
	for n := 1; ; { // n is the number of the next record
		clear(batch)
		got := 0
		err := recoverPanic(func() (err error) {
			got, err = r.Read(batch)
			return err
		})
		for _, rec := range batch[:got] {
			if !yield(rec) {
				return nil
			}
			n++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
	}
}

// recoverPanic calls f and returns an error if it panics: the Parquet library panics on some
// damaged files, with messages about its own internals.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("file is damaged, expected whole Parquet pages")
		}
	}()
	return f()
}
