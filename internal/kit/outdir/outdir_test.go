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
	if err := os.WriteFile(hidden(path, "tmp"), []byte("left by a run that was killed"), 0o666); err != nil {
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
	if _, err := NewDir(path, marker); !errors.Is(err, ErrInUse) {
		t.Errorf("begun twice: %v", err)
	}
	if err := d.Commit(); err == nil || !strings.Contains(err.Error(), "not finished") {
		t.Errorf("commit without the marker gives %v", err)
	}
	// It goes on with what is there.
	d = newDir(t, path)
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

// TestKilledCommit begins anew from every state that a run can be killed in while it puts a
// directory in place of an older one.
func TestKilledCommit(t *testing.T) {
	put := func(dir string, files ...string) {
		for _, f := range files {
			path := filepath.Join(dir, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct{ out, partial, old []string }{
		"before the older is marked":   {out: []string{marker, "x"}, partial: []string{workMark, marker, "y"}},
		"before they change places":    {out: []string{replacedMark, marker, "x"}, partial: []string{workMark, marker, "y"}},
		"after it":                     {out: []string{workMark, marker, "y"}, partial: []string{replacedMark, marker, "x"}},
		"marks gone":                   {out: []string{marker, "y"}, partial: []string{replacedMark, marker, "x"}},
		"older one half gone":          {out: []string{marker, "y"}, partial: []string{workMark, "x"}},
		"between two renames":          {partial: []string{workMark, marker, "y"}, old: []string{replacedMark, marker, "x"}},
		"after two renames":            {out: []string{workMark, marker, "y"}, old: []string{replacedMark, marker, "x"}},
		"after them, older half gone":  {out: []string{marker, "y"}, old: []string{workMark, "x"}},
		"first run, before the rename": {partial: []string{workMark, marker, "y"}},
		"first run, after the rename":  {out: []string{workMark, marker, "y"}},
	} {
		parent := t.TempDir()
		path := filepath.Join(parent, "out")
		put(path, c.out...)
		put(path+".partial", c.partial...)
		put(hidden(path, "old"), c.old...)
		d, err := NewDir(path, marker)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		older := len(c.out) + len(c.old)
		if _, err := os.Stat(filepath.Join(path, marker)); (err == nil) != (older > 0) {
			t.Errorf("%s: older output: %v", name, err)
		}
		if err := d.Restart(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fill(t, d, marker, "z")
		if err := d.Commit(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(t, path); !slices.Equal(got, []string{marker, "z"}) {
			t.Errorf("%s: folder holds %q", name, got)
		}
		if got := names(t, parent); !slices.Equal(got, []string{"out"}) {
			t.Errorf("%s: parent holds %q", name, got)
		}
	}
}

// TestNeighbours: what lies beside an output under a name that looks like ours stays.
func TestNeighbours(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	for _, name := range []string{"out.lock", "out.tmp"} {
		if err := os.WriteFile(filepath.Join(parent, name), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out", "out.old"} { // a build, and a backup of one
		d := newDir(t, filepath.Join(parent, name))
		fill(t, d, marker, "x")
		if err := d.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	again := newDir(t, out)
	fill(t, again, marker, "y")
	if err := again.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(parent, "out.txt"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := names(t, parent); !slices.Equal(got, []string{"out", "out.lock", "out.old", "out.tmp", "out.txt"}) {
		t.Errorf("folder holds %q", got)
	}
	for _, name := range []string{"out.lock", "out.tmp"} {
		if got := text(t, filepath.Join(parent, name)); got != "mine" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	// A finished directory under the name of work in progress is somebody's.
	if err := os.Rename(out+".old", out+".partial"); err != nil {
		t.Fatal(err)
	}
	if _, err := NewDir(out, marker); err == nil {
		t.Error("a finished directory was taken for work in progress")
	}
	if got := names(t, out+".partial"); !slices.Equal(got, []string{marker, "x"}) {
		t.Errorf("it holds %q", got)
	}
}

// TestOutputsThatAreNone: what is no file and no folder is not replaced, and a link stays one.
func TestOutputsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := WriteFile(os.DevNull, write); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
		t.Errorf("a device: %v", err)
	}
	if _, err := NewDir(os.DevNull, marker); err == nil {
		t.Error("a device was taken for a folder's place")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "far", "file"), link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, write); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("a link to nothing: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "far", "file"), write); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "newer"); return err }); err != nil {
		t.Fatal(err)
	}
	if got := text(t, filepath.Join(dir, "far", "file")); got != "newer" {
		t.Errorf("what the link leads to holds %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
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
		if err := errors.Join(lock.Close(), lock.Close()); err != nil {
			t.Fatal(err)
		}
		if lock, err = TryLock(path); err != nil {
			t.Fatalf("after the lock is closed: %v", err)
		}
	}
	// A lock whose file is gone protects nothing: another may make and lock a new one.
	if err := os.Remove(hidden(path, "lock")); err != nil {
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
