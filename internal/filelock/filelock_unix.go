//go:build unix

// Package filelock keeps two processes from working on the same file or folder.
package filelock

import (
	"os"
	"syscall"
)

// TryLock takes a lock on an open file or folder, which ends when it is closed or the
// process ends, and fails where another process has it.
func TryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
