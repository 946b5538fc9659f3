// Package benchmark builds benchmarks: it runs perturbations over the units of
// a data set, executes every perturbed example before and after, and writes the
// records that kept their promise as drop-in data directories.
//
//	OUT/NAME/pre/          the original examples, one a record
//	OUT/NAME/post/         the perturbed ones, aligned by index
//	OUT/NAME/index.jsonl   which example and sample each of them is
//	OUT/NAME/rejected.jsonl  what was not written, and why
//	OUT/records.parquet    one row a record, with its edits and scores
//	OUT/manifest.json      what was made of what, and how much of it held
//
// The turns of an interaction meet one perturbation: under each sample all of them
// are written, in their order and over one schema, or none. Turns that a perturbation
// of questions does not change are records without edits.
// Post data hold an interaction once for each sample, under numbers of its own.
//
// Units are worked on independently, each leaving a shard; the output is the
// shards in order, so that neither the number of workers nor an interruption
// changes a byte of it.
package benchmark

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/abstain"
	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/benchmark/baseline"
	"github.com/tabperturb/tabperturb/benchmark/drspider"
	"github.com/tabperturb/tabperturb/benchmark/evolve"
	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// Catalog returns all perturbations.
func Catalog() []*perturb.Perturbation {
	return slices.Concat(adveta.All, drspider.All, mtteql.All, spidersyn.All, spidersyn.Attacks, baseline.All, abstain.All, evolve.All)
}

// familyOf returns the family of a perturbation by its name.
func familyOf(name string) string {
	family, _, _ := strings.Cut(name, "/")
	return family
}

// Families returns the families of the catalog, in its order.
func Families() []string {
	return slices.Compact(lists.Map(Catalog(), func(p *perturb.Perturbation) string { return familyOf(p.Name) }))
}

// Missing returns the families that the build has no perturbation of, without those that need another input than
// names for columns.
func (m *Manifest) Missing() []string {
	return lists.Filter(Families(), func(family string) bool {
		isBuilt := slices.ContainsFunc(m.Perturbations, func(r Result) bool { return familyOf(r.Name) == family })
		needsMore := slices.ContainsFunc(Catalog(), func(p *perturb.Perturbation) bool {
			return familyOf(p.Name) == family && p.Needs != "" && p.Needs != perturb.NeedsBuckets
		})
		return !isBuilt && !needsMore
	})
}

