package evaluate

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
)

// Predictions are the predictions for all perturbations of a build, before or after: a folder
// with a file for each perturbation, one file with the predictions of all perturbations in
// order, or one file that is joined by the questions.
type Predictions struct {
	folder string
	file   *dataset.Predictions
	gold   func(path string) dataset.Stream[*dataset.Pair]
}

// Extensions lists the extensions of files in a folder of predictions, in the order of search.
var Extensions = []string{".sql", ".txt", ".jsonl", ".json", ".csv"}

// OpenPredictions opens the predictions for a number of perturbations, with the given number of
// records in all, in a form of [dataset.OpenPredictions]. Each answer that belongs to no
// question is passed to report.
func OpenPredictions(in dataset.Input, perturbations, records int, report func(error)) (*Predictions, error) {
	info, err := os.Stat(in.Path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &Predictions{folder: in.Path}, nil
	}
	if perturbations == 1 {
		return &Predictions{gold: func(path string) dataset.Stream[*dataset.Pair] { return dataset.PairsOf(path, in) }}, nil
	}
	file, err := dataset.OpenPredictions(in, dataset.Expected{
		Count: func() (int, error) { return records, nil },
		Name: func(n int) string {
			return fmt.Sprintf("%d: the records of %d perturbations of the build", n, perturbations)
		},
	}, report)
	if err != nil {
		return nil, err
	}
	return &Predictions{file: file, gold: file.Pairs}, nil
}

// Close closes the file. It ignores errors because the file was only read.
func (p *Predictions) Close() {
	if p.file != nil {
		p.file.Close()
	}
}

// Pairs returns the gold SQL of the next perturbation with its predictions.
func (p *Predictions) Pairs(gold, perturbation string) dataset.Stream[*dataset.Pair] {
	if p.folder == "" {
		return p.gold(gold)
	}
	base := filepath.Join(p.folder, filepath.FromSlash(perturbation))
	for _, ext := range Extensions {
		if _, err := os.Stat(base + ext); err == nil {
			return dataset.Pairs(gold, base+ext)
		}
	}
	return dataset.Pairs(gold, base+Extensions[0])
}

// End returns an error if there are more predictions than records.
func (p *Predictions) End() error {
	if p.file == nil {
		return nil
	}
	return p.file.End()
}
