package bird

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Bounds on the descriptions that are read, in bytes.
const (
	maxFileSize  = 4 << 20   // one file
	maxTotalSize = 256 << 20 // all files of a folder or an archive
)

// Where descriptions are.
const (
	jsonSuffix = "_schema.json"         // end of the name of a JSON file, after the db_id
	csvFolder  = "database_description" // in the folder of a database: a CSV file for each table
)

// descriptions returns the JSON files of descriptions, by db_id: those in the folders description and data/description or,
// if there are none, those in schema_descriptions.tar.gz. The result is empty without any.
func (r *reader) descriptions() (map[string]file, error) {
	all := map[string]file{}
	for _, dir := range []string{"description", filepath.Join("data", "description")} {
		files, err := readFolder(filepath.Join(r.dir, dir), jsonSuffix)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			all[strings.TrimSuffix(f.Name, jsonSuffix)] = f
		}
	}
	archive := filepath.Join(r.dir, "schema_descriptions.tar.gz")
	if _, err := os.Stat(archive); len(all) > 0 || err != nil {
		return all, nil
	}
	if err := readArchive(archive, all); err != nil {
		return nil, &dataset.FileError{File: archive, Err: err}
	}
	return all, nil
}

// readFolder returns the files of a folder whose names end in suffix; none if there is no such
// folder. Files that are too large, one or all together, are an error.
func readFolder(dir, suffix string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	var files []file
	total := 0
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		data, err := readBounded(f)
		f.Close()
		if total += len(data); err == nil && total > maxTotalSize {
			err = errTooMuch
		}
		if err != nil {
			return nil, &dataset.FileError{File: name, Err: err}
		}
		files = append(files, file{e.Name(), data})
	}
	return files, nil
}

// errTooMuch is the error of descriptions that exceed maxTotalSize.
var errTooMuch = fmt.Errorf("descriptions are larger than %d MiB in all, expected less", maxTotalSize>>20)

// readBounded reads all of r; more than maxFileSize bytes are an error.
func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err == nil && len(data) > maxFileSize {
		err = fmt.Errorf("is larger than %d MiB, expected less", maxFileSize>>20)
	}
	return data, err
}

// readArchive adds the description files of a tar.gz to all, by their names without the extension, which are db_ids.
func readArchive(name string, all map[string]file) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	total := 0
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		base := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(base, jsonSuffix) {
			continue
		}
		data, err := readBounded(tr)
		if err != nil {
			return fmt.Errorf("%s %w", base, err)
		}
		if total += len(data); total > maxTotalSize {
			return errTooMuch
		}
		all[strings.TrimSuffix(base, jsonSuffix)] = file{base, data}
	}
}

// describe sets the descriptions of the columns of a schema, and returns the files that they
// come from; jsonFiles has the JSON files by db_id. The error, for descriptions that cannot be
// read, is only a warning.
func (r *reader) describe(db *dataset.Database, jsonFiles map[string]file) ([]file, error) {
	if f, ok := jsonFiles[db.ID]; ok {
		return []file{f}, describeJSON(db, f)
	}
	if r.databases == "" {
		return nil, nil
	}
	files, err := readFolder(filepath.Join(r.databases, db.ID, csvFolder), ".csv")
	var problems []error
	for _, f := range files {
		if err := describeCSV(db, f); err != nil {
			problems = append(problems, fmt.Errorf("%s: %s: %w", db.ID, f.Name, err))
		}
	}
	return files, errors.Join(append(problems, err)...)
}

// jsonTable is a member of a JSON file of descriptions.
type jsonTable struct {
	name    string
	entries []json.RawMessage
}

// jsonEntry describes a column. Texts that are missing are empty.
type jsonEntry struct {
	Column      string `json:"column_name"`
	Description string `json:"column_description"`
	Values      string `json:"value_description"`
}

// jsonTables returns the tables of a JSON file of descriptions.
func jsonTables(f file) ([]jsonTable, error) {
	members, err := dataset.Members(f.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	var tables []jsonTable
	for _, m := range members {
		t := jsonTable{name: m.Key}
		if err := dataset.Decode(m.Value, &t.entries); err != nil {
			return nil, fmt.Errorf("%s: table %q: %w", f.Name, dataset.Clip(m.Key), err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// describeJSON sets the descriptions of columns from a JSON file.
func describeJSON(db *dataset.Database, f file) error {
	tables, err := jsonTables(f)
	if err != nil {
		return err
	}
	seen := map[dataset.ColumnRef]bool{} // the first entry of a column counts
	for _, t := range tables {
		for i, raw := range t.entries {
			var e jsonEntry
			if err := dataset.Decode(raw, &e); err != nil {
				return fmt.Errorf("%s: table %q: entry %d: %w", f.Name, dataset.Clip(t.name), i+1, err)
			}
			if ref, ok := db.Lookup(t.name, strings.TrimSpace(e.Column)); ok && !seen[ref] {
				seen[ref] = true
				db.Column(ref).Description, db.Column(ref).Values = e.Description, e.Values
			}
		}
	}
	return nil
}

// describeCSV sets the descriptions of the columns of one table from its CSV file.
func describeCSV(db *dataset.Database, f file) error {
	t := db.Table(strings.TrimSuffix(f.Name, ".csv"))
	if t < 0 {
		return fmt.Errorf("there is no table %q, expected the name of one", dataset.Clip(strings.TrimSuffix(f.Name, ".csv")))
	}
	sheet := readSheet(f.Data)
	if sheet.column("original_column_name") < 0 {
		return errors.New("has no column original_column_name, expected it in the first line")
	}
	seen := map[dataset.ColumnRef]bool{} // the first row of a column counts
	for _, row := range sheet.rows[1:] {
		ref, ok := db.Lookup(db.Tables[t].Original, strings.TrimSpace(sheet.text(row, "original_column_name")))
		if ok && !seen[ref] {
			seen[ref] = true
			c := db.Column(ref)
			c.Description, c.Values = sheet.text(row, "column_description"), sheet.text(row, "value_description")
		}
	}
	return nil
}
