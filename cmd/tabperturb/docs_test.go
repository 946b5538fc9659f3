package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

var update = flag.Bool("update", false, "write the outputs into README.md and docs")

// elision stands in a page for lines that are not shown.
const elision = "…"

// demoCommand is run once for all pages: each finds its folder.
const demoCommand = "tabperturb demo"

// longPages take some seconds each. What their commands do, scripts do on less data.
var longPages = []string{"docs/benchmark.md", "docs/names.md", "docs/perturbations.md", "docs/reproduce.md", "docs/scale.md", "docs/victims.md", "docs/your-own-database.md"}

// screen is how many lines the demo prints at most.
const screen = 30

// TestPages runs every "$" line of README.md and of the pages of docs and
// compares what it prints with the lines below it. What it prints under "Next" is
// run as well. A page has a folder of its own, in which tabperturb-demo stands
// already. With -update the outputs are written into the pages. The pages of
// [longPages] are of make quality, and so is what other pages print under "Next".
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: what pages run, scripts do too")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	env := pageEnv(t)
	demo := runDemo(t, env)
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(longPages, filepath.ToSlash(name)) && !*update {
				shared.Quality(t)
			}
			p := &page{name: name, dir: t.TempDir(), env: env, makefile: makefile, demo: demo.demo, next: maps.Clone(demo.next)}
			if err := os.Symlink(filepath.Join(demo.dir, "tabperturb-demo"), filepath.Join(p.dir, "tabperturb-demo")); err != nil {
				t.Fatal(err)
			}
			p.check(t, path)
		})
	}
}

