//go:build quality

package quality

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// program builds the program and returns its path.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tabperturb")
	if out, err := exec.Command("go", "build", "-o", path, "../../../cmd/tabperturb").CombinedOutput(); err != nil {
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

// TestOtherShards divides the other commands on public data by four: web tables, names for Spider
// dev from them, predictions and an attack. Of each a share is killed as it works, named by merge
// and run again; merged, the shares have the bytes of one run.
func TestOtherShards(t *testing.T) {
	bin, data, dir := program(t), spiderData(t), t.TempDir()
	script := filepath.Join(dir, "answer.sh")
	if err := os.WriteFile(script, []byte(answers), 0o666); err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(dir, "corpus-whole")
	names := shared.File(t, "data", "adveta", "spider-rpl-candidates.json")
	for _, c := range []struct {
		name  string
		args  []string
		merge []string
	}{
		{"corpus", []string{"corpus", "build", "--source", "csv:" + shared.File(t, "data", "wtq", "csv.tar.gz"), "--source", "jsonl:" + shared.File(t, "data", "webtables", "aitqa_tables.jsonl.gz"),
			"--source", "jsonl:" + shared.File(t, "data", "wikisql", "followup_tables.jsonl.gz"), "--source", "spider:" + shared.File(t, "data", "spider", "tables.json")}, nil},
		{"candidates", []string{"candidates", "--data", data, "--corpus", corpus}, []string{"--data", data}},
		{"predict", []string{"predict", "--data", data, "--victim", "exec:sh " + script}, nil},
		{"attack", []string{"attack", "--data", data, "--buckets", names, "--victim", "linker", "--budget", "20", "--transfer", "linker"}, []string{"--data", data}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, out := filepath.Join(dir, c.name+"-whole"), filepath.Join(dir, c.name)
			run := func(args ...string) error {
				printed, err := exec.Command(bin, append(args, "--quiet")...).CombinedOutput()
				if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 2 && bytes.Contains(printed, []byte("wrote ")) {
					err = nil // records that cannot be used
				}
				if err != nil {
					return fmt.Errorf("%w\n%s", err, printed)
				}
				return nil
			}
			command := func(args ...string) []string { return slices.Concat(c.args, []string{"--workers", "1"}, args) }
			if err := run(command("--out", whole)...); err != nil {
				t.Fatal(err)
			}
			killed := exec.Command(bin, command("--out", out, "--shard", "1/4")...)
			if err := killed.Start(); err != nil {
				t.Fatal(err)
			}
			for range 6000 {
				if _, err := os.Stat(out + ".part-1-of-4.partial"); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			_ = killed.Process.Kill()
			if err := killed.Wait(); err == nil {
				t.Fatal("share 1/4 was done before it was killed")
			}
			merge := slices.Concat([]string{"merge", out}, c.merge)
			if err := run(merge...); err == nil || !strings.Contains(err.Error(), "part-1-of-4: is not finished; run its command again with --shard 1/4 --resume") {
				t.Fatalf("merged what is not finished: %v", err)
			}
			var g errgroup.Group
			g.SetLimit(2)
			for i := 1; i <= 4; i++ {
				g.Go(func() error { return run(command("--out", out, "--shard", fmt.Sprintf("%d/4", i), "--resume")...) })
			}
			if err := g.Wait(); err != nil {
				t.Fatal(err)
			}
			if err := run(merge...); err != nil {
				t.Fatal(err)
			}
			if n := sameFiles(t, whole, out); n != sameFiles(t, out, whole) || n == 0 {
				t.Errorf("%d files, expected as many of both", n)
			}
		})
	}
}

// answers is a victim, a command of the shell.
const answers = `while read -r line; do
  id=${line#*\"id\":\"}
  question=${line#*\"question\":\"}
  question=${question%%\"*}
  printf '{"id":"%s","sql":"SELECT %s"}\n' "${id%%\"*}" "${#question}"
done
`

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
