// Package atomicfile writes files and directories that appear whole or not at
// all: the work is done beside the place and renamed into it.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes the file at path with what write writes, buffered. Folders on
// the way are made. Where write fails, path is as it was.
func WriteFile(path string, write func(io.Writer) error) error {
	return Replace(path, func(tmp string) (err error) {
		f, err := os.Create(tmp)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w := bufio.NewWriterSize(f, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// Replace is [WriteFile] for writers that want a path: write makes the file
// tmp, which is then renamed to path.
func Replace(path string, write func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(tmp); err != nil {
		os.Remove(tmp)
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}

// Dir is a directory in the making: the work lies in PATH.partial until
// [Dir.Commit].
type Dir struct {
	path, marker string
}

// NewDir begins, or goes on with, the directory at path. The marker is a file
// that every finished directory of its kind has, by which it is known that an
// older one may be replaced; NewDir refuses a path that holds anything else.
func NewDir(path, marker string) (*Dir, error) {
	d := &Dir{path: filepath.Clean(path), marker: marker}
	if err := d.free(); err != nil {
		return nil, err
	}
	return d, os.MkdirAll(d.Path(), 0o777)
}

// free returns an error where the place is taken by something not ours.
func (d *Dir) free() error {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(d.path, d.marker)); err != nil {
		return fmt.Errorf("%s: holds other files, expected no such folder, an empty one, or one with %s that may be replaced", d.path, d.marker)
	}
	return nil
}

// Path returns the path of a file in the making.
func (d *Dir) Path(elem ...string) string {
	return filepath.Join(append([]string{d.path + ".partial"}, elem...)...)
}

// Commit puts the directory in its place, instead of an older one.
func (d *Dir) Commit() error {
	if _, err := os.Lstat(d.Path(d.marker)); err != nil {
		return fmt.Errorf("not finished: %w", err)
	}
	if err := d.free(); err != nil {
		return err
	}
	old := d.path + ".old"
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(d.path, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(d.Path(), d.path); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// Abort removes what has been made so far.
func (d *Dir) Abort() error { return os.RemoveAll(d.Path()) }