// runDemo does the main job as on a fresh machine, but for a folder that an older
// demo made, which it takes over: names with scores, a verified benchmark, the files.
func runDemo(t *testing.T, env []string) *page {
	p := &page{name: demoCommand, dir: t.TempDir(), env: env}
	dir := filepath.Join(p.dir, "tabperturb-demo")
	older := map[string]string{"tabperturb-demo.txt": "", "buckets.json": "[]"}
	for name, text := range older {
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	p.demo = p.run(t, demoCommand)
	p.runNext(t, p.demo)
	if len(p.demo) > screen {
		t.Errorf("the demo prints %d lines, expected at most %d", len(p.demo), screen)
	}
	printed := strings.Join(p.demo, "\n")
	for _, want := range []string{
		"\ntown_library.books +REPLACE +ADD\n", "\nadveta/replace +106 ", "\nadveta/add +106 ",
		"\nwrote tabperturb-demo/benchmark",
	} {
		if !regexp.MustCompile(want).MatchString(printed) {
			t.Errorf("the demo prints no %q", want)
		}
	}
	for _, name := range []string{
		"buckets.json", "rejected-names.jsonl", "benchmark/manifest.json", "benchmark/records.parquet", "benchmark/adveta/replace/post/tables.json",
		"benchmark/adveta/replace/post/dev.json", "benchmark/adveta/replace/post/dev_gold.sql", "benchmark/adveta/add/pre/database/town_library/town_library.sqlite",
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 2 {
			t.Errorf("%s: %v, expected the demo to write it", name, err)
		}
	}
	if made, err := os.ReadFile(filepath.Join(dir, "tabperturb-demo.txt")); !bytes.Contains(made, []byte("Made by")) {
		t.Errorf("tabperturb-demo.txt holds %q, %v", made, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "benchmark.partial")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("benchmark.partial is left over: %v", err)
	}
	return p
}

// pageEnv is an environment in which the test binary is the program: it is that
// where it is called by its name.
func pageEnv(t *testing.T) []string {
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "tabperturb")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(),
		"TABPERTURB_MODELS="+filepath.Join(bin, "models"),
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// page is a document whose commands are run.
type page struct {
	name     string
	dir      string
	env      []string
	makefile []byte
	demo     []string        // what demoCommand prints
	next     map[string]bool // the lines under "Next" that were run
}

func (p *page) check(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(command, "make "); ok {
			target, _, _ = strings.Cut(target, " ")
			if !bytes.Contains(p.makefile, []byte("\n"+target+":")) {
				t.Errorf("%s:%d: the Makefile has no target %s", p.name, i+1, target)
			}
			continue
		}
		var shown []string
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") && lines[i+1] != "```" {
			i++
			shown = append(shown, lines[i])
		}
		got := p.run(t, command)
		if shared.Whole() {
			p.runNext(t, got)
		}
		switch {
		case matches(shown, got):
		case *update:
			shown = abridge(shown, got)
		default:
			t.Errorf("%s:%d: $ %s\nprints\n%s\nthe page shows\n%s", p.name, i+1, command, strings.Join(got, "\n"), strings.Join(shown, "\n"))
		}
		out = append(out, shown...)
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *page) run(t *testing.T, command string) []string {
	if command == demoCommand && p.demo != nil {
		return slices.Clone(p.demo)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = p.dir, p.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil || command == demoCommand && stderr.Len() > 0 {
		t.Errorf("%s: $ %s: %v\n%s", p.name, command, err, &stderr)
	}
	return strings.Split(strings.TrimRight(string(stdout), "\n"), "\n")
}

// runNext runs the lines that a command printed under "Next" in a copy of the folder of the page. Each is followed to its end, through
// the lines that it prints itself, before the one after it, and runs once a page.
func (p *page) runNext(t *testing.T, printed []string) {
	lines := nextLines(t, printed)
	if len(lines) == 0 {
		return
	}
	user := &page{name: p.name, dir: filepath.Join(t.TempDir(), "copy"), env: p.env}
	if err := os.CopyFS(user.dir, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	if p.next == nil {
		p.next = map[string]bool{}
	}
	for len(lines) > 0 {
		line, others := lines[0], lines[1:]
		lines = others
		if !p.next[line] {
			p.next[line] = true
			lines = append(nextLines(t, user.follow(t, line)), others...)
		}
	}
}

// nextLines returns the command lines that stand under "Next" in an output.
func nextLines(t *testing.T, printed []string) (lines []string) {
	for _, line := range printed[slices.Index(append(slices.Clone(printed), "Next"), "Next"):] {
		if line, ok := strings.CutPrefix(line, "  "); ok {
			if !strings.HasPrefix(line, "tabperturb ") {
				t.Errorf("%q stands under Next, expected a command line of tabperturb", line)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// follow does what a person does who follows a line: gets the prompts answered that
// it takes the answers of, and ends the page of review.
func (p *page) follow(t *testing.T, line string) []string {
	switch fields := strings.Fields(line); {
	case slices.Contains(fields, "--answers"):
		p.run(t, `sed 's/"id":\("[^"]*"\).*/"id":\1,"sql":"SELECT 1"}/' prompts.jsonl > `+fields[slices.Index(fields, "--answers")+1])
	case fields[1] == "review" && fields[2] != "merge":
		p.review(t, line)
		return nil
	}
	return p.run(t, line)
}

// review runs the command review until it prints the address of its page.
func (p *page) review(t *testing.T, line string) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = p.dir, p.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address, _ := bufio.NewReader(stdout).ReadString('\n')
	interrupted := cmd.Process.Signal(os.Interrupt)
	_, read := io.Copy(io.Discard, stdout)
	if err := cmp.Or(interrupted, read, cmd.Wait()); err != nil || !strings.HasPrefix(address, "open http://127.0.0.1:") {
		t.Errorf("%s: $ %s: %v, printed %q\n%s", p.name, line, err, address, &stderr)
	}
}

// abridge cuts an output as the page shows it: as many lines at the head and at
// the tail, and lines of readable length.
func abridge(shown, got []string) []string {
	const width = 150
	head, tail := 13, 12
	if i := slices.Index(shown, elision); i >= 0 {
		head, tail = i, len(shown)-i-1
	}
	var out []string
	for i, line := range got {
		cut := len(got) > head+tail && i >= head && i < len(got)-tail
		if cut && i == head {
			out = append(out, elision)
		}
		if cut {
			continue
		}
		if r := []rune(line); len(r) > width {
			line = string(r[:width]) + elision
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// matches compares an output with what a page shows of it: a line "…" stands
// for any lines, and one at the end of a line for its rest.
func matches(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0
	}
	if shown[0] == elision {
		for i := range len(got) + 1 {
			if matches(shown[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	if prefix, ok := strings.CutSuffix(shown[0], elision); ok {
		return strings.HasPrefix(got[0], prefix) && matches(shown[1:], got[1:])
	}
	return strings.TrimRight(got[0], " ") == shown[0] && matches(shown[1:], got[1:])
}
