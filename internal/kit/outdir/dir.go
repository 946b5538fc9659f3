package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Dir is an unfinished directory: its files are in PATH.partial until [Dir.Commit] renames it. A folder of that name that no Dir made
// is never touched. PATH is locked until the directory is committed, aborted or closed.
type Dir struct {
	path, marker string
	lock         *Lock
}

// NewDir begins the directory at path, or continues an unfinished one. Every finished directory of its
// kind has the file marker: only a directory with it, or an empty one, is replaced. NewDir returns an
// error for any other, and [ErrInUse] if another run is at work.
func NewDir(path, marker string) (_ *Dir, err error) {
	place, err := Place(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: place, marker: marker}
	if err := d.checkReplaceable(); err != nil { // first, as nothing is made next to somebody else's files
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

// begin makes the folder of the unfinished directory, or takes over one that an earlier run left. It
// returns an error if somebody else's files are there.
func (d *Dir) begin() error {
	entries, err := os.ReadDir(d.Path())
	if ignoreMissing(err) != nil {
		return err
	}
	if !has(d.Path(), workMark) && len(entries) > 0 {
		if !has(d.Path(), replacedMark) {
			return fmt.Errorf("%s: holds other files, expected no such folder or work in progress", d.Path())
		}
		if err := discard(d.Path()); err != nil { // an older directory that a killed run did not remove
			return err
		}
	}
	return mark(d.Path(), workMark)
}

// mark makes a folder, unless it exists, and puts an empty file name into it.
func mark(dir, name string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), nil, 0o666)
}

// unmark removes the files names from a folder, if they exist.
func unmark(dir string, names ...string) error {
	return lists.Each(names, func(name string) error { return ignoreMissing(os.Remove(filepath.Join(dir, name))) })
}

// has reports whether a folder has a file of some name.
func has(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// checkReplaceable returns an error if the folder at the path must not be replaced: it has files, and the
// marker is none of them.
func (d *Dir) checkReplaceable() error {
	entries, err := os.ReadDir(d.path)
	switch {
	case err != nil, len(entries) == 0:
		return ignoreMissing(err)
	case !has(d.path, d.marker):
		return fmt.Errorf("%s: holds other files, expected no such folder, an empty one, or one with %s that may be replaced", d.path, d.marker)
	}
	return nil
}

// Path returns the path of a file of the unfinished directory, by its path in it; without one, that of
// the directory.
func (d *Dir) Path(elem ...string) string {
	return filepath.Join(append([]string{d.path + ".partial"}, elem...)...)
}

// old returns the path that the older directory is moved to if the system cannot exchange two in one step.
func (d *Dir) old() string { return hidden(d.path, "old") }

// recover completes a commit that was killed. It moves the older directory back if the path is
// empty, else it removes it, and it removes the marks from the directory in place.
func (d *Dir) recover() (err error) {
	discarded := has(d.old(), workMark) // the older directory was being removed, and a part of it may be gone
	_, missing := os.Lstat(d.path)
	switch {
	case !discarded && !has(d.old(), replacedMark): // there is no older directory of ours
	case !discarded && errors.Is(missing, os.ErrNotExist):
		err = os.Rename(d.old(), d.path)
	default:
		err = discard(d.old())
	}
	if err != nil {
		return err
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

// Commit renames the directory to its path and removes an older one. Where that fails, the older one
// stays. One of them is at the path at every moment where the system can exchange two folders;
// elsewhere the next run repairs a commit that was killed.
func (d *Dir) Commit() error {
	defer d.Close()
	if !has(d.Path(), d.marker) {
		return fmt.Errorf("not finished: %s lacks %s", d.Path(), d.marker)
	}
	if err := d.checkReplaceable(); err != nil {
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

// place moves the directory to its path, and returns where an older one then is, if there was one. Both
// have a mark meanwhile, by which the next run recognises them if this one is killed.
func (d *Dir) place() (older string, err error) {
	os.Remove(d.path) // an empty folder; one that holds anything stays
	if _, err := os.Lstat(d.path); err != nil {
		return d.old(), os.Rename(d.Path(), d.path) // there is no older directory
	}
	if err := mark(d.path, replacedMark); err != nil {
		return "", err
	}
	if err := exchange(d.Path(), d.path); err == nil {
		return d.Path(), nil
	}
	// The system cannot exchange two folders.
	if err := os.Rename(d.path, d.old()); err != nil {
		return "", err
	}
	if err := os.Rename(d.Path(), d.path); err != nil {
		return "", errors.Join(err, os.Rename(d.old(), d.path))
	}
	return d.old(), nil
}

// discard removes a folder. The mark by which the folder is known as ours goes last, so that the
// next run can remove what a killed one did not.
func discard(dir string) error {
	if _, err := os.Lstat(dir); err != nil {
		return ignoreMissing(err)
	}
	if err := mark(dir, workMark); err != nil {
		return err
	}
	if err := removeOthers(dir, workMark); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// removeOthers removes all files and folders of a folder except the names kept.
func removeOthers(dir string, kept ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains(kept, e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Restart removes the files of the unfinished directory.
func (d *Dir) Restart() error {
	if err := discard(d.Path()); err != nil {
		return err
	}
	return d.begin()
}

// Abort removes the unfinished directory and unlocks the path.
func (d *Dir) Abort() error { return errors.Join(discard(d.Path()), d.Close()) }

// Close unlocks the path and leaves the unfinished directory for a run that continues it.
func (d *Dir) Close() error { return d.lock.Close() }
