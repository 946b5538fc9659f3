//go:build quality

package quality

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// maxMix is the bound on building and mixing an augmented training set.
const maxMix = 15 * time.Minute

// TestMix makes the augmented training set of ADVETA (section 5.3) from Spider's:
// as many REPLACE and ADD examples as originals, so that it is three times as large.
func TestMix(t *testing.T) {
	data, dir := trainData(t), t.TempDir()
	buckets, built, out := filepath.Join(dir, "buckets.json"), filepath.Join(dir, "built"), filepath.Join(dir, "mixed")
	tabperturb := command(t)
	tabperturb(io.Discard, "candidates", "--data", data, "--split", "train", "--out", buckets)
	start := time.Now()
	tabperturb(io.Discard, "build", "--data", data, "--split", "train", "--buckets", buckets, "--perturb", "adveta", "--samples", "2", "--workers", "2", "--out", built)
	var report bytes.Buffer
	tabperturb(&report, "mix", "--data", data, "--build", built, "--strategy", "stratified", "--size", "14000", "--workers", "2", "--out", out)
	t.Logf("build and mix: %v", time.Since(start).Round(time.Second))
	if time.Since(start) > maxMix {
		t.Errorf("took more than %v", maxMix)
	}
	golden(t, "mix", string(bytes.ReplaceAll(report.Bytes(), []byte(dir), []byte("DIR"))))
}

// trainData is Spider's training set as a data directory with the split "train".
func trainData(t *testing.T) string {
	dir := t.TempDir()
	lines, err := io.ReadAll(text(t, "spider/train_spider_min.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	array := bytes.ReplaceAll(bytes.TrimSpace(lines), []byte("\n"), []byte(",\n"))
	if err := os.WriteFile(filepath.Join(dir, "train.json"), append(append([]byte("["), array...), ']'), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_train.tar.gz"), "database"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
