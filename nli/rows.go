package nli

import (
	"context"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/tsv"
)

// scoreBatch is the number of pairs that ScoreRows holds in memory.
const scoreBatch = 4096

// ScoreRows scores the pairs of a TSV file: entity, premise, hypothesis and type. It writes a
// header and a row for each pair, in order: the entailments, then the three-way scores of both
// directions.
func ScoreRows(ctx context.Context, c Classifier, name string, r io.Reader, w io.Writer) error {
	fmt.Fprintln(w, "e1\te2\tforward_entailment\tforward_neutral\tforward_contradiction\tbackward_entailment\tbackward_neutral\tbackward_contradiction")
	var pairs []Pair
	flush := func() error {
		judgments, err := Score(ctx, c, pairs)
		if err != nil {
			return err
		}
		for _, j := range judgments {
			f, b := j.Forward, j.Backward
			fmt.Fprintf(w, "%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", f.Entailment, b.Entailment,
				f.Entailment, f.Neutral, f.Contradiction, b.Entailment, b.Neutral, b.Contradiction)
		}
		pairs = pairs[:0]
		return nil
	}
	err := tsv.Each(name, r, func(row int, fields []string) error {
		if len(fields) != 4 {
			return fmt.Errorf("%s:%d: %d fields, expected 4: entity, a, b, type, separated by tabs", name, row, len(fields))
		}
		t := dataset.Type(fields[3])
		pairs = append(pairs, Pair{Entity: fields[0], Premise: fields[1], Hypothesis: fields[2], PremiseType: t, HypothesisType: t})
		if len(pairs) == scoreBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
