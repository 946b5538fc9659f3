// Package outdir writes files and folders that appear whole or not at all: the work
// is done beside the place and renamed into it. Long work is kept in shards, so that
// it can be resumed, and locked against a second run.
package outdir

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
	if err := ignoreMissing(os.Remove(tmp)); err != nil {
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
// [Dir.Commit]. A folder of that name that is not such work is never touched.
type Dir struct {
	path, marker string
}

// NewDir begins, or goes on with, the directory at path. The marker is a file
// that every finished directory of its kind has, by which it is known that an
// older one may be replaced; NewDir refuses a path that holds anything else.
func NewDir(path, marker string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: abs, marker: marker}
	if err := d.free(); err != nil {
		return nil, err
	}
	return d, d.begin()
}

// workMark is a file by which a folder is known to be work in progress.
const workMark = ".tabperturb-partial"

func (d *Dir) begin() error {
	entries, err := os.ReadDir(d.Path())
	if ignoreMissing(err) != nil {
		return err
	}
	if _, err := os.Lstat(d.Path(workMark)); err != nil && len(entries) > 0 {
		return fmt.Errorf("%s: holds other files, expected no such folder or work in progress", d.Path())
	}
	if err := os.MkdirAll(d.Path(), 0o777); err != nil {
		return err
	}
	return os.WriteFile(d.Path(workMark), nil, 0o666)
}

// free returns an error where the place is taken by something not ours.
func (d *Dir) free() error {
	entries, err := os.ReadDir(d.path)
	if err != nil || len(entries) == 0 {
		return ignoreMissing(err)
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

// Commit puts the directory in its place, instead of an older one. Where that
// fails, the older one stays.
func (d *Dir) Commit() error {
	if _, err := os.Lstat(d.Path(d.marker)); err != nil {
		return fmt.Errorf("not finished: %w", err)
	}
	if err := d.free(); err != nil {
		return err
	}
	old, err := os.MkdirTemp(filepath.Dir(d.path), ".tabperturb-old-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	older := filepath.Join(old, "d")
	if err := ignoreMissing(os.Rename(d.path, older)); err != nil {
		return err
	}
	if err := os.Rename(d.Path(), d.path); err != nil {
		return errors.Join(err, ignoreMissing(os.Rename(older, d.path)))
	}
	return os.Remove(filepath.Join(d.path, workMark))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Restart removes what has been made so far, and begins anew.
func (d *Dir) Restart() error {
	if err := d.Abort(); err != nil {
		return err
	}
	return d.begin()
}

// Abort removes what has been made so far.
func (d *Dir) Abort() error { return os.RemoveAll(d.Path()) }
