//go:build attack

package hostile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOutputs gives each command an output that cannot be, or must not be, written: it
// says so, exits with 2, and changes nothing.
func TestOutputs(t *testing.T) {
	in := inputs(t)
	for i := range commands {
		c := &commands[i]
		for _, o := range odd {
			dir := t.TempDir()
			out := o.make(t, dir)
			args := c.args(in)
			for j, arg := range args {
				if arg == "OUT" {
					args[j] = out
				}
			}
			before := tree(t, dir)
			r := run(dir, args...)
			err := r.clean()
			if err == nil && r.code != 2 {
				err = fmt.Errorf("exit code %d, expected 2", r.code)
			}
			if err == nil {
				err = differ(before, without(tree(t, dir), ".cache"))
			}
			if err == nil && out == os.DevNull {
				if info, e := os.Stat(os.DevNull); e != nil || info.Mode().IsRegular() {
					t.Fatalf("%s replaced %s", c.name, os.DevNull)
				}
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", c.name, err)
			}
			tally.add(t, "output: "+o.name, r.took, err)
		}
	}
}

func without(files map[string]string, folder string) map[string]string {
	for name := range files {
		if strings.HasPrefix(name, folder+string(filepath.Separator)) {
			delete(files, name)
		}
	}
	return files
}

// odd are places at which nothing can be written, or what is there must stay.
var odd = []struct {
	name string
	make func(t *testing.T, dir string) string
}{
	{"a device", func(*testing.T, string) string { return os.DevNull }},
	{"below a file", func(t *testing.T, dir string) string {
		put(t, filepath.Join(dir, "file"), "mine")
		return filepath.Join(dir, "file", "out")
	}},
	{"a link that leads nowhere", func(t *testing.T, dir string) string {
		if err := os.Symlink(filepath.Join(dir, "no", "where"), filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "link")
	}},
	{"a folder of others", func(t *testing.T, dir string) string {
		put(t, filepath.Join(dir, "thesis", "chapter.tex"), "years of work")
		return filepath.Join(dir, "thesis")
	}},
	{"where nothing can be made", func(*testing.T, string) string { return "/proc/self/out" }},
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// overwrites are commands that are to write over what they read.
var overwrites = []string{
	"candidates --data IN/small --out IN/small/dev.json",
	"candidates --data IN/small --out new.json --explain IN/small/tables.json",
	"candidates --data IN/small --out IN/small/database/town_library/town_library.sqlite",
	"candidates --data IN/small --corpus IN/corpus --out IN/corpus/meta.json",
	"candidates --data IN/small --out IN/new.json --explain IN/new.json",
	"link --data IN/data --out IN/data/tables.json",
	"link train --data IN/data --split dev --out IN/data/dev.json",
	"predict --data IN/small --victim linker --out IN/small/dev.json",
	"predict --data IN/small --prompts IN/small/tables.json",
	"predict --data IN/small --victim exec:cat --out new.sql --record IN/small/dev.json",
	"predict --data IN/small --victim exec:cat --out new.sql --record new.sql",
	"predict --build IN/bench --victim linker --out IN/bench",
	"attack --data IN/small --buckets IN/few.json --victim linker --out IN/small",
	"attack --data IN/small --buckets IN/few.json --victim exec:cat --out new --record IN/few.json",
	"eval --gold IN/data/dev.json --pred IN/data/predictions.txt --verdicts IN/data/predictions.txt",
	"eval --gold IN/data/dev.json --pred IN/data/predictions.txt --verdicts IN/data/tables.json",
	"eval --gold IN/data/dev.json --pred IN/data/predictions.txt --verdicts IN/data/database/town_library/town_library.sqlite",
	"eval --gold IN/data/dev.json --pred IN/data/predictions.txt --suite IN/suite --verdicts IN/suite/manifest.json",
	"compare IN/a.json IN/b.json --junit IN/a.json",
	"report IN/bench IN/a.json --format html --out IN/a.json",
	"report IN/bench --format html --out IN/bench/records.parquet",
	"nli score --in IN/pairs.tsv --out IN/pairs.tsv",
	"lexicon similarity --in IN/words.tsv --out IN/words.tsv",
	"lexicon import --in IN/vectors.txt --out IN/vectors.txt",
	"lexicon annotate --tables IN/data/tables.json --out IN/data/tables.json",
	"review merge IN/ann.jsonl --buckets IN/buckets.json --out IN/buckets.json",
	"review merge IN/ann.jsonl --buckets IN/buckets.json --out IN/ann.jsonl",
	"build --data IN/small --buckets IN/few.json --replay IN/bench --out IN/bench",
	"build --data IN/bench/adveta/replace/post --buckets IN/few.json --out IN/bench",
	"mix --build IN/bench --out IN/bench",
	"convert --from spider:IN/data --to spider --out IN/data",
	"corpus build --source jsonl:IN/tables --out IN/tables",
	"suite distill --data IN/small --out IN/small",
	"review sample IN/data=IN/buckets.json=mine --size 10 --out IN/data",
	"eval consistency --build IN/bench --perturb adveta/replace --pred-pre IN/few.sql --pred-post IN/few.sql --heatmap IN/few.sql",
	"eval consistency --build IN/bench --perturb adveta/replace --pred-pre IN/few.sql --pred-post IN/few.sql --heatmap IN/bench/manifest.json",
}

// TestOverwrites: an input is never an output.
func TestOverwrites(t *testing.T) {
	in := inputs(t)
	before := tree(t, in)
	for _, line := range overwrites {
		r := run(t.TempDir(), strings.Fields(strings.ReplaceAll(line, "IN/", in+"/"))...)
		err := r.clean()
		if err == nil && r.code != 2 {
			err = fmt.Errorf("exit code %d, expected 2", r.code)
		}
		if err == nil {
			err = differ(before, tree(t, in))
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", line, err)
		}
		tally.add(t, "output: an input", r.took, err)
	}
}

// printing are commands that print.
var printing = []string{
	"stats --data IN/data", "doctor --data IN/data", "list", "version", "list --json", "corpus search --corpus IN/corpus --query ship",
	"suite show IN/suite", "candidates --data IN/small --out OUT", "convert --from spider:IN/small --to spider --out OUT",
	"suite distill --data IN/small --databases 1 --out OUT", "build --data IN/small --buckets IN/few.json --samples 1 --out OUT", "mix --build IN/bench --out OUT",
	"eval --gold IN/data/dev.json --pred IN/data/predictions.txt", "eval --gold IN/data/dev.json --pred IN/data/predictions.txt --json",
	"show IN/bench -n 1", "eval conformance", "eval link --data IN/data --gold IN/links.jsonl --pred IN/links.jsonl", "link --data IN/small --out OUT",
	"compare IN/a.json IN/b.json --max-drop 100", "report IN/bench --format md", "report IN/bench --format html --out OUT", "nli score --in IN/pairs.tsv",
	"lexicon similarity --in IN/words.tsv", "lexicon import --in IN/vectors.txt --out OUT", "lexicon annotate --tables IN/data/tables.json --out OUT",
	"corpus build --source csv:IN/table.csv --out OUT", "review merge IN/ann.jsonl --buckets IN/buckets.json --out OUT", "models list",
	"review sample IN/data=IN/buckets.json=mine --size 10 --out OUT", "eval --help", "demo --out OUT",
}

// TestFullOutput prints to a disk that is full.
func TestFullOutput(t *testing.T) {
	in := inputs(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, line := range printing {
		ctx, cancel := context.WithTimeout(t.Context(), maxTime)
		cmd := start(ctx, t.TempDir(), strings.Fields(strings.ReplaceAll(line, "IN/", in+"/"))...)
		cmd.Stdout = full
		r := finish(cmd)
		cancel()
		err := r.clean()
		if err == nil && (r.code != 2 || !strings.Contains(r.stderr, "no space left")) {
			err = fmt.Errorf("exit code %d, expected 2 and why: %s", r.code, r.stderr)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", line, err)
		}
		tally.add(t, "full disk: standard output", r.took, err)
	}
}

// TestFullDisk writes where files can have but so many bytes: what was there stays.
func TestFullDisk(t *testing.T) {
	in := inputs(t)
	for i := range commands {
		c := &commands[i]
		w := undisturbed(t, c)
		for _, blocks := range []int{0, 1, 8} { // of 512 or 1024 bytes, by the shell
			largest := 0
			for _, data := range w.files {
				largest = max(largest, len(data))
			}
			if largest <= blocks<<10 {
				continue
			}
			dir := t.TempDir()
			if err := run(dir, c.args(in)...).ok(); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), maxTime)
			plain := start(ctx, dir, c.args(in)...)
			cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), binary}, c.args(in)...)...)
			cmd.Dir, cmd.Env = plain.Dir, plain.Env
			r := finish(cmd)
			cancel()
			err := r.clean()
			if err == nil && r.code != 2 {
				err = fmt.Errorf("exit code %d, expected 2: %s", r.code, r.stderr)
			}
			got := outputs(t, dir, c)
			if err == nil && c.name != "demo" { // which replaces its parts one by one
				err = differ(w.files, got)
			}
			if err == nil {
				if err = run(dir, c.args(in)...).ok(); err == nil {
					err = differ(w.files, outputs(t, dir, c))
				}
			}
			if err == nil {
				err = leftOver(dir, append(c.outs(), ".cache")...)
			}
			if err != nil {
				err = fmt.Errorf("%s, %d blocks: %w", c.name, blocks, err)
			}
			tally.add(t, "full disk: files", r.took, err)
		}
	}
}

