package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/tabperturb/tabperturb/cluster"
	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// role is an environment variable by which the test binary is another program.
const role = "TABPERTURB_BEAM_TEST"

func TestMain(m *testing.M) {
	switch as, port, _ := strings.Cut(os.Getenv(role), " "); as {
	case "tabperturb-beam":
		main()
	case "prism":
		var n int
		fmt.Sscan(port, &n)
		if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: n}); err != nil {
			panic(err)
		}
		select {} // until it is killed
	default:
		beam.Init()
		os.Exit(m.Run())
	}
}

// start starts the test binary as another program, which ends with the test.
func start(t *testing.T, as string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, log := exec.Command(self, args...), &bytes.Buffer{}
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, log
}

// whole does a command line undivided, and returns its output.
func whole(t *testing.T, line func(out string) []string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "whole")
	var log bytes.Buffer
	if err := command.Do(t.Context(), &log, &log, append(line(out), "--quiet")); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	return out
}

// same fails the test unless two folders hold the same files, at least so many.
func same(t *testing.T, a, b string, least int) {
	t.Helper()
	x, y := contents(t, a), contents(t, b)
	if len(x) != len(y) || len(x) < least {
		t.Errorf("%d files and %d, expected as many, and %d or more", len(x), len(y), least)
	}
	for name, data := range x {
		if y[name] != data {
			t.Errorf("%s differs", name)
		}
	}
}

