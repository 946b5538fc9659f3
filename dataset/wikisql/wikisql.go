// Package wikisql reads and writes WikiSQL (Zhong et al., 2017): questions with logical
// forms on tables of Wikipedia.
//
//	SPLIT.jsonl         {"phase", "table_id", "question", "sql": {"sel", "agg", "conds"}}
//	SPLIT.tables.jsonl  {"id", "header", "types", "rows", "page_title", "section_title", "caption", "name"}
//	SPLIT.db            the rows for execution: table_1_10015132_11 (col0 text, col1 real), text in lower case
//
// Each table is a database of one table. A logical form becomes gold SQL; [Parse] and
// [LogicalForm.SQL] convert between the two without loss.
//
// Without the tables file, headers come from ADVETA's files for WikiSQL or from
// text2sql-data's wikisql.json, or else are made up. A wikisql.json also replaces a
// missing file of questions.
package wikisql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// formatName is the name of the format.
const formatName = "wikisql"

// Format is WikiSQL.
var Format = &dataset.Format{
	Name:  formatName,
	Doc:   "WikiSQL: logical forms on single tables, as gold SQL; without its tables file headers come from ADVETA's files or text2sql-data.",
	Files: "SPLIT.jsonl, SPLIT.tables.jsonl, SPLIT.db; or, instead of missing ones, wikisql-rpl*.json, wikisql-add*.json, wikisql.json (.gz, .bz2)",
	Keeps: []dataset.Feature{dataset.Captions, dataset.Rows, dataset.GoldSQL},
	Read:  read,
	Write: write,
	Refuses: func(db *dataset.Database, ex *dataset.Example) error {
		if _, err := Parse(ex.Query, db); err != nil {
			return fmt.Errorf("question whose query is no logical form: %w", err)
		}
		return nil
	},
}

// source is a folder of WikiSQL, being read.
type source struct {
	dir, split      string
	questions       string                 // path of SPLIT.jsonl, or ""
	tables          string                 // path of SPLIT.tables.jsonl, or ""
	content         string                 // path of SPLIT.db, or ""
	templates       string                 // path of text2sql-data's file, or ""
	schemas         func() *tableSchemas   // [source.readSchemas], read at the first call
	templateColumns func() *templateTables // [source.readTemplateTables], read at the first call

	mu          sync.Mutex
	current     *table     // the last one of Databases, whose rows are usually read next
	openContent *sqlite.DB // SPLIT.db, while Databases yields what is guessed
}

// tableSchemas are the schemas of the tables of a split.
type tableSchemas struct {
	byID  map[string]tableNames
	order []*dataset.Database // guessed schemas in their order; nil if a file has the schemas
	notes []error             // on the guesses
	err   error               // that makes the data set unusable
}

// read opens a data set, some of whose files may be missing. Only without both SPLIT.jsonl and wikisql.json is there
// an error.
func read(_ context.Context, path, split string) (*dataset.Set, error) {
	s := &source{dir: path, split: split}
	for _, file := range []struct {
		path  *string
		names []string
	}{
		{&s.questions, []string{split + ".jsonl"}}, {&s.tables, []string{split + ".tables.jsonl"}},
		{&s.templates, []string{"wikisql.json", "text2sql-data_wikisql.json"}}, {&s.content, []string{split + ".db"}},
	} {
		var err error
		if *file.path, err = optionalFile(path, file.names...); err != nil {
			return nil, err
		}
	}
	if s.questions+s.templates == "" {
		_, err := dataset.FirstFile(path, split+".jsonl", "wikisql.json") // for its error
		return nil, err
	}
	s.templateColumns = sync.OnceValue(s.readTemplateTables)
	s.schemas = sync.OnceValue(s.readSchemas)
	set := &dataset.Set{Format: formatName, Split: split, Databases: s.databases, Examples: s.examples, Declare: Declare}
	if s.tables+s.content != "" {
		set.Rows = s.rows
	}
	return set, nil
}

// optionalFile returns the path of a file as [dataset.FirstFile] does, or "" if there is none.
func optionalFile(dir string, names ...string) (string, error) {
	path, err := dataset.FirstFile(dir, names...)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return path, err
}

// Declare returns the declared type of a column in SQLite. Text compares without case, because
// WikiSQL's evaluator compares in lower case.
func Declare(c *dataset.Column) string {
	if c.Type == dataset.Number {
		return "NUMERIC"
	}
	return "TEXT COLLATE NOCASE"
}

