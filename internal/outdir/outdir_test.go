package outdir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "file.txt")
	put := func(s string, err error) error {
		return WriteFile(path, func(w io.Writer) error {
			if _, e := io.WriteString(w, s); e != nil {
				return e
			}
			return err
		})
	}
	if err := put("first", nil); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if err := put("half of the sec", failed); !errors.Is(err, failed) {
		t.Errorf("error is %v, expected the writer's", err)
	}
	if got := text(t, path); got != "first" {
		t.Errorf("a write that failed left %q", got)
	}
	if err := os.WriteFile(path+".tmp", []byte("left by a run that was killed"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := put("third", nil); err != nil {
		t.Fatal(err)
	}
	if got := text(t, path); got != "third" {
		t.Errorf("file holds %q, expected the third text", got)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"file.txt"}) {
		t.Errorf("folder holds %q, expected the file alone", got)
	}
}

func TestWriteFileWhereAFolderIs(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "taken"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if got := names(t, dir); !slices.Equal(got, []string{"taken"}) {
		t.Errorf("folder holds %q", got)
	}
}

const marker = "manifest.json"

func fill(t *testing.T, d *Dir, files ...string) {
	t.Helper()
	for _, f := range files {
		if err := os.WriteFile(d.Path(f), []byte(f), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func newDir(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := NewDir(path, marker)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDir(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	d := newDir(t, path+"/")
	fill(t, d, "a")
	if err := d.Commit(); err == nil || !strings.Contains(err.Error(), "not finished") {
		t.Errorf("commit without the marker gives %v", err)
	}
	d = newDir(t, path) // goes on with what is there
	fill(t, d, marker)
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, path); !slices.Equal(got, []string{"a", marker}) {
		t.Errorf("folder holds %q", got)
	}
	d = newDir(t, path)
	fill(t, d, "b", marker)
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, path); !slices.Equal(got, []string{"b", marker}) {
		t.Errorf("the new folder holds %q, expected nothing of the old", got)
	}
	d = newDir(t, path)
	fill(t, d, "c")
	if err := d.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, parent); !slices.Equal(got, []string{"out"}) {
		t.Errorf("parent holds %q, expected the folder alone", got)
	}
}

func TestDirDoesNotReplaceOthersFiles(t *testing.T) {
	parent := t.TempDir()
	home := filepath.Join(parent, "home")
	if err := os.MkdirAll(filepath.Join(home, "photos"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := NewDir(home, marker); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("error is %v, expected that other files are there", err)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewDir(file, marker); err == nil {
		t.Error("a file's place was taken for a folder's")
	}
	// Files that come while the work goes on are safe too.
	late := filepath.Join(parent, "late")
	d := newDir(t, late)
	fill(t, d, marker)
	if err := os.MkdirAll(filepath.Join(late, "photos"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); err == nil {
		t.Error("a folder with other files was replaced")
	}
	if got := names(t, late); !slices.Equal(got, []string{"photos"}) {
		t.Errorf("folder holds %q", got)
	}
	empty := filepath.Join(parent, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	d = newDir(t, empty)
	fill(t, d, marker)
	if err := d.Commit(); err != nil {
		t.Errorf("an empty folder is not replaced: %v", err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	lock, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(path); !errors.Is(err, ErrInUse) {
		t.Errorf("locked twice: %v, expected that it is in use", err)
	}
	for range 2 {
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		if lock, err = TryLock(path); err != nil {
			t.Fatalf("after the lock is closed: %v", err)
		}
	}
	// A lock whose file is gone protects nothing: another may make and lock a new one.
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if lock.inPlace() {
		t.Error("a lock without its file passes for one")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("folder holds %q after the locks are closed", got)
	}
}
