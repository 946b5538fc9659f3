package augment

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// PartKind is the kind of the parts that [Augmenter.RunPart] writes.
const PartKind = "candidates"

// assembly holds the settings that a merge needs in addition to the shards.
type assembly struct {
	Seed    uint64 `json:"seed"`
	Without string `json:"without,omitempty"`
}

// RunPart does one share of the work of [Augmenter.Run] and writes it next to c.Out, as a part
// for [Merge]. The shares have about equally many columns.
func (a *Augmenter) RunPart(ctx context.Context, units []*dataset.Unit, share outdir.Share, c Config) (*outdir.Part, error) {
	work := outdir.Division{
		Kind: PartKind, Fingerprint: c.fingerprint(), Sizes: sizes(units), Assembly: assembly{c.Seed, c.Without},
		Resume: c.Resume, Note: func(err error) { c.Report(dataset.Note(err)) },
	}
	return work.Part(c.Out, share, func(_ *outdir.Dir, shards *outdir.Shards, mine []int) error {
		return a.units(ctx, shards, units, mine, c)
	})
}

// sizes returns the number of columns of each unit.
func sizes(units []*dataset.Unit) []int64 {
	sizes := make([]int64, len(units))
	for i, u := range units {
		for _, t := range u.DB.Tables {
			sizes[i] += int64(len(t.Columns))
		}
	}
	return sizes
}

// Merge writes c.Out and c.Explain from the parts of a divided run. The bytes are those that
// [Augmenter.Run] writes. The caller must write the entities.
func Merge(parts []*outdir.Part, c Config) (*Summary, error) {
	var a assembly
	if err := json.Unmarshal(parts[0].Assembly, &a); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the parts of candidates", parts[0].Share.Path(c.Out), err)
	}
	c.Seed, c.Without = a.Seed, a.Without
	return c.assemble(outdir.ShardsOf(parts), parts[0].Units, nil)
}
