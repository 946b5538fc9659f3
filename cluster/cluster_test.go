package cluster_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/cluster"
	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// TestJob does a build in shares, one of them twice, and compares it with one run.
func TestJob(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := sample.WriteData(t.Context(), path("data")); err != nil {
		t.Fatal(err)
	}
	line := func(out string) []string {
		return []string{"build", "--data", path("data"), "--perturb", "mtteql/prefix-insertion", "--samples", "1", "--out", path(out)}
	}
	var log bytes.Buffer
	if err := command.Do(t.Context(), &log, &log, append(line("whole"), "--quiet")); err != nil {
		t.Fatal(err)
	}
	job := cluster.Job{Args: line("out"), Shares: 2}
	if err := job.Do(t.Context(), 2, &log); err != nil {
		t.Fatal(err)
	}
	if err := job.Merge(t.Context(), &log); err == nil || !strings.Contains(err.Error(), "out.part-1-of-2: is missing") {
		t.Fatalf("merged without a part: %v", err)
	}
	if missing, err := job.Missing(); err != nil || !slices.Equal(missing, []int{1}) {
		t.Errorf("missing are %v, %v, expected share 1", missing, err)
	}
	before := made(t, cluster.PartPath(path("out"), 2, 2))
	for i := 1; i <= 2; i++ {
		if err := job.Do(t.Context(), i, &log); err != nil {
			t.Fatal(err)
		}
	}
	if after := made(t, cluster.PartPath(path("out"), 2, 2)); !os.SameFile(before, after) {
		t.Error("a finished share was done again")
	}
	if err := os.Truncate(filepath.Join(cluster.PartPath(path("out"), 2, 2), ".shards/mtteql/prefix-insertion/000000"), 9); err != nil {
		if err = os.Truncate(filepath.Join(cluster.PartPath(path("out"), 2, 2), ".shards/mtteql/prefix-insertion/000001"), 9); err != nil {
			t.Fatal(err)
		}
	}
	if err := job.Do(t.Context(), 2, &log); err != nil {
		t.Fatal(err)
	}
	if after := made(t, cluster.PartPath(path("out"), 2, 2)); os.SameFile(before, after) {
		t.Error("a share with a damaged shard was kept")
	}
	if err := job.Merge(t.Context(), &log); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	whole, out := files(t, path("whole")), files(t, path("out"))
	if len(whole) < 5 || len(whole) != len(out) {
		t.Errorf("%d files and %d, expected as many", len(whole), len(out))
	}
	for name, data := range whole {
		if out[name] != data {
			t.Errorf("%s differs", name)
		}
	}
}

func made(t *testing.T, part string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(part, cluster.PartFile))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestJobRefused gives jobs that are none.
func TestJobRefused(t *testing.T) {
	for want, job := range map[string]cluster.Job{
		"expected 1 to":           {Args: []string{"build"}},
		"no command":              {Shares: 1},
		"cannot be divided":       {Args: []string{"eval", "--out", "x"}, Shares: 1},
		"unknown command":         {Args: []string{"bild"}, Shares: 1},
		"unknown flag":            {Args: []string{"build", "--dta", "x"}, Shares: 1},
		"without it":              {Args: []string{"build", "--data", "x", "--out", "y", "--shard", "1/2"}, Shares: 1},
		"--out is empty":          {Args: []string{"build", "--data", "x"}, Shares: 1},
		`required flag(s) "data"`: {Args: []string{"build", "--out", "x"}, Shares: 1},
	} {
		if out, err := job.Out(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, expected %q", job.Args, out, err, want)
		}
	}
}
