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
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/csvtable"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/retriever"
)

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

func read(_ context.Context, path, split string) (*dataset.Set, error) {
	questions, err := FindQuestions(path, split)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Join(path, "csv")); err != nil || !info.IsDir() {
		return nil, &dataset.FileError{File: filepath.Join(path, "csv"), Err: errors.New("no such folder, expected the tables as csv/N-csv/M.csv")}
	}
	return &dataset.Set{
		Format: name, Split: split,
		Databases: databases(path, questions),
		Examples:  examples(path, questions),
		Rows: func(_ context.Context, db *dataset.Database) iter.Seq2[[]sqldata.Value, error] {
			return rows(filepath.Join(path, contextOf(db.ID)), len(db.Tables[0].Columns))
		},
		// As text every cell keeps its form: 007, 1.50.
		Declare: func(*dataset.Column) string { return "TEXT" },
	}, nil
}

// databases yields the tables of a file of questions, in the order in which it
// first names them.
func databases(path, questions string) iter.Seq2[*dataset.Database, error] {
	return func(yield func(*dataset.Database, error) bool) {
		seen := map[string]bool{}
		for ex, err := range Questions(questions, nil) {
			if _, one := errors.AsType[*dataset.RecordError](err); one || err == nil && seen[ex.DB] {
				continue // the stream of examples says so
			}
			if err != nil {
				yield(nil, err)
				return
			}
			seen[ex.DB] = true
			db, warnings, err := ReadTable(path, ex.DB)
			for _, w := range warnings {
				if !yield(nil, w) {
					return
				}
			}
			if !yield(db, err) {
				return
			}
		}
	}
}

// examples yields the questions whose tables are there.
func examples(path, questions string) iter.Seq2[*dataset.Example, error] {
	return func(yield func(*dataset.Example, error) bool) {
		missing := map[string]error{}
		Questions(questions, func(db string) error {
			problem, known := missing[db]
			if !known {
				if info, err := os.Stat(filepath.Join(path, contextOf(db))); err != nil || !info.Mode().IsRegular() {
					problem = fmt.Errorf("table %s is not there, expected it; the question is left out", contextOf(db))
				}
				missing[db] = problem
			}
			return problem
		})(yield)
	}
}

// ReadTable reads the schema of a table from its CSV file below a folder. An error
// is a [*dataset.RecordError] of the file, and so are the warnings, which are about
// rows that are shorter or longer than the header.
func ReadTable(path, id string) (db *dataset.Database, warnings []error, err error) {
	file := filepath.Join(path, contextOf(id))
	var header []string
	var cells [][]string
	short, long := ragged{then: "the others are empty"}, ragged{then: "the last are left out"}
	n := 0
	for record, err := range records(file) {
		if err != nil {
			return nil, nil, err
		}
		switch n++; {
		case n == 1:
			header, cells = record, make([][]string, len(record))
			continue
		case len(record) < len(header):
			short.add(n, len(record))
		case len(record) > len(header):
			long.add(n, len(record))
		}
		for c := 0; n <= typedRows && c < min(len(record), len(header)); c++ {
			cells[c] = append(cells[c], record[c])
		}
	}
	if len(header) == 0 {
		return nil, nil, &dataset.RecordError{File: file, Record: 1, Err: errors.New("file is empty, expected a header")}
	}
	for _, r := range []ragged{short, long} {
		if r.rows > 0 {
			warnings = append(warnings, dataset.Note(&dataset.RecordError{File: file, Record: r.first, Err: r.error(len(header))}))
		}
	}
	return schema(id, header, cells), warnings, nil
}

// ragged counts the rows that do not fit the header in one way.
type ragged struct {
	rows         int
	first, cells int    // of the first
	then         string // what becomes of the cells that do not fit
}

func (r *ragged) add(row, cells int) {
	if r.rows++; r.rows == 1 {
		r.first, r.cells = row, cells
	}
}

func (r *ragged) error(header int) error {
	more := ""
	if r.rows > 1 {
		more = fmt.Sprintf("; %d rows are like this", r.rows)
	}
	return fmt.Errorf("row has %d cells and the header %d, expected as many; %s%s", r.cells, header, r.then, more)
}

func schema(id string, header []string, cells [][]string) *dataset.Database {
	names := make([]string, len(header))
	for c, h := range header {
		names[c] = NaturalName(h, c+1)
	}
	columns := make([]dataset.Column, len(header))
	for c, original := range dataset.Identifiers(names, nil) {
		columns[c] = dataset.Column{Name: names[c], Original: original, Type: retriever.InferType(cells[c]), Header: HeaderOf(header[c], names[c])}
	}
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Name: "table", Original: "w", Columns: columns}}}
}

// records yields the records of a CSV file, the header first. An error is the last,
// a [*dataset.RecordError] of the line.
func records(file string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		bad := func(line int, err error) {
			yield(nil, &dataset.RecordError{File: file, Record: max(line, 1), Err: err})
		}
		f, err := os.Open(file)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = errors.New("table is not there, expected this file")
			}
			bad(0, err)
			return
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			bad(0, fmt.Errorf("is no file of at most %d MiB, expected one", maxFile>>20))
			return
		}
		r := csvtable.NewReader(bufio.NewReader(f), maxColumns+1, maxField+1)
		for n := 1; ; n++ {
			record, err := r.Read()
			syntax, isSyntax := errors.AsType[*csvtable.SyntaxError](err)
			switch {
			case err == io.EOF:
				return
			case isSyntax:
				bad(syntax.Line, syntax.Err)
				return
			case err != nil:
				bad(n, err)
				return
			case n > maxRows+1:
				bad(n, fmt.Errorf("table has more than %d rows, expected fewer", maxRows))
				return
			case len(record) > maxColumns || slices.ContainsFunc(record, func(field string) bool { return len(field) > maxField }):
				bad(n, fmt.Errorf("row has more than %d cells or one of more than %d MiB, expected fewer", maxColumns, maxField>>20))
				return
			case !utf8.ValidString(strings.Join(record, "")):
				bad(n, errors.New("text is not UTF-8, expected UTF-8"))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

func rows(file string, columns int) iter.Seq2[[]sqldata.Value, error] {
	return func(yield func([]sqldata.Value, error) bool) {
		first := true
		for record, err := range records(file) {
			if err != nil {
				yield(nil, err)
				return
			}
			if first {
				first = false
				continue
			}
			row := make([]sqldata.Value, columns)
			for c := range row {
				row[c] = sqldata.NewText("")
				if c < len(record) {
					row[c] = sqldata.NewText(record[c])
				}
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func refuses(db *dataset.Database, ex *dataset.Example) error {
	switch {
	case len(db.Tables) != 1:
		return errors.New("asks about several tables, expected one")
	case ex.Answer == nil:
		return errors.New("has no answer, which stands in the place of SQL")
	}
	return nil
}
