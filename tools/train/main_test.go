package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples parses the example of every command.
func TestExamples(t *testing.T) {
	for _, cmd := range root().Commands() {
		example := strings.Fields(cmd.Example)
		if len(example) < 2 || example[0] != "train" {
			t.Errorf("%s: example %q, expected one of train", cmd.Name(), cmd.Example)
			continue
		}
		found, args, err := root().Find(example[1:])
		if err == nil {
			err = found.ParseFlags(args)
		}
		if err == nil {
			err = found.ValidateRequiredFlags()
		}
		if err != nil {
			t.Errorf("%s: %v", cmd.Name(), err)
		}
	}
}

func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, log strings.Builder
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&log)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), log.String(), err
}

func TestVectors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.tpv.zst")
	web := filepath.Join(t.TempDir(), "web.csv")
	if err := os.WriteFile(web, []byte("dog,price\nRex,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := run(t, "vectors", "--synsets", "vectors/testdata/synsets.tsv", "--senses", "vectors/testdata/senses.tsv",
		"--headers", "csv:"+web, "--dim", "6", "--out", path)
	if err != nil || !strings.Contains(stdout, "of 6 components") {
		t.Errorf("error %v, output %q", err, stdout)
	}
	if want := "synsets.tsv:18: 2 fields, expected 6"; !strings.Contains(stderr, want) {
		t.Errorf("standard error %q, expected %q", stderr, want)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v: expected a file of vectors", info, err)
	}
}

func TestMissing(t *testing.T) {
	for _, args := range [][]string{
		{"names", "--synsets", "nowhere", "--senses", "nowhere"},
		{"questions", "--spider", "nowhere", "--spider-syn", "nowhere", "--tables", "nowhere"},
		{"vectors", "--synsets", "nowhere", "--senses", "nowhere"},
	} {
		if _, _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("%s: error %v, expected one that names the file", args[0], err)
		}
	}
	if _, _, err := run(t, "vectors", "--synsets", "x", "--senses", "x", "--headers", "csv"); err == nil || !strings.Contains(err.Error(), `--headers "csv": expected KIND:PATH`) {
		t.Errorf("error %v, expected one of the headers", err)
	}
}
