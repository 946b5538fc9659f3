package outdir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Claim makes and locks a folder, or one that the command made before. The file marker in it shows
// which command made it.
func Claim(out, marker, command string) (_ *Lock, err error) {
	lock, err := TryLock(out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	if err := CheckMarker(out, marker, command); err != nil {
		return nil, err
	}
	return lock, Mark(out, marker, command)
}

// CheckMarker refuses a folder that holds files and has no marker of the command. It overlooks the
// unfinished marker of a run that was killed.
func CheckMarker(out, marker, command string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	// WriteFile puts hidden files of such names next to the marker.
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "."+marker+".") })
	if len(entries) == 0 {
		return nil
	}
	if info, err := os.Stat(filepath.Join(out, marker)); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s: holds other files, expected no such folder, an empty one, or one that %s made", out, command)
	}
	return nil
}

// Mark makes a folder with the marker of a command.
func Mark(out, marker, command string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	return WriteFile(filepath.Join(out, marker), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Made by `tabperturb %s`, which replaces what is here.\n", command)
		return err
	})
}
