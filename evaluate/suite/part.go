package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// PartKind is the kind of parts that [DistillPart] leaves.
const PartKind = "suite distill"

// assembly is what a merge needs beside the shards.
type assembly struct {
	Manifest *Manifest `json:"manifest"` // without schemas
	Examples string    `json:"examples"` // name of [Config.Examples], whose folder need not be everywhere the same
}

// DistillPart does one share of what [Distill] does, and leaves it beside out, as a part that
// [Merge] puts together with the others. The shares have about equally many examples.
func DistillPart(ctx context.Context, units []*dataset.Unit, out string, share outdir.Share, c Config) (*outdir.Part, error) {
	work := outdir.Division{
		Kind: PartKind, Fingerprint: c.fingerprint(), Sizes: sizes(units), Assembly: assembly{c.expected(), filepath.Base(c.Examples)},
		Resume: c.Resume, Note: func(err error) { c.Report(dataset.Note(err)) }, Unchanged: c.Unchanged,
	}
	return work.Part(out, share, func(d *outdir.Dir, shards *outdir.Shards, mine []int) error {
		return c.all(ctx, d, shards, mine, units)
	})
}

// sizes are the examples of units, by which their time is estimated.
func sizes(units []*dataset.Unit) []int64 {
	sizes := make([]int64, len(units))
	for i, u := range units {
		sizes[i] = int64(len(u.Examples))
	}
	return sizes
}

// largestFirst returns units in an order in which no large one is left for the end, when
// other workers have nothing to do.
func largestFirst(some []int, units []*dataset.Unit) []int {
	some = slices.Clone(some)
	slices.SortStableFunc(some, func(a, b int) int { return cmp.Compare(len(units[b].Examples), len(units[a].Examples)) })
	return some
}

// Merge puts the parts of a divided suite together, with the bytes that [Distill] writes. It
// is told by report of what could not be used.
func Merge(ctx context.Context, out string, parts []*outdir.Part, report func(error)) (*Manifest, error) {
	var a assembly
	if err := json.Unmarshal(parts[0].Assembly, &a); err != nil || a.Manifest == nil {
		return nil, fmt.Errorf("%s: expected the parts of a suite", parts[0].Share.Path(out))
	}
	dir, err := outdir.NewDir(out, CurveFile)
	if err != nil {
		return nil, err
	}
	work, err := dir.Shards(shardDir, parts[0].Fingerprint, false, report)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	c := Config{Examples: a.Examples, Report: report}
	if err = dir.Gather(ctx, parts); err == nil {
		err = c.assemble(a.Manifest, dir, work, parts[0].Units)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Abort())
	}
	if err := work.Remove(); err != nil {
		return nil, err
	}
	return a.Manifest, dir.Commit()
}
