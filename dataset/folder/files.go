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
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
)

// Files returns the set of one SQLite file, or of those in a folder, and a file of
// questions with gold SQL, whose form follows from the extension:
//
//   - .csv, .tsv: a header names the columns, including one for the question and one for
//     the gold SQL;
//   - .json, .jsonl: a list, or lines, of objects with such members;
//   - .sql, .txt, and .tsv without a header: lines of gold SQL, optionally after a question
//     or before a db_id, separated by tabs. A line without a question gives an example without one.
//
// Names of a tables.json in the folder are used. With one database, questions need no db_id.
func Files(ctx context.Context, databases, questions, split string) (*dataset.Set, error) {
	c := newContents(databases)
	find := c.find
	if !dataset.IsDir(databases) {
		find = func(context.Context) error { return c.add(databases) }
	}
	if err := find(ctx); err != nil {
		return nil, err
	}
	if len(c.files) == 0 {
		return nil, c.noDatabase("a SQLite file or a folder of some")
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
	case ".sql", ".txt":
		set.Examples = c.goldLines(questions)
	default:
		return nil, fmt.Errorf("%s: ends in %q, expected a file of questions with gold SQL: .csv, .tsv, .json, .jsonl, or lines of gold SQL in .sql or .txt", questions, ext)
	}
	return set, nil
}

// memberNames lists the names that a column or member of a file of questions may have, by the
// folder's own name. If a record has several, the first listed here counts.
var memberNames = map[string][]string{
	"question": {"question", "utterance", "nl", "natural language", "text", "prompt"},
	"sql":      {"sql", "query", "gold", "gold sql", "gold query", "answer sql", "statement"},
	"db_id":    {"db id", "db", "database", "database id"},
	"id":       {"id", "question id"},
	"evidence": {"evidence", "hint", "knowledge"},
}

// memberOf returns the folder's name for a column or member, "" if there is none, and the position
// of the name in [memberNames], from 1; 0 is the folder's own.
func memberOf(column string) (own string, place int) {
	if memberNames[column] != nil {
		return column, 0
	}
	column = strings.Join(strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
	for own, names := range memberNames {
		if i := slices.Index(names, column); i >= 0 {
			return own, i + 1
		}
	}
	return "", 0
}

// rowMembers are the members of a record by the folder's names.
type rowMembers struct {
	values map[string]json.RawMessage
	places map[string]int
}

func newRowMembers() *rowMembers { return &rowMembers{map[string]json.RawMessage{}, map[string]int{}} }

// set keeps what a record has under a name, unless it has it under one that counts more.
func (m *rowMembers) set(name string, value json.RawMessage) {
	own, place := memberOf(name)
	if own == "" {
		return
	}
	if known, ok := m.places[own]; !ok || place < known {
		m.values[own], m.places[own] = value, place
	}
}

// question returns the example that members of a record say.
func (c *contents) question(m *rowMembers) (*dataset.Example, error) {
	fields := m.values
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

// jsonQuestions returns the examples of a JSON file.
func (c *contents) jsonQuestions(path string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		return dataset.ExampleRecords(path, report, func(raw dataset.Raw) (*dataset.Example, error) {
			all, err := dataset.Members(raw.JSON)
			if err != nil {
				return nil, err
			}
			fields := newRowMembers()
			for _, m := range all {
				if string(m.Value) != "null" {
					fields.set(m.Key, m.Value)
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

// csvQuestions returns the examples of a CSV file, or of one with tabs.
func (c *contents) csvQuestions(path string, tabs bool) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		cells := tabbed(f)
		if !tabs {
			cells = csvtable.NewReader(bufio.NewReader(f), maxColumns, maxField).Read
		}
		read := func() ([]string, error) {
			row, err := cells()
			if err != nil && !errors.Is(err, io.EOF) {
				err = fmt.Errorf("%s: %w", path, err)
			}
			return row, err
		}
		header, err := read()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if tabs && holdsGold(header) {
			return c.goldLines(path)(report, each)
		}
		columns := make([]string, len(header))
		for i, h := range header {
			columns[i], _ = memberOf(h)
		}
		if !slices.Contains(columns, "question") || !slices.Contains(columns, "sql") {
			return fmt.Errorf("has the columns %q, expected one named question and one named sql", header)
		}
		return rows(path, read, func(cells []string) (*dataset.Example, error) { return c.row(header, cells) })(report, each)
	}
}

// row returns the example of a row; its empty cells say nothing.
func (c *contents) row(header, cells []string) (*dataset.Example, error) {
	fields := newRowMembers()
	for i, cell := range cells[:min(len(cells), len(header))] {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		text, err := json.Marshal(cell)
		if err != nil {
			return nil, err
		}
		fields.set(header[i], text)
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
