// Package bird reads and writes data sets in the form of BIRD.
//
// A folder has the questions in SPLIT.json, the schemas in SPLIT_tables.json and, in
// SPLIT_databases/DB, a database's content with a CSV file for each table that
// describes its columns. The descriptions may instead be JSON files, DB_schema.json, in a
// folder "description" or in an archive of one. Where there are no schemas either, they
// are read off the SQLite files; without those, off the descriptions and the gold SQL.
//
// The SQL names of BIRD may hold blanks and brackets, which its gold SQL quotes; they
// stay as they are.
package bird

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Format is BIRD's form of a data set.
var Format = &dataset.Format{
	Name:  "bird",
	Doc:   "BIRD: questions with evidence and difficulty, columns with descriptions.",
	Files: "SPLIT.json, SPLIT_tables.json, SPLIT_databases/DB/DB.sqlite with database_description/TABLE.csv, or description/DB_schema.json",
	Keeps: []dataset.Feature{
		dataset.SeveralTables, dataset.Keys, dataset.TableNames, dataset.Rows, dataset.GoldSQL, dataset.Evidence,
		dataset.Difficulties, dataset.Descriptions, dataset.IDs,
	},
	Read:    Read,
	Write:   Write,
	Refuses: refuses,
}

func refuses(_ *dataset.Database, ex *dataset.Example) error {
	if strings.TrimSpace(ex.Query) == "" {
		return errors.New("has no gold SQL")
	}
	return nil
}

// Read opens the data set in a folder. The error is for a folder without the split.
func Read(ctx context.Context, path, split string) (*dataset.Set, error) {
	r := &reader{ctx: ctx, dir: path}
	var err error
	if r.split, err = dataset.FirstFile(path, split+".json", split+"_sqlite.json", split+".jsonl"); err != nil {
		return nil, err
	}
	stems := []string{split + "_", "dev_", ""}
	if split == "train" {
		stems = []string{"train_", ""}
	}
	for _, stem := range stems {
		if file, err := dataset.FirstFile(path, stem+"tables.json"); r.tables == "" && err == nil {
			r.tables = file
		}
		for _, folder := range []string{stem + "databases", stem + "database"} {
			if r.databases == "" && isDir(filepath.Join(path, folder)) {
				r.databases = filepath.Join(path, folder)
			}
		}
	}
	return &dataset.Set{Format: "bird", Split: split, Databases: r.schemas(), Examples: r.examples()}, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// reader reads one data set.
type reader struct {
	ctx       context.Context
	dir       string
	split     string // path of the questions
	tables    string // path of the schemas, or ""
	databases string // the folder of SQLite files, or ""
}

// sqlite returns the path of a database's content, or "".
func (r *reader) sqlite(id string) string {
	if r.databases == "" {
		return ""
	}
	path := filepath.Join(r.databases, id, id+".sqlite")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// schemas yields the databases with their descriptions.
func (r *reader) schemas() iter.Seq2[*dataset.Database, error] {
	return func(yield func(*dataset.Database, error) bool) {
		all, err := r.descriptions()
		if err != nil {
			yield(nil, err)
			return
		}
		list := r.readTables
		if r.tables == "" {
			list = func(yield func(*schema, error) bool) { r.inferTables(all, yield) }
		}
		list(func(s *schema, err error) bool {
			if err != nil {
				_, record := errors.AsType[*dataset.RecordError](err)
				return yield(nil, err) && record
			}
			s.db.SQLite = r.sqlite(s.db.ID)
			d, err := r.describe(s.db, all)
			if err != nil && !yield(nil, dataset.Note(&dataset.RecordError{File: r.dir, Record: s.record, Err: err})) {
				return false
			}
			if s.db.Source, err = newSource(s, d); err != nil {
				return yield(nil, err)
			}
			return yield(s.db, nil)
		})
	}
}

// schema is a database with the record that it was read from.
type schema struct {
	db     *dataset.Database
	record int    // position of the record
	raw    []byte // the record; nil where the schema was inferred
}

// readTables yields the schemas of the file of them.
func (r *reader) readTables(yield func(*schema, error) bool) {
	seen := map[string]bool{}
	for raw, err := range dataset.RawRecords(r.tables) {
		if err != nil {
			if !yield(nil, err) {
				return
			}
			continue
		}
		s := &schema{record: raw.Number, raw: append([]byte(nil), raw.JSON...)}
		problem := func(err error, warning bool) bool {
			err = &dataset.RecordError{File: r.tables, Record: raw.Number, Err: err}
			if warning {
				err = dataset.Note(err)
			}
			return yield(nil, err)
		}
		err := s.decode(func(err error) bool { return problem(err, true) })
		if err == nil && seen[s.db.ID] {
			err = fmt.Errorf("db_id %q is there already, expected each once; this one is left out", s.db.ID)
		}
		if err != nil {
			if !problem(err, false) {
				return
			}
			continue
		}
		seen[s.db.ID] = true
		if !yield(s, nil) {
			return
		}
	}
}
