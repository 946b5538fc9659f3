package dataset

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxID bounds a db_id so that the names of files made from it, with a suffix,
// fit the 255 bytes of file systems.
const maxID = 200

// ValidID reports whether a db_id can be the name of a file, and a field in a line of gold SQL.
func ValidID(id string) bool {
	if len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return false
	}
	return id != "." && filepath.IsLocal(id) && !strings.ContainsAny(id, `/\`)
}

// CreateFile creates a file, and its folder, with what write writes. If write fails, the file is
// removed.
func CreateFile(path string, write func(*bufio.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// PlaceContent writes the content of a database to path, as [Set.WriteContent] does, and creates
// the folder of the file if there is content. Content that cannot be read is left out and
// reported as a [*RecordError]. The error is the context's, or that of the folder.
func (set *Set) PlaceContent(ctx context.Context, db *Database, path string, report func(error)) error {
	if db.SQLite == "" && set.Rows == nil {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	hasContent, err := set.WriteContent(ctx, db, path)
	if hasContent && err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	os.Remove(path) // a part may be written
	os.Remove(dir)  // fails, as it should, if the folder has other files
	if err != nil {
		file := cmp.Or(db.SQLite, db.ID)
		err = errors.New(strings.TrimPrefix(err.Error(), file+": "))
		report(&RecordError{File: file, Err: fmt.Errorf("content is left out: %w", err)})
	}
	return nil
}

// IsFile reports whether there is a regular file at a path.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsDir reports whether there is a folder at a path.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// FileSize returns the size of a file in bytes; 0 if it does not exist.
func FileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
