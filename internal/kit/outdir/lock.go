package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrInUse is the error for what another run has locked.
var ErrInUse = errors.New("another run is at work there")

// A Lock keeps other processes from a file or folder until it is closed or the
// process ends. It lies in a file of its own next to what it protects, as Windows
// does not let others read a file that is locked.
type Lock struct {
	file *flock.Flock
}

// TryLock locks the file or folder at path by a hidden file next to it, whose folder it makes. It
// returns [ErrInUse] where another process, or this one, holds the lock. On a file system without locks
// it locks nothing and returns no error.
func TryLock(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	l := &Lock{flock.New(hidden(path, "lock"), flock.SetPermissions(0o666))}
	locked, err := l.file.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return &Lock{}, errors.Join(os.Remove(l.file.Path()), l.file.Close())
	case err != nil:
		return nil, err
	case !locked, !l.inPlace():
		return nil, errors.Join(fmt.Errorf("%s: %w", path, ErrInUse), l.file.Close())
	}
	return l, nil
}

// inPlace reports whether the locked file still has its name: whoever had the lock
// before may have removed it while this process waited to open it.
func (l *Lock) inPlace() bool {
	locked, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file.Path())
	return err == nil && os.SameFile(locked, named)
}

// Close removes the file of the lock and unlocks. A second call does nothing.
func (l *Lock) Close() error {
	if l == nil || l.file == nil || !l.file.Locked() {
		return nil
	}
	os.Remove(l.file.Path()) // first, as another may have the lock afterwards; Windows keeps the empty file
	return l.file.Close()
}
