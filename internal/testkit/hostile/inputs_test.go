//go:build attack

package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// library is the database that the attacks of this file harm, within a data directory.
var library = filepath.Join("database", "town_library", "town_library.sqlite")

// linked makes a data directory of links in a folder: of the schemas a hard link, of the examples and of a database's
// folder symbolic ones. It returns the files that they lead to.
func linked(t *testing.T, in, dir string) []string {
	t.Helper()
	own := filepath.Join(dir, "own")
	err := copyAll(filepath.Join(in, "small"), own)
	data := filepath.Join(dir, "data")
	for _, folder := range []string{data, filepath.Join(data, "database")} {
		err = errors.Join(err, os.Mkdir(folder, 0o777))
	}
	for _, name := range []string{"dev.json", filepath.Dir(library), filepath.Join("database", "hill_farms")} {
		err = errors.Join(err, os.Symlink(filepath.Join(own, name), filepath.Join(data, name)))
	}
	if err := errors.Join(err, os.Link(filepath.Join(own, "tables.json"), filepath.Join(data, "tables.json"))); err != nil {
		t.Fatal(err)
	}
	return []string{filepath.Join(own, "dev.json"), filepath.Join(own, "tables.json"), filepath.Join(own, library)}
}

// TestLinks gives each command that reads a data directory the files as outputs to which its links lead.
func TestLinks(t *testing.T) {
	in := inputs(t)
	lines := []string{"eval --gold IN/data/dev.json --pred IN/few.sql --tables IN/data/tables.json --db IN/data/database --verdicts OUT"}
	for i := range commands {
		if line := commands[i].line; strings.Contains(line, "--data IN/") || strings.Contains(line, "spider:IN/") {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		dir := t.TempDir()
		for _, out := range linked(t, in, dir) {
			before := tree(t, filepath.Join(dir, "own"))
			args := strings.Fields(strings.NewReplacer("IN/small", dir+"/data", "IN/data", dir+"/data", "IN/", in+"/", "OUT", out, "NOTES", dir+"/NOTES").Replace(line))
			r := run(dir, args...)
			err := r.clean()
			if err == nil && r.code != 2 {
				err = fmt.Errorf("exit code %d, expected 2", r.code)
			}
			if err == nil {
				err = differ(before, tree(t, filepath.Join(dir, "own")))
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
			}
			tally.add(t, "output: where an input's link leads", r.took, err)
		}
	}
}

// readers are the commands that open the databases of a data directory.
var readers = []string{
	"doctor --data X", "candidates --data X --out OUT", "build --data X --buckets IN/few.json --samples 1 --out OUT",
	"build --data X --buckets IN/few.json --samples 1 --databases none --out OUT", "suite distill --data X --databases 2 --out OUT",
	"convert --from spider:X --to folder --lossy --out OUT", "eval --gold X/dev.json --pred IN/few.sql --verdicts OUT", "init X/database IN/asked.csv --perturb adveta/add --samples 1 --out OUT",
}

// harms are what can be wrong with a database that opening it need not show.
var harms = map[string]func(data []byte) []byte{
	"is cut":           func(data []byte) []byte { return data[:len(data)/2/4096*4096] },
	"is cut in a page": func(data []byte) []byte { return data[:len(data)-1000] },
	"lost its last page": func(data []byte) []byte {
		clear(data[len(data)-4096:])
		return data
	},
	"is empty":     func([]byte) []byte { return nil },
	"is no SQLite": func(data []byte) []byte { return bytes.Repeat([]byte("rows "), len(data)/5) },
}

// TestHarmed reads databases with rows in a log beside them, which all commands name, and damaged ones, which those
// name that check them.
func TestHarmed(t *testing.T) {
	in := inputs(t)
	attack := func(kind, line, says string, harm func(path string)) {
		dir := t.TempDir()
		x := filepath.Join(dir, "x")
		if err := copyAll(filepath.Join(in, "small"), x); err != nil {
			t.Fatal(err)
		}
		harm(filepath.Join(x, library))
		before := tree(t, x)
		r := run(dir, strings.Fields(strings.NewReplacer("IN/", in+"/", "X", x).Replace(line))...)
		err := r.clean()
		told := r.stdout + r.stderr
		if strings.Contains(line, "--verdicts") {
			told += tree(t, dir)["OUT"]
		}
		switch {
		case err != nil:
		case !strings.Contains(told, says):
			err = fmt.Errorf("does not say %q:\n%s%s", says, r.stdout, r.stderr)
		default:
			err = differ(before, tree(t, x))
		}
		if err == nil {
			err = leftOver(dir, "x", "OUT", ".cache")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", line, err)
		}
		tally.add(t, kind, r.took, err)
	}
	for _, line := range readers {
		attack("database with rows in a log beside it", line, "has changes in town_library.sqlite-wal", func(path string) { live(t, path) })
		for name, harm := range harms {
			says := ""
			if strings.HasPrefix(line, "doctor") || strings.HasPrefix(line, "init") {
				says = "town_library"
			}
			attack("database that "+name, line, says, func(path string) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				put(t, path, string(harm(data)))
			})
		}
	}
}

