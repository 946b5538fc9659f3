// Package wtq reads and writes WikiTableQuestions: tables as CSV, questions with their
// answers and without SQL as TSV.
package wtq

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
)

// name is the name of the format.
const name = "wtq"

// Format is WikiTableQuestions' own layout. A table of it is a database of one table w,
// whose id is that of Squall and ADVETA: 204_590 of csv/204-csv/590.csv.
var Format = &dataset.Format{
	Name:    name,
	Doc:     "WikiTableQuestions: one table a question, with answers instead of SQL.",
	Files:   "csv/N-csv/M.csv, data/SPLIT.tsv (or in the folder itself; .gz)",
	Keeps:   []dataset.Feature{dataset.Rows, dataset.Denotations, dataset.IDs},
	Read:    read,
	Write:   write,
	Refuses: refuses,
}

// What a table may have at most; the largest of WikiTableQuestions has 753 rows, 25
// columns and 50 kB.
const (
	maxColumns = 2000
	maxRows    = 1 << 20
	maxField   = 1 << 20
	maxFile    = 64 << 20
)

// typedRows is how many rows the types of columns are guessed from.
const typedRows = 500

// read opens a data set: the questions of a split and their tables.
func read(_ context.Context, path, split string) (*dataset.Set, error) {
	questions, err := FindQuestions(path, split)
	if err != nil {
		return nil, err
	}
	if !dataset.IsDir(filepath.Join(path, "csv")) {
		return nil, &dataset.FileError{File: filepath.Join(path, "csv"), Err: errors.New("no such folder, expected the tables as csv/N-csv/M.csv")}
	}
	return &dataset.Set{
		Format: name, Split: split,
		Databases: databases(path, questions),
		Examples:  examples(path, questions),
		Rows: func(_ context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
			return readRows(filepath.Join(path, tablePath(db.ID)), len(db.Tables[0].Columns), each)
		},
		// As text every cell keeps its form: 007, 1.50.
		Declare: func(*dataset.Column) string { return "TEXT" },
	}, nil
}

// databases returns the tables of a file of questions in the order of their first questions.
func databases(path, questions string) dataset.Stream[*dataset.Database] {
	return func(report func(error), each func(*dataset.Database) error) error {
		seen := map[string]bool{}
		quiet := func(error) {} // errors are reported when the examples are read
		return Questions(questions, nil, quiet, func(ex *dataset.Example) error {
			if seen[ex.DB] {
				return nil
			}
			seen[ex.DB] = true
			db, err := ReadTable(path, ex.DB, report)
			if err != nil {
				report(err)
				return nil
			}
			return each(db)
		})
	}
}

// examples returns the questions whose tables exist.
func examples(path, questions string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		problems := map[string]error{} // by db_id; nil for a table that exists
		return Questions(questions, func(db string) error {
			problem, checked := problems[db]
			if !checked {
				if !dataset.IsFile(filepath.Join(path, tablePath(db))) {
					problem = fmt.Errorf("table %s is not there, expected it; the question is left out", tablePath(db))
				}
				problems[db] = problem
			}
			return problem
		}, report, each)
	}
}

