package wtq

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
)

// write writes the tables as CSV and the questions as TSV. Tables and questions that cannot be written are reported.
func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	written := map[string]*dataset.Database{}
	err := set.Databases.WriteEach(ctx, "csv", report, func(db *dataset.Database) error {
		if err := writeTable(ctx, set, db, dir); err != nil {
			return fmt.Errorf("%s: %w", dataset.Clip(db.ID), err)
		}
		written[db.ID] = db
		return nil
	})
	if err != nil {
		return err
	}
	return WriteQuestions(filepath.Join(dir, "data", set.Split+".tsv"), func(add func(*dataset.Example)) error {
		return set.Examples.WriteEach(ctx, set.Split+".tsv", report, func(ex *dataset.Example) error {
			db := written[ex.DB]
			if db == nil {
				return fmt.Errorf("table %q is not among those written", dataset.Clip(ex.DB))
			}
			if err := refuses(db, ex); err != nil {
				return err
			}
			add(ex)
			return nil
		})
	})
}

// WriteQuestions writes a TSV file of questions with their answers; examples passes them to add.
func WriteQuestions(path string, examples func(add func(*dataset.Example)) error) error {
	return dataset.CreateFile(path, func(w *bufio.Writer) error {
		w.WriteString(tsvHeader + "\n") // a bufio.Writer keeps its error for Flush
		return examples(func(ex *dataset.Example) { w.WriteString(formatLine(ex) + "\n") })
	})
}

// writeTable writes the table's own columns as CSV, to the path that its id gives below dir.
func writeTable(ctx context.Context, set *dataset.Set, db *dataset.Database, dir string) error {
	if len(db.Tables) != 1 {
		return fmt.Errorf("has %d tables, expected one", len(db.Tables))
	}
	path := tablePath(db.ID)
	if id, err := TableID(path); err != nil || id != db.ID {
		return fmt.Errorf("id cannot name a file, expected N_M as in csv/N-csv/M.csv")
	}
	return dataset.CreateFile(filepath.Join(dir, path), func(w *bufio.Writer) error {
		columns := db.Tables[0].Columns
		columnIndices := db.Tables[0].OwnColumns()
		record := make([]string, 0, len(columns))
		for _, c := range columnIndices {
			record = append(record, Header(&columns[c]))
		}
		buf := csvtable.Append(nil, record)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		rows, err := set.TableRows(ctx, db, 0)
		if err != nil {
			return err
		}
		for _, row := range rows {
			for i, c := range columnIndices {
				record[i] = cellText(row[c])
			}
			buf = csvtable.Append(buf[:0], record)
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
}

// cellText returns a value as text; NULL is empty.
func cellText(v sqldata.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.String()
}
