package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Units reads a data directory: tables.json, SPLIT.json and, where there is
// content, database/DB_ID/DB_ID.sqlite. The JSON files may be gzip (.gz), the
// split may be JSON lines (.jsonl), and the split "train" may be train_spider.
// Units returns the databases that the split asks about, in the order in which
// it first does, each with its examples in the split's order. Each record that cannot
// be used goes to report, and so does the place where a file breaks off, of which what
// stands before is used; the error is for what leaves no units, as a split in which
// no example can be used.
// The questions and SQL of a split are held in memory, with the members that are beside
// Spider's; parse trees are not.
func Units(dir, split string, report func(error)) ([]*Unit, error) {
	r := unitReader{dir: dir, fsys: os.DirFS(dir), report: report, databases: map[string]*Database{}, units: map[string]*Unit{}}
	if err := r.tables(); err != nil {
		return nil, err
	}
	if err := r.examples(split); err != nil {
		return nil, err
	}
	return r.order, nil
}

type unitReader struct {
	dir       string
	fsys      fs.FS
	report    func(error)
	databases map[string]*Database
	units     map[string]*Unit
	order     []*Unit
}

// tell reports the error of a record, and returns any other.
func (r *unitReader) tell(err error) error {
	record, ok := errors.AsType[*RecordError](err)
	if !ok {
		return inDir(r.dir, err)
	}
	record.File = filepath.Join(r.dir, record.File)
	r.report(err)
	return nil
}

// inDir puts the folder before the file that an error names.
func inDir(dir string, err error) error {
	var file *FileError
	var path *fs.PathError
	switch {
	case errors.As(err, &file):
		file.File = filepath.Join(dir, file.File)
	case errors.As(err, &path):
		path.Path = filepath.Join(dir, path.Path)
	default:
		err = fmt.Errorf("%s: %w", dir, err)
	}
	return err
}

func (r *unitReader) tables() error {
	name, err := find(r.fsys, "tables.json", "tables.json.gz")
	if err != nil {
		return inDir(r.dir, err)
	}
	for db, err := range ReadTables(r.fsys, name) {
		if err == nil {
			r.databases[db.ID] = db
		} else if err := r.tell(brokenOff(err, len(r.databases))); err != nil {
			return err
		}
	}
	return nil
}

// brokenOff makes the error of a file that breaks off behind usable records one
// of the record at which it does.
func brokenOff(err error, used int) error {
	if file, ok := errors.AsType[*FileError](err); ok && used > 0 {
		return &RecordError{File: file.File, Record: file.Record, Err: fmt.Errorf("%w; what stands before is used", file.Err)}
	}
	return err
}

func (r *unitReader) examples(split string) error {
	name, err := find(r.fsys, splitFiles(split)...)
	if err != nil {
		return inDir(r.dir, err)
	}
	for ex, err := range ReadExamples(r.fsys, name) {
		if err == nil && r.databases[ex.DB] == nil {
			err = &RecordError{File: name, Record: ex.Index + 1, Err: fmt.Errorf("db_id %q is unknown, expected one of tables.json", clip(ex.DB))}
		}
		if err == nil {
			r.add(ex)
		} else if err := r.tell(brokenOff(err, len(r.order))); err != nil {
			return err
		}
	}
	if len(r.order) == 0 {
		return inDir(r.dir, &FileError{File: name, Err: errors.New("holds no example that can be used, expected at least one")})
	}
	return nil
}

func (r *unitReader) add(ex *Example) {
	u := r.units[ex.DB]
	if u == nil {
		u = &Unit{DB: r.databases[ex.DB]}
		u.DB.SQLite = FindSQLite(r.dir, ex.DB)
		r.units[ex.DB] = u
		r.order = append(r.order, u)
	}
	u.Examples = append(u.Examples, ex)
}

// splitFiles returns the files in which a split may lie, in the order in which
// they are looked for.
func splitFiles(split string) []string {
	stems := []string{split}
	if split == "train" {
		stems = append(stems, "train_spider")
	}
	var names []string
	for _, stem := range stems {
		for _, ext := range []string{".json", ".json.gz", ".jsonl", ".jsonl.gz"} {
			names = append(names, stem+ext)
		}
	}
	return names
}

// FindSQLite returns the path of a database's content in a data directory, or "" where
// there is none.
func FindSQLite(dir, id string) string {
	path := SQLitePath(dir, id)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// SQLitePath returns where a data directory has a database's content.
func SQLitePath(dir, id string) string { return filepath.Join(dir, "database", id, id+".sqlite") }

// InputFiles returns the names of the files, within a data directory, from
// which [Units] reads schemas and examples.
func InputFiles(dir, split string) ([]string, error) {
	fsys := os.DirFS(dir)
	tables, err := find(fsys, "tables.json", "tables.json.gz")
	if err != nil {
		return nil, inDir(dir, err)
	}
	examples, err := find(fsys, splitFiles(split)...)
	if err != nil {
		return nil, inDir(dir, err)
	}
	return []string{tables, examples}, nil
}
