package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
)

// readBuild returns the split and the perturbations of a build that have records
// and are, or are of a family, among the names; all where there is no name.
func readBuild(dir string, names []string) (split string, built []benchmark.Result, err error) {
	path := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	var m benchmark.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return "", nil, fmt.Errorf("%s: %w, expected the manifest of a build", path, err)
	}
	known := make([]bool, len(names))
	for _, r := range m.Perturbations {
		if !filepath.IsLocal(filepath.FromSlash(r.Name)) || !filepath.IsLocal(m.Split) || min(r.Verified, r.Unchanged) < 0 {
			return "", nil, fmt.Errorf("%s: perturbation %q of split %q with %d records, expected those of a build", path, r.Name, m.Split, r.Records())
		}
		family, _, _ := strings.Cut(r.Name, "/")
		chosen := len(names) == 0
		for i, n := range names {
			if n == r.Name || n == family {
				chosen, known[i] = true, true
			}
		}
		if chosen && r.Verified > 0 {
			built = append(built, r)
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return "", nil, fmt.Errorf("--perturb %q: expected a perturbation or family of %s", names[i], path)
	}
	if len(built) == 0 {
		return "", nil, fmt.Errorf("%s: has no records, expected some to score", dir)
	}
	return m.Split, built, nil
}

func countRecords(built []benchmark.Result) int {
	n := 0
	for _, r := range built {
		n += r.Records()
	}
	return n
}

// buildRecords reads the records of a build, in their order.
type buildRecords struct {
	path string
	next func() (dataset.Record, error, bool)
	stop func()
}

func openRecords(build string) *buildRecords {
	r := &buildRecords{path: filepath.Join(build, benchmark.RecordsFile)}
	r.next, r.stop = dataset.Pull(func(_ func(error), each func(dataset.Record) error) error { return dataset.ReadRecords(r.path, each) }, nil)
	return r
}

// of returns a perturbation's next record, passing over those of others, which come
// before it.
func (b *buildRecords) of(result *benchmark.Result) (dataset.Record, error) {
	for {
		switch r, err, ok := b.next(); {
		case !ok:
			return r, fmt.Errorf("%s: ends early, expected %d records of %s after those of the perturbations that manifest.json has before it", b.path, result.Records(), result.Name)
		case err != nil:
			return r, err
		case r.Perturbation == result.Name:
			return r, nil
		}
	}
}

// unchanged tells which of a perturbation's records are turns that stand as they were, by
// position.
func (b *buildRecords) unchanged(result *benchmark.Result) (map[int]bool, error) {
	if result.Unchanged == 0 {
		return nil, nil
	}
	at := map[int]bool{}
	for i := range result.Records() {
		r, err := b.of(result)
		if err != nil {
			return nil, err
		}
		if r.Unchanged() {
			at[i] = true
		}
	}
	return at, nil
}

// predictions are those on one side of all perturbations: a folder with a file
// for each, the file of the only one, a file in which one follows the other, or
// answers that are joined by their questions.
type predictions struct {
	path   string
	folder bool
	file   *os.File // open where several perturbations share it
	lines  *bufio.Scanner
	line   int
	blanks bool // blank lines stand between interactions, and are no predictions
}

// maxPrediction bounds a line of predictions.
const maxPrediction = 16 << 20

// openPredictions opens the predictions for a number of perturbations with so
// many records in all. Blank lines in a file count where only with them there are as
// many, as in [dataset.Pairs].
func openPredictions(path string, perturbations, records int) (*predictions, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	p := &predictions{path: path, folder: info.IsDir()}
	if p.folder {
		return p, nil
	}
	joined, err := dataset.IsAnswers(path)
	if joined || err != nil || perturbations == 1 {
		return p, err
	}
	if p.file, err = os.Open(path); err != nil {
		return nil, err
	}
	p.rewind()
	blank := 0
	for p.lines.Scan() {
		if p.line++; p.isBlank() {
			blank++
		}
	}
	p.blanks = p.line != records && p.line-blank == records
	err = p.lines.Err()
	if err == nil && p.line != records && !p.blanks {
		err = fmt.Errorf("has %d lines (%d of them blank), expected %d: the records of %d perturbations of the build", p.line, blank, records, perturbations)
	}
	if err == nil {
		_, err = p.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.rewind()
	return p, nil
}

// rewind makes the next line the first of the file, which must be at its start.
func (p *predictions) rewind() {
	p.line, p.lines = 0, bufio.NewScanner(p.file)
	p.lines.Buffer(nil, maxPrediction)
}

func (p *predictions) isBlank() bool { return len(bytes.TrimSpace(p.lines.Bytes())) == 0 }

// scan goes to the next prediction.
func (p *predictions) scan() bool {
	for p.lines.Scan() {
		if p.line++; !p.blanks || !p.isBlank() {
			return true
		}
	}
	return false
}

// close closes the file, which was only read: there is nothing to lose.
func (p *predictions) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

// pairs returns the gold SQL of the next perturbation with its predictions.
func (p *predictions) pairs(gold, perturbation string) dataset.Stream[*dataset.Pair] {
	switch {
	case p.folder:
		return dataset.Pairs(gold, filepath.Join(p.path, filepath.FromSlash(perturbation)+".sql"))
	case p.file == nil:
		return dataset.Pairs(gold, p.path)
	}
	next := func() error {
		if p.scan() {
			return nil
		}
		return fmt.Errorf("%s:%d: %w", p.path, p.line+1, cmp.Or(p.lines.Err(), io.ErrUnexpectedEOF))
	}
	return func(report func(error), each func(*dataset.Pair) error) error {
		var failed error
		err := dataset.ReadGold(gold, func(err error) {
			failed = cmp.Or(failed, next())
			report(err)
		}, func(ex *dataset.Example) error {
			if err := cmp.Or(failed, next()); err != nil {
				return err
			}
			return each(p.pair(ex))
		})
		return cmp.Or(failed, err)
	}
}

// pair pairs an example with the current line.
func (p *predictions) pair(ex *dataset.Example) *dataset.Pair {
	text, _, _ := strings.Cut(p.lines.Text(), "\t")
	if !utf8.ValidString(text) {
		return &dataset.Pair{Example: ex, Problem: fmt.Errorf("%s:%d: is not UTF-8, expected SQL", p.path, p.line)}
	}
	return &dataset.Pair{Example: ex, Prediction: strings.TrimSpace(text)}
}