// databases passes the schemas to each, and keeps the last table with its rows for [source.rows].
func (s *source) databases(report func(error), each func(*dataset.Database) error) error {
	if s.tables == "" {
		return s.guessedDatabases(report, each)
	}
	return readTables(s.tables, true, report, func(t *table) error {
		s.mu.Lock()
		s.current = t
		s.mu.Unlock()
		return each(t.db)
	})
}

// ignoreError ignores an error that is reported when the databases or the questions themselves
// are read.
func ignoreError(error) {}

// readSchemas returns the schemas of the split, by which its questions are read.
func (s *source) readSchemas() *tableSchemas {
	if s.tables == "" {
		return s.guessSchemas()
	}
	schemas := &tableSchemas{byID: map[string]tableNames{}}
	_ = readTables(s.tables, false, ignoreError, func(t *table) error { // keeps no source; reading the databases reports the error
		schemas.byID[t.db.ID] = tableNamesOf(&t.db.Tables[0])
		return nil
	})
	return schemas
}

// examples passes the questions with their gold SQL to each.
func (s *source) examples(report func(error), each func(*dataset.Example) error) error {
	schemas := s.schemas()
	if schemas.err != nil {
		return schemas.err
	}
	each = dataset.Numbered(each)
	return s.allQuestions(report, func(q *question) error {
		ex, err := s.example(schemas, q)
		if err != nil {
			report(&dataset.RecordError{File: q.file, Record: q.number, Err: err})
			return nil
		}
		return each(ex)
	})
}

// example returns a question as an example: its logical form becomes SQL with the names of its table in schemas.
func (s *source) example(schemas *tableSchemas, q *question) (*dataset.Example, error) {
	names, ok := schemas.byID[q.table]
	if !ok {
		where := "the split's tables"
		if s.tables != "" {
			where = filepath.Base(s.tables)
		}
		return nil, fmt.Errorf("table_id %q is unknown, expected one of %s", dataset.Clip(q.table), where)
	}
	sql, err := q.form.SQL(&names.database(q.table).Tables[0])
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", q.table, err)
	}
	return &dataset.Example{DB: q.table, Question: q.text, Query: sql, Source: q.source}, nil
}

// allQuestions passes the questions of the split to each.
func (s *source) allQuestions(report func(error), each func(*question) error) error {
	if s.questions != "" {
		return readQuestions(s.questions, report, each)
	}
	return s.templateQuestions(report, each)
}

// question is a record of SPLIT.jsonl.
type question struct {
	file   string
	number int // of the record
	table  string
	text   string
	form   LogicalForm
	source json.RawMessage // nil if the file is another's
}

// readQuestions passes the questions of a file to each.
func readQuestions(path string, report func(error), each func(*question) error) error {
	return dataset.Records(path, report, func(raw dataset.Raw) (*question, error) {
		q, err := decodeQuestion(raw.JSON)
		if err == nil {
			q.file, q.number = path, raw.Number
		}
		return q, err
	}, each)
}

// decodeQuestion decodes a record of SPLIT.jsonl, which is also the source of the question. Its table_id, question and sql are
// required, and no key may be repeated.
func decodeQuestion(raw []byte) (*question, error) {
	var rec struct {
		Table    *string      `json:"table_id"`
		Question *string      `json:"question"`
		SQL      *LogicalForm `json:"sql"`
	}
	if err := dataset.Decode(raw, &rec); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		dataset.Require("table_id", rec.Table != nil), dataset.Require("question", rec.Question != nil), dataset.Require("sql", rec.SQL != nil),
		repeatedKey(raw),
	); err != nil {
		return nil, err
	}
	return &question{table: *rec.Table, text: *rec.Question, form: *rec.SQL, source: append(json.RawMessage(nil), raw...)}, nil
}

// rows passes the rows of a table to each. Usually the table was read last; otherwise the file
// is read again up to the table.
func (s *source) rows(ctx context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
	if s.tables == "" {
		return s.contentRows(ctx, db, each)
	}
	s.mu.Lock()
	t := s.current
	s.mu.Unlock()
	if t == nil || t.db.ID != db.ID {
		t = s.findTable(db.ID)
	}
	if t == nil {
		return nil // no such table, or an error that reading the databases reports
	}
	return lists.Each(t.rows, func(row []json.RawMessage) error { return each(rowValues(row)) })
}

// findTable reads the tables file up to the table with an id, and returns the table; nil if there is none.
func (s *source) findTable(id string) *table {
	tables := dataset.Stream[*table](func(report func(error), each func(*table) error) error {
		return readTables(s.tables, false, report, each)
	})
	t, _, _ := dataset.First(tables.Filter(func(t *table) bool { return t.db.ID == id }), ignoreError) // reading the databases reports the error
	return t
}
