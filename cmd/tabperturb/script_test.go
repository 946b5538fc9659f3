package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/sample"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tabperturb": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			code := run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
			stop()
			os.Exit(code)
		},
	})
}

// TestScripts runs the scripts of testdata/script. They have, beside the
// standard commands:
//
//	sampledata DIR            writes the embedded sample as a data directory
//	sametree A B              fails unless two folders hold the same files
//	cutfile FILE N            keeps the first N bytes of a file
//	waitfile GLOB             waits until a file exists, at most a minute
//	exitcode N CMD...         runs a command, which must exit with N
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sampledata": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(sample.WriteData(context.Background(), ts.MkAbs(args[0])))
			},
			"sametree": sameTree,
			"cutfile": func(ts *testscript.TestScript, _ bool, args []string) {
				var n int64
				_, err := fmt.Sscan(args[1], &n)
				ts.Check(err)
				ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
			},
			"waitfile": waitFile,
			"exitcode": exitCode,
		},
	})
}

func sameTree(ts *testscript.TestScript, _ bool, args []string) {
	a, b := files(ts, ts.MkAbs(args[0])), files(ts, ts.MkAbs(args[1]))
	for name, data := range a {
		if other, ok := b[name]; !ok {
			ts.Fatalf("%s: only in %s", name, args[0])
		} else if data != other {
			ts.Fatalf("%s: differs between %s and %s", name, args[0], args[1])
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			ts.Fatalf("%s: only in %s", name, args[1])
		}
	}
	if len(a) == 0 {
		ts.Fatalf("%s: is empty", args[0])
	}
}

func files(ts *testscript.TestScript, dir string) map[string]string {
	out := map[string]string{}
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(data)
		return err
	}))
	return out
}

func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	for range 6000 {
		if found, err := filepath.Glob(ts.MkAbs(args[0])); err == nil && len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s: did not appear within a minute", args[0])
}

func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	var want int
	_, err := fmt.Sscan(args[0], &want)
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
