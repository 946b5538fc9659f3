package main

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/internal/testkit/postgres"
)

// TestPostgreSQL runs the scripts of testdata/postgresql, each against a server of its own with the sample of docs/postgresql, which
// lies in their folder too. They have two more commands: "lacks DIR TEXT" fails where a file of a folder has a text, and "capture NAME REGEXP" sets a variable
// to what the group of an expression matches in the output.
func TestPostgreSQL(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "postgresql", "*.txt"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		runOnServer(t, script)
	}
}

// sampleFolder is the folder of a database with questions.
var sampleFolder = filepath.Join("..", "..", "docs", "postgresql")

// runOnServer runs a script.
func runOnServer(t *testing.T, script string) {
	dsn := postgres.CreateDatabase(t, postgres.Start(t), "shop")
	postgres.Load(t, dsn, filepath.Join(sampleFolder, "shop.sql"))
	as := func(user *url.Userinfo) string {
		u, err := url.Parse(dsn)
		if err != nil {
			t.Fatal(err)
		}
		u.User = user
		return u.String()
	}
	reader := as(url.User("reader"))
	testscript.Run(t, testscript.Params{
		Files: []string{script},
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"sametree": sameTree, "exitcode": exitCode, "lacks": lacks, "capture": capture},
		Setup: func(e *testscript.Env) error {
			e.Setenv("DSN", dsn)
			e.Setenv("GOGC", os.Getenv("GOGC"))
			host := postgres.Connect(t, dsn).Config().Host
			e.Setenv("SOCKET", host)
			e.Setenv("READER", as(url.UserPassword("reader", "s3cret")))
			e.Setenv("OWNER", as(url.UserPassword("postgres", "s3cret")))
			e.Setenv("PGDUMP", postgres.Program(t, "pg_dump"))
			e.Setenv("PSQL", postgres.Program(t, "psql"))
			service := "[shops]\nhost=" + host + "\nuser=reader\ndbname=shop\n"
			return errors.Join(os.CopyFS(filepath.Join(e.WorkDir, "sample"), os.DirFS(sampleFolder)), os.WriteFile(filepath.Join(e.WorkDir, "service.conf"), []byte(service), 0o600),
				os.WriteFile(filepath.Join(e.WorkDir, "address"), []byte(reader+"\n"), 0o600))
		},
	})
}

// capture is the command "capture NAME REGEXP".
func capture(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("the output has no %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// lacks is the command "lacks DIR TEXT".
func lacks(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(args[1])) {
			ts.Fatalf("%s has %q", path, args[1])
		}
		return err
	}))
}