// live commits a row to a database whose log is still open.
func live(t *testing.T, path string) {
	t.Helper()
	open := path + ".open"
	if err := copyAll(path, open); err != nil {
		t.Fatal(err)
	}
	sqlite(t, open, "PRAGMA journal_mode = wal", "INSERT INTO books (book_id, title, author) SELECT max(book_id) + 1, 'In the log', 'Nobody' FROM books", keepOpen+open)
	for _, suffix := range []string{"", "-wal"} {
		if err := os.Rename(open+".copy"+suffix, path+suffix); err != nil {
			t.Fatal(err)
		}
		os.Remove(open + suffix)
	}
}

// TestStarts gives init what cannot be begun with, and questions of which one cannot be written: nothing is left of the
// former, and of the latter the rest.
func TestStarts(t *testing.T) {
	in := inputs(t)
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.sqlite")
	if err := errors.Join(copyAll(filepath.Join(in, "small", library), sparse), os.Truncate(sparse, 4<<30)); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "broken.jsonl"), `{"question": "How many books?", "sql": "SELECT count(*) FROM books"}
{"question": "Which?", "sql": "SELECT title AS \"the\ntitle\" FROM books"}
{"question": "Which?", "sql": "SELECT title AS \"the\ttitle\" FROM books"}
`)
	put(t, filepath.Join(dir, "none.sqlite"), "no database")
	file := filepath.Join(in, "small", library)
	for _, c := range []struct{ line, says string }{
		{"init sparse.sqlite IN/asked.csv --max-disk 100MB --out OUT", "--max-disk"},
		{"init none.sqlite IN/asked.csv --out OUT", "none.sqlite"},
		{"init nowhere IN/asked.csv --out OUT", "nowhere"},
		{"init " + file + " nowhere.csv --out OUT", "nowhere.csv"},
		{"init " + file + " none.sqlite --out OUT", "none.sqlite"},
	} {
		r := run(dir, strings.Fields(strings.ReplaceAll(c.line, "IN/", in+"/"))...)
		err := r.clean()
		if err == nil && (r.code != 2 || !strings.Contains(r.stderr, c.says)) {
			err = fmt.Errorf("exit code %d, expected 2 and %s:\n%s", r.code, c.says, r.stderr)
		}
		if err == nil {
			err = leftOver(dir, "sparse.sqlite", "none.sqlite", "broken.jsonl", ".cache")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", c.line, err)
			os.RemoveAll(filepath.Join(dir, "OUT"))
		}
		tally.add(t, "init that cannot begin", r.took, err)
	}
	r := run(dir, "init", file, "broken.jsonl", "--perturb", "adveta/add", "--samples", "1", "--out", "OUT")
	err := r.clean()
	if err == nil && (r.code != 2 || strings.Count(r.stderr, "\n") != 2 || !strings.Contains(r.stderr, "broken.jsonl:2: ") || !strings.Contains(r.stderr, "broken.jsonl:3: ")) {
		err = fmt.Errorf("exit code %d, expected 2 and a line for each of two questions:\n%s", r.code, r.stderr)
	}
	if err == nil && !strings.Contains(r.stdout, "1 question on 1 database") {
		err = fmt.Errorf("the question that can be written is not there:\n%s", r.stdout)
	}
	tally.add(t, "init with gold SQL of several lines", r.took, err)
}
