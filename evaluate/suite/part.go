package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// PartKind is the kind of the parts that [DistillPart] writes.
const PartKind = "suite distill"

// assembly is what a merge needs in addition to the shards.
type assembly struct {
	Manifest *Manifest `json:"manifest"` // without schemas
	Examples string    `json:"examples"` // file name of [Config.Examples]; its folder may differ between machines
}

// DistillPart does one share of the work of [Distill] and writes a part next to out, which
// [Merge] joins with the others. The shares have about equally many examples.
func DistillPart(ctx context.Context, units []*dataset.Unit, out string, share outdir.Share, c Config) (*outdir.Part, error) {
	work := outdir.Division{
		Kind: PartKind, Fingerprint: c.fingerprint(), Sizes: sizes(units), Assembly: assembly{c.emptyManifest(), filepath.Base(c.Examples)},
		Resume: c.Resume, Note: func(err error) { c.Report(dataset.Note(err)) }, Unchanged: c.Unchanged,
	}
	return work.Part(out, share, func(d *outdir.Dir, shards *outdir.Shards, mine []int) error {
		return c.distilAll(ctx, d, shards, mine, units)
	})
}

// sizes returns the number of examples of each unit, which estimates its time.
func sizes(units []*dataset.Unit) []int64 {
	return lists.Map(units, func(u *dataset.Unit) int64 { return int64(len(u.Examples)) })
}

// largestFirst returns positions of units sorted by the size of the unit, so that at the end no large one
// is left while other workers are idle.
func largestFirst(positions []int, units []*dataset.Unit) []int {
	sorted := slices.Clone(positions)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(len(units[b].Examples), len(units[a].Examples)) })
	return sorted
}

// Merge joins the parts of a divided suite, with the same bytes as [Distill]. It passes each
// schema and gold that cannot be used to report.
func Merge(ctx context.Context, out string, parts []*outdir.Part, report func(error)) (*Manifest, error) {
	var a assembly
	if err := json.Unmarshal(parts[0].Assembly, &a); err != nil || a.Manifest == nil {
		return nil, fmt.Errorf("%s: expected the parts of a suite", parts[0].Share.Path(out))
	}
	c := Config{Examples: a.Examples, Report: report}
	return a.Manifest, outdir.Merge(ctx, out, CurveFile, parts, report, func(dir *outdir.Dir, work *outdir.Shards) error {
		return c.assemble(a.Manifest, dir, work, parts[0].Units)
	})
}
