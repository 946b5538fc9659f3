package augment

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// PartKind is the kind of parts that [Augmenter.RunPart] leaves.
const PartKind = "candidates"

// assembly is what a merge needs beside the shards.
type assembly struct {
	Seed uint64 `json:"seed"`
}

// RunPart does one share of what [Augmenter.Run] does, and leaves it beside c.Out, as a part that
// [Merge] puts together with the others. The shares have about equally many columns.
func (a *Augmenter) RunPart(ctx context.Context, units []*dataset.Unit, share outdir.Share, c Config) (*outdir.Part, error) {
	work := outdir.Division{
		Kind: PartKind, Fingerprint: c.fingerprint(), Sizes: sizes(units), Assembly: assembly{c.Seed},
		Resume: c.Resume, Note: func(err error) { c.Report(dataset.Note(err)) },
	}
	return work.Part(c.Out, share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		return a.units(ctx, shards, units, mine, c)
	})
}

// sizes measures units by their columns.
func sizes(units []*dataset.Unit) []int64 {
	sizes := make([]int64, len(units))
	for i, u := range units {
		for _, t := range u.DB.Tables {
			sizes[i] += int64(len(t.Columns))
		}
	}
	return sizes
}

// Merge puts the parts of a divided run together in c.Out, with the bytes that [Augmenter.Run]
// writes, and in c.Explain. Entities are left to the caller.
func Merge(parts []*outdir.Part, c Config) (*Summary, error) {
	var a assembly
	if err := json.Unmarshal(parts[0].Assembly, &a); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the parts of candidates", parts[0].Share.Path(c.Out), err)
	}
	c.Seed = a.Seed
	return c.assemble(outdir.ShardsOf(parts), parts[0].Units, nil)
}
