package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the "sqlite" driver

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// damageCommands are the commands with which scripts damage data and look at
// what became of it:
//
//	cutfile FILE N            keeps the first N bytes of a file
//	cuthalf FILE              keeps the first half of a file
//	flipbyte FILE             inverts the byte in the middle of a file
//	writeahead FILE           lays a write-ahead log with changes beside a database
//	gzip FILE                 packs a file into FILE.gz, in its place
//	subst FILE OLD NEW [N]    replaces OLD, where it first occurs, with N times NEW;
//	                          escapes such as \xff in NEW are as in Go
//	sqlite FILE SQL           runs statements on a database
//	json FILE                 fails unless a file, or stdout, is one JSON value
//	tidy                      fails if anything in $WORK is left half done
func damageCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"cutfile": func(ts *testscript.TestScript, _ bool, args []string) {
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			edit(ts, args[0], func(data []byte) []byte { return data[:n] })
		},
		"cuthalf": func(ts *testscript.TestScript, _ bool, args []string) {
			edit(ts, args[0], func(data []byte) []byte { return data[:len(data)/2] })
		},
		"flipbyte": func(ts *testscript.TestScript, _ bool, args []string) {
			edit(ts, args[0], func(data []byte) []byte {
				data[len(data)/2] ^= 0xff
				return data
			})
		},
		"writeahead": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(os.WriteFile(ts.MkAbs(args[0])+"-wal", []byte("\x37\x7f\x06\x82"+strings.Repeat("\x00", 60)), 0o666))
		},
		"gzip":   gzipFile,
		"subst":  subst,
		"sqlite": execSQL,
		"json": func(ts *testscript.TestScript, _ bool, args []string) {
			if !json.Valid([]byte(ts.ReadFile(args[0]))) {
				ts.Fatalf("%s: not JSON", args[0])
			}
		},
		"tidy": tidy,
	}
}

func edit(ts *testscript.TestScript, name string, f func(data []byte) []byte) {
	path := ts.MkAbs(name)
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, f(data), 0o666))
}

func gzipFile(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(data)
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(path+".gz", packed.Bytes(), 0o666))
	ts.Check(os.Remove(path))
}

func subst(ts *testscript.TestScript, _ bool, args []string) {
	replacement, err := strconv.Unquote(`"` + strings.ReplaceAll(args[2], `"`, `\"`) + `"`)
	ts.Check(err)
	times := 1
	if len(args) > 3 {
		times, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	edit(ts, args[0], func(data []byte) []byte {
		if !bytes.Contains(data, []byte(args[1])) {
			ts.Fatalf("%s: has no %q", args[0], args[1])
		}
		return bytes.Replace(data, []byte(args[1]), bytes.Repeat([]byte(replacement), times), 1)
	})
}

func execSQL(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(sqlite.Configure())
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	script := args[1]
	if strings.HasSuffix(script, ".sql") {
		script = ts.ReadFile(script)
	}
	_, err = db.Exec(script)
	ts.Check(err)
}

// ours are names of what a command that ends leaves nothing of.
var ours = regexp.MustCompile(`.\.(tmp|partial)$|\.tabperturb-(tmp|old|partial|replaced)$`)

func tidy(ts *testscript.TestScript, _ bool, _ []string) {
	work := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		if err == nil && ours.MatchString(d.Name()) {
			ts.Fatalf("%s: is left over", path)
		}
		return err
	}))
}
