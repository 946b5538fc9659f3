package wtq

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/csvtable"
	"github.com/tabperturb/tabperturb/internal/sqldata"
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
	return dataset.CreateFile(filepath.Join(dir, "data", set.Split+".tsv"), func(w *bufio.Writer) error {
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
	return dataset.CreateFile(filepath.Join(dir, context), func(w *bufio.Writer) error {
		columns := db.Tables[0].Columns
		own := ownColumns(columns)
		record := make([]string, 0, len(columns))
		for _, c := range own {
			record = append(record, Header(&columns[c]))
		}
		buf := csvtable.Append(nil, record)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		for row, err := range set.TableRows(ctx, db, 0) {
			if err != nil {
				return err
			}
			for i, c := range own {
				record[i] = cell(row[c])
			}
			buf = csvtable.Append(buf[:0], record)
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownColumns returns the positions of the columns that a table of WikiTableQuestions has:
// without those that are derived from others, and without Squall's own.
func ownColumns(columns []dataset.Column) (own []int) {
	for c := range columns {
		if columns[c].Own() {
			own = append(own, c)
		}
	}
	return own
}

// cell returns a value as the text of a cell; NULL is an empty one.
func cell(v sqldata.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.String()
}
