package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the outputs into README.md")

// elision stands in README.md for lines that are not shown.
const elision = "…"

// TestREADME runs every "$" line of README.md in order, in one folder, and
// compares what it prints with the lines below it. With -update it writes them.
func TestREADME(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the program where it is called by that name.
	if err := os.Symlink(self, filepath.Join(bin, "tabperturb")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TABPERTURB_MODELS", filepath.Join(bin, "models"))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Chdir(t.TempDir())

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
			if !bytes.Contains(makefile, []byte("\n"+target+":")) {
				t.Errorf("README.md:%d: the Makefile has no target %s", i+1, target)
			}
			continue
		}
		var shown []string
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") && lines[i+1] != "```" {
			i++
			shown = append(shown, lines[i])
		}
		got := runLine(t, command)
		if *update {
			out = append(out, abridge(got)...)
			continue
		}
		out = append(out, shown...)
		if !matches(shown, got) {
			t.Errorf("README.md:%d: $ %s\nprints\n%s\nREADME shows\n%s", i+1, command, strings.Join(got, "\n"), strings.Join(shown, "\n"))
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func runLine(t *testing.T, command string) []string {
	cmd := exec.CommandContext(context.Background(), "sh", "-c", command)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Errorf("$ %s: %v\n%s", command, err, &stderr)
	}
	return strings.Split(strings.TrimRight(string(stdout), "\n"), "\n")
}

// abridge keeps the first and the last lines of a long output, and a line of
// readable length.
func abridge(lines []string) []string {
	const head, tail, width = 13, 12, 150
	var out []string
	for i, line := range lines {
		switch {
		case len(lines) > head+tail && i == head:
			out = append(out, elision)
			continue
		case len(lines) > head+tail && i > head && i < len(lines)-tail:
			continue
		}
		if r := []rune(line); len(r) > width {
			line = string(r[:width]) + elision
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// matches compares an output with what README shows of it: a line "…" stands
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
