package wikisql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// tableUse is what the questions reveal about a table without a schema.
type tableUse struct {
	columns   int              // the least number of columns that the table can have
	mentioned map[int]bool     // indices of the columns in logical forms
	numbers   map[int]bool     // indices of those that are compared with numbers or by order, or added up
	record    int              // of the first question about the table
	content   []sqldata.Column // its columns in SPLIT.db; nil if it is not there
}

// newTableUse returns the use of a table whose first question is in a record.
func newTableUse(record int) *tableUse {
	return &tableUse{mentioned: map[int]bool{}, numbers: map[int]bool{}, record: record}
}

// guessSchemas makes schemas for the tables that the questions ask about, if no file has them.
// Headers are those of ADVETA's files, else the column names of text2sql-data, else "column N".
// Types are those of SPLIT.db, else they follow from how columns are used.
func (s *source) guessSchemas() *tableSchemas {
	guessedSchemas := &tableSchemas{byID: map[string]tableNames{}}
	note := func(err error) { guessedSchemas.notes = append(guessedSchemas.notes, dataset.Note(err)) }
	headers, err := s.advetaHeaders(note)
	if err != nil {
		guessedSchemas.err = err
		return guessedSchemas
	}
	uses, order := s.tableUses()
	content, err := s.contentTables()
	if err != nil {
		guessedSchemas.err = err
		return guessedSchemas
	}
	var adveta, templates, unnamed int // tables by the origin of their headers
	for _, id := range order {
		u, names := uses[id], headers[id]
		if u.content = content[strings.ToLower(TableName(id))]; u.content != nil {
			u.columns = max(u.columns, len(u.content))
		}
		switch {
		case u.content != nil && names != nil && len(names) != len(u.content):
			note(s.guessProblem(u, "table %s has %d columns in %s and %d in ADVETA's files, expected as many; their headers are not used",
				id, len(u.content), filepath.Base(s.content), len(names)))
			names = nil
			unnamed++
		case names != nil:
			adveta++
		default:
			if names = s.templateColumns().tables[id].headerNames(u.columns); names != nil {
				templates++
			} else {
				unnamed++
			}
		}
		if names == nil {
			names = make([]string, u.columns)
		}
		db := &dataset.Database{ID: id, Tables: []dataset.Table{newTable(id, names)}}
		u.setTypes(db.Tables[0].Columns)
		guessedSchemas.byID[id] = tableNamesOf(&db.Tables[0])
		guessedSchemas.order = append(guessedSchemas.order, db)
	}
	if len(order) > 0 {
		types := "the questions"
		if s.content != "" {
			types = filepath.Base(s.content)
		}
		note(s.guessProblem(uses[order[0]], `there is no %s.tables.jsonl; headers of %d tables come from ADVETA's files, of %d from text2sql-data (%d columns at a guess), of %d they are made up ("column 1"); types are guessed from %s`,
			s.split, adveta, templates, s.templateColumns().guessed, unnamed, types))
	}
	return guessedSchemas
}

// guessedDatabases passes the schemas of [source.guessSchemas] to each. It keeps SPLIT.db open
// meanwhile: rows are read between the schemas, and opening the file parses the statements of
// all its tables.
func (s *source) guessedDatabases(report func(error), each func(*dataset.Database) error) error {
	schemas := s.schemas()
	for _, n := range schemas.notes {
		report(n)
	}
	if schemas.err != nil {
		return schemas.err
	}
	if s.content != "" {
		file, err := sqlite.Open(context.Background(), s.content)
		if err != nil {
			return err
		}
		defer file.Close()
		s.setOpenContent(file)
		defer s.setOpenContent(nil)
	}
	return lists.Each(schemas.order, func(db *dataset.Database) error { return each(db.Clone()) })
}

// setOpenContent stores the open SPLIT.db; nil when it is closed.
func (s *source) setOpenContent(file *sqlite.DB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openContent = file
}

// guessProblem returns an error about a table. Its record is the first question about the table.
func (s *source) guessProblem(u *tableUse, format string, args ...any) error {
	file := cmp.Or(s.questions, s.templates)
	return &dataset.RecordError{File: file, Record: u.record, Err: fmt.Errorf(format, args...)}
}

