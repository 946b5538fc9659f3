package wtq

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/csvtable"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	written := map[string]*dataset.Database{}
	n := 0
	for db, err := range set.Databases {
		n++
		if err != nil {
			return err
		}
		if err := writeTable(ctx, set, db, dir); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report(&dataset.RecordError{File: "csv", Record: n, Err: fmt.Errorf("%s: %w", dataset.Clip(db.ID), err)})
			continue
		}
		written[db.ID] = db
	}
	return writeFile(filepath.Join(dir, "data", set.Split+".tsv"), func(w *bufio.Writer) error {
		return WriteQuestions(w, func(yield func(*dataset.Example) bool) error {
			n := 0
			for ex, err := range set.Examples {
				n++
				if err != nil {
					return err
				}
				db, err := written[ex.DB], error(nil)
				if db == nil {
					err = fmt.Errorf("table %q is not among those written", dataset.Clip(ex.DB))
				} else {
					err = refuses(db, ex)
				}
				if err != nil {
					report(&dataset.RecordError{File: set.Split + ".tsv", Record: n, Err: err})
					continue
				}
				if !yield(ex) {
					return nil
				}
			}
			return nil
		})
	})
}

// WriteQuestions writes a TSV file of questions with their answers; each calls
// yield with the examples in their order.
func WriteQuestions(w *bufio.Writer, each func(yield func(*dataset.Example) bool) error) error {
	if _, err := w.WriteString(tsvHeader + "\n"); err != nil {
		return err
	}
	var failed error
	err := each(func(ex *dataset.Example) bool {
		_, failed = w.WriteString(formatLine(ex) + "\n")
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return err
}

func writeTable(ctx context.Context, set *dataset.Set, db *dataset.Database, dir string) error {
	if len(db.Tables) != 1 {
		return fmt.Errorf("has %d tables, expected one", len(db.Tables))
	}
	context := contextOf(db.ID)
	if id, err := TableID(context); err != nil || id != db.ID {
		return fmt.Errorf("id cannot name a file, expected N_M as in csv/N-csv/M.csv")
	}
	return writeFile(filepath.Join(dir, context), func(w *bufio.Writer) error {
		columns := db.Tables[0].Columns
		record := make([]string, len(columns))
		for c := range columns {
			record[c] = Header(&columns[c])
		}
		buf := csvtable.Append(nil, record)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		for row, err := range set.TableRows(ctx, db, 0) {
			if err != nil {
				return err
			}
			for c, v := range row {
				record[c] = cell(v)
			}
			buf = csvtable.Append(buf[:0], record)
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
}

// cell returns a value as the text of a cell; NULL is an empty one.
func cell(v sqlite.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.String()
}

// writeFile makes a file, with its folder, of what write writes.
func writeFile(path string, write func(*bufio.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