// contents are the files of a folder, or the file that it is.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filesOf(dir)
	all := map[string]string{}
	for _, name := range names {
		data, e := os.ReadFile(filepath.Join(dir, name))
		all[name], err = string(data), errors.Join(err, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPrism runs commands on prism in one process, and compares their output with one run.
func TestPrism(t *testing.T) {
	data := t.TempDir()
	if err := sample.WriteData(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]func(out string) []string{
		"build": func(out string) []string {
			return []string{"build", "--data", data, "--perturb", "mtteql/prefix-insertion", "--samples", "1", "--out", out}
		},
		"suite distill": func(out string) []string {
			return []string{"suite", "distill", "--data", data, "--databases", "10", "--out", out}
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			cmd, log := start(t, "tabperturb-beam", append([]string{"--shares", "3"}, line(out)...)...)
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			same(t, whole(t, line), out, 5)
		})
	}
}

// bucket fills one with the files of a folder.
func bucket(t *testing.T, uri, dir string) filesystem.Interface {
	t.Helper()
	fs, err := filesystem.New(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, dir) {
		if err := filesystem.Write(t.Context(), fs, uri+"/"+name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// TestS3 has data, parts and output in a bucket that is asked by S3's protocol, of a server in
// this process.
func TestS3(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	bucket(t, "s3://bucket", dir)
	line := func(dir, out string) []string {
		return []string{"build", "--data", dir + "/data", "--perturb", "mtteql/prefix-insertion", "--samples", "1", "--out", out}
	}
	for range 2 { // the second does no share again
		p, err := pipeline(cluster.Job{Args: line("s3://bucket", "s3://bucket/out"), Shares: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := beamx.Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	if err := fetch(t.Context(), "s3://bucket/out", out); err != nil {
		t.Fatal(err)
	}
	same(t, whole(t, func(out string) []string { return line(dir, out) }), out, 5)
}

// TestBucket has inputs, parts and outputs in a bucket, here one in memory.
func TestBucket(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	tables := `{"id": "clubs", "caption": "clubs of a league", "header": ["club", "stadium"], "rows": [["Rovers", "Moor Lane"]]}`
	for name, text := range map[string]string{"tables.jsonl": tables, "answer.sh": answers} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bucket(t, "memfs://bucket", dir)
	for name, line := range map[string]string{
		"build":         "build --data DIR/data --perturb mtteql/prefix-insertion --samples 1",
		"suite distill": "suite distill --data DIR/data --databases 5",
		"candidates":    "candidates --data DIR/data",
		"corpus build":  "corpus build --source jsonl:DIR/tables.jsonl",
		"predict":       "predict --data DIR/data --victim exec:sh${IFS}DIR/answer.sh --model toy --repeat 2",
		"attack":        "attack --data DIR/data --buckets DIR/names/buckets.json --victim linker --budget 3",
	} {
		t.Run(name, func(t *testing.T) {
			in := func(dir, out string) []string {
				return append(strings.Fields(strings.ReplaceAll(line, "DIR", dir)), "--out", out)
			}
			names := filepath.Join(dir, "names")
			if name == "attack" {
				out := whole(t, func(out string) []string {
					return []string{"candidates", "--data", filepath.Join(dir, "data"), "--out", out}
				})
				if err := errors.Join(os.MkdirAll(names, 0o777), os.Rename(out, filepath.Join(names, "buckets.json"))); err != nil {
					t.Fatal(err)
				}
				bucket(t, "memfs://bucket", dir)
			}
			to := "memfs://bucket/" + strings.ReplaceAll(name, " ", "-")
			p, err := pipeline(cluster.Job{Args: in("memfs://bucket", to), Shares: 3})
			if err != nil {
				t.Fatal(err)
			}
			if err := beamx.Run(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "out")
			if err := fetch(t.Context(), to, out); err != nil {
				t.Fatal(err)
			}
			one := whole(t, func(out string) []string { return in(dir, out) })
			same(t, one, out, 1)
			if name == "predict" {
				if err := fetch(t.Context(), to+".2", out+".2"); err != nil {
					t.Fatal(err)
				}
				same(t, one+".2", out+".2", 1)
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

// TestBucketAgain runs a pipeline a second time, which does no share again, and one over others'
// objects, which is refused.
func TestBucketAgain(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	fs := bucket(t, "memfs://bucket", dir)
	again := func() error {
		p, err := pipeline(cluster.Job{Args: []string{"build", "--data", "memfs://bucket/again", "--perturb", "mtteql/prefix-insertion", "--samples", "1", "--out", "memfs://bucket/out"}, Shares: 3})
		if err != nil {
			return err
		}
		return beamx.Run(t.Context(), p)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	part := "memfs://bucket/out.part-2-of-3.tar.gz"
	before, err := fs.(filesystem.LastModifiedGetter).LastModified(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Fatal(err)
	}
	if after, err := fs.(filesystem.LastModifiedGetter).LastModified(t.Context(), part); err != nil || !after.Equal(before) {
		t.Errorf("%s was made again: %v", part, err)
	}
	if err := filesystem.Write(t.Context(), fs, "memfs://bucket/out/mine.txt", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if err := again(); err == nil || !strings.Contains(err.Error(), "mine.txt: is there and is no file of the output") {
		t.Errorf("wrote among others' objects: %v", err)
	}
}

// spider is Spider dev as a data directory, or skips the test.
func spider(t *testing.T) string {
	dir := t.TempDir()
	for name, target := range map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"dev.json":    shared.File(t, "data", "spider", "dev.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// port returns one that nobody listens at.
func port(t *testing.T) string {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, p, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listening waits until somebody listens at a port.
func listening(t *testing.T, port string) {
	t.Helper()
	for range 600 {
		if c, err := net.Dial("tcp", "localhost:"+port); err == nil {
			c.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("nobody listens at %s after a minute", port)
}

// TestKilled builds Spider dev in sixteen shares on prism as a job server, with its workers in a
// third process, which is killed on the way. Prism does not retry what failed ("Prism doesn't
// retry failed bundles, and simply fails the job instead", runners/prism/internal/README.md): the
// run fails and names what is not done, and the same command does that alone.
func TestKilled(t *testing.T) {
	data, dir := spider(t), t.TempDir()
	line := func(out string) []string {
		return []string{"build", "--data", data, "--perturb", "mtteql", "--samples", "2", "--out", out}
	}
	jobs, pool, out := port(t), port(t), filepath.Join(dir, "out")
	start(t, "prism "+jobs)
	listening(t, jobs)
	workers, _ := start(t, "tabperturb-beam", "--pool", pool)
	listening(t, pool)
	args := append([]string{
		"--runner", "universal", "--endpoint", "localhost:" + jobs,
		"--environment_type", "external", "--environment_config", "localhost:" + pool, "--shares", "16",
	}, line(out)...)
	job := cluster.Job{Args: line(out), Shares: 16}

	first, log := start(t, "tabperturb-beam", args...)
	begun := func() int {
		partial, _ := filepath.Glob(out + ".part-*.partial")
		return len(partial)
	}
	for range 6000 {
		if missing, _ := job.Missing(); len(missing) <= 14 && begun() > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := workers.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatalf("the run did not fail with its workers killed\n%s", log)
	}
	missing, err := job.Missing()
	if err != nil || len(missing) == 0 || len(missing) > 14 {
		t.Fatalf("shares %v are not done, %v, expected some of 16 and at most 14\n%s", missing, err, log)
	}
	if want := "shares that are not done: " + strings.Trim(fmt.Sprint(missing), "[]"); !strings.Contains(log.String(), want) {
		t.Errorf("the run does not say %q\n%s", want, log)
	}
	t.Logf("killed with %d of 16 shares done and %d begun", 16-len(missing), begun())
	done := map[int]os.FileInfo{}
	for i := 1; i <= 16; i++ {
		if info, err := os.Stat(filepath.Join(cluster.PartPath(out, i, 16), cluster.PartFile)); err == nil {
			done[i] = info
		}
	}

	start(t, "tabperturb-beam", "--pool", pool)
	listening(t, pool)
	second, log := start(t, "tabperturb-beam", args...)
	if err := second.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	for i, before := range done {
		if after, err := os.Stat(filepath.Join(cluster.PartPath(out, i, 16), cluster.PartFile)); err != nil || !os.SameFile(before, after) {
			t.Errorf("share %d was done again: %v", i, err)
		}
	}
	same(t, whole(t, line), out, 100)
}

// TestUntar reads archives that would write elsewhere.
func TestUntar(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := pack(&b, dir); err != nil {
		t.Fatal(err)
	}
	if err := untar(bytes.NewReader(b.Bytes()), filepath.Join(dir, "same")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"../b", "/tmp/b"} {
		var evil bytes.Buffer
		zw := gzip.NewWriter(&evil)
		tw := tar.NewWriter(zw)
		if err := errors.Join(tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644}), tw.Close(), zw.Close()); err != nil {
			t.Fatal(err)
		}
		if err := untar(&evil, filepath.Join(dir, "to")); err == nil {
			t.Errorf("an archive with %s was read", name)
		}
	}
	for n := range b.Len() {
		if err := untar(bytes.NewReader(b.Bytes()[:n]), filepath.Join(dir, "cut")); err == nil {
			t.Errorf("an archive that breaks off after %d of %d bytes was read", n, b.Len())
		}
	}
}
