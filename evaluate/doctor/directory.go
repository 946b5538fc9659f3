package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
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

// open reads schemas and examples. What is wrong with single records is kept.
func open(c Config) (*directory, error) {
	d := &directory{path: c.Data, examples: c.Gold}
	tables, err := tablesFile(c)
	if err != nil {
		return nil, err
	}
	d.databases, err = dataset.Schemas(filepath.Join(c.Data, tables), func(err error) { _ = d.keep(err, tables) })
	if err != nil {
		return nil, err
	}
	if c.Gold != "" {
		if _, err := os.Stat(c.Gold); err != nil {
			return nil, err
		}
		return d, d.group(dataset.ReadGold(os.DirFS(filepath.Dir(c.Gold)), filepath.Base(c.Gold)))
	}
	files, err := dataset.InputFiles(c.Data, c.Split)
	if err != nil {
		return nil, err
	}
	d.examples = files[1]
	return d, d.group(dataset.ReadExamples(os.DirFS(c.Data), d.examples))
}

// tablesFile returns the name of the schemas' file within the data directory.
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

// group sorts the examples by database.
func (d *directory) group(examples iter.Seq2[*dataset.Example, error]) error {
	units := map[string]*dataset.Unit{}
	n := 0
	for ex, err := range examples {
		if err == nil && d.databases[ex.DB] == nil {
			err = &dataset.RecordError{Record: ex.Index + 1, Err: fmt.Errorf("db_id %q is unknown, expected one of tables.json", ex.DB)}
		}
		if err != nil {
			if f, ok := errors.AsType[*dataset.FileError](err); ok && n > 0 {
				err = &dataset.RecordError{Record: f.Record, Err: fmt.Errorf("%w; what stands before is used", f.Err)}
			}
			if err := d.keep(err, d.examples); err != nil {
				return err
			}
			continue
		}
		n++
		u := units[ex.DB]
		if u == nil {
			u = &dataset.Unit{DB: d.databases[ex.DB]}
			if path := dataset.SQLitePath(d.path, ex.DB); isFile(path) {
				u.DB.SQLite = path
			}
			units[ex.DB] = u
			d.units = append(d.units, u)
		}
		u.Examples = append(u.Examples, ex)
	}
	if n == 0 {
		return fmt.Errorf("%s: holds no example that can be used, expected at least one", d.place(d.examples))
	}
	return nil
}

// keep keeps an error about a record of a file, and returns any other.
func (d *directory) keep(err error, file string) error {
	r, ok := errors.AsType[*dataset.RecordError](err)
	if !ok {
		if f, ok := errors.AsType[*dataset.FileError](err); ok {
			f.File = d.place(file)
		}
		return err
	}
	r.File = file
	if dataset.IsNote(err) {
		d.warnings = append(d.warnings, r)
	} else {
		d.skipped = append(d.skipped, r)
	}
	return nil
}

// place returns the path of a file of the directory, for errors.
func (d *directory) place(file string) string {
	if file == d.examples && !isFile(filepath.Join(d.path, file)) {
		return file // of Config.Gold
	}
	return filepath.Join(d.path, file)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (d *directory) summary() Summary {
	s := Summary{Split: d.examples, Databases: len(d.units)}
	for _, u := range d.units {
		s.Examples += len(u.Examples)
	}
	return s
}

// records counts the examples with those that cannot be used.
func (d *directory) records() int {
	n := d.summary().Examples
	for _, e := range d.skipped {
		if e.File == d.examples {
			n++
		}
	}
	return n
}
