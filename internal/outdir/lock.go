package outdir

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// ErrInUse is the error for what another run has locked.
var ErrInUse = errors.New("another run is at work there")

// A Lock keeps other processes from a file or folder until it is closed or the
// process ends. It lies in a file of its own beside what it protects, as Windows
// does not let others read a file that is locked.
type Lock struct {
	file *flock.Flock
}

// TryLock locks the file or folder at path by the file PATH.lock. Where another
// process, or this one, has it already, the error is [ErrInUse].
func TryLock(path string) (*Lock, error) {
	l := &Lock{flock.New(path+".lock", flock.SetPermissions(0o666))}
	locked, err := l.file.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked || !l.inPlace() {
		return nil, errors.Join(ErrInUse, l.file.Close())
	}
	return l, nil
}

// inPlace tells whether the locked file still has its name: whoever had the lock
// before may have removed it while this process waited to open it.
func (l *Lock) inPlace() bool {
	held, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file.Path())
	return err == nil && os.SameFile(held, named)
}

// Close ends the lock and removes its file.
func (l *Lock) Close() error {
	os.Remove(l.file.Path()) // first, as another may have the lock afterwards; Windows keeps the empty file
	return l.file.Close()
}
