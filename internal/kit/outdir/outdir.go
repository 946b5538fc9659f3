// Package outdir writes files and folders that appear whole or not at all: the work
// is done next to the place and renamed into it. Long work is kept in shards, so that
// it can be resumed. What is written is locked against a second run.
package outdir

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes the file at path with what write writes, buffered. Folders on
// the way are made. Where write fails, path is as it was. Meanwhile another
// WriteFile of the same path gives [ErrInUse].
func WriteFile(path string, write func(io.Writer) error) error {
	path, err := Place(path)
	if err != nil {
		return err
	}
	lock, err := TryLock(path)
	if err != nil {
		return err
	}
	defer lock.Close()
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
		return cmp.Or(w.Flush(), f.Sync())
	})
}

// Place returns the absolute path of an output; for a link, the path to which it leads. It returns an
// error if something is there that cannot be replaced, such as a device or a pipe.
func Place(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	if err != nil {
		return abs, nil // what is wrong with the folders on the way shows as they are made
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if abs, err = filepath.EvalSymlinks(abs); err != nil {
			return "", fmt.Errorf("%s: is a link that leads nowhere, expected a place to write", path)
		}
		if info, err = os.Stat(abs); err != nil {
			return "", err
		}
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s: is no ordinary file, expected one that can be replaced", path)
	}
	return abs, nil
}

// hidden returns the path of a hidden file next to path that only this package uses. It is always the
// same, so that the next run finds what a killed one left.
func hidden(path, kind string) string {
	if abs, err := filepath.Abs(path); err == nil { // for "." has no name
		path = abs
	}
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tabperturb-"+kind)
}

// Replace makes the file at path as [WriteFile] does, without its lock, for writers that
// want a path: write makes the file tmp, which is then renamed to path.
func Replace(path string, write func(tmp string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := hidden(path, "tmp")
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

// ignoreMissing returns err, or nil if the error is that a file does not exist.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
