package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// DefaultDatabases is how many random databases are tried for each schema
// (section 6.1).
const DefaultDatabases = 1000

// DefaultDepth is the number of databases that distinguish each neighbour from its gold.
// With the paper's 1, a suite finds fewer wrong predictions than all the databases tried;
// with more than 2 it finds hardly any more.
const DefaultDepth = 2

// Config configures [Distill].
type Config struct {
	Databases int // random databases tried for each schema
	Depth     int // wanted number of databases that distinguish each neighbour from its gold
	Seed      uint64
	Nulls     Nulls
	Workers   int
	Resume    bool        // continue an interrupted run
	Inputs    []Input     // the files that the units came from
	Examples  string      // the file of the examples, for messages
	Report    func(error) // called for each schema and gold that cannot be used
	Step      func()      // called for each finished schema; may be nil

	// Unchanged returns an error if the inputs have changed since they were read. It is
	// called before the suite is put in place; may be nil.
	Unchanged func() error

	lanes *semaphore.Weighted // counts the workers that all schemas share
}

// distillVersion changes whenever the same inputs give another suite, so that a run of an
// older version is not resumed.
const distillVersion = 3

// shardDir is the folder, inside the unfinished output, of the results of finished schemas.
const shardDir = outdir.PartShards

// Distill writes a test suite for the units to the folder out, whole or not at
// all. Its bytes depend on the units, the seed and the number of databases alone.
func Distill(ctx context.Context, units []*dataset.Unit, out string, c Config) (*Manifest, error) {
	// A build has a manifest too, so it is the curve that marks a suite.
	dir, err := outdir.NewDir(out, CurveFile)
	if err != nil {
		return nil, err
	}
	work, err := dir.Shards(shardDir, c.fingerprint(), c.Resume, func(err error) { c.Report(dataset.Note(err)) })
	if err != nil {
		return nil, err
	}
	all := outdir.Share{}.Units(sizes(units))
	if err := c.distilAll(ctx, dir, work, all, units); err != nil {
		return nil, errors.Join(err, work.Close())
	}
	m := c.emptyManifest()
	if err := c.assemble(m, dir, work, len(units)); err != nil {
		return nil, errors.Join(err, work.Close())
	}
	if c.Unchanged != nil {
		if err := c.Unchanged(); err != nil {
			return nil, errors.Join(err, dir.Abort())
		}
	}
	if err := work.Remove(); err != nil {
		return nil, err
	}
	return m, dir.Commit()
}

// fingerprint identifies what a run computes; only a run with the same one is resumed.
func (c *Config) fingerprint() string {
	return fmt.Sprintf("suite %d distilled %d seed %d databases %d depth %d nulls %s inputs %q", manifestVersion, distillVersion, c.Seed, c.Databases, c.Depth, c.Nulls, c.Inputs)
}

// distilAll distils the databases of the units with the given positions, the largest first.
func (c *Config) distilAll(ctx context.Context, dir *outdir.Dir, work *outdir.Shards, positions []int, units []*dataset.Unit) error {
	c.lanes = semaphore.NewWeighted(int64(max(c.Workers, 1)))
	return outdir.Run(ctx, c.Workers, largestFirst(positions, units), func(ctx context.Context, _, i int) error {
		return c.distilUnit(ctx, dir, work, i, units[i])
	})
}

// distilUnit distils the databases of unit i and stores its shard, unless an earlier run did.
func (c *Config) distilUnit(ctx context.Context, dir *outdir.Dir, work *outdir.Shards, i int, u *dataset.Unit) error {
	if c.Step != nil {
		defer c.Step()
	}
	if work.Has("", i) {
		return nil
	}
	if id := u.DB.ID; id == "." || !filepath.IsLocal(id) || filepath.Base(id) != id {
		return c.writeShard(work, i, Schema{ID: id, Problem: "the database id cannot be the name of a folder"})
	}
	folder := dir.Path("database", u.DB.ID)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	schema, err := c.distilSchema(ctx, u, folder)
	if refused, ok := errors.AsType[*sqldata.Error](err); ok && ctx.Err() == nil {
		// The engine refuses every row, for example because a generated column makes it too large.
		schema, err = &Schema{ID: u.DB.ID, Problem: "no database of this schema can be filled: " + refused.Error()}, os.RemoveAll(folder)
	}
	if err != nil {
		return err
	}
	return c.writeShard(work, i, *schema)
}

// writeShard stores the result of unit i as a shard.
func (c *Config) writeShard(work *outdir.Shards, i int, s Schema) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return work.Write("", i, data)
}

// emptyManifest returns the manifest of the configuration, without schemas yet.
func (c *Config) emptyManifest() *Manifest {
	return &Manifest{Version: manifestVersion, Seed: c.Seed, Tried: c.Databases, Depth: c.Depth, Nulls: c.Nulls, Inputs: c.Inputs}
}

// assemble reads the shards of n schemas, reports their problems, and writes the manifest and
// the curve.
func (c *Config) assemble(m *Manifest, dir *outdir.Dir, work *outdir.Shards, n int) error {
	for i := range n {
		data, err := work.Read("", i)
		if err != nil {
			return err
		}
		var s Schema
		if err := json.Unmarshal(data, &s); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		c.reportProblems(&s)
		m.add(s)
		for _, db := range s.Databases {
			info, err := os.Stat(dir.Path("database", s.ID, db.File))
			if err != nil {
				return err
			}
			m.Bytes += info.Size()
		}
	}
	if err := m.writeCurve(dir.Path(CurveFile), dir.Path(CurvePlotFile)); err != nil {
		return err
	}
	return m.write(dir.Path(ManifestFile))
}

// reportProblems reports a schema, and each gold of it, that cannot be used, and as a note each gold that no
// database can judge.
func (c *Config) reportProblems(s *Schema) {
	if s.Problem != "" {
		c.Report(fmt.Errorf("%s: %s", s.ID, s.Problem))
	}
	for _, g := range s.Golds {
		switch {
		case g.Problem != "":
			c.Report(fmt.Errorf("%s:%d: gold SQL cannot be used: %s", c.Examples, g.Examples[0]+1, g.Problem))
		case g.Empty:
			c.Report(dataset.Note(fmt.Errorf("%s:%d: is not judged: no database tried gives the gold SQL a determined answer with rows", c.Examples, g.Examples[0]+1)))
		}
	}
}
