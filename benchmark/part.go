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
// assembles the parts. The units of a share depend only on all units, the perturbations and the numbers of
// samples, so the shares may be built on several machines.
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

// sizes returns an estimate of the microseconds that each unit takes. It computes with integers, so that
// the result is the same on every machine.
func (c *Config) sizes(units []*dataset.Unit) []int64 {
	sizes := make([]int64, len(units))
	for i, u := range units {
		for _, p := range c.Perturbations {
			sizes[i] += int64(len(u.Examples)*c.samples(p)) * 1e6 / recordsPerSecond
		}
		// Each gold SQL may read the whole file.
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

// mayReplace returns an error if a build at out has a perturbation that the parts lack: it would be lost.
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
