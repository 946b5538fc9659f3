package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tabperturb": main})
}

// TestScripts runs the scripts of testdata/script. They have, beside the
// standard commands:
//
//	sampledata DIR [N DB...]  writes the embedded sample as a data directory; if
//	                          databases are named, those alone with N examples each
//	samplebuckets DIR FILE    writes the buckets of those databases of the sample
//	goldlines SPLIT FILE      writes the gold SQL of a split as lines "SQL TAB db_id"
//	sametree A B              fails unless two folders hold the same files
//	cutfile FILE N            keeps the first N bytes of a file
//	waitfile GLOB             waits until a file exists, at most ten minutes
//	exitcode N CMD...         runs a command, which must exit with N
//	servedir DIR VAR          serves a folder by HTTP, at the address that VAR gets
//	servemodel HOW VAR        serves a large model, at the address that VAR gets
//	freeport VAR              finds a port that nobody listens at
//	fetch URL [FILE]          prints what a URL answers, to a file of JSON if given
//	cluster HOW N             runs a job of docs/cluster as N local processes
//
// and those of damage_test.go.
func TestScripts(t *testing.T) {
	cmds := damageCommands()
	maps.Copy(cmds, map[string]func(*testscript.TestScript, bool, []string){
		"sampledata":    sampleData,
		"samplebuckets": sampleBuckets,
		"goldlines":     goldLines,
		"sametree":      sameTree,
		"waitfile":      waitFile,
		"exitcode":      exitCode,
		"servedir":      serveDir,
		"servemodel":    serveModel,
		"freeport":      freePort,
		"fetch":         fetch,
		"cluster":       cluster,
	})
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), Cmds: cmds, Setup: func(e *testscript.Env) error {
		e.Setenv("GOGC", os.Getenv("GOGC")) // testscript passes on no environment of the test
		return nil
	}})
}

func sampleData(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(sample.WriteData(context.Background(), dir))
	if len(args) == 1 {
		return
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	keepItems(ts, filepath.Join(dir, "dev.json"), args[2:], n)
	keepItems(ts, filepath.Join(dir, "tables.json"), args[2:], 1)
	dbs, err := os.ReadDir(filepath.Join(dir, "database"))
	ts.Check(err)
	for _, db := range dbs {
		if !slices.Contains(args[2:], db.Name()) {
			ts.Check(os.RemoveAll(filepath.Join(dir, "database", db.Name())))
		}
	}
}

// keepItems keeps the first n items of each named database in a file of JSON.
func keepItems(ts *testscript.TestScript, path string, dbs []string, n int) {
	data, err := os.ReadFile(path)
	ts.Check(err)
	var all []json.RawMessage
	ts.Check(json.Unmarshal(data, &all))
	var kept [][]byte
	for _, db := range dbs {
		on := slices.DeleteFunc(slices.Clone(all), func(item json.RawMessage) bool {
			var of struct {
				DB string `json:"db_id"`
			}
			ts.Check(json.Unmarshal(item, &of))
			return of.DB != db
		})
		for _, item := range on[:min(n, len(on))] {
			kept = append(kept, item)
		}
	}
	ts.Check(os.WriteFile(path, fmt.Appendf(nil, "[\n%s\n]\n", bytes.Join(kept, []byte(",\n"))), 0o666))
}

func goldLines(ts *testscript.TestScript, _ bool, args []string) {
	var lines bytes.Buffer
	split := ts.MkAbs(args[0])
	for ex, err := range streamtest.AllOfFile(dataset.ReadGold, filepath.Join(filepath.Dir(split), filepath.Base(split))) {
		ts.Check(err)
		sql, err := dataset.GoldLine(ex.Query)
		ts.Check(err)
		fmt.Fprintf(&lines, "%s\t%s\n", sql, ex.DB)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), lines.Bytes(), 0o666))
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
	for range 60000 {
		if found, err := filepath.Glob(ts.MkAbs(args[0])); err == nil && len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s: did not appear within ten minutes", args[0])
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
