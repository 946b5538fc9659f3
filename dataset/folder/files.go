package folder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/csvtable"
)

// Files returns the set of one SQLite file, or of those in a folder, and a file of
// questions with gold SQL, of which the ending says what it is:
//
//   - .csv, .tsv: a header names the columns, among them one of the question and one of
//     the gold SQL;
//   - .json, .jsonl: a list, or lines, of objects with such members.
//
// With one database no question has to name it.
func Files(ctx context.Context, databases, questions, split string) (*dataset.Set, error) {
	c := &contents{dir: databases, paths: map[string]string{}, named: map[string]*dataset.Database{}}
	find := func() error { return c.add(databases) }
	if dataset.IsDir(databases) {
		find = func() error { return c.find(ctx) }
	}
	if err := find(); err != nil {
		return nil, err
	}
	if len(c.files) == 0 {
		return nil, errors.Join(append(slices.Clip(c.problems), fmt.Errorf("%s: has no database, expected a SQLite file or a folder of some (.sqlite, .sqlite3, .db)", databases))...)
	}
	if _, err := os.Stat(questions); err != nil {
		return nil, err
	}
	set := &dataset.Set{Format: name, Split: split, Databases: c.databases(ctx)}
	switch ext := strings.ToLower(filepath.Ext(questions)); ext {
	case ".csv", ".tsv":
		set.Examples = c.csvQuestions(questions, ext == ".tsv")
	case ".json", ".jsonl", ".gz":
		set.Examples = c.jsonQuestions(questions)
	default:
		return nil, fmt.Errorf("%s: ends in %q, expected a file of questions with gold SQL: .csv, .tsv, .json or .jsonl", questions, ext)
	}
	return set, nil
}

// memberNames are the names that a column or member of a file of questions may have, by the
// name that a folder gives it.
var memberNames = map[string][]string{
	"question": {"question", "utterance", "nl", "natural language", "text", "prompt"},
	"sql":      {"sql", "query", "gold", "gold sql", "gold query", "answer sql", "statement"},
	"db_id":    {"db id", "db", "database", "database id"},
	"id":       {"id", "question id"},
	"evidence": {"evidence", "hint", "knowledge"},
}

// memberOf returns the folder's name for a column or member, "" where it has none.
func memberOf(column string) string {
	column = strings.Join(strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
	for own, names := range memberNames {
		if slices.Contains(names, column) {
			return own
		}
	}
	return ""
}

// question returns the example that members of a record say.
func (c *contents) question(fields map[string]json.RawMessage) (*dataset.Example, error) {
	if fields["db_id"] == nil && len(c.files) == 1 {
		id, err := json.Marshal(c.files[0].id)
		if err != nil {
			return nil, err
		}
		fields["db_id"] = id
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return c.example(raw)
}

func (c *contents) jsonQuestions(path string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		return dataset.ExampleRecords(path, report, func(raw dataset.Raw) (*dataset.Example, error) {
			all, err := dataset.Members(raw.JSON)
			if err != nil {
				return nil, err
			}
			fields := map[string]json.RawMessage{}
			for _, m := range all {
				if own := memberOf(m.Key); own != "" && string(m.Value) != "null" && fields[own] == nil {
					fields[own] = m.Value
				}
			}
			return c.question(fields)
		}, each)
	}
}

// Bounds on a CSV file of questions.
const (
	maxColumns = 1000
	maxField   = 1 << 20
)

func (c *contents) csvQuestions(path string, tabs bool) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		read := tabbed(f)
		if !tabs {
			read = csvtable.NewReader(bufio.NewReader(f), maxColumns, maxField).Read
		}
		header, err := read()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", path, err)
		}
		columns := make([]string, len(header))
		for i, h := range header {
			columns[i] = memberOf(h)
		}
		if !slices.Contains(columns, "question") || !slices.Contains(columns, "sql") {
			return fmt.Errorf("has the columns %q, expected one named question and one named sql", header)
		}
		for index := 0; ; index++ {
			row, err := read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			ex, err := c.row(columns, row)
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

// row returns the example of a row; its empty cells say nothing.
func (c *contents) row(columns, cells []string) (*dataset.Example, error) {
	fields := map[string]json.RawMessage{}
	for i, cell := range cells[:min(len(cells), len(columns))] {
		if columns[i] == "" || strings.TrimSpace(cell) == "" || fields[columns[i]] != nil {
			continue
		}
		text, err := json.Marshal(strings.TrimSpace(cell))
		if err != nil {
			return nil, err
		}
		fields[columns[i]] = text
	}
	return c.question(fields)
}

// tabbed reads lines of cells between tabs, which have no quotes.
func tabbed(r io.Reader) func() ([]string, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxField)
	return func() ([]string, error) {
		for lines.Scan() {
			if line := strings.TrimSuffix(lines.Text(), "\r"); strings.TrimSpace(line) != "" {
				return strings.Split(line, "\t"), nil
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
}
