package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Units reads a data directory: tables.json, SPLIT.json and, if there is
// content, database/DB_ID/DB_ID.sqlite. The JSON files may be gzip (.gz), the
// split may be JSON lines (.jsonl), and the split "train" may be train_spider.
// Units returns the databases that the split asks about, in the order of their first
// questions, each with its examples in the split's order. Each record that cannot
// be used is reported, and so is a file that breaks off; its records before are used.
// The error is for input without units, such as a split in which no example can be used.
// Questions, SQL and members that Spider lacks are held in memory; parse trees are not.
func Units(dir, split string, report func(error)) ([]*Unit, error) {
	databases, err := DirSchemas(dir, report)
	if err != nil {
		return nil, err
	}
	path, err := SplitFile(dir, split)
	if err != nil {
		return nil, err
	}
	examples := OfKnown(path, ReadExamples, func(id string) bool { return databases[id] != nil })
	all, err := Group(dir, databases, examples, report)
	if err == nil && len(all) == 0 {
		err = &FileError{File: path, Err: errors.New("holds no example that can be used, expected at least one")}
	}
	return all, err
}

// OfKnown returns the examples that read reads from a file and whose db_id known accepts; it reports the others.
func OfKnown(path string, read func(string, func(error), func(*Example) error) error, known func(id string) bool) Stream[*Example] {
	return func(report func(error), each func(*Example) error) error {
		return read(path, report, func(ex *Example) error {
			if !known(ex.DB) {
				report(&RecordError{File: path, Record: ex.Index + 1, Err: fmt.Errorf("db_id %q is unknown, expected one of tables.json", Clip(ex.DB))})
				return nil
			}
			return each(ex)
		})
	}
}

// DatabaseIDs returns the ids of databases. It ignores errors, because those who read the stream
// itself get them.
func DatabaseIDs(databases Stream[*Database]) map[string]bool {
	ids := map[string]bool{}
	_ = databases(func(error) {}, func(db *Database) error {
		ids[db.ID] = true
		return nil
	})
	return ids
}

// SplitFile returns the path of the file of a split.
func SplitFile(dir, split string) (string, error) {
	name, err := findFile(dir, splitFiles(split)...)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// Group groups the examples of a data directory into units by database, in the order of their first examples; databases must
// have the database of each example. If a file breaks off, the examples before are used.
func Group(dir string, databases map[string]*Database, examples Stream[*Example], report func(error)) (all []*Unit, err error) {
	units := map[string]*Unit{}
	err = UpToBreak(examples, report, func(ex *Example) error {
		u := units[ex.DB]
		if u == nil {
			u = &Unit{DB: databases[ex.DB]}
			u.DB.SQLite = FindContent(dir, ex.DB)
			units[ex.DB] = u
			all = append(all, u)
		}
		u.Examples = append(u.Examples, ex)
		return nil
	})
	return all, err
}

// Databases returns the databases of units.
func Databases(units []*Unit) []*Database {
	return lists.Map(units, func(u *Unit) *Database { return u.DB })
}

// Schemas returns the schemas of a tables.json by db_id. If the file breaks off, the schemas
// before are used.
func Schemas(path string, report func(error)) (map[string]*Database, error) {
	all := map[string]*Database{}
	err := UpToBreak(func(report func(error), each func(*Database) error) error {
		return ReadTables(path, report, each)
	}, report, func(db *Database) error {
		all[db.ID] = db
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// DirSchemas returns the schemas of a data directory by db_id, as [Schemas] does.
func DirSchemas(dir string, report func(error)) (map[string]*Database, error) {
	tables, err := findFile(dir, tablesFiles...)
	if err != nil {
		return nil, err
	}
	return Schemas(filepath.Join(dir, tables), report)
}

// tablesFiles are the files in which schemas may lie.
var tablesFiles = []string{"tables.json", "tables.json.gz"}

// splitFiles returns the possible names of the file of a split, the preferred one first.
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

// FindContent returns the path of a database's content in a data directory, or "" if there is none.
// It also returns a path with something else than a file, such as a broken link or a folder, so
// that opening it reports the problem.
func FindContent(dir, id string) string {
	for _, ext := range engine.Exts {
		path := filepath.Join(dir, "database", id, id+ext)
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

// SQLitePath returns the path of a database's SQLite file in a data directory.
func SQLitePath(dir, id string) string { return ContentPath(dir, id, "") }

// ContentPath returns the path in a data directory at which content of a database is written. other is the file that
// the content is copied from, whose kind decides the extension; it is "" for rows that come from no file and give SQLite.
func ContentPath(dir, id, other string) string {
	return filepath.Join(dir, "database", id, id+engine.Ext(other))
}

// InputFiles returns the names of the files, within a data directory, from
// which [Units] reads schemas and examples.
func InputFiles(dir, split string) ([]string, error) {
	tables, err := findFile(dir, tablesFiles...)
	if err != nil {
		return nil, err
	}
	examples, err := findFile(dir, splitFiles(split)...)
	if err != nil {
		return nil, err
	}
	return []string{tables, examples}, nil
}
