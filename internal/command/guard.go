package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// isOutput is the annotation of a flag that names a file or folder to write.
const isOutput = "tabperturb-output"

// writes marks the flags of a command that name what it writes. All that its other flags
// and its arguments name is then an input, and no output takes the place of one: it is
// not one, holds none, and is no file in the folder of one, unless that is never read with it.
func writes(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = cmd.Flags().SetAnnotation(name, isOutput, nil)
	}
}

func marked(f *pflag.Flag) bool {
	_, ok := f.Annotations[isOutput]
	return ok
}

// guard checks what a command is to write, before it does anything.
func (a *app) guard(cmd *cobra.Command, args []string) error {
	a.reads(args...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch v, several := f.Value.(pflag.SliceValue); {
		case marked(f), f.Value.String() == "":
		case several:
			a.reads(v.GetSlice()...)
		case f.Value.Type() == "string":
			a.reads(f.Value.String())
		}
	})
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if path := f.Value.String(); marked(f) && path != "" && path != "-" {
			if err := a.spare(path); err != nil {
				errs = append(errs, fmt.Errorf("--%s: %w", f.Name, err))
			}
		}
	})
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// reads notes what is read. A path may stand beside the name of its kind, as in
// "spider:DIR", "NAME=FILE" and "NAME=PRE,POST".
func (a *app) reads(texts ...string) {
	for _, text := range texts {
		parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(":=,", r) })
		if _, path, ok := strings.Cut(text, ":"); ok {
			parts = append(parts, path)
		}
		for _, path := range append(parts, text) {
			if path != "" && exists(path) {
				a.inputs = append(a.inputs, path)
			}
		}
	}
}

// readByName is how files begin that are read where they are named, never as part of the
// folder that they lie in: buckets, and rejected names.
var readByName = lazyregexp.New(`^\{(\s*"version": 1,\s*"seed": \d+,\s*"columns": \[|"db_id":"[^"]*","table":"[^"]*","column":"[^"]*","name":")`)

// replaceable tells whether a file in the folder of an input is certainly none that is read
// with it, so that a command may be run again that put it there.
func replaceable(path string) bool {
	if !dataset.IsFile(path) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && readByName.Match(head)
}

// spare refuses to write over what is read.
func (a *app) spare(out string) error {
	info, err := os.Stat(out)
	if err != nil {
		return nil // nothing is there that could be lost
	}
	for _, in := range a.inputs {
		switch {
		case same(out, in):
			return fmt.Errorf("%s is an input, expected another file or folder", out)
		case info.IsDir() && within(in, out):
			return fmt.Errorf("%s holds the input %s, expected another file or folder", out, in)
		case !info.IsDir() && within(out, in) && !replaceable(out):
			return fmt.Errorf("%s is there already, in the folder of the input %s, expected a new file or one elsewhere", out, in)
		}
	}
	return nil
}

// same tells whether two paths lead to one file or folder.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// within tells whether what is at a path lies in a folder, wherever links lead.
func within(path, folder string) bool {
	for at := resolved(path); ; at = filepath.Dir(at) {
		if at == filepath.Dir(at) {
			return false
		}
		if same(filepath.Dir(at), folder) {
			return dataset.IsDir(folder)
		}
	}
}

// resolved is the absolute path to which links lead.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// writable tells early that the file of a flag cannot be written or is an input.
func (a *app) writable(flag, path string) error {
	err := a.spare(path)
	if err == nil {
		err = checkOut(path)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

// checkOut tells early that a file cannot be written, before the work for it is
// done.
func checkOut(path string) error {
	if dataset.IsDir(path) {
		return fmt.Errorf("%s: is a folder, expected a file to write", path)
	}
	if _, err := outdir.Place(path); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(path), 0o777)
}

// distinct refuses outputs of which two are one file.
func distinct(paths ...string) error {
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(p string) bool { return resolved(p) == resolved(path) }) {
			return fmt.Errorf("%s is written twice, expected another file for each", path)
		}
	}
	return nil
}

// output is standard output. It remembers the first error, which commands that print
// line by line do not look at: a summary that a full disk swallowed was not printed.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.err = err
	return n, err
}

// failed returns why not all was printed.
func (o *output) failed() error {
	err := o.err
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err // without the system's name of standard output
	}
	if err != nil {
		err = fmt.Errorf("standard output: %w", err)
	}
	return err
}

// terminal tells whether a stream is a terminal.
func terminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// visible writes text for people with all characters that a terminal would obey replaced,
// but for ends of lines and tabs: names, SQL and cells of a data set may hold anything.
type visible struct {
	w    io.Writer
	rest []byte // of a character that is not yet whole
}

func (v *visible) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	v.rest = bytes.Clone(text[whole:])
	if _, err := v.w.Write(bytes.Map(visibleRune, text[:whole])); err != nil {
		return 0, err
	}
	return len(p), nil
}

func visibleRune(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return unicode.ReplacementChar
	}
	return r
}

// stamps are files that must stay as they are while they are worked on.
type stamps map[string]os.FileInfo

// stampsOf notes how files are now. What is not there is passed over.
func stampsOf(paths ...string) stamps {
	s := stamps{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			s[path] = info
		}
	}
	return s
}

// check tells which file was changed since: what is made of it would be of neither state.
func (s stamps) check() error {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		now, err := os.Stat(path)
		if err != nil || !now.ModTime().Equal(s[path].ModTime()) || now.Size() != s[path].Size() || !os.SameFile(now, s[path]) {
			return fmt.Errorf("%s: was changed while it was worked on, expected it to stay as it was; run it again", path)
		}
	}
	return nil
}
