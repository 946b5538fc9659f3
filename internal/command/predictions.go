package command

import (
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
)

// predictions are those on one side of the perturbations of a build.
type predictions struct {
	input      dataset.Input
	of         *evaluate.Predictions
	extraction *evaluate.Extraction
}

// openPredictions opens a path for a number of perturbations with so many records in all.
func (a *app) openPredictions(path string, f *extractFlag, perturbations, records int) (*predictions, error) {
	in, err := dataset.OpenInput(path, a.stdin)
	if err != nil {
		return nil, err
	}
	p := &predictions{input: in, extraction: f.extraction()}
	if p.of, err = evaluate.OpenPredictions(in, perturbations, records, a.skip); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return p, nil
}

// pairs returns the gold SQL of the next perturbation with its predictions.
func (p *predictions) pairs(gold, perturbation string) dataset.Stream[*dataset.Pair] {
	return p.extraction.Of(p.of.Pairs(gold, perturbation))
}

// end says what was taken out of the predictions, once all were read; it returns an error
// where there are more of them than records.
func (p *predictions) end(a *app) error {
	if text := p.extraction.String(); text != "" {
		a.warn(fmt.Errorf("%s: %s", p.input.Name, text))
	}
	return p.of.End()
}

func (p *predictions) close() error {
	p.of.Close()
	return p.input.Close()
}