// TestChanging edits a database while it is worked on: the run says so, or its output is
// that of one of the two states.
func TestChanging(t *testing.T) {
	in := inputs(t)
	for _, line := range []string{
		"build --data DATA --buckets IN/few.json --samples 1 --out OUT",
		"suite distill --data DATA --databases 4 --out OUT",
	} {
		args := func(data string) []string {
			return strings.Fields(strings.NewReplacer("IN/", in+"/", "DATA", data).Replace(line))
		}
		states := []map[string]string{}
		for _, edited := range []bool{false, true} {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			if err := copyAll(filepath.Join(in, "small"), data); err != nil {
				t.Fatal(err)
			}
			if edited {
				edit(t, data)
			}
			if err := run(dir, args(data)...).ok(); err != nil {
				t.Fatal(err)
			}
			states = append(states, tree(t, filepath.Join(dir, "OUT")))
		}
		for i := range 12 {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			if err := copyAll(filepath.Join(in, "small"), data); err != nil {
				t.Fatal(err)
			}
			cmd := start(t.Context(), dir, args(data)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			begin := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(i) * 40 * time.Millisecond)
			edit(t, data)
			failed := cmd.Wait() != nil
			var err error
			got := tree(t, filepath.Join(dir, "OUT"))
			switch {
			case failed && !strings.Contains(stderr.String(), "was changed while it was worked on"):
				err = fmt.Errorf("%s", stderr.String())
			case failed && len(got) > 0:
				err = fmt.Errorf("an output is there in spite of it")
			case !failed && differ(states[0], got) != nil && differ(states[1], got) != nil:
				err = fmt.Errorf("the output is of neither state")
			}
			tally.add(t, "input that changes", time.Since(begin), err)
		}
	}
}

// edit changes a database of a data directory.
func edit(t *testing.T, data string) {
	t.Helper()
	sqlite(t, filepath.Join(data, "database", "town_library", "town_library.sqlite"), "UPDATE books SET pages = pages + 1000")
}