// ReadTable reads the schema of the table with an id from its CSV file in a folder. The error is
// a [*dataset.RecordError] of the file. Rows that are shorter or longer than the header get a
// note.
func ReadTable(path, id string, report func(error)) (*dataset.Database, error) {
	file := filepath.Join(path, tablePath(id))
	var header []string
	var cells [][]string
	short, long := raggedRows{consequence: "the others are empty"}, raggedRows{consequence: "the last are left out"}
	n := 0
	err := readRecords(file, func(record []string) error {
		switch n++; {
		case n == 1:
			header, cells = record, make([][]string, len(record))
			return nil
		case len(record) < len(header):
			short.add(n, len(record))
		case len(record) > len(header):
			long.add(n, len(record))
		}
		for c := 0; n <= typedRows && c < min(len(record), len(header)); c++ { // types are guessed from the first rows
			cells[c] = append(cells[c], record[c])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(header) == 0 {
		return nil, &dataset.RecordError{File: file, Record: 1, Err: errors.New("file is empty, expected a header")}
	}
	for _, r := range []raggedRows{short, long} {
		if r.rows > 0 {
			report(dataset.Note(&dataset.RecordError{File: file, Record: r.first, Err: r.error(len(header))}))
		}
	}
	return schema(id, header, cells), nil
}

// raggedRows counts the rows that are shorter, or those that are longer, than the header.
type raggedRows struct {
	rows         int
	first, cells int    // of the first
	consequence  string // for messages: what is done with cells that lack or exceed the header
}

// add counts a row by its number and its number of cells.
func (r *raggedRows) add(row, cells int) {
	if r.rows++; r.rows == 1 {
		r.first, r.cells = row, cells
	}
}

// error returns the note on the rows; header is the number of columns.
func (r *raggedRows) error(header int) error {
	more := ""
	if r.rows > 1 {
		more = fmt.Sprintf("; %d rows are like this", r.rows)
	}
	return fmt.Errorf("row has %d cells and the header %d, expected as many; %s%s", r.cells, header, r.consequence, more)
}

// schema returns the database of a table. cells has the cells of each column, from which its
// type is inferred. The SQL name of the only table is w, as in Squall, which has SQL for WTQ's questions.
func schema(id string, header []string, cells [][]string) *dataset.Database {
	names := make([]string, len(header))
	for c, h := range header {
		names[c] = NaturalName(h, c+1)
	}
	columns := make([]dataset.Column, len(header))
	for c, original := range dataset.Identifiers(names, nil) {
		columns[c] = dataset.Column{Name: names[c], Original: original, Type: dataset.InferType(cells[c]), Header: HeaderOf(header[c], names[c])}
	}
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Name: "table", Original: "w", Columns: columns}}}
}

// readRecords passes the records of a CSV file, the first of which is the header, to each. An
// error of the file is a [*dataset.RecordError] of the line.
func readRecords(file string, each func([]string) error) error {
	recordError := func(line int, err error) error {
		return &dataset.RecordError{File: file, Record: max(line, 1), Err: err}
	}
	f, err := os.Open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("table is not there, expected this file")
		}
		return recordError(0, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return recordError(0, fmt.Errorf("is no file of at most %d MiB, expected one", maxFile>>20))
	}
	r := csvtable.NewReader(bufio.NewReader(f), maxColumns+1, maxField+1) // one more, so that an excess is seen
	for n := 1; ; n++ {
		record, err := r.Read()
		syntax, isSyntax := errors.AsType[*csvtable.SyntaxError](err)
		switch {
		case err == io.EOF:
			return nil
		case isSyntax:
			return recordError(syntax.Line, syntax.Err)
		case err != nil:
			return recordError(n, err)
		case n > maxRows+1:
			return recordError(n, fmt.Errorf("table has more than %d rows, expected fewer", maxRows))
		case len(record) > maxColumns, slices.ContainsFunc(record, func(field string) bool { return len(field) > maxField }):
			return recordError(n, fmt.Errorf("row has more than %d cells or one of more than %d MiB, expected fewer", maxColumns, maxField>>20))
		case !utf8.ValidString(strings.Join(record, "")):
			return recordError(n, errors.New("text is not UTF-8, expected UTF-8"))
		}
		if err := each(record); err != nil {
			return err
		}
	}
}

// readRows passes the rows of a CSV file to each as text values. Short rows are filled, long
// ones are cut to the number of columns.
func readRows(file string, columns int, each func([]sqldata.Value) error) error {
	header := true
	return readRecords(file, func(record []string) error {
		if header {
			header = false
			return nil
		}
		row := make([]sqldata.Value, columns)
		for c := range row {
			row[c] = sqldata.NewText("")
			if c < len(record) {
				row[c] = sqldata.NewText(record[c])
			}
		}
		return each(row)
	})
}

// refuses returns why an example cannot be in this format, or nil.
func refuses(db *dataset.Database, ex *dataset.Example) error {
	switch {
	case len(db.Tables) != 1:
		return errors.New("asks about several tables, expected one")
	case ex.Answer == nil:
		return errors.New("has no answer, which stands in the place of SQL")
	}
	return nil
}
