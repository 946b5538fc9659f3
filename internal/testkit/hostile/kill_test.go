//go:build attack

package hostile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// whole is what a command leaves that is not disturbed, and how long it takes.
type whole struct {
	files map[string]string
	took  time.Duration
}

var wholes = struct {
	sync.Mutex
	of map[string]*whole
}{of: map[string]*whole{}}

// undisturbed runs a command once.
func undisturbed(t *testing.T, c *command) *whole {
	t.Helper()
	wholes.Lock()
	defer wholes.Unlock()
	if w := wholes.of[c.name]; w != nil {
		return w
	}
	dir := t.TempDir()
	r := run(dir, c.args(inputs(t))...)
	if err := r.ok(); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	w := &whole{files: outputs(t, dir, c), took: r.took}
	wholes.of[c.name] = w
	return w
}

// outputs returns the files of all outputs of a command, without what tells of the folder
// that the command ran in.
func outputs(t *testing.T, dir string, c *command) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, out := range c.outs() {
		for name, data := range tree(t, filepath.Join(dir, out)) {
			all[filepath.Join(out, name)] = strings.ReplaceAll(data, dir, "DIR")
		}
	}
	return all
}

// TestKill kills commands at random moments, and at the moments at which they begin and
// end to write; what runs next makes the same bytes as a run that nothing disturbs, and
// leaves nothing else. In every second case there is an older output, which is never gone.
func TestKill(t *testing.T) {
	in := inputs(t)
	rng := rand.New(rand.NewPCG(*seed, 1))
	for i, done := 0, 0; done < *kills && i < 3**kills; i++ {
		c := &commands[i%len(commands)]
		round := i / len(commands)
		if c.slow && round%3 > 0 {
			continue
		}
		w := undisturbed(t, c)
		at := time.Duration(rng.Float64() * float64(w.took))
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		args := c.args(in)
		older := round%2 == 1
		if older {
			if err := run(dir, args...).ok(); err != nil {
				t.Fatal(c.name, err)
			}
		}
		begin := time.Now()
		killed := kill(t, dir, args, at, round%3 == 2)
		if !killed { // it had ended by then
			os.RemoveAll(dir)
			continue
		}
		done++
		if older && len(outputs(t, dir, c)) == 0 {
			tally.add(t, "kill: "+c.name, 0, fmt.Errorf("killed after %v: the older output is gone", at))
			continue
		}
		if c.resume && round%4 < 2 {
			args = append(args, "--resume")
		}
		r := run(dir, args...)
		err := r.ok()
		if err == nil {
			err = differ(w.files, outputs(t, dir, c))
		}
		if err == nil {
			err = leftOver(dir, append(c.outs(), ".cache")...)
		}
		if err != nil {
			err = fmt.Errorf("%s, killed after %v (older output %v): %w", strings.Join(args, " "), at, older, err)
		}
		tally.add(t, "kill: "+c.name, time.Since(begin), err)
		os.RemoveAll(dir)
	}
	if err := leftOver(filepath.Join(in, "data"), "tables.json", "dev.json", "database", "predictions.txt", "entities.json"); err != nil {
		t.Errorf("beside the inputs: %v", err)
	}
}

// kill starts a command and kills it after some time, or, where it waits, at the first
// change in its folder after that; it reports whether the command had not ended by then.
func kill(t *testing.T, dir string, args []string, after time.Duration, wait bool) bool {
	t.Helper()
	cmd := start(context.Background(), dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	if wait {
		after /= 2
	}
	select {
	case <-done:
		return false
	case <-time.After(after):
	}
	if wait {
		before := names(dir)
		for range 5000 {
			if names(dir) != before || len(done) > 0 {
				break
			}
			time.Sleep(200 * time.Microsecond)
		}
	}
	running := len(done) == 0
	cmd.Process.Kill()
	<-done
	return running
}

// names joins the names in a folder.
func names(dir string) string {
	var all []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// TestTwice runs each command twice at once on one output: both may come to their end one
// after the other, else one says that another run is at work. What is there is whole.
func TestTwice(t *testing.T) {
	in := inputs(t)
	for round := range 3 {
		for i := range commands {
			c := &commands[i]
			w := undisturbed(t, c)
			dir := t.TempDir()
			begin := time.Now()
			var results [2]*result
			var wg sync.WaitGroup
			for k := range results {
				wg.Go(func() {
					time.Sleep(time.Duration(k*round) * 15 * time.Millisecond)
					results[k] = run(dir, c.args(in)...)
				})
			}
			wg.Wait()
			tally.add(t, "two processes: "+c.name, time.Since(begin), twice(t, dir, c, w, results[:]))
		}
	}
}

func twice(t *testing.T, dir string, c *command, w *whole, results []*result) error {
	t.Helper()
	worked := 0
	for _, r := range results {
		if err := r.clean(); err != nil {
			return err
		}
		switch {
		case r.code == 0:
			worked++
		case !strings.Contains(r.stderr, "another run is at work there"):
			return fmt.Errorf("exit code %d:\n%s", r.code, r.stderr)
		}
	}
	if worked == 0 {
		return fmt.Errorf("none worked:\n%s%s", results[0].stderr, results[1].stderr)
	}
	if err := differ(w.files, outputs(t, dir, c)); err != nil {
		return err
	}
	return leftOver(dir, append(c.outs(), ".cache")...)
}
