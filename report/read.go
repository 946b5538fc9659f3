package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// DefaultSamples is how many records of each perturbation are shown.
const DefaultSamples = 5

// MaxSamples bounds [Options.Samples], and with it the page.
const MaxSamples = 100

// Options say how to report.
type Options struct {
	Title   string // default: "tabperturb report"
	Samples int    // records shown of each perturbation, 0 to 100
	Version string // of the program
	Command string // that is run, for those who want to repeat it
	// Warn is called for harmless problems of an input, such as a record that cannot be
	// read; may be nil.
	Warn func(error)
}

// A kind of input, and so of section.
type kind struct {
	name    string
	members []string // of its JSON object, by which it is known
	read    func(s *Section, path string, o *Options) error
}

// kinds returns the kinds of inputs. A JSON object is of the kind whose members it has; see [kindOf]. The kind without members is that
// of a JSON array.
func kinds() []kind {
	return []kind{
		{"build", []string{"split", "perturbations"}, (*Section).readBuild},
		{"evaluation", []string{"predictions", "metrics"}, (*Section).readEvaluation},
		{"robustness", nil, (*Section).readRobustness}, // the input is a JSON array, not an object
		{"consistency", []string{"metric", "models"}, (*Section).readConsistency},
		{"suite", []string{"neighbours", "schemas"}, (*Section).readSuite},
		{"buckets", []string{"columns"}, (*Section).readBuckets},
		{"comparison", []string{"a", "b", "max_drop"}, (*Section).readComparison},
		{"mix", []string{"strategy", "relations"}, (*Section).readMix},
	}
}

// Kinds returns the names of the kinds of inputs for [Make].
func Kinds() []string {
	return lists.Map(kinds(), func(k kind) string { return k.name })
}

// Make reads files and folders, which may be compressed, and makes a section of each, in their
// order. Their kind follows from the content: a folder that build, suite distill or mix wrote, or
// its manifest.json; the JSON of eval, eval robustness, eval consistency and compare; a
// buckets.json or one of ADVETA's files of names.
func Make(inputs []string, o Options) (*Document, error) {
	switch {
	case len(inputs) == 0:
		return nil, fmt.Errorf("no input, expected some of %s", strings.Join(Kinds(), ", "))
	case o.Samples < 0, o.Samples > MaxSamples:
		return nil, fmt.Errorf("%d samples, expected 0 to %d", o.Samples, MaxSamples)
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	d := &Document{Title: cleanLabel(o.Title), Version: o.Version, Command: cleanText(o.Command)}
	d.Title = cmp.Or(d.Title, "tabperturb report")
	for i, path := range inputs {
		s := Section{ID: fmt.Sprintf("s%d", i+1), Source: cleanLabel(filepath.ToSlash(path))}
		if err := s.read(path, &o); err != nil {
			return nil, err
		}
		d.Sections = append(d.Sections, s)
	}
	return d, nil
}

// read fills the section from the input at path, a file or a folder with a manifest, by the function for its kind.
func (s *Section) read(path string, o *Options) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		path = filepath.Join(path, suite.ManifestFile)
	}
	k := kind{name: "buckets", read: (*Section).readADVETA}
	if !isADVETA(path) {
		if k, err = kindOf(path); err != nil {
			return err
		}
	}
	s.Kind = k.name
	if err := k.read(s, path, o); err != nil {
		return err
	}
	return s.addHash(path)
}

// addHash adds the hash of the input to the last part, which describes how to reproduce it.
func (s *Section) addHash(path string) error {
	in, err := benchmark.HashInput("", filepath.Base(path), path)
	if err != nil {
		return err
	}
	last := &s.Parts[len(s.Parts)-1]
	if last.Table == nil {
		last.Table = hashTable()
	}
	last.Table.Add(cleanLabel(in.Name), "this report's input", cleanText(in.SHA256))
	return nil
}

// hashTable returns an empty table of files with their hashes.
func hashTable() *table.Table {
	return &table.Table{Caption: "Files, by SHA-256", Columns: []table.Column{{Name: "file"}, {Name: "what it is"}, {Name: "SHA-256", Code: true}}}
}

// kindOf returns the kind of a JSON file. An array is of the only kind that has no members in the list of [kinds]. An object is of the
// kind whose members are the first to be all found, as the file is read from its beginning.
func kindOf(path string) (k kind, err error) {
	unknown := fmt.Errorf("%s: is none of the inputs of a report, expected %s", path, strings.Join(Kinds(), ", "))
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) && filepath.Base(path) == suite.ManifestFile {
			return k, fmt.Errorf("%w, expected a folder that build, suite distill or mix wrote", err)
		}
		return k, err
	}
	defer closer.Close()
	dec := json.NewDecoder(io.LimitReader(r, maxInput))
	missing := kinds() // each with the members that were not found yet
	switch t, err := dec.Token(); {
	case err != nil:
		return k, unknown
	case t == json.Delim('['):
		return missing[slices.IndexFunc(missing, func(k kind) bool { return k.members == nil })], nil
	case t != json.Delim('{'):
		return k, unknown
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return k, unknown
		}
		for i := range missing {
			members := &missing[i].members
			had := len(*members)
			*members = slices.DeleteFunc(*members, func(m string) bool { return m == name })
			if had > 0 && len(*members) == 0 {
				return missing[i], nil
			}
		}
		if skipValue(dec) != nil {
			return k, unknown
		}
	}
	return k, unknown
}

// maxInput bounds the bytes that are read of a JSON input.
const maxInput = 1 << 30

// decode reads a JSON input, which may be compressed, into a value.
func decode(path string, into any) error {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	err = json.NewDecoder(io.LimitReader(r, maxInput)).Decode(into)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("breaks off, expected whole JSON of at most %d bytes", maxInput)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// skipValue reads over the next value token by token, so that a long array or object takes no memory.
func skipValue(dec *json.Decoder) error {
	depth := 0
	for {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
