package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Dir is an unfinished directory: its files are in PATH.partial until [Dir.Commit] renames it. A folder of that name that no Dir made
// is never touched. PATH is locked until the directory is committed, aborted or closed.
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

const (
	// workMark is a file by which a folder is known to be work in progress.
	workMark = ".tabperturb-partial"
	// replacedMark is put into a finished directory before another takes its place. A folder
	// that has neither mark is somebody's, whatever its name and whatever it holds.
	replacedMark = ".tabperturb-replaced"
)

func (d *Dir) begin() error {
	entries, err := os.ReadDir(d.Path())
	if ignoreMissing(err) != nil {
		return err
	}
	if !has(d.Path(), workMark) && len(entries) > 0 {
		if !has(d.Path(), replacedMark) {
			return fmt.Errorf("%s: holds other files, expected no such folder or work in progress", d.Path())
		}
		if err := discard(d.Path()); err != nil { // which a killed run did not come to
			return err
		}
	}
	return mark(d.Path(), workMark)
}

// mark makes a folder with a mark of ours.
func mark(dir, name string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), nil, 0o666)
}

// unmark removes marks of ours.
func unmark(dir string, names ...string) error {
	for _, name := range names {
		if err := ignoreMissing(os.Remove(filepath.Join(dir, name))); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether a folder has a file of some name.
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
func (d *Dir) old() string { return hidden(d.path, "old") }

// recover mends what a commit left that was killed: an older directory that waits, and
// marks in the one that is in place.
func (d *Dir) recover() error {
	half := has(d.old(), workMark)
	if half || has(d.old(), replacedMark) {
		mend := discard
		if _, err := os.Lstat(d.path); errors.Is(err, os.ErrNotExist) && !half {
			mend = func(old string) error { return os.Rename(old, d.path) }
		}
		if err := mend(d.old()); err != nil {
			return err
		}
	}
	return d.clean()
}

// clean removes the marks from the directory in place.
func (d *Dir) clean() error {
	if !has(d.path, d.marker) {
		return nil
	}
	return unmark(d.path, workMark, replacedMark)
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
	older, err := d.place()
	if err != nil {
		return errors.Join(err, d.clean())
	}
	if err := d.clean(); err != nil {
		return err
	}
	return discard(older)
}

// place moves the directory to its place, and returns where an older one is then. Both are
// marked meanwhile, so that the next run knows them whenever this one is killed.
func (d *Dir) place() (older string, err error) {
	os.Remove(d.path) // an empty folder; one that holds anything stays
	if _, err := os.Lstat(d.path); err != nil {
		return d.old(), os.Rename(d.Path(), d.path)
	}
	if err := mark(d.path, replacedMark); err != nil {
		return "", err
	}
	if err := exchange(d.Path(), d.path); err == nil {
		return d.Path(), nil
	}
	if err := os.Rename(d.path, d.old()); err != nil {
		return "", err
	}
	if err := os.Rename(d.Path(), d.path); err != nil {
		return "", errors.Join(err, os.Rename(d.old(), d.path))
	}
	return d.old(), nil
}

// discard removes a folder. It goes last that the folder is one of ours, so that the next
// run can remove what a killed one did not.
func discard(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreMissing(err)
	}
	if err := mark(dir, workMark); err != nil {
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
