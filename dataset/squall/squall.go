// Package squall reads and writes Squall: the tables of WikiTableQuestions as SQLite and
// JSON with columns derived from theirs, and questions with SQL over them.
package squall

import (
	"cmp"
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
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// name is the name of the format.
const name = "squall"

// Format is Squall's own layout. A table of it is a database of one table w. Its SQL names
// are made of the headers (year, year_number) where Squall numbers the columns (c1,
// c1_number), so that gold SQL follows a renaming; the writer numbers them again. A
// list column, which Squall's SQLite file has as a table of its own, is a column of w
// here, whose cells are the text of a JSON list. Gold SQL reads it as a column too.
var Format = &dataset.Format{
	Name:    name,
	Doc:     "Squall: WikiTableQuestions with SQL, and tables with columns derived from theirs.",
	Files:   "tables/json/ID.json, tables/db/ID.db (written only), data/SPLIT.ids, data/squall.json; without it the questions of SPLIT.tsv or training.tsv, which have no SQL",
	Keeps:   []dataset.Feature{dataset.Rows, dataset.GoldSQL, dataset.Denotations, dataset.Derived, dataset.IDs},
	Read:    read,
	Write:   write,
	Refuses: refuses,
}

// reader is a data set being read.
type reader struct {
	tables    string                  // folder of the JSON files
	ids       []string                // of the split, in its order
	idsFile   string                  // where they come from, for messages
	inSplit   map[string]bool         // the same
	questions string                  // squall.json; may be empty
	tsv       string                  // questions without SQL; may be empty
	columns   map[string]*columnNames // of the tables that one pass over the examples has met
}

// read opens a data set: its tables and the questions of a split.
func read(_ context.Context, path, split string) (*dataset.Set, error) {
	r := &reader{}
	for _, dir := range []string{filepath.Join("tables", "json"), "json"} {
		if dir = filepath.Join(path, dir); dataset.IsDir(dir) {
			r.tables = dir
			break
		}
	}
	if r.tables == "" {
		return nil, &dataset.FileError{File: filepath.Join(path, "tables", "json"), Err: errors.New("no such folder, expected the tables as ID.json")}
	}
	if err := r.findQuestions(path, split); err != nil {
		return nil, err
	}
	if err := r.findTables(path, split); err != nil {
		return nil, err
	}
	r.inSplit = wordfile.Set(r.ids)
	return &dataset.Set{
		Format: name, Split: split, Databases: r.databases, Examples: r.examples, Rows: r.rows, Declare: declare,
	}, nil
}

// declare returns the declared type of a column in SQLite. It keeps text as it is written, and
// whole numbers apart from real ones: Squall declares INTEGER for some columns of numbers and
// REAL for others, which [dataset.Column.Type] does not distinguish.
func declare(c *dataset.Column) string {
	switch {
	case c.Fixed: // id or agg
		return "INTEGER"
	case c.Base != "" && c.Type == dataset.Number:
		return "" // a column without a type stores each number as it comes
	}
	return "TEXT"
}

// findQuestions finds squall.json and the TSV file of the split. Without squall.json,
// training.tsv of WikiTableQuestions also counts, because Squall's folds divide it.
func (r *reader) findQuestions(path, split string) error {
	var err error
	r.questions, err = dataset.FirstFile(path, filepath.Join("data", "squall.json"), "squall.json")
	names := []string{split + ".tsv"}
	if err != nil { // there is no squall.json
		names = append(names, "training.tsv")
	}
	r.tsv, _ = dataset.FirstFile(path, lists.FlatMap(names, func(n string) []string { return []string{filepath.Join("data", n), n} })...)
	if r.questions+r.tsv == "" {
		return &dataset.FileError{File: filepath.Join(path, "data", "squall.json"), Err: errors.New("no such file, expected it or " + strings.Join(names, " or "))}
	}
	return nil
}

// findTables lists the tables of a split: those in SPLIT.ids. Without that file, they are all
// tables of the folder; for train-N, all that are not in dev-N.ids.
func (r *reader) findTables(path, split string) error {
	find := func(name string) (string, error) {
		return dataset.FirstFile(path, filepath.Join("data", name+".ids"), name+".ids")
	}
	var err error
	if r.idsFile, err = find(split); err == nil {
		r.ids, err = readIDs(r.idsFile)
		return err
	}
	r.idsFile = r.tables
	entries, err := os.ReadDir(r.tables)
	if err != nil {
		return &dataset.FileError{File: r.tables, Err: err}
	}
	var without map[string]bool // tables of dev-N
	if fold, ok := strings.CutPrefix(split, "train-"); ok {
		if file, err := find("dev-" + fold); err == nil {
			ids, err := readIDs(file)
			if err != nil {
				return err
			}
			without = wordfile.Set(ids)
		}
	}
	for _, e := range entries { // sorted by name
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && !without[id] && dataset.ValidID(id) {
			r.ids = append(r.ids, id)
		}
	}
	return nil
}

// readIDs reads a JSON list of table ids; repetitions are dropped. An id that cannot name a file is an error.
func readIDs(file string) ([]string, error) {
	in, closer, err := dataset.OpenText(file)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxFile))
	var ids, once []string
	if err == nil {
		err = dataset.Decode(raw, &ids)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if !dataset.ValidID(id) {
			err = fmt.Errorf("holds %q, expected table ids", dataset.Clip(id))
		}
		if !seen[id] {
			once = append(once, id)
		}
		seen[id] = true
	}
	if err != nil {
		return nil, &dataset.FileError{File: file, Err: err}
	}
	return once, nil
}

