package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// ablation has the figures of the names that are found for one bucket without a part of the pipeline.
type ablation struct {
	Without  string               `json:"without,omitempty"` // none for the full pipeline
	Side     dataset.Side         `json:"side"`
	Covered  stats.Number         `json:"covered"` // share of the columns that have names
	Names    int                  `json:"names"`
	Validity stats.Number         `json:"validity"` // predicted, mean over the names
	Strength []benchmark.Strength `json:"strength"` // of a build with one sample
}

// ablate prints what each part of the pipeline contributes: it finds names with all parts and then without each one, builds
// with them and compares coverage, validity and strength.
func (a *app) ablate(ctx context.Context, f *candidatesFlags) error {
	refused := []bool{len(f.without) > 0, f.attacker != "", f.explain != "", f.shard != "", f.endpoints != (endpoints{}), f.format != "tabperturb"}
	if slices.Contains(refused, true) {
		return errors.New("--ablate: leaves out each part in turn and writes no names, expected none of --without, --attacker, --explain, --shard, --format and the flags of models")
	}
	scratch, err := os.MkdirTemp("", "tabperturb-ablate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var rows []ablation
	for i, part := range append([]string{""}, augment.Parts()...) {
		if part == augment.ModelSource {
			continue // no model is asked
		}
		more, err := a.ablateOne(ctx, f, part, filepath.Join(scratch, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	return a.print(rows, func(w io.Writer) error { return writeAblations(w, rows) })
}

// ablateOne finds names without a part ("" for none left out), builds with them in the folder scratch, and returns a row for
// REPLACE and one for ADD. It removes the build.
func (a *app) ablateOne(ctx context.Context, given *candidatesFlags, part, scratch string) ([]ablation, error) {
	f := *given
	f.out = scratch + ".json"
	if part != "" {
		f.without = []string{part}
	}
	rows := []ablation{{Without: part, Side: dataset.Replace}, {Without: part, Side: dataset.Add}}
	covered, validity := make([]int, len(rows)), make([]float64, len(rows))
	s, err := a.candidates(ctx, &f, func(c augment.Column) error {
		for i := range rows {
			names := *rows[i].Side.Of(&c.Bucket)
			covered[i] += min(len(names), 1) // a column counts once
			for _, name := range names {
				rows[i].Names++
				validity[i] += name.Validity
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := defaultBuild()
	b.data, b.split, b.buckets, b.out, b.samples, b.samplesSet = f.data, f.split, []string{f.out}, scratch, 1, true
	m, err := a.build(ctx, &b)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Covered = stats.Share(covered[i], s.Columns)
		rows[i].Validity = stats.Undefined()
		if rows[i].Names > 0 && f.policy == policyValidity { // other policies predict no validity
			rows[i].Validity = stats.Number(validity[i] / float64(rows[i].Names))
		}
		for _, x := range m.Strength {
			if x.Perturbation == "adveta/"+string(rows[i].Side) {
				rows[i].Strength = append(rows[i].Strength, x)
			}
		}
	}
	return rows, os.RemoveAll(scratch)
}

// writeAblations writes rows as aligned text, with a column for the strength by each linker: "-" where it was not measured.
func writeAblations(w io.Writer, rows []ablation) error {
	heads := []string{"without", "bucket", "columns, %", "names", "validity, %"}
	for _, l := range strengthLinkers {
		heads = append(heads, "points of column F1, linker "+l)
	}
	t := table.New("", heads...)
	for _, r := range rows {
		without := "nothing"
		if r.Without != "" {
			without = r.Without
		}
		cells := []any{without, string(r.Side), r.Covered.Percent(), r.Names, r.Validity.Percent()}
		for _, l := range strengthLinkers {
			change := "-"
			if i := slices.IndexFunc(r.Strength, func(s benchmark.Strength) bool { return s.Linker == l }); i >= 0 {
				change = r.Strength[i].Change.Points()
			}
			cells = append(cells, change)
		}
		t.Add(cells...)
	}
	_, err := fmt.Fprint(w, t)
	return err
}
