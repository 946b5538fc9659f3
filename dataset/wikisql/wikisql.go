// Package wikisql reads and writes WikiSQL (Zhong et al., 2017): questions with logical
// forms on tables of Wikipedia.
//
//	SPLIT.jsonl         {"phase", "table_id", "question", "sql": {"sel", "agg", "conds"}}
//	SPLIT.tables.jsonl  {"id", "header", "types", "rows", "page_title", "section_title", "caption", "name"}
//	SPLIT.db            the rows for execution: table_1_10015132_11 (col0 text, col1 real), text in lower case
//
// Each table is a database of one table. A logical form stands as gold SQL; [Parse] and
// [LogicalForm.SQL] lead from one to the other without loss.
//
// Where the tables file is not there, headers come from ADVETA's files for WikiSQL or from
// text2sql-data's wikisql.json, and are made up else; a wikisql.json stands for the
// questions too where there are none.
package wikisql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqldata"
	"github.com/tabperturb/tabperturb/internal/sqlite"
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
	dir, split string
	questions  string // path of SPLIT.jsonl, or ""
	tables     string // path of SPLIT.tables.jsonl, or ""
	content    string // path of SPLIT.db, or ""
	templates  string // path of text2sql-data's file, or ""
	known      func() *schemas
	places     func() *places

	mu      sync.Mutex
	current *table     // that Databases yielded last: rows are mostly asked for next
	open    *sqlite.DB // SPLIT.db, while Databases yields what is guessed
}

// schemas are the tables of a split.
type schemas struct {
	byID     map[string]sqlNames
	order    []*dataset.Database // where they stand in no file
	warnings []error
	err      error
}

func read(_ context.Context, path, split string) (*dataset.Set, error) {
	s := &source{dir: path, split: split}
	var err error
	if s.questions, err = optional(path, split+".jsonl"); err != nil {
		return nil, err
	}
	if s.tables, err = optional(path, split+".tables.jsonl"); err != nil {
		return nil, err
	}
	if s.templates, err = optional(path, "wikisql.json", "text2sql-data_wikisql.json"); err != nil {
		return nil, err
	}
	if s.content, err = optional(path, split+".db"); err != nil {
		return nil, err
	}
	if s.questions == "" && s.templates == "" {
		_, err := dataset.FirstFile(path, split+".jsonl", "wikisql.json")
		return nil, err
	}
	s.places = sync.OnceValue(s.readPlaces)
	s.known = sync.OnceValue(s.readSchemas)
	set := &dataset.Set{Format: formatName, Split: split, Databases: s.databases, Examples: s.examples, Declare: Declare}
	if s.tables != "" || s.content != "" {
		set.Rows = s.rows
	}
	return set, nil
}

// optional returns the path of a file that may not be there.
func optional(dir string, names ...string) (string, error) {
	path, err := dataset.FirstFile(dir, names...)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return path, err
}

// Declare returns the declared type of a column of a table of WikiSQL: text compares
// without case, for its evaluator compares in lower case.
func Declare(c *dataset.Column) string {
	if c.Type == dataset.Number {
		return "NUMERIC"
	}
	return "TEXT COLLATE NOCASE"
}

func (s *source) databases(yield func(*dataset.Database, error) bool) {
	if s.tables == "" {
		s.guessed(yield)
		return
	}
	for t, err := range readTables(s.tables, true) {
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		s.mu.Lock()
		s.current = t
		s.mu.Unlock()
		if !yield(t.db, nil) {
			return
		}
	}
}

// readSchemas finds the schemas of the split, for the questions. What is wrong with the
// records of a tables file is told where the databases are read.
func (s *source) readSchemas() *schemas {
	if s.tables == "" {
		return s.guessSchemas()
	}
	k := &schemas{byID: map[string]sqlNames{}}
	for t, err := range readTables(s.tables, false) {
		if err == nil {
			k.byID[t.db.ID] = sqlNamesOf(&t.db.Tables[0])
		}
	}
	return k
}

func (s *source) examples(yield func(*dataset.Example, error) bool) {
	k := s.known()
	if k.err != nil {
		yield(nil, k.err)
		return
	}
	index := 0
	for q, err := range s.allQuestions() {
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		ex, err := s.example(k, q)
		if err != nil {
			err = &dataset.RecordError{File: q.file, Record: q.number, Err: err}
		} else {
			ex.Index = index
			index++
		}
		if !yield(ex, err) {
			return
		}
	}
}

func (s *source) example(k *schemas, q *question) (*dataset.Example, error) {
	names, ok := k.byID[q.table]
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

// allQuestions yields the questions of the split.
func (s *source) allQuestions() iter.Seq2[*question, error] {
	if s.questions != "" {
		return readQuestions(s.questions)
	}
	return s.templateQuestions
}

// question is a record of SPLIT.jsonl.
type question struct {
	file   string
	number int // of the record
	table  string
	text   string
	form   LogicalForm
	source json.RawMessage // nil where the file is another's
}

func readQuestions(path string) iter.Seq2[*question, error] {
	return func(yield func(*question, error) bool) {
		for raw, err := range dataset.RawRecords(path) {
			var q *question
			if err == nil {
				if q, err = decodeQuestion(raw.JSON); err != nil {
					err = &dataset.RecordError{File: path, Record: raw.Number, Err: err}
				} else {
					q.file, q.number = path, raw.Number
				}
			}
			if !yield(q, err) {
				return
			}
		}
	}
}

func decodeQuestion(raw []byte) (*question, error) {
	var rec struct {
		Table    *string      `json:"table_id"`
		Question *string      `json:"question"`
		SQL      *LogicalForm `json:"sql"`
	}
	if err := dataset.Decode(raw, &rec); err != nil {
		return nil, err
	}
	switch {
	case rec.Table == nil:
		return nil, dataset.Missing("table_id")
	case rec.Question == nil:
		return nil, dataset.Missing("question")
	case rec.SQL == nil:
		return nil, dataset.Missing("sql")
	}
	if err := repeatedKey(raw); err != nil {
		return nil, err
	}
	return &question{table: *rec.Table, text: *rec.Question, form: *rec.SQL, source: append(json.RawMessage(nil), raw...)}, nil
}

// rows yields the rows of a table. They are those of the record that was read last, or
// the file is read again up to the table.
func (s *source) rows(ctx context.Context, db *dataset.Database) iter.Seq2[[]sqldata.Value, error] {
	return func(yield func([]sqldata.Value, error) bool) {
		if s.tables == "" {
			s.contentRows(ctx, db)(yield)
			return
		}
		s.mu.Lock()
		t := s.current
		s.mu.Unlock()
		if t == nil || t.db.ID != db.ID {
			t = nil
			for found, err := range readTables(s.tables, false) {
				if err == nil && found.db.ID == db.ID {
					t = found
					break
				}
			}
		}
		if t == nil {
			return
		}
		for _, row := range t.rows {
			if !yield(rowValues(row), nil) {
				return
			}
		}
	}
}
