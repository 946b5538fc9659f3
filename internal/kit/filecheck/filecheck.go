// Package filecheck protects the inputs of a command from its outputs: no output replaces an input, no two
// outputs are one file, and no input changes while it is read.
package filecheck

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Inputs lists the files and folders that a command reads.
type Inputs []string

// Add adds the paths in values of flags or arguments, as far as they exist. A value is a path, or has
// paths after a name: "spider:DIR", "NAME=FILE", "NAME=PRE,POST".
func (inputs *Inputs) Add(values ...string) {
	for _, value := range values {
		parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(":=,", r) })
		if _, path, ok := strings.Cut(value, ":"); ok {
			parts = append(parts, path) // a path with a colon of its own
		}
		for _, path := range append(parts, value) {
			if _, err := os.Stat(path); err == nil {
				*inputs = append(*inputs, path)
			}
		}
	}
}

// readByName matches the beginnings of files that are only read where they are named, never as part
// of the folder that they lie in: buckets, and rejected names.
var readByName = lazyregexp.New(`^\{(\s*"version": 1,\s*"seed": \d+,\s*("without": "[a-z,]*",\s*)?"columns": \[|"db_id":"[^"]*","table":"[^"]*","column":"[^"]*","name":")`)

// isReplaceable reports whether a file in the folder of an input, by its beginning, is of a kind that commands read only
// where it is named. A command that wrote it there may then be run again.
func isReplaceable(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && readByName.Compiled().Match(head)
}

// CheckOutput refuses an output that would replace an input: it is one, holds one, is a file in the
// folder of one, or is what a link in such a folder leads to. An output that does not exist replaces nothing.
func (inputs Inputs) CheckOutput(out string) error {
	info, err := os.Stat(out)
	if err != nil {
		return nil
	}
	for _, in := range inputs {
		switch {
		case Same(out, in):
			return fmt.Errorf("%s is an input, expected another file or folder", out)
		case info.IsDir() && Within(in, out):
			return fmt.Errorf("%s holds the input %s, expected another file or folder", out, in)
		case !info.IsDir() && Within(out, in) && !isReplaceable(out):
			return fmt.Errorf("%s is there already, in the folder of the input %s, expected a new file or one elsewhere", out, in)
		}
		if read := linkedTo(in, out, info); read != "" && !isReplaceable(out) {
			return fmt.Errorf("%s is read as %s, expected another file or folder", out, read)
		}
	}
	return nil
}

// linkedTo returns the path below the folder in that is the output itself, or a link into the folder out;
// "" for none. It compares files by identity, so that it finds hard links too.
func linkedTo(in, out string, output os.FileInfo) string {
	s := linkSearch{in: in, out: out, output: output, visited: map[string]bool{}}
	return s.search(in, true)
}

// linkSearch follows the links in the folder of an input.
type linkSearch struct {
	in, out string
	output  os.FileInfo     // of out
	visited map[string]bool // folders that links led to
}

// search looks for the output, or a link into it, among the entries of a folder, and in the folders among them if deep is set. It
// returns the path of the entry, "" for none.
func (s *linkSearch) search(folder string, deep bool) string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path)
		if err != nil {
			continue // a link that leads nowhere: no command reads it
		}
		isLink := entry.Type()&os.ModeSymlink != 0
		isOutput := os.SameFile(info, s.output)
		isFile := isLink || !info.IsDir()
		leadsInto := isLink && s.output.IsDir() && Within(path, s.out)
		switch {
		case isOutput && isFile, leadsInto:
			return path
		case !info.IsDir(), isOutput, !deep: // nothing to search, or the output folder in its own place
			continue
		}
		if found := s.searchFolder(path, isLink); found != "" {
			return found
		}
	}
	return ""
}

// searchFolder searches a folder, once if links lead to it. Where a link leads to a folder that holds the input
// itself, it searches only the entries of that folder, or it would search the input in a circle.
func (s *linkSearch) searchFolder(path string, isLink bool) string {
	if !isLink {
		return s.search(path, true)
	}
	target := Resolve(path)
	if s.visited[target] {
		return ""
	}
	s.visited[target] = true
	return s.search(path, !Same(s.in, target) && !Within(s.in, target))
}

// Same reports whether two paths lead to one file or folder.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Within reports whether a path lies in a folder, after links are followed.
func Within(path, folder string) bool {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false
	}
	parent := filepath.Dir(Resolve(path))
	for !Same(parent, folder) {
		if parent == filepath.Dir(parent) { // the root
			return false
		}
		parent = filepath.Dir(parent)
	}
	return true
}

// Resolve returns the absolute path to which the links of a path lead.
func Resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Writable refuses a file that cannot be written, before the work for it is done. It makes the
// folder of the file.
func Writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder, expected a file to write", path)
	}
	if _, err := outdir.Place(path); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(path), 0o777)
}

// Distinct refuses outputs if two of them are one file.
func Distinct(paths ...string) error {
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(p string) bool { return Resolve(p) == Resolve(path) }) {
			return fmt.Errorf("%s is written twice, expected another file for each", path)
		}
	}
	return nil
}

// Stamps holds the states of files that must not change while a command works on them.
type Stamps map[string]os.FileInfo

// StampsOf returns the current states of files. It skips files that do not exist.
func StampsOf(paths ...string) Stamps {
	s := Stamps{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			s[path] = info
		}
	}
	return s
}

// sameState reports whether a file is the same as before, and unchanged.
func sameState(now, before os.FileInfo) bool {
	return os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}

// Check returns an error if a file was changed since: a result would be of neither state.
func (s Stamps) Check() error {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		if now, err := os.Stat(path); err != nil || !sameState(now, s[path]) {
			return fmt.Errorf("%s: was changed while it was worked on, expected it to stay as it was; run it again", path)
		}
	}
	return nil
}
