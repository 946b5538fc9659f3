package shared

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var untarred sync.Map // archive path to func() (string, error)

// Untar unpacks a .tar.gz below the shared folder, once in a process, and returns the new folder; without the archive
// it skips the test. The folder lies in the system's temporary folder and is kept for later runs, so tests must not
// write to it; an archive that changed gets a new one.
func Untar(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := File(tb, elem...)
	once, _ := untarred.LoadOrStore(path, sync.OnceValues(func() (string, error) { return untar(path) }))
	dir, err := once.(func() (string, error))()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

// untar unpacks the archive at path into a folder named after its path, size and time, unless that exists, and returns the folder.
func untar(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fnv.New64a()
	fmt.Fprintf(key, "%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tabperturb-shared-%016x", key.Sum64()))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	tmp, err := os.MkdirTemp("", "tabperturb-untar-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := extract(path, tmp); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	// Another process may have won the race; its folder is as good.
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr != nil {
			return "", err
		}
	}
	return dir, nil
}

// extract unpacks the regular files of an archive into a folder.
func extract(path, dir string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := extractFile(root, h.Name, tr); err != nil {
			return err
		}
	}
}

// extractFile writes a file of an archive below root, which the name cannot leave.
func extractFile(root *os.Root, name string, r io.Reader) error {
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
