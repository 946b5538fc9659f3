package benchmark

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// PartKind is the kind of parts that [BuildPart] leaves.
const PartKind = "build"

// BuildPart does one share of a build and writes it as a part, next to the path out. [Merge]
// assembles the parts. Which units are of the share depends on the units
// and the samples alone, so that the shares may be built on several machines.
func BuildPart(ctx context.Context, units []*dataset.Unit, out string, share outdir.Share, c Config) (*outdir.Part, error) {
	b := newBuilder(c)
	b.noteContent(units)
	work := outdir.Division{
		Kind: PartKind, Fingerprint: b.fingerprint(), Sizes: c.sizes(units), Assembly: b.expected(),
		Resume: c.Resume, Note: func(err error) { c.Report(dataset.Note(err)) }, Unchanged: c.Unchanged,
	}
	return work.Part(out, share, func(d *outdir.Dir, shards *outdir.Shards, mine []int) error {
		b.dir, b.shards = d, shards
		if err := b.units(ctx, units, mine); err != nil {
			return err
		}
		names := lists.Map(b.Perturbations, func(p *perturb.Perturbation) string { return p.Name })
		return shards.Keep(names...)
	})
}

// sizes measures units, by the microseconds that they may take. It reckons in whole numbers,
// to be the same on every machine.
func (c *Config) sizes(units []*dataset.Unit) []int64 {
	sizes := make([]int64, len(units))
	for i, u := range units {
		for _, p := range c.Perturbations {
			sizes[i] += int64(len(u.Examples)*c.samples(p)) * 1e6 / recordsPerSecond
		}
		sizes[i] += dataset.FileSize(u.DB.SQLite) * int64(len(u.Examples)) / (bytesPerSecond / 1e6)
	}
	return sizes
}

// Merge puts the parts of a divided build together, with the bytes that [Build] writes. It
// reports what could not be used. For linkers see [Config.Linkers].
func Merge(ctx context.Context, out string, parts []*outdir.Part, linkers Linkers, report func(error)) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(parts[0].Assembly, m); err != nil {
		return nil, fmt.Errorf("%s: %w, expected the parts of a build", parts[0].Share.Path(out), err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := m.mayReplace(out); err != nil {
		return nil, err
	}
	b := &builder{Config: Config{Split: m.Split, Skipped: m.Skipped, Linkers: linkers, Report: report}}
	return m, outdir.Merge(ctx, out, RecordsFile, parts, report, func(d *outdir.Dir, shards *outdir.Shards) error {
		b.dir, b.shards = d, shards
		if err := b.assemble(ctx, m, parts[0].Units, nil); err != nil {
			return err
		}
		return m.write(d.Path(manifestFile))
	})
}

// mayReplace refuses to put parts in the place of a build that has more than they do.
func (m *Manifest) mayReplace(out string) error {
	if !IsBuild(out) {
		return nil
	}
	there, err := ReadManifest(out)
	if err != nil {
		return err
	}
	for _, r := range there.Perturbations {
		if !m.Has(r.Name) {
			return fmt.Errorf("%s: holds a build that has %s too, expected one of what the parts have, or none", out, r.Name)
		}
	}
	return nil
}
