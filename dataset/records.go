package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// The values of [Record.Content].
const (
	ContentOriginal  = "original"  // the data set's own rows
	ContentGenerated = "generated" // made-up rows, because the data set has none
	// ContentBoth is for examples whose answer on the data set's own rows could
	// not show a change.
	ContentBoth = ContentOriginal + "+" + ContentGenerated
)

// VerdictVerified is the [Record.Verdict] of a record whose promise held; any
// other verdict is the reason for which it was rejected.
const VerdictVerified = "verified"

// NoEdits is the [Record.Edits] of an unchanged turn of an interaction with perturbed turns.
const NoEdits = "[]"

// Unchanged reports whether a record is an unchanged turn, see [NoEdits].
func (r *Record) Unchanged() bool { return r.Edits == NoEdits }

// Record is a row of records.parquet: one example under one variant.
type Record struct {
	Perturbation string `parquet:"perturbation"` // "adveta/replace"
	Relation     string `parquet:"relation"`     // the promise: "invariant", "renamed"
	Variant      string `parquet:"variant"`      // id of the variant: equal schema edits, equal id
	Sample       int32  `parquet:"sample"`       // from 0
	Seed         uint64 `parquet:"seed"`
	Example      int32  `parquet:"example"` // Example.Index: position in the split, from 0
	DBPre        string `parquet:"db_id_pre"`
	DBPost       string `parquet:"db_id_post"`
	QuestionPre  string `parquet:"question_pre"`
	QuestionPost string `parquet:"question_post"`
	QueryPre     string `parquet:"query_pre"`
	QueryPost    string `parquet:"query_post"`
	Edits        string `parquet:"edits"` // JSON array; see [NoEdits]

	Mentioned int32 `parquet:"mentioned"` // columns that the gold SQL mentions
	Perturbed int32 `parquet:"perturbed"` // how many of them were perturbed: those with a free name

	// Of the candidates that the edits use, the smallest of each score.
	Similarity float64 `parquet:"similarity"`
	Forward    float64 `parquet:"forward"`
	Backward   float64 `parquet:"backward"`

	Content    string `parquet:"content"`    // what the verification ran on, one of the constants
	Conclusive bool   `parquet:"conclusive"` // whether an answer could show a change: more than no rows, NULL and 0
	Verdict    string `parquet:"verdict"`
}

// recordGroup is the number of records in a row group, which is held in memory until it is
// written.
const recordGroup = 8192

// RecordWriter writes a records.parquet, zstd-compressed. Equal records give
// equal bytes.
type RecordWriter struct {
	w *parquet.GenericWriter[Record]
	n int
}

// NewRecordWriter begins a records.parquet.
func NewRecordWriter(w io.Writer) *RecordWriter {
	return &RecordWriter{w: parquet.NewGenericWriter[Record](w, parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("tabperturb", "1", ""))}
}

// Write adds records.
func (w *RecordWriter) Write(records ...Record) error {
	for _, r := range records {
		if _, err := w.w.Write([]Record{r}); err != nil {
			return err
		}
		if w.n++; w.n%recordGroup == 0 {
			if err := w.w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close ends the file; it does not close the writer below.
func (w *RecordWriter) Close() error { return w.w.Close() }

// ReadRecords passes the records of a records.parquet to each.
func ReadRecords(path string, each func(Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var failed error
	err = readRecords(f, func(r Record) bool {
		failed = each(r)
		return failed == nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return failed
}

// readRecords reads the records of a Parquet file until yield returns false.
func readRecords(f *os.File, yield func(Record) bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var r *parquet.GenericReader[Record]
	err = recoverPanic(func() error {
		file, err := parquet.OpenFile(f, info.Size())
		if err == nil {
			r = parquet.NewGenericReader[Record](file)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w, expected a file written by build", err)
	}
	defer recoverPanic(r.Close)
	batch := make([]Record, 256)
	for n := 1; ; {
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
