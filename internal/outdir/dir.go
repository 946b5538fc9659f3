package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Dir is a directory in the making: the work lies in PATH.partial until
// [Dir.Commit]. A folder of that name that is not such work is never touched. The
// place is locked until the directory is committed, aborted or closed.
type Dir struct {
	path, marker string
	lock         *Lock
}

// NewDir begins, or goes on with, the directory at path. The marker is a file
// that every finished directory of its kind has, by which it is known that an
// older one may be replaced; NewDir refuses a path that holds anything else, and one
// at which another run is at work.
func NewDir(path, marker string) (_ *Dir, err error) {
	place, err := Place(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: place, marker: marker}
	if err := d.free(); err != nil { // first, as nothing is made beside what is not ours
		return nil, err
	}
	if d.lock, err = TryLock(d.path); err != nil {
		return nil, err
	}
	if err = d.recover(); err == nil {
		err = d.begin()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// workMark is a file by which a folder is known to be work in progress.
const workMark = ".tabperturb-partial"

func (d *Dir) begin() error {
	entries, err := os.ReadDir(d.Path())
	if ignoreMissing(err) != nil {
		return err
	}
	if !has(d.Path(), workMark) && len(entries) > 0 {
		// A run that was killed between the last two steps of a commit leaves a folder
		// that is finished: the new one before, or the older one after.
		if !has(d.Path(), d.marker) {
			return fmt.Errorf("%s: holds other files, expected no such folder or work in progress", d.Path())
		}
		if err := discard(d.Path()); err != nil {
			return err
		}
	}
	return mark(d.Path())
}

// mark makes a folder that is known to be work in progress.
func mark(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, workMark), nil, 0o666)
}

// has tells whether a folder has a file of some name.
func has(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// free returns an error where the place is taken by something not ours.
func (d *Dir) free() error {
	entries, err := os.ReadDir(d.path)
	if err != nil || len(entries) == 0 {
		return ignoreMissing(err)
	}
	if !has(d.path, d.marker) {
		return fmt.Errorf("%s: holds other files, expected no such folder, an empty one, or one with %s that may be replaced", d.path, d.marker)
	}
	return nil
}

// Path returns the path of a file in the making.
func (d *Dir) Path(elem ...string) string {
	return filepath.Join(append([]string{d.path + ".partial"}, elem...)...)
}

// old is where an older directory waits where two cannot change places in one step.
func (d *Dir) old() string { return d.path + ".old" }

// recover mends what a commit left that was killed where two directories cannot change
// places in one step.
func (d *Dir) recover() error {
	if !has(d.old(), d.marker) && !has(d.old(), workMark) {
		return nil
	}
	if _, err := os.Lstat(d.path); errors.Is(err, os.ErrNotExist) && !has(d.old(), workMark) {
		return os.Rename(d.old(), d.path)
	}
	return discard(d.old())
}

// Commit puts the directory in its place, instead of an older one. Where that
// fails, the older one stays. At every moment one of them is there, where the system can
// let two names change places; elsewhere the next run sees to it.
func (d *Dir) Commit() error {
	defer d.Close()
	if !has(d.Path(), d.marker) {
		return fmt.Errorf("not finished: %s lacks %s", d.Path(), d.marker)
	}
	if err := d.free(); err != nil {
		return err
	}
	if err := os.Remove(d.Path(workMark)); err != nil {
		return err
	}
	if _, err := os.Lstat(d.path); err != nil {
		return os.Rename(d.Path(), d.path)
	}
	if err := exchange(d.Path(), d.path); err == nil {
		return discard(d.Path())
	}
	if err := os.Rename(d.path, d.old()); err != nil {
		return err
	}
	if err := os.Rename(d.Path(), d.path); err != nil {
		return errors.Join(err, os.Rename(d.old(), d.path))
	}
	return discard(d.old())
}

// discard removes a folder. It goes last that the folder is one of ours, so that the next
// run can remove what a killed one did not.
func discard(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreMissing(err)
	}
	if err := mark(dir); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == workMark {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// Restart removes what has been made so far, and begins anew.
func (d *Dir) Restart() error {
	if err := discard(d.Path()); err != nil {
		return err
	}
	return d.begin()
}

// Abort removes what has been made so far, and gives the place free.
func (d *Dir) Abort() error { return errors.Join(discard(d.Path()), d.Close()) }

// Close gives the place free and leaves what has been made so far, for a run that goes on
// with it.
func (d *Dir) Close() error { return d.lock.Close() }