// catalogued returns the perturbation of the catalog with a name, nil if there is none.
func catalogued(name string) *perturb.Perturbation {
	for _, p := range Catalog() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Select returns the perturbations with the given names, in the order of the
// catalog. The name of a family ("adveta") selects all its perturbations.
func Select(names []string) ([]*perturb.Perturbation, error) {
	var out []*perturb.Perturbation
	known := map[string]bool{}
	for _, p := range Catalog() {
		family := familyOf(p.Name)
		known[p.Name], known[family] = true, true
		if slices.Contains(names, p.Name) || slices.Contains(names, family) {
			out = append(out, p)
		}
	}
	for _, n := range names {
		if !known[n] {
			return nil, fmt.Errorf("perturbation %q is unknown; `tabperturb list` names them all", n)
		}
	}
	return out, nil
}

// DefaultSamples is how often each example is perturbed: ADVETA's five attacks
// (section 5.2).
const DefaultSamples = 5

// Config configures a build.
type Config struct {
	Perturbations []*perturb.Perturbation
	Resources     perturb.Resources
	Buckets       dataset.Buckets
	Samples       int     // variants wanted of each example
	OwnSamples    bool    // a perturbation with a number of samples of its own makes that many
	MinFluency    float64 // of a question that changes, see package fluency
	Seed          uint64
	Workers       int
	Scope         perturb.Scope  // of perturbed schemas; by default [perturb.ScopeQuestion]
	Prefer        dataset.Prefer // which names of a bucket are drawn more often; by default evenly
	Databases     Databases      // which SQLite files are written, not [DatabasesAuto]; by default [DatabasesFull]
	Rows          int            // of each table, about, that [DatabasesRows] writes
	Split         string         // names the files that are written
	RecordOf      RecordOf       // where an example was read, for messages; by default SPLIT.json
	Limits        sqldata.Limits // of every query
	Accepted      Accepted       // whether people accept a verified record; nil keeps all
	AcceptedBy    string         // hashes of the decisions that Accepted knows
	Selected      string         // which examples of the split the units have; empty for all
	Earlier       *Manifest      // of the build in place, which perturbations are added to; nil where none is, or another takes its place
	Resume        bool           // go on where an interrupted build stopped
	Inputs        []Input        // the files that the units and buckets came from
	Skipped       int            // records of the units' files that cannot be used, for the manifest
	Report        func(error)    // called for each gold SQL and database that cannot be used
	Step          func()         // called [Config.Steps] times as the work goes on; may be nil
	Linkers       Linkers        // measures the strength of perturbations of schemas; nil for none
	Unchanged     func() error   // asked, before the build is put in place, whether its inputs are as they were; may be nil
}

// RecordOf returns the file, and the record there from 1, that an example was read from, by its index.
type RecordOf func(index int) (file string, record int)

// RecordsOf returns the function for examples that are the records of one file in their order.
func RecordsOf(file string) RecordOf {
	return func(index int) (string, int) { return file, index + 1 }
}

// Accepted returns why people reject a verified record; "" for an accepted one.
type Accepted func(*dataset.Record) perturb.Reason

// builder is a build in progress.
type builder struct {
	Config
	dir    *outdir.Dir
	shards *outdir.Shards
}

// newBuilder returns a builder with the defaults of the configuration filled in.
func newBuilder(c Config) *builder {
	if c.RecordOf == nil {
		c.RecordOf = RecordsOf(c.Split + ".json")
	}
	c.Databases = cmp.Or(c.Databases, DatabasesFull)
	return &builder{Config: c}
}

// skip reports the error of an input that cannot be used, and counts it.
func (b *builder) skip(err error) {
	b.Skipped++
	b.Report(err)
}

// samples returns how many variants of each example a perturbation makes.
func (c *Config) samples(p *perturb.Perturbation) int {
	if c.OwnSamples && p.Samples > 0 {
		return p.Samples
	}
	return c.Samples
}

// shardDir is the folder, inside the unfinished output, of what is resumed from.
const shardDir = outdir.PartShards

// shardVersion is the version of the format of shards. A build does not resume from shards of another version.
const shardVersion = 3

// Build writes the benchmark to the folder out, whole or not at all.
func Build(ctx context.Context, units []*dataset.Unit, out string, c Config) (*Manifest, error) {
	b := newBuilder(c)
	b.noteContent(units)
	// Test suites have a manifest too, so it is the records that mark a build.
	if err := b.open(out, RecordsFile); err != nil {
		return nil, err
	}
	defer func() { b.shards.Close() }() // after an error they stay, for --resume
	// An undivided build has all units.
	if err := b.units(ctx, units, outdir.Share{}.Units(c.sizes(units))); err != nil {
		return nil, err
	}
	from, err := c.openEarlier(out)
	if err != nil {
		return nil, err
	}
	manifest := b.expected()
	if from != nil {
		defer from.stop()
		manifest = from.joined(manifest)
	}
	if err := b.assemble(ctx, manifest, len(units), from); err != nil {
		return nil, err
	}
	return manifest, b.finish(manifest)
}

// units builds the shards of the units at some indices, on all workers of the build.
func (b *builder) units(ctx context.Context, units []*dataset.Unit, indices []int) error {
	concurrent := min(b.Workers, len(indices)) // if units are few, each gets several workers
	return outdir.Run(ctx, concurrent, indices, func(ctx context.Context, _, i int) error {
		if err := b.unit(ctx, i, units[i], max(1, b.Workers/max(1, concurrent))); err != nil {
			return fmt.Errorf("%s: %w", units[i].DB.ID, err)
		}
		return nil
	})
}

// noteContent reports databases without a file. Without the note, a data set whose folder has a wrong
// name would look like one without content.
func (b *builder) noteContent(units []*dataset.Unit) {
	var missing []string
	for _, u := range units {
		if u.DB.SQLite == "" {
			missing = append(missing, u.DB.ID)
		}
	}
	switch {
	case len(missing) == 0:
	case len(missing) == len(units):
		b.Report(dataset.Note(errors.New("no database has an SQLite file, expected database/DB_ID/DB_ID.sqlite; all rows are generated")))
	default:
		b.Report(dataset.Note(fmt.Errorf("no SQLite file for %s, expected database/DB_ID/DB_ID.sqlite; their rows are generated", strings.Join(missing, ", "))))
	}
}

// open opens the unfinished output and its shards. The file marker in an existing folder shows that it is a build.
func (b *builder) open(out, marker string) (err error) {
	if b.dir, err = outdir.NewDir(out, marker); err != nil {
		return err
	}
	b.shards, err = b.dir.Shards(shardDir, b.fingerprint(), b.Resume, func(err error) { b.Report(dataset.Note(err)) })
	return err
}

// fingerprint returns a hash of the settings and inputs that shards depend on.
func (b *builder) fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "version %d %d\nseed %d\nsamples %d %v\nfluency %v\nsplit %s\nlimits %v\n", Version, shardVersion, b.Seed, b.Samples, b.OwnSamples, b.MinFluency, b.Split, b.Limits)
	fmt.Fprintf(h, "%q %q %q %q %d\n", b.Resources.Models(), b.Scope, b.Prefer, b.Databases, b.Rows)
	fmt.Fprintf(h, "%q\n", b.Selected)
	for _, p := range b.Perturbations {
		fmt.Fprintf(h, "%s %d\n", p.Name, p.Version)
	}
	for _, in := range b.Inputs {
		fmt.Fprintf(h, "%s %s\n", in.Name, in.SHA256)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
