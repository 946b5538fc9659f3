package folder

import (
	"bufio"
	"bytes"
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
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/kit/csvtable"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Files returns the set of one SQLite file, or of those in a folder, and a file of
// questions with gold SQL, whose form follows from the extension:
//
//   - .csv, .tsv: a header names the columns, including one for the question and one for
//     the gold SQL; commas, semicolons or tabs separate those of .csv;
//   - .json, .jsonl: a list, or lines, of objects with such members;
//   - .sql, .txt, and .tsv without a header: lines of gold SQL, optionally after a question
//     or before a db_id, separated by tabs. A line without a question gives an example without one.
//
// Any of them may be compressed by gzip, or UTF-16 with a byte order mark.
//
// Names of a tables.json in the folder are used. With one database, questions need no db_id.
func Files(ctx context.Context, databases, questions, split string) (*dataset.Set, error) {
	if scheme, _, ok := strings.Cut(databases, "://"); ok {
		return nil, fmt.Errorf("%s: is the address of a server, expected a SQLite file, a folder of some, or postgres://…", scheme)
	}
	c := newContents(databases)
	find := c.scan
	if !dataset.IsDir(databases) {
		find = c.addSingle
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
	switch ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(questions, ".gz"))); ext {
	case ".csv", ".tsv":
		set.Examples = c.csvQuestions(questions, ext == ".tsv")
	case ".json", ".jsonl":
		set.Examples = c.jsonQuestions(questions)
	case ".sql", ".txt":
		set.Examples = c.goldLines(questions)
	default:
		return nil, fmt.Errorf("%s: ends in %q, expected a file of questions with gold SQL: .csv, .tsv, .json, .jsonl, or lines of gold SQL in .sql or .txt, each also with .gz", questions, ext)
	}
	set.Examples = c.alternativesNoted(questions, set.Examples)
	return set, nil
}

// addSingle adds the file of contents that are one SQLite file. A file that cannot be opened is an error.
func (c *contents) addSingle(ctx context.Context) error {
	db, err := engine.Open(ctx, c.dir)
	if err != nil {
		return err
	}
	return errors.Join(db.Close(), c.addFile(c.dir))
}

// fieldNames lists for each field the names that a column or member of a file of questions may
// have. If a record has several of them, the first in the list counts.
var fieldNames = map[string][]string{
	"question": {"question", "utterance", "nl", "natural language", "text", "prompt"},
	"sql":      {"sql", "query", "gold", "gold sql", "gold query", "answer sql", "statement"},
	"db_id":    {"db id", "db", "database", "database id"},
	"id":       {"id", "question id"},
	"evidence": {"evidence", "hint", "knowledge"},
}

// FieldNames returns a line for each field of a question with the names that its column or member
// may have.
func FieldNames() string {
	var lines strings.Builder
	for _, field := range []string{"question", "sql", "db_id", "id", "evidence"} {
		fmt.Fprintf(&lines, "  %-9s %s\n", field, strings.Join(fieldNames[field], ", "))
	}
	return lines.String()
}

