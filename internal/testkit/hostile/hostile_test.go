//go:build attack

package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

var (
	seed   = flag.Uint64("seed", 1, "seed of all that is drawn")
	kills  = flag.Int("kills", 240, "how often a command is killed")
	spoils = flag.Int("mutations", 300, "damaged copies of each kind of file")
)

// Bounds on one run of a command on the sample, on a busy machine.
const (
	maxTime   = 90 * time.Second
	maxMemory = 1 << 30 // bytes
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) {
	if path := os.Getenv(asSQLite); path != "" {
		os.Exit(runSQLite(path))
	}
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "tabperturb-attack-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "tabperturb")
		if out, err := exec.Command("go", "build", "-o", binary, "../../../cmd/tabperturb").CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		code := m.Run()
		tally.print()
		return code
	}())
}

// counts is what was tried of each kind, and what of it fell.
type counts struct {
	mu    sync.Mutex
	tried map[string]int
	fell  map[string]int
	worst map[string]time.Duration
}

var tally = counts{tried: map[string]int{}, fell: map[string]int{}, worst: map[string]time.Duration{}}

// add counts an attack; where it succeeded the test fails.
func (c *counts) add(t *testing.T, kind string, took time.Duration, fault error) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried[kind]++
	c.worst[kind] = max(c.worst[kind], took)
	if fault != nil {
		c.fell[kind]++
		t.Errorf("%s: %v", kind, fault)
	}
}

func (c *counts) print() {
	tried, fell := 0, 0
	fmt.Printf("\n%-44s %7s %7s %10s\n", "attack", "tried", "fell", "longest")
	for _, kind := range slices.Sorted(maps.Keys(c.tried)) {
		fmt.Printf("%-44s %7d %7d %10v\n", kind, c.tried[kind], c.fell[kind], c.worst[kind].Round(10*time.Millisecond))
		tried, fell = tried+c.tried[kind], fell+c.fell[kind]
	}
	fmt.Printf("%-44s %7d %7d\n", "all", tried, fell)
}

// result is a run of the program.
type result struct {
	code           int
	stdout, stderr string
	took           time.Duration
	memory         int64 // bytes at most
}

// start prepares a run in a folder.
func start(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2", "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"), "TABPERTURB_API_KEY=secret-key-of-mine")
	return cmd
}

// run runs the program to its end.
func run(dir string, args ...string) *result {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	return finish(start(ctx, dir, args...))
}

func finish(cmd *exec.Cmd) *result {
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	begin := time.Now()
	err := cmd.Run()
	r := &result{stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begin), code: -1}
	if cmd.ProcessState != nil {
		r.code = cmd.ProcessState.ExitCode()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			r.memory = usage.Maxrss << 10
		}
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.stderr += err.Error()
	}
	return r
}

var panicked = regexp.MustCompile(`(?m)^panic:|^goroutine \d|runtime error|invalid memory address|fatal error:|slice bounds|index out of range`)

// clean reports whether a run kept the rule: in time and memory, no panic, and a clear line
// where it failed. A code of -1 is a kill.
func (r *result) clean() error {
	switch lines := strings.Split(strings.TrimSpace(r.stderr), "\n"); {
	case r.code < 0:
		return fmt.Errorf("did not end within %v:\n%s", maxTime, r.stderr)
	case r.memory > maxMemory:
		return fmt.Errorf("took %d MB", r.memory>>20)
	case panicked.MatchString(r.stderr + r.stdout):
		return fmt.Errorf("shows its inside:\n%.2000s", r.stderr)
	case r.code > 2:
		return fmt.Errorf("exit code %d:\n%.2000s", r.code, r.stderr)
	case r.code == 2 && !strings.HasPrefix(lines[len(lines)-1], "tabperturb: "):
		return fmt.Errorf("exit code 2 without a line that says why:\n%.2000s", r.stderr)
	}
	return nil
}

// ok is [result.clean] for a run that has nothing to complain of.
func (r *result) ok() error {
	if err := r.clean(); err != nil || r.code == 0 {
		return err
	}
	return fmt.Errorf("exit code %d:\n%.2000s", r.code, r.stderr)
}

// tree returns the files below a path with their content. What is not there is empty.
func tree(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(path, p)
		files[rel] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

// differ tells how two trees differ.
func differ(want, got map[string]string) error {
	for name, data := range want {
		if other, ok := got[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		} else if other != data {
			return fmt.Errorf("%s has other bytes", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s is too many", name)
		}
	}
	return nil
}

// leftOver returns an error where a folder holds anything but what it should.
func leftOver(dir string, allowed ...string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) {
			return fmt.Errorf("%s is left over", e.Name())
		}
	}
	return err
}

// place is a folder with all inputs of the commands.
var place = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(filepath.Dir(binary), "inputs-")
	if err != nil {
		return "", err
	}
	return dir, prepare(dir)
})

// prepare makes the inputs: the sample, and what commands make of it.
func prepare(dir string) error {
	if err := sample.WriteData(context.Background(), filepath.Join(dir, "data")); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "tables"), sample.Corpus()); err != nil {
		return err
	}
	if err := small(filepath.Join(dir, "data"), filepath.Join(dir, "small")); err != nil {
		return err
	}
	for name, text := range written {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if err := errors.Join(pack(dir), copyAll("../../../nli/compact/weights.bin", filepath.Join(dir, "names.bin"))); err != nil {
		return err
	}
	for _, line := range prepared {
		r := run(dir, strings.Fields(line)...)
		if err := r.ok(); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(printed)) {
		line := printed[name]
		r := run(dir, strings.Fields(line)...)
		if err := r.ok(); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(r.stdout), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// small copies a data directory with a few examples on two databases.
func small(data, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(data)); err != nil {
		return err
	}
	path := filepath.Join(dir, "dev.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var all, few []map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for i, ex := range all {
		if db := ex["db_id"]; i%3 == 0 && (db == "town_library" || db == "hill_farms") {
			few = append(few, ex)
		}
	}
	var gold strings.Builder
	for _, ex := range few {
		fmt.Fprintln(&gold, ex["query"])
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "few.sql"), []byte(gold.String()), 0o666); err != nil {
		return err
	}
	if text, err = json.Marshal(few); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// inputs returns that folder.
func inputs(t *testing.T) string {
	t.Helper()
	dir, err := place()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
