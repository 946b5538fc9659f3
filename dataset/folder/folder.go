// Package folder reads a folder of one's own: SQLite files and a file of questions
// with their gold SQL.
//
// Schemas are read from the SQLite files: tables, keys and types, and natural
// names made of the identifiers. Where a tables.json in the folder has
// a database, its entry is the schema instead, so that people can correct names.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
)

// Format is a folder of one's own.
var Format = &dataset.Format{
	Name:  name,
	Doc:   "A folder of one's own: SQLite files and questions with gold SQL; schemas are read from the files.",
	Files: "DB.sqlite, DB.sqlite3 or DB.db in any folder, SPLIT.jsonl {id, db_id, question, sql}, tables.json if there are names to keep",
	Keeps: dataset.AllFeatures,
	Read:  read,
	Write: write,
	Refuses: func(_ *dataset.Database, ex *dataset.Example) error {
		if strings.TrimSpace(ex.Query) == "" {
			return errNoGold
		}
		return nil
	},
}

// name is the name of the format.
const name = "folder"

// errNoGold is the reason why a question cannot be in a folder.
var errNoGold = errors.New("question without gold SQL")

// Bounds on a folder that may be anything.
const (
	maxFiles   = 10_000  // databases
	maxEntries = 1 << 20 // files and folders looked at
)

// contents is what lies in a folder.
type contents struct {
	dir          string
	files        []file                       // in the order of their paths
	paths        map[string]string            // paths of the files by db_id
	schemas      map[string]*dataset.Database // of tables.json, by db_id
	schemaOrder  []string                     // db_ids of tables.json in its order
	problems     []error                      // of files that are left out; reported with the databases
	alternatives int                          // questions whose gold SQL has alternatives
}

// file is a SQLite file of a database.
type file struct{ id, path string }

// read opens a folder of SQLite files with questions. A folder without any database is an error.
func read(ctx context.Context, path, split string) (*dataset.Set, error) {
	c := newContents(path)
	if err := c.scan(ctx); err != nil {
		return nil, err
	}
	if len(c.files)+len(c.schemaOrder) == 0 {
		return nil, c.noDatabase("SQLite files")
	}
	return &dataset.Set{Format: name, Split: split, Databases: c.databases(ctx), Examples: c.examples(split)}, nil
}

// newContents returns the contents of a folder before it is read.
func newContents(dir string) *contents {
	return &contents{dir: dir, paths: map[string]string{}, schemas: map[string]*dataset.Database{}}
}

// noDatabase returns the error of a folder without a database, with the problems of its files.
// expected describes what it should have.
func (c *contents) noDatabase(expected string) error {
	err := fmt.Errorf("%s: has no database, expected %s (.sqlite, .sqlite3, .db)", c.dir, expected)
	return errors.Join(append(slices.Clip(c.problems), err)...)
}

// scan adds the SQLite files of the folder and the schemas of its tables.json. It skips hidden
// folders and links to folders.
func (c *contents) scan(ctx context.Context) error {
	entries := 0
	err := fs.WalkDir(os.DirFS(c.dir), ".", func(name string, d fs.DirEntry, err error) error {
		path := filepath.Join(c.dir, name)
		switch entries++; {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil: // of a folder that cannot be read
			c.addProblem(path, err)
			return nil
		case entries > maxEntries:
			return fmt.Errorf("has more than %d files, expected the folder of a data set", maxEntries)
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		isContent := slices.Contains(slices.Concat(engine.Exts, []string{".sqlite3", ".db"}), strings.ToLower(filepath.Ext(name)))
		if d.IsDir() || !isContent || !dataset.IsFile(path) {
			return nil
		}
		return c.addFile(path)
	})
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", c.dir, err)
	}
	return c.readTables()
}

// addFile adds a SQLite file, whose name without the ending is the db_id. A file with an
// unusable or repeated db_id is a problem.
func (c *contents) addFile(path string) error {
	id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	switch other, twice := c.paths[id]; {
	case !dataset.ValidID(id):
		c.addProblem(path, fmt.Errorf("db_id is %q, expected a name of at most 200 bytes of printable UTF-8", dataset.Clip(id)))
	case twice:
		c.addProblem(path, fmt.Errorf("db_id %q is there already, as %s, expected each once; this one is left out", dataset.Clip(id), other))
	case len(c.files) == maxFiles:
		return fmt.Errorf("has more than %d databases, expected fewer", maxFiles)
	default:
		c.files = append(c.files, file{id, path})
		c.paths[id] = path
	}
	return nil
}

// addProblem adds a problem of a file.
func (c *contents) addProblem(path string, err error) {
	c.problems = append(c.problems, &dataset.RecordError{File: path, Record: 1, Err: err})
}

// readTables reads the schemas of tables.json, if there is one. Its faulty records are problems, which are reported with
// the databases.
func (c *contents) readTables() error {
	path, err := dataset.FirstFile(c.dir, "tables.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	read := func(report func(error), each func(*dataset.Database) error) error {
		return dataset.ReadTables(path, report, each)
	}
	return dataset.UpToBreak(read, func(err error) { c.problems = append(c.problems, err) }, func(db *dataset.Database) error {
		c.schemas[db.ID] = db
		c.schemaOrder = append(c.schemaOrder, db.ID)
		return nil
	})
}

// databases returns the databases of the files, then those that only tables.json has. A file is the record 1 of its errors.
func (c *contents) databases(ctx context.Context) dataset.Stream[*dataset.Database] {
	return func(report func(error), each func(*dataset.Database) error) error {
		for _, err := range c.problems {
			report(err)
		}
		for _, f := range c.files {
			if err := ctx.Err(); err != nil {
				return err
			}
			problem := func(err error) error { return &dataset.RecordError{File: f.path, Record: 1, Err: err} }
			db, err := c.database(ctx, f, func(err error) { report(dataset.Note(problem(err))) })
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				report(problem(err))
				continue
			}
			if err := each(db); err != nil {
				return err
			}
		}
		for _, id := range c.schemaOrder {
			if c.paths[id] != "" { // it has a file
				continue
			}
			if err := each(c.schemas[id].Clone()); err != nil {
				return err
			}
		}
		return nil
	}
}

// database returns the database of a file; its schema is that of tables.json if that has the
// db_id.
func (c *contents) database(ctx context.Context, f file, note func(error)) (*dataset.Database, error) {
	named := c.schemas[f.id]
	if named == nil {
		return Schema(ctx, f.id, f.path, note)
	}
	db := named.Clone()
	file, err := engine.Open(ctx, f.path)
	if err != nil {
		note(fmt.Errorf("%w; the schema is that of tables.json, without content", withoutPath(f.path, err)))
		return db, nil
	}
	db.SQLite = f.path
	return db, file.Close()
}

// isKnown reports whether a db_id has a file or a schema.
func (c *contents) isKnown(id string) bool { return c.paths[id] != "" || c.schemas[id] != nil }