// fieldOf returns the field that a column or member with a name holds, or "". rank is the
// position of the name in [fieldNames], from 1; 0 is the name of the field itself. Names compare without case, and
// with underscores and hyphens as blanks.
func fieldOf(column string) (field string, rank int) {
	if fieldNames[column] != nil {
		return column, 0
	}
	column = strings.Join(strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
	for field, names := range fieldNames {
		if i := slices.Index(names, column); i >= 0 {
			return field, i + 1
		}
	}
	return "", 0
}

// recordFields are the values of a record by field, each with the rank of its name, see
// [fieldOf].
type recordFields struct {
	values map[string]json.RawMessage
	ranks  map[string]int
}

// newRecordFields returns the fields of an empty record.
func newRecordFields() *recordFields {
	return &recordFields{map[string]json.RawMessage{}, map[string]int{}}
}

// set stores the value of a column or member, unless a name of a smaller rank gave its field a
// value.
func (m *recordFields) set(name string, value json.RawMessage) {
	field, rank := fieldOf(name)
	if field == "" {
		return
	}
	if best, ok := m.ranks[field]; !ok || rank < best {
		m.values[field], m.ranks[field] = value, rank
	}
}

// exampleOfFields returns the example of a record. If there is only one database, the record needs no db_id. Of gold SQL
// with alternatives, which it counts, the example has the first.
func (c *contents) exampleOfFields(m *recordFields) (*dataset.Example, error) {
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
	ex, err := c.example(raw)
	if err == nil {
		if first := firstAlternative(ex.Query); first != ex.Query {
			ex.Query = first
			c.alternatives++
		}
	}
	return ex, err
}

// jsonQuestions returns the questions of a JSON file. A member that is null counts as missing.
func (c *contents) jsonQuestions(path string) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		return dataset.ExampleRecords(path, report, func(raw dataset.Raw) (*dataset.Example, error) {
			all, err := dataset.Members(raw.JSON)
			if err != nil {
				return nil, err
			}
			fields := newRecordFields()
			for _, m := range all {
				if string(m.Value) != "null" {
					fields.set(m.Key, m.Value)
				}
			}
			return c.exampleOfFields(fields)
		}, each)
	}
}

// Bounds on a CSV file of questions.
const (
	maxColumns = 1000
	maxField   = 1 << 20
)

// csvQuestions returns the questions of a CSV file or, if tabs is set, of a TSV file, which may
// have lines of gold SQL and no header.
func (c *contents) csvQuestions(path string, tabs bool) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		f, closer, err := dataset.OpenText(path)
		if err != nil {
			return err
		}
		defer closer.Close()
		var rows rowReader = newTabbed(f)
		if !tabs {
			head, _ := f.Peek(f.Size())
			table := csvtable.NewReader(f, maxColumns, maxField)
			table.Separator = separatorOf(head)
			rows = table
		}
		header, err := rows.Read()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", path, err)
		}
		if tabs && goldCell(header) >= 0 { // no header: the first line is a question
			return c.goldLines(path)(report, each)
		}
		if !namesExample(header) {
			return fmt.Errorf("has the columns %q, expected one named question and one named sql, or by the other names that \"tabperturb init --help\" lists", header)
		}
		return rowExamples(path, rows, func(cells []string) (*dataset.Example, error) { return c.rowExample(header, cells) })(report, each)
	}
}

// namesExample reports whether a header has a column for the question and one for the gold SQL.
func namesExample(header []string) bool {
	columns := lists.Map(header, func(h string) string {
		field, _ := fieldOf(h)
		return field
	})
	return slices.Contains(columns, "question") && slices.Contains(columns, "sql")
}

// separatorOf returns the separator of a CSV file by the header that its text begins with: a semicolon or a tab if the header,
// split there, has the columns of an example, and else a comma.
func separatorOf(text []byte) byte {
	for _, separator := range []byte(";\t") {
		rows := csvtable.NewReader(bufio.NewReader(bytes.NewReader(text)), maxColumns, maxField)
		rows.Separator = separator
		if header, err := rows.Read(); err == nil && namesExample(header) {
			return separator
		}
	}
	return ','
}

// rowExample returns the example of a row of a table. Empty cells are no values.
func (c *contents) rowExample(header, cells []string) (*dataset.Example, error) {
	fields := newRecordFields()
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
	return c.exampleOfFields(fields)
}

// tabbed reads lines as their cells between tabs. Quotes mean nothing there; blank lines are passed over.
type tabbed struct {
	lines *bufio.Scanner
	line  int // lines read so far
}

// newTabbed returns a reader of lines of bounded length.
func newTabbed(r io.Reader) *tabbed {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxField)
	return &tabbed{lines: lines}
}

// Line implements [rowReader].
func (t *tabbed) Line() int { return t.line }

// Read implements [rowReader].
func (t *tabbed) Read() ([]string, error) {
	for t.lines.Scan() {
		t.line++
		if line := strings.TrimSuffix(t.lines.Text(), "\r"); strings.TrimSpace(line) != "" {
			return strings.Split(line, "\t"), nil
		}
	}
	if err := t.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}
