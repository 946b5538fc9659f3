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
	"bytes"
	"context"
	"errors"
	"fmt"
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

// refuses returns why an example cannot be in this format, or nil.
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
	stems := []string{split + "_", "dev_", ""} // mini_dev has the databases of dev
	if split == "train" {
		stems = []string{"train_", ""}
	}
	var tables []string
	for _, stem := range stems {
		tables = append(tables, stem+"tables.json")
		for _, folder := range []string{stem + "databases", stem + "database"} {
			if r.databases == "" && dataset.IsDir(filepath.Join(path, folder)) {
				r.databases = filepath.Join(path, folder)
			}
		}
	}
	r.tables, _ = dataset.FirstFile(path, tables...) // "" without one
	return &dataset.Set{Format: "bird", Split: split, Databases: r.schemas, Examples: r.examples}, nil
}

// reader reads one data set.
type reader struct {
	ctx       context.Context
	dir       string
	split     string // path of the questions
	tables    string // path of the schemas, or ""
	databases string // the folder of SQLite files, or ""
}

// sqlite returns the path of a database's content, or "" if it has none.
func (r *reader) sqlite(id string) string {
	path := filepath.Join(r.databases, id, id+".sqlite")
	if r.databases == "" || !dataset.IsFile(path) {
		return ""
	}
	return path
}

// schemas passes the databases with their descriptions to each: those of the tables file or, without one, inferred ones.
// Descriptions that cannot be read get a note.
func (r *reader) schemas(report func(error), each func(*dataset.Database) error) error {
	jsonFiles, err := r.descriptions()
	if err != nil {
		return err
	}
	described := func(s *schema) error {
		s.db.SQLite = r.sqlite(s.db.ID)
		files, err := r.describe(s.db, jsonFiles)
		if err != nil {
			report(dataset.Note(&dataset.RecordError{File: r.dir, Record: s.record, Err: err}))
		}
		if s.db.Source, err = newSource(s, files); err != nil {
			return err
		}
		return each(s.db)
	}
	if r.tables == "" {
		return r.inferTables(jsonFiles, report, described)
	}
	return r.readTables(report, described)
}

// schema is a database and the record that it was read from.
type schema struct {
	db     *dataset.Database
	record int    // position of the record
	raw    []byte // the record; nil if the schema was inferred
}

// readTables passes the schemas of the tables file to each.
func (r *reader) readTables(report func(error), each func(*schema) error) error {
	once := dataset.Once{}
	return dataset.Records(r.tables, report, func(raw dataset.Raw) (*schema, error) {
		s := &schema{record: raw.Number, raw: bytes.Clone(raw.JSON)}
		if err := s.decode(func(err error) { report(dataset.Note(raw.Problem(err))) }); err != nil {
			return nil, err
		}
		return s, once.Check(s.db.ID, fmt.Sprintf("db_id %q", s.db.ID))
	}, each)
}
