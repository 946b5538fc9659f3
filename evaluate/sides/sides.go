// Package sides reads what build wrote for evaluations: the gold SQL, the schemas and the records
// before ("pre") and after ("post") each perturbation, with the predictions for them.
package sides

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
)

// Perturbation is a perturbation of a build.
type Perturbation struct {
	Name      string // "adveta/replace"
	Group     string // what it changes, as Dr.Spider's DB, NLQ and SQL; may be empty
	Samples   int    // of an example
	Records   int
	Unchanged int // records that are turns without a change, next to changed turns of their interaction
}

// Build is the folder of a build, with the perturbations of it that are evaluated.
type Build struct {
	Dir, Split    string
	Perturbations []Perturbation
}

// Records counts the records of the perturbations.
func (b *Build) Records() (n int) {
	for _, p := range b.Perturbations {
		n += p.Records
	}
	return n
}

// Path returns the path of a file on a side, "pre" or "post", of a perturbation.
func (b *Build) Path(perturbation, side, name string) string {
	return filepath.Join(b.Dir, filepath.FromSlash(perturbation), side, name)
}

// Gold returns the path of the gold SQL on a side of a perturbation.
func (b *Build) Gold(perturbation, side string) string {
	return b.Path(perturbation, side, b.Split+".json")
}

// Schemas reads the schemas on a side of a perturbation, by db_id.
func (b *Build) Schemas(perturbation, side string, report func(error)) (map[string]*dataset.Database, error) {
	return dataset.Schemas(b.Path(perturbation, side, "tables.json"), report)
}

// Predictions are the predictions on one side of all perturbations of a build. The caller closes them.
type Predictions struct {
	evaluate.Joined // of the pairs that were read
	Side            string
	build           *Build
	input           dataset.Input
	file            *dataset.Predictions // for several perturbations; nil for a folder or a file for one
	extraction      *evaluate.Extraction
}

// extensions lists the extensions of files in a folder of predictions, in the order of search.
var extensions = []string{".sql", ".txt", ".jsonl", ".json", ".csv", ".tsv"}

// Open opens the predictions of a side at path, or stdin for "-": a folder with a file for each
// perturbation, one file with the predictions of all perturbations in order, or one file that is
// joined by the questions. Answers that belong to no question are passed to skip.
func (b *Build) Open(side, path string, stdin io.Reader, e *evaluate.Extraction, skip func(error)) (*Predictions, error) {
	in, err := dataset.OpenInput(path, stdin)
	if err != nil {
		return nil, err
	}
	p := &Predictions{Side: side, build: b, input: in, extraction: e}
	if len(b.Perturbations) == 1 || dataset.IsDir(in.Path) {
		return p, nil // read opens the file of each perturbation
	}
	p.file, err = dataset.OpenPredictions(in, dataset.Expected{
		Count: func() (int, error) { return b.Records(), nil },
		Name: func(n int) string {
			return fmt.Sprintf("%d: the records of %d perturbations of the build", n, len(b.Perturbations))
		},
	}, skip)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return p, nil
}

// read returns the pairs of the gold SQL in a file with the predictions for a perturbation, before extraction: those of the
// one open file, of the file for a single perturbation, or of the perturbation's file in the folder.
func (p *Predictions) read(gold, perturbation string) dataset.Stream[*dataset.Pair] {
	switch {
	case p.file != nil:
		return p.file.Pairs(gold)
	case !dataset.IsDir(p.input.Path):
		return dataset.PairsOf(gold, p.input)
	}
	base := filepath.Join(p.input.Path, filepath.FromSlash(perturbation))
	found := slices.IndexFunc(extensions, func(ext string) bool {
		_, err := os.Stat(base + ext)
		return err == nil
	})
	return dataset.Pairs(gold, base+extensions[max(found, 0)]) // without a file, opening the first reports it
}

// Name returns the name of the file or folder of the predictions, for messages.
func (p *Predictions) Name() string { return p.input.Name }

// Pairs returns the gold SQL of the next perturbation with its predictions. The stream ends with
// an error if the gold has more or fewer records than the manifest states.
func (p *Predictions) Pairs(perturbation Perturbation) dataset.Stream[*dataset.Pair] {
	gold := p.build.Gold(perturbation.Name, p.Side)
	pairs := p.extraction.Of(p.read(gold, perturbation.Name))
	return p.Count(exactly(perturbation.Records, gold, pairs))
}

// Positions returns the pairs of the next perturbation one at a time, a nil pair for a record
// that cannot be used. The caller calls stop.
func (p *Predictions) Positions(perturbation Perturbation, report func(error)) (next func() (*dataset.Pair, error, bool), stop func()) {
	gold := p.build.Gold(perturbation.Name, p.Side)
	return dataset.Pull(allRecords(gold, p.Pairs(perturbation)), report)
}

// End passes to note what was extracted from the predictions, once all were read. It returns an error if
// there are more predictions than records.
func (p *Predictions) End(note func(error)) error {
	if text := p.extraction.String(); text != "" {
		note(fmt.Errorf("%s: %s", p.input.Name, text))
	}
	if p.file == nil { // the file of each perturbation was read to its end
		return nil
	}
	return p.file.End()
}

// Close closes the open file of predictions, if there is one, and removes the copy of the input.
func (p *Predictions) Close() error {
	if p.file != nil {
		p.file.Close()
	}
	return p.input.Close()
}

// allRecords returns the pairs with a nil pair for each record of the file gold that cannot be used.
func allRecords(gold string, pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return pairs.WithUnusable(func(err error) bool {
		record, ok := errors.AsType[*dataset.RecordError](err)
		return ok && record.File == gold
	})
}

// exactly returns the pairs, and an error if the file gold has more or fewer than n records.
func exactly(n int, gold string, pairs dataset.Stream[*dataset.Pair]) dataset.Stream[*dataset.Pair] {
	return func(report func(error), each func(*dataset.Pair) error) error {
		records := 0
		err := allRecords(gold, pairs)(report, func(p *dataset.Pair) error {
			if records++; records > n {
				return fmt.Errorf("%s: has more than %d records, expected as many as manifest.json says", gold, n)
			}
			if p == nil { // a record that cannot be used
				return nil
			}
			return each(p)
		})
		if err == nil && records < n {
			err = fmt.Errorf("%s: has %d records, expected %d as manifest.json says", gold, records, n)
		}
		return err
	}
}
