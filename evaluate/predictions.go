package evaluate

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
)

// Predictions are those on one side of all perturbations: a folder with a file
// for each, the file of the only one, a file in which one follows the other, or
// answers that are joined by their questions.
type Predictions struct {
	path   string
	folder bool
	file   *os.File // open where several perturbations share it
	lines  *bufio.Scanner
	line   int
	blanks bool // blank lines stand between interactions, and are no predictions
}

// maxPrediction bounds a line of predictions.
const maxPrediction = 16 << 20

// OpenPredictions opens the predictions for a number of perturbations with so
// many records in all. Blank lines in a file count where only with them there are as
// many, as in [dataset.Pairs].
func OpenPredictions(path string, perturbations, records int) (*Predictions, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	p := &Predictions{path: path, folder: info.IsDir()}
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
		p.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.rewind()
	return p, nil
}

// rewind makes the next line the first of the file, which must be at its start.
func (p *Predictions) rewind() {
	p.line, p.lines = 0, bufio.NewScanner(p.file)
	p.lines.Buffer(nil, maxPrediction)
}

func (p *Predictions) isBlank() bool { return len(bytes.TrimSpace(p.lines.Bytes())) == 0 }

// scan goes to the next prediction.
func (p *Predictions) scan() bool {
	for p.lines.Scan() {
		if p.line++; !p.blanks || !p.isBlank() {
			return true
		}
	}
	return false
}

// Close closes the file, which was only read: there is nothing to lose.
func (p *Predictions) Close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

// Pairs returns the gold SQL of the next perturbation with its predictions.
func (p *Predictions) Pairs(gold, perturbation string) dataset.Stream[*dataset.Pair] {
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
func (p *Predictions) pair(ex *dataset.Example) *dataset.Pair {
	text, _, _ := strings.Cut(p.lines.Text(), "\t")
	if !utf8.ValidString(text) {
		return &dataset.Pair{Example: ex, Problem: fmt.Errorf("%s:%d: is not UTF-8, expected SQL", p.path, p.line)}
	}
	return &dataset.Pair{Example: ex, Prediction: strings.TrimSpace(text)}
}
