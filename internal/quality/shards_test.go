//go:build quality

package quality

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// program builds the program and returns its path.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tabperturb")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/tabperturb").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestShards builds Spider dev in sixteen shares on four processes. One is killed while it
// works and run again; merged, they have the bytes of one run.
func TestShards(t *testing.T) {
	bin, data, dir := program(t), spiderData(t), t.TempDir()
	command := func(args ...string) *exec.Cmd {
		return exec.Command(bin, append([]string{"build", "--data", data, "--perturb", "mtteql,drspider/value-synonym", "--samples", "2", "--workers", "1", "--quiet"}, args...)...)
	}
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	if printed, err := command("--out", whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	killed := command("--out", out, "--shard", "5/16")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if found, _ := filepath.Glob(out + ".part-5-of-16.partial/.shards/mtteql/*"); len(found) > 0 {
			break
		}
		if time.Since(begun) > 10*time.Minute {
			t.Fatal("share 5/16 made no shard in ten minutes")
		}
	}
	_ = killed.Process.Kill()
	if err := killed.Wait(); err == nil {
		t.Fatal("share 5/16 was done before it was killed")
	}
	var g errgroup.Group
	g.SetLimit(4)
	for i := 1; i <= 16; i++ {
		g.Go(func() error {
			printed, err := command("--out", out, "--shard", fmt.Sprintf("%d/16", i), "--resume").CombinedOutput()
			if err != nil {
				return fmt.Errorf("share %d: %w\n%s", i, err, printed)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if printed, err := exec.Command(bin, "merge", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if n := sameFiles(t, whole, out); n != sameFiles(t, out, whole) || n < 100 {
		t.Errorf("%d files, expected as many of both and at least 100", n)
	}
}

// sameFiles fails the test unless each file of one folder is in another, and returns how
// many there are.
func sameFiles(t *testing.T, of, in string) (n int) {
	t.Helper()
	err := filepath.WalkDir(of, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		rel, _ := filepath.Rel(of, path)
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if b, err := os.ReadFile(filepath.Join(in, rel)); err != nil || string(a) != string(b) {
			t.Errorf("%s differs: %v", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
