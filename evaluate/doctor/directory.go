package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// directory is a data directory with the examples to audit.
type directory struct {
	path      string
	examples  string // file of the examples: its name below path, or the path of Config.Gold
	databases map[string]*dataset.Database
	units     []*dataset.Unit
	skipped   []*dataset.RecordError // records that cannot be used
	warnings  []*dataset.RecordError // what is odd about records that can
}

// openDirectory reads the schemas and the examples of a data directory: those of the split, or of the file c.Gold. It collects the problems
// of single records.
func openDirectory(c Config) (*directory, error) {
	d := &directory{path: c.Data, examples: c.Gold}
	tables, err := tablesFile(c)
	if err != nil {
		return nil, err
	}
	d.databases, err = dataset.Schemas(filepath.Join(c.Data, tables), func(err error) { d.addProblem(err, tables) })
	if err != nil {
		return nil, err
	}
	if c.Gold != "" {
		if _, err := os.Stat(c.Gold); err != nil {
			return nil, err
		}
		return d, d.readUnits(c.Gold, dataset.ReadGold)
	}
	files, err := dataset.InputFiles(c.Data, c.Split) // of the schemas and of the examples
	if err != nil {
		return nil, err
	}
	d.examples = files[1]
	return d, d.readUnits(filepath.Join(c.Data, d.examples), dataset.ReadExamples)
}

// tablesFile returns the name of the file of schemas within the data directory, plain or compressed.
func tablesFile(c Config) (string, error) {
	const plain, packed = "tables.json", "tables.json.gz"
	if _, err := os.Stat(filepath.Join(c.Data, plain)); err == nil {
		return plain, nil
	}
	_, err := os.Stat(filepath.Join(c.Data, packed))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: is no file, expected the schemas of the data set", filepath.Join(c.Data, plain))
	}
	return packed, err
}

// readUnits reads the examples of a file by the function read and groups them by database. An example about an unknown database is
// collected as a problem.
func (d *directory) readUnits(path string, read func(path string, report func(error), each func(*dataset.Example) error) error) error {
	withSchema := func(report func(error), each func(*dataset.Example) error) error {
		return read(path, report, func(ex *dataset.Example) error {
			if d.databases[ex.DB] == nil {
				report(&dataset.RecordError{Record: ex.Index + 1, Err: fmt.Errorf("db_id %q is unknown, expected one of tables.json", ex.DB)})
				return nil
			}
			return each(ex)
		})
	}
	var err error
	d.units, err = dataset.Group(d.path, d.databases, withSchema, func(err error) { d.addProblem(err, d.examples) })
	if err == nil && len(d.units) == 0 {
		err = fmt.Errorf("%s: holds no example that can be used, expected at least one", d.pathOf(d.examples))
	}
	return err
}

// addProblem stores an error or warning about a record of a file, and ignores other errors.
func (d *directory) addProblem(err error, file string) {
	r, ok := errors.AsType[*dataset.RecordError](err)
	if !ok {
		return
	}
	r.File = file
	if dataset.IsNote(err) {
		d.warnings = append(d.warnings, r)
	} else {
		d.skipped = append(d.skipped, r)
	}
}

// pathOf returns the path of a file of the directory, for errors. The file of the examples may be Config.Gold, which is a path already.
func (d *directory) pathOf(file string) string {
	if file == d.examples && !dataset.IsFile(filepath.Join(d.path, file)) {
		return file
	}
	return filepath.Join(d.path, file)
}

// summary returns the number of databases and examples.
func (d *directory) summary() Summary {
	examples := lists.Sum(d.units, func(u *dataset.Unit) int { return len(u.Examples) })
	return Summary{Split: d.examples, Databases: len(d.units), Examples: examples}
}

// records counts the examples, including those that cannot be used.
func (d *directory) records() int {
	return d.summary().Examples + lists.Count(d.skipped, func(e *dataset.RecordError) bool { return e.File == d.examples })
}