// tableUses reads all questions and returns the use of each table, and the tables in the order
// of their first questions. It ignores unusable questions, which are reported when the examples
// are read.
func (s *source) tableUses() (uses map[string]*tableUse, order []string) {
	uses = map[string]*tableUse{}
	if s.questions == "" {
		p := s.templateColumns()
		for _, id := range p.order {
			uses[id] = p.tables[id].use
		}
		return uses, p.order
	}
	_ = readQuestions(s.questions, ignoreError, func(q *question) error { // reading the questions reports the error
		if !validID(q.table) || q.form.Check(maxColumns) != nil {
			return nil
		}
		u := uses[q.table]
		if u == nil {
			u = newTableUse(q.number)
			uses[q.table] = u
			order = append(order, q.table)
		}
		u.addForm(&q.form)
		return nil
	})
	return uses, order
}

// addForm adds the columns of a logical form.
func (u *tableUse) addForm(f *LogicalForm) {
	name := Aggregates[f.Aggregate]
	u.mention(f.Select, slices.Contains([]string{"SUM", "AVG"}, name))
	for _, c := range f.Where {
		u.mention(c.Column, c.Value.Number || Operators[c.Operator] != "=")
	}
}

// mention adds a column by its index; number is set if it is used as a number.
func (u *tableUse) mention(column int, number bool) {
	u.columns = max(u.columns, column+1)
	u.mentioned[column] = true
	if number {
		u.numbers[column] = true
	}
}

// setTypes sets columns to Number that have the type real in SPLIT.db or, where it lacks them, that are used as numbers;
// the others stay text.
func (u *tableUse) setTypes(columns []dataset.Column) {
	for i := range columns {
		number := u.numbers[i]
		if i < len(u.content) {
			number = strings.EqualFold(u.content[i].Type, "real")
		}
		if number {
			columns[i].Type = dataset.Number
		}
	}
}

// advetaHeaders returns the headers in the folder's ADVETA files for WikiSQL, by table id. If
// two files have a table, the first by name counts: they differ in punctuation only.
func (s *source) advetaHeaders(note func(error)) (map[string][]string, error) {
	names, err := fs.Glob(os.DirFS(s.dir), "wikisql-*.json*")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	headers := map[string][]string{}
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		if _, ok := dataset.SideOf(path); !ok {
			continue
		}
		err := dataset.RawMembers(path, note, func(raw dataset.Raw) error {
			id, header, err := advetaHeader(raw.JSON)
			if err != nil {
				note(raw.Problem(fmt.Errorf("%s: %w", dataset.Clip(raw.Key), err)))
			} else if headers[id] == nil {
				headers[id] = header
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return headers, nil
}

// advetaHeader returns the id and the header of a table of an ADVETA file.
func advetaHeader(raw []byte) (id string, header []string, err error) {
	var rec struct {
		ID     *string  `json:"id"`
		Header []string `json:"header"`
	}
	if err := dataset.Decode(raw, &rec); err != nil {
		return "", nil, err
	}
	if err := cmp.Or(dataset.Require("id", rec.ID != nil), checkHeader(rec.Header)); err != nil {
		return "", nil, err
	}
	return *rec.ID, rec.Header, nil
}

// checkHeader returns an error for a header without columns or with too many.
func checkHeader(header []string) error {
	switch {
	case header == nil:
		return dataset.Missing("header")
	case len(header) == 0, len(header) > maxColumns:
		return fmt.Errorf("header has %d columns, expected 1 to %d", len(header), maxColumns)
	}
	return nil
}

// contentTables returns the columns of the tables of SPLIT.db, by table name in lower case; nil
// without the file.
func (s *source) contentTables() (map[string][]sqldata.Column, error) {
	if s.content == "" {
		return nil, nil
	}
	db, err := sqlite.Open(context.Background(), s.content)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tables, err := db.Schema(context.Background())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.content, err)
	}
	columns := map[string][]sqldata.Column{}
	for _, t := range tables {
		columns[strings.ToLower(t.Name)] = t.Columns
	}
	return columns, nil
}

// contentRows passes the rows of a table of SPLIT.db to each. There are none if the table is
// missing or has another number of columns than its schema.
func (s *source) contentRows(ctx context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
	s.mu.Lock()
	file := s.openContent
	s.mu.Unlock()
	if file == nil {
		var err error
		if file, err = sqlite.Open(ctx, s.content); err != nil {
			return err
		}
		defer file.Close()
	}
	res, err := file.Query(ctx, "SELECT * FROM "+sqldata.QuoteName(TableName(db.ID)), sqldata.Limits{})
	if _, isRejected := errors.AsType[*sqldata.Error](err); isRejected { // there is no such table
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: table %s: %w", s.content, TableName(db.ID), err)
	}
	if len(res.Columns) != len(db.Tables[0].Columns) {
		return nil
	}
	return lists.Each(res.Rows, each)
}
