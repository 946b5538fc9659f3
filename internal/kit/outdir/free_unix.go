//go:build unix

package outdir

import "golang.org/x/sys/unix"

// Free returns the bytes that are free for files below an existing folder.
func Free(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
