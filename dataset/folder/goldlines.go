package folder

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// gold matches a cell that holds gold SQL.
var gold = lazyregexp.New(`(?i)^\s*\(*\s*(?:select|with)\b`)

// holdsGold reports whether a line has gold SQL; a header has none.
func holdsGold(cells []string) bool { return sqlCell(cells) >= 0 }

// sqlCell returns the position of the first cell with gold SQL, or -1.
func sqlCell(cells []string) int {
	return slices.IndexFunc(cells, gold.MatchString)
}

// goldLines has the questions of lines of gold SQL, in the forms of Spider's and BIRD's gold
// files and of lists of questions: "SQL", "SQL TAB db_id", "question TAB SQL" and "question
// TAB SQL TAB db_id". A line without a question yields an example without one.
func (c *contents) goldLines(path string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return rows(path, tabbed(f), c.goldLine)(report, each)
	}
}

// rows returns the examples that parse makes of the rows of a file, up to its end; parse gets
// what read returns.
func rows(path string, read func() ([]string, error), parse func([]string) (*dataset.Example, error)) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		for index := 0; ; index++ {
			cells, err := read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			ex, err := parse(cells)
			if err != nil {
				report(&dataset.RecordError{File: path, Record: index + 1, Err: err})
				continue
			}
			ex.Index = index
			if err := each(ex); err != nil {
				return err
			}
		}
	}
}

// goldLine returns the example of a line: gold SQL with a question before it or a db_id after it.
func (c *contents) goldLine(cells []string) (*dataset.Example, error) {
	at := sqlCell(cells)
	if at < 0 || at > 1 || len(cells) > at+2 {
		return nil, errors.New("holds no gold SQL in its place, expected SQL, or a question, tab and SQL, and behind them tab and db_id where there are several databases")
	}
	fields := newRowMembers()
	set := func(name, text string) error {
		value, err := json.Marshal(strings.TrimSpace(text))
		fields.set(name, value)
		return err
	}
	// The reader requires a question; a line without one has the SQL in its place.
	err := errors.Join(set("sql", cells[at]), set("question", cells[0]))
	if len(cells) == at+2 {
		err = errors.Join(err, set("db_id", cells[at+1]))
	}
	if err != nil {
		return nil, err
	}
	ex, err := c.question(fields)
	if err == nil && at == 0 {
		ex.Question, ex.Source = "", nil
	}
	return ex, err
}
