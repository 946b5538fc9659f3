package outdir

import "golang.org/x/sys/unix"

// exchange exchanges the names of two folders in one step, where the file system can.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
