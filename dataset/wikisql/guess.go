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
)

// use is what the questions tell of a table.
type use struct {
	columns int          // at least so many
	asked   map[int]bool // columns that are named
	numbers map[int]bool // columns that are compared with numbers or by order, or added up
	record  int          // of the first question
	content []sqldata.Column
}

func newUse(record int) *use {
	return &use{asked: map[int]bool{}, numbers: map[int]bool{}, record: record}
}

// guessSchemas makes the schemas of the tables that the questions ask about, where no
// file has them: headers from ADVETA's files, else text2sql-data's names of columns,
// else "column N"; types from SPLIT.db, else from how columns are used.
func (s *source) guessSchemas() *schemas {
	k := &schemas{byID: map[string]sqlNames{}}
	note := func(err error) { k.notes = append(k.notes, dataset.Note(err)) }
	headers, err := s.advetaHeaders(note)
	if err != nil {
		k.err = err
		return k
	}
	uses, order := s.uses()
	content, err := s.contentTables()
	if err != nil {
		k.err = err
		return k
	}
	var adveta, templates, none int
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
			none++
		case names != nil:
			adveta++
		default:
			if names = s.places().tables[id].headers(u.columns); names != nil {
				templates++
			} else {
				none++
			}
		}
		if names == nil {
			names = make([]string, u.columns)
		}
		db := &dataset.Database{ID: id, Tables: []dataset.Table{newTable(id, names)}}
		u.types(db.Tables[0].Columns)
		k.byID[id] = sqlNamesOf(&db.Tables[0])
		k.order = append(k.order, db)
	}
	if len(order) > 0 {
		types := "the questions"
		if s.content != "" {
			types = filepath.Base(s.content)
		}
		note(s.guessProblem(uses[order[0]], `there is no %s.tables.jsonl; headers of %d tables come from ADVETA's files, of %d from text2sql-data (%d columns at a guess), of %d they are made up ("column 1"); types are guessed from %s`,
			s.split, adveta, templates, s.places().guessed, none, types))
	}
	return k
}

// guessed iterates over the schemas of [source.guessSchemas]. SPLIT.db stays open meanwhile,
// because rows are read in turn and opening it parses the statements of all its tables.
func (s *source) guessed(report func(error), each func(*dataset.Database) error) error {
	k := s.known()
	for _, n := range k.notes {
		report(n)
	}
	if k.err != nil {
		return k.err
	}
	if s.content != "" {
		file, err := sqlite.Open(context.Background(), s.content)
		if err != nil {
			return err
		}
		defer file.Close()
		s.keepOpen(file)
		defer s.keepOpen(nil)
	}
	for _, db := range k.order {
		if err := each(db.Clone()); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) keepOpen(file *sqlite.DB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = file
}

// guessProblem returns an error about a table at the question that first asks about it.
func (s *source) guessProblem(u *use, format string, args ...any) error {
	file := s.questions
	if file == "" {
		file = s.templates
	}
	return &dataset.RecordError{File: file, Record: u.record, Err: fmt.Errorf(format, args...)}
}

// uses reads the questions once and returns what each table is used for, with the tables in the
// order of their first questions. Questions that cannot be used are reported when the examples are
// read.
func (s *source) uses() (uses map[string]*use, order []string) {
	uses = map[string]*use{}
	if s.questions == "" {
		p := s.places()
		for _, id := range p.order {
			uses[id] = p.tables[id].use
		}
		return uses, p.order
	}
	_ = readQuestions(s.questions, quiet, func(q *question) error { // an error ends the questions too
		if !validID(q.table) || q.form.Check(maxColumns) != nil {
			return nil
		}
		u := uses[q.table]
		if u == nil {
			u = newUse(q.number)
			uses[q.table] = u
			order = append(order, q.table)
		}
		u.add(&q.form)
		return nil
	})
	return uses, order
}

// add adds the columns of a logical form.
func (u *use) add(f *LogicalForm) {
	name := Aggregates[f.Aggregate]
	u.mention(f.Select, name == "SUM" || name == "AVG")
	for _, c := range f.Where {
		u.mention(c.Column, c.Value.Number || Operators[c.Operator] != "=")
	}
}

// mention adds a column; number is set if it is used as a number.
func (u *use) mention(column int, number bool) {
	u.columns = max(u.columns, column+1)
	u.asked[column] = true
	if number {
		u.numbers[column] = true
	}
}

// types sets the types of columns: those of SPLIT.db, or else number for columns that are used as
// numbers.
func (u *use) types(columns []dataset.Column) {
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

// advetaHeaders reads the headers of the folder's ADVETA files for WikiSQL. Where two
// files know a table, the first by name counts: they differ in punctuation only.
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

// advetaHeader returns the id and the header of a table in ADVETA's files.
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

// contentTables returns the columns of the tables of SPLIT.db, by name in lower case.
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

// contentRows passes on the rows of a table of SPLIT.db; none if it is missing or has another
// number of columns.
func (s *source) contentRows(ctx context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
	s.mu.Lock()
	file := s.open
	s.mu.Unlock()
	if file == nil {
		var err error
		if file, err = sqlite.Open(ctx, s.content); err != nil {
			return err
		}
		defer file.Close()
	}
	res, err := file.Query(ctx, "SELECT * FROM "+sqlite.QuoteName(TableName(db.ID)), sqlite.Limits{})
	if _, engine := errors.AsType[*sqlite.Error](err); engine {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: table %s: %w", s.content, TableName(db.ID), err)
	}
	if len(res.Columns) != len(db.Tables[0].Columns) {
		return nil
	}
	for _, row := range res.Rows {
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}
