//go:build unix

package shards

import (
	"os"
	"syscall"
)

// lock takes a lock on an open folder that ends with the process.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
