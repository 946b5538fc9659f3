//go:build quality && scale

package quality

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// The bounds of a build over a database of 2 GB, by default flags.
const (
	largeMemory = 1 << 10 // MB
	largeDisk   = 1.2     // times the database
)

// TestScaleDatabase builds ADVETA's and Dr.Spider's perturbations, five samples, over a
// database of 2 GB and ten million rows with 20 questions, and materializes one database of
// that build. It prints time, memory and disk; the database has the bytes of a build with
// databases.
func TestScaleDatabase(t *testing.T) {
	bin, dir := program(t), t.TempDir()
	size := float64(largeDatabase(t, dir)) / 1e6
	data, buckets, out := filepath.Join(dir, "data"), filepath.Join(dir, "buckets.json"), filepath.Join(dir, "out")
	fmt.Printf("| command on %.0f MB | wall time | processor time | memory | disk |\n|---|---:|---:|---:|---:|\n", size)
	largeRun(t, bin, "candidates", buckets, "candidates", "--data", data, "--out", buckets)
	build := largeRun(t, bin, "build", out, "build", "--data", data, "--buckets", buckets, "--perturb", "adveta,drspider", "--out", out)
	if build.memory > largeMemory || build.disk > largeDisk*size {
		t.Errorf("build took %.0f MB of memory and %.0f MB of disk, expected at most %d and %.0f", build.memory, build.disk, largeMemory, largeDisk*size)
	}
	one, full := filepath.Join(dir, "one"), filepath.Join(dir, "full")
	_, added := shownRecord(t, bin, out, "adveta/add")
	largeRun(t, bin, "materialize, columns added", one, "materialize", out, "--data", data, "--perturb", "adveta/add", "--id", added, "--out", one)
	if err := os.RemoveAll(one); err != nil {
		t.Fatal(err)
	}
	example, id := shownRecord(t, bin, out, "adveta/replace")
	largeRun(t, bin, "materialize, columns renamed", one, "materialize", out, "--data", data, "--perturb", "adveta/replace", "--id", id, "--out", one)
	list := filepath.Join(dir, "examples.txt")
	if err := os.WriteFile(list, fmt.Appendln(nil, example), 0o666); err != nil {
		t.Fatal(err)
	}
	largeRun(t, bin, "build --databases full", full, "build", "--data", data, "--buckets", buckets, "--perturb", "adveta/replace", "--examples", list, "--databases", "full", "--max-disk", "20GB", "--out", full)
	file := filepath.Join("adveta", "replace", "post", "database", id, id+".sqlite")
	if a, b := fileHash(t, filepath.Join(one, file)), fileHash(t, filepath.Join(full, file)); a != b {
		t.Error("the database that was materialized differs from that of a build with databases")
	}
}

// largeRun runs a command and prints what it took and wrote.
func largeRun(t *testing.T, bin, name, out string, args ...string) (m measured) {
	t.Helper()
	begun := time.Now()
	m.run(t, bin, append(args, "--quiet")...)
	wall := time.Since(begun).Seconds()
	m.weigh(t, out)
	fmt.Printf("| %s | %.0f s | %.0f s | %.0f MB | %.1f MB |\n", name, wall, m.seconds, m.memory, m.disk)
	return m
}

// shownRecord returns the example and the perturbed database of a record.
func shownRecord(t *testing.T, bin, build, perturbation string) (example int, id string) {
	t.Helper()
	printed, err := exec.Command(bin, "show", build, "--perturb", perturbation, "-n", "1", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Example int    `json:"example"`
		DBPost  string `json:"db_id_post"`
	}
	if err := json.Unmarshal(printed, &list); err != nil || len(list) == 0 {
		t.Fatalf("%v\n%s", err, bytes.TrimSpace(printed))
	}
	return list[0].Example, list[0].DBPost
}

func fileHash(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// largeDatabase makes a data directory of such a database in the folder data, and returns
// the size of the file.
func largeDatabase(t *testing.T, dir string) int64 {
	t.Helper()
	statements, err := os.ReadFile(filepath.Join("testdata", "large.sql"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "shop.sqlite")
	if err := sqlite.Configure(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(string(statements)); err != nil {
		t.Fatal(err)
	}
	set, err := folder.Files(t.Context(), path, filepath.Join("testdata", "large.csv"), "dev")
	if err != nil {
		t.Fatal(err)
	}
	spider, err := formats.Find("spider")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := formats.Convert(t.Context(), set, spider, filepath.Join(dir, "data"), formats.Options{Report: told(t)}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