// tablePath returns the path of the JSON file of a table.
func (r *reader) tablePath(id string) string { return filepath.Join(r.tables, id+".json") }

// databases passes the schemas of the tables of the split to each. Tables that cannot be read are reported.
func (r *reader) databases(report func(error), each func(*dataset.Database) error) error {
	for _, id := range r.ids {
		t, raw, err := readTable(r.tablePath(id))
		if err != nil {
			report(err)
			continue
		}
		problem := func(err error) error { return &dataset.RecordError{File: r.tablePath(id), Record: 1, Err: err} }
		db := t.schema(id)
		if db.Source, err = t.sourceRecord(raw); err != nil {
			report(problem(err))
			continue
		}
		t.noteRagged(func(err error) { report(dataset.Note(problem(err))) })
		if err := each(db); err != nil {
			return err
		}
	}
	return nil
}

// rows passes the rows of the table of a database to each.
func (r *reader) rows(_ context.Context, db *dataset.Database, each func([]sqldata.Value) error) error {
	t, _, err := readTable(r.tablePath(db.ID))
	if err != nil {
		return err
	}
	for i := range t.rowCount() {
		row, err := t.row(i)
		if err == nil {
			err = each(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columnNames maps Squall's names of the columns of a table to the SQL names of its schema.
type columnNames struct {
	originals map[string]string // from c1_number, folded, to year_number
	err       error
}

// columnsOf returns the column names of a table, which it reads once.
func (r *reader) columnsOf(id string) *columnNames {
	if c := r.columns[id]; c != nil {
		return c
	}
	c := &columnNames{originals: map[string]string{}}
	t, _, err := readTable(r.tablePath(id))
	if c.err = err; err == nil {
		db := t.schema(id)
		n := 0 // the schema has the columns of all groups in their order
		for _, group := range t.Contents {
			for _, col := range group {
				c.originals[strings.ToLower(col.Col)] = db.Tables[0].Columns[n].Original
				n++
			}
		}
	}
	r.columns[id] = c
	return c
}

// examples passes the questions about the tables of the split to each: those of squall.json,
// then those of the TSV file. The reader is a copy, in which this pass caches the columns.
func (r reader) examples(report func(error), each func(*dataset.Example) error) error {
	r.columns = map[string]*columnNames{}
	each = dataset.Numbered(each)
	if r.questions != "" {
		if err := r.annotatedQuestions(report, each); err != nil {
			return err
		}
	}
	if r.tsv == "" {
		return nil
	}
	return r.plainQuestions(report, each)
}

// annotatedQuestions passes the questions of squall.json to each.
func (r *reader) annotatedQuestions(report func(error), each func(*dataset.Example) error) error {
	once := dataset.Once{}
	return dataset.Records(r.questions, report, func(raw dataset.Raw) (*dataset.Example, error) {
		ex, err := r.question(slices.Clone(raw.JSON)) // the example keeps the JSON, the reader overwrites it
		if ex != nil {                                // the question is of the split, and without an error
			err = once.Check(ex.ID, fmt.Sprintf("nt %q", dataset.Clip(ex.ID)))
		}
		return ex, err
	}, func(ex *dataset.Example) error {
		if ex == nil {
			return nil // of another split
		}
		return each(ex)
	})
}

// plainQuestions passes the questions of the TSV file about tables of the split, which have no gold SQL, to each. A question
// whose table cannot be read is reported.
func (r *reader) plainQuestions(report func(error), each func(*dataset.Example) error) error {
	return wtq.Questions(r.tsv, func(id string) error {
		if r.inSplit[id] && r.columnsOf(id).err != nil {
			return fmt.Errorf("table %s cannot be read; the question is left out", id)
		}
		return nil
	}, report, func(ex *dataset.Example) error {
		if !r.inSplit[ex.DB] {
			return nil
		}
		return each(ex)
	})
}

// record is a question of squall.json. Its other members, which annotate the words of the
// question and align them with the SQL, are only in the source.
type record struct {
	ID     *string             `json:"nt"`
	Table  *string             `json:"tbl"`
	Words  []string            `json:"nl"`
	Target *string             `json:"tgt"`
	SQL    [][]json.RawMessage `json:"sql"`
}

// question decodes a question; it is nil if its table is not in the split.
func (r *reader) question(raw json.RawMessage) (*dataset.Example, error) {
	var rec record
	if err := dataset.Decode(raw, &rec); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		dataset.Require("nt", rec.ID != nil), dataset.Require("tbl", rec.Table != nil),
		dataset.Require("nl", rec.Words != nil), dataset.Require("sql", rec.SQL != nil),
	); err != nil {
		return nil, err
	}
	if !r.inSplit[*rec.Table] {
		return nil, nil
	}
	cols := r.columnsOf(*rec.Table)
	if cols.err != nil {
		return nil, fmt.Errorf("%s: table %s cannot be read; the question is left out", dataset.Clip(*rec.ID), dataset.Clip(*rec.Table))
	}
	tokens, err := decodeTokens(rec.SQL)
	if err != nil {
		return nil, err
	}
	query, err := joinTokens(tokens, cols.originals)
	if err != nil {
		return nil, err
	}
	ex := &dataset.Example{ID: *rec.ID, DB: *rec.Table, Question: strings.Join(rec.Words, " "), Tokens: rec.Words, Query: query, Source: raw}
	if strings.TrimSpace(ex.Question) == "" {
		return nil, errors.New(`"nl" is empty, expected the words of a question`)
	}
	if rec.Target != nil {
		ex.Answer = wtq.ParseAnswer(*rec.Target)
	}
	return ex, nil
}

// refuses returns why an example cannot be in this format, or nil.
func refuses(db *dataset.Database, ex *dataset.Example) error {
	switch {
	case len(db.Tables) != 1:
		return errors.New("asks about several tables, expected one")
	case ex.Query == "" && ex.Answer == nil:
		return errUnanswered
	}
	return nil
}

// errUnanswered is the error of a question that Squall has no file for.
var errUnanswered = errors.New("has neither gold SQL nor an answer")
