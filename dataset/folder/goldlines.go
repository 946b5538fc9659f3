package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// goldPattern matches a cell that holds gold SQL: it begins with SELECT or WITH.
var goldPattern = lazyregexp.New(`(?i)^\s*\(*\s*(?:select|with)\b`)

// goldCell returns the index of the first cell with gold SQL, or -1.
func goldCell(cells []string) int {
	return slices.IndexFunc(cells, goldPattern.MatchString)
}

// goldLines returns the questions of a text with gold SQL. Its lines are those of Spider's and
// BIRD's gold files or of lists of questions: "SQL", "SQL TAB db_id", "question TAB SQL" or
// "question TAB SQL TAB db_id". A line without a question gives an example without one.
func (c *contents) goldLines(path string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		f, closer, err := dataset.OpenText(path)
		if err != nil {
			return err
		}
		defer closer.Close()
		return rowExamples(path, newTabbed(f), c.goldLineExample)(report, each)
	}
}

// rowReader reads the rows of a file.
type rowReader interface {
	Read() ([]string, error) // returns [io.EOF] after the last row
	Line() int               // of the file, from 1, on which the last row begins
}

// rowExamples returns the examples of the rows of a file, each with the index of its line; parse returns the
// example of a row.
func rowExamples(path string, rows rowReader, parse func([]string) (*dataset.Example, error)) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		for {
			cells, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			ex, err := parse(cells)
			if err != nil {
				report(&dataset.RecordError{File: path, Record: rows.Line(), Err: err})
				continue
			}
			ex.Index = rows.Line() - 1
			if err := each(ex); err != nil {
				return err
			}
		}
	}
}

// goldLineExample returns the example of a line of [contents.goldLines], split at tabs: SQL, or a question and SQL, each
// with or without a db_id after it. The db_id may be missing if there is only one database.
func (c *contents) goldLineExample(cells []string) (*dataset.Example, error) {
	sqlIndex := goldCell(cells)
	if sqlIndex < 0 || sqlIndex > 1 || len(cells) > sqlIndex+2 {
		return nil, errors.New("holds no gold SQL in its place, expected SQL, or a question, tab and SQL, and behind them tab and db_id where there are several databases")
	}
	fields := newRecordFields()
	set := func(name, text string) error {
		value, err := json.Marshal(strings.TrimSpace(text))
		fields.set(name, value)
		return err
	}
	// A record must have a question: of a line without one, cells[0] is the SQL.
	err := errors.Join(set("sql", cells[sqlIndex]), set("question", cells[0]))
	if len(cells) == sqlIndex+2 {
		err = errors.Join(err, set("db_id", cells[sqlIndex+1]))
	}
	if err != nil {
		return nil, err
	}
	ex, err := c.exampleOfFields(fields)
	if err == nil && sqlIndex == 0 {
		ex.Question, ex.Source = "", nil // the SQL took the place of the question in both
	}
	return ex, err
}
