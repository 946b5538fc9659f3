package report

import (
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
	// Warn is told of what is odd in an input and does no harm, such as a record that
	// cannot be read; may be nil.
	Warn func(error)
}

// The kinds of inputs, and so of sections.
const (
	kindBuild       = "build"
	kindEvaluation  = "evaluation"
	kindRobustness  = "robustness"
	kindConsistency = "consistency"
	kindSuite       = "suite"
	kindBuckets     = "buckets"
	kindComparison  = "comparison"
	kindMix         = "mix"
)

// Kinds returns the kinds of inputs that [Make] knows.
func Kinds() []string {
	return []string{kindBuild, kindEvaluation, kindRobustness, kindConsistency, kindSuite, kindBuckets, kindComparison, kindMix}
}

// Make reads the inputs, files and folders, and makes a section of each, in their
// order. What an input is, its content tells: a folder that build, suite distill or mix
// wrote, or its manifest.json; what eval, eval robustness, eval consistency and compare
// print as JSON; a buckets.json or one of ADVETA's files of names. Files may be compressed.
func Make(inputs []string, o Options) (*Document, error) {
	switch {
	case len(inputs) == 0:
		return nil, fmt.Errorf("no input, expected some of %s", strings.Join(Kinds(), ", "))
	case o.Samples < 0 || o.Samples > MaxSamples:
		return nil, fmt.Errorf("%d samples, expected 0 to %d", o.Samples, MaxSamples)
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	d := &Document{Title: clean(o.Title, maxLabel), Version: o.Version, Command: clean(o.Command, maxText)}
	if d.Title == "" {
		d.Title = "tabperturb report"
	}
	for i, path := range inputs {
		s := Section{ID: fmt.Sprintf("s%d", i+1), Source: clean(filepath.ToSlash(path), maxLabel)}
		if err := s.read(path, &o); err != nil {
			return nil, err
		}
		d.Sections = append(d.Sections, s)
	}
	return d, nil
}

// read fills the section with what lies at path.
func (s *Section) read(path string, o *Options) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		path = filepath.Join(path, suite.ManifestFile)
	}
	if isADVETA(path) {
		s.Kind = kindBuckets
		return s.adveta(path, o.Warn)
	}
	kind, err := kindOf(path)
	if err != nil {
		return err
	}
	s.Kind = kind
	switch kind {
	case kindBuild:
		err = s.build(filepath.Dir(path), o)
	case kindSuite:
		err = s.suite(filepath.Dir(path))
	case kindEvaluation:
		err = s.evaluation(path)
	case kindRobustness:
		err = s.robustness(path)
	case kindConsistency:
		err = s.consistency(path)
	case kindComparison:
		err = s.comparison(path)
	case kindMix:
		err = s.mix(path)
	case kindBuckets:
		return s.buckets(path, o.Warn)
	}
	if err != nil {
		return err
	}
	return s.hashed(path)
}

// hashed adds the hash of the input to the last part, which says how to repeat it.
func (s *Section) hashed(path string) error {
	in, err := benchmark.HashInput(filepath.Base(path), path)
	if err != nil {
		return err
	}
	last := &s.Parts[len(s.Parts)-1]
	if last.Table == nil {
		last.Table = hashes()
	}
	last.Table.Rows = append(last.Table.Rows, row(label(in.Name), prose("this report's input"), prose(in.SHA256)))
	return nil
}

func hashes() *Table {
	return &Table{Caption: "Files, by SHA-256", Columns: []Column{{Name: "file"}, {Name: "what it is"}, {Name: "SHA-256", Code: true}}}
}

// kindOf tells what a JSON file is by its first byte and the names of its members.
func kindOf(path string) (string, error) {
	unknown := fmt.Errorf("%s: is none of the inputs of a report, expected %s", path, strings.Join(Kinds(), ", "))
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) && filepath.Base(path) == suite.ManifestFile {
			return "", fmt.Errorf("%w, expected a folder that build, suite distill or mix wrote", err)
		}
		return "", err
	}
	defer closer.Close()
	dec := json.NewDecoder(io.LimitReader(r, maxInput))
	switch t, err := dec.Token(); {
	case err != nil:
		return "", unknown
	case t == json.Delim('['):
		return kindRobustness, nil
	case t != json.Delim('{'):
		return "", unknown
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", unknown
		}
		names = append(names, fmt.Sprint(name))
		if kind := kindWith(names); kind != "" {
			return kind, nil
		}
		if skip(dec) != nil {
			return "", unknown
		}
	}
	return "", unknown
}

// kindWith tells what an object with such members is, or "".
func kindWith(names []string) string {
	for _, k := range []struct {
		kind    string
		members []string
	}{
		{kindBuild, []string{"split", "perturbations"}}, {kindSuite, []string{"neighbours", "schemas"}},
		{kindEvaluation, []string{"predictions", "metrics"}}, {kindConsistency, []string{"metric", "models"}},
		{kindComparison, []string{"a", "b", "max_drop"}}, {kindMix, []string{"strategy", "relations"}}, {kindBuckets, []string{"columns"}},
	} {
		if !slices.ContainsFunc(k.members, func(m string) bool { return !slices.Contains(names, m) }) {
			return k.kind
		}
	}
	return ""
}

// maxInput bounds the bytes that are read of a JSON input.
const maxInput = 1 << 30

// decode reads a JSON input; into are the members that are wanted of an object, or, where
// it is nil, all is decoded into whole.
func decode(path string, into map[string]any, whole any) error {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	dec := json.NewDecoder(io.LimitReader(r, maxInput))
	if into == nil {
		err = dec.Decode(whole)
	} else {
		err = decodeMembers(dec, into)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("breaks off, expected whole JSON of at most %d bytes", maxInput)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func decodeMembers(dec *json.Decoder, into map[string]any) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.New("expected a JSON object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		to := into[fmt.Sprint(name)]
		if to == nil {
			if err := skip(dec); err != nil {
				return err
			}
			continue
		}
		if err := dec.Decode(to); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	_, err := dec.Token()
	return err
}

// skip reads over a value; of an array or object, which may be long, part by part.
func skip(dec *json.Decoder) error {
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
