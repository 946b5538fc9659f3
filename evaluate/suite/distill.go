package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// DefaultDatabases is how many random databases are tried for each schema
// (section 6.1).
const DefaultDatabases = 1000

// DefaultDepth is how many databases tell each neighbour apart. With the paper's 1
// a suite tells fewer wrong predictions apart than the databases that it was
// distilled from do; with more than 2 it tells hardly any more.
const DefaultDepth = 2

// Config says how to distil.
type Config struct {
	Databases int // random databases tried for each schema
	Depth     int // how many databases are to tell each neighbour apart, where so many do
	Seed      uint64
	Nulls     Nulls
	Workers   int
	Resume    bool        // go on where an interrupted run stopped
	Inputs    []Input     // the files that the units came from
	Examples  string      // where the examples lie, for messages
	Report    func(error) // told of each schema and gold that cannot be used
	Step      func()      // told of each schema that is done; may be nil

	// Unchanged is asked, before the suite is put in place, whether its inputs are as they
	// were; may be nil.
	Unchanged func() error

	lanes *semaphore.Weighted // of the workers, for all schemas together
}

// distillVersion changes with what is distilled from the same inputs, so that no run of an
// older version is gone on with.
const distillVersion = 2

// shardDir is the folder, inside the unfinished output, of what is resumed from.
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
	if err := c.all(ctx, dir, work, outdir.Share{}.Units(sizes(units)), units); err != nil {
		return nil, errors.Join(err, work.Close())
	}
	m := c.expected()
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

func (c *Config) fingerprint() string {
	return fmt.Sprintf("suite %d distilled %d seed %d databases %d depth %d nulls %s inputs %q", manifestVersion, distillVersion, c.Seed, c.Databases, c.Depth, c.Nulls, c.Inputs)
}

// all distils the databases of some units.
func (c *Config) all(ctx context.Context, dir *outdir.Dir, work *outdir.Shards, some []int, units []*dataset.Unit) error {
	c.lanes = semaphore.NewWeighted(int64(max(c.Workers, 1)))
	return outdir.Run(ctx, c.Workers, largestFirst(some, units), func(ctx context.Context, _, i int) error {
		return c.unit(ctx, dir, work, i, units[i])
	})
}

// unit distils the databases of one schema, unless that is done.
func (c *Config) unit(ctx context.Context, dir *outdir.Dir, work *outdir.Shards, i int, u *dataset.Unit) error {
	if c.Step != nil {
		defer c.Step()
	}
	if work.Has("", i) {
		return nil
	}
	if id := u.DB.ID; id == "." || !filepath.IsLocal(id) || filepath.Base(id) != id {
		return c.put(work, i, Schema{ID: id, Problem: "the database id cannot be the name of a folder"})
	}
	folder := dir.Path("database", u.DB.ID)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	schema, err := c.schema(ctx, u, folder)
	if refused, ok := errors.AsType[*sqlite.Error](err); ok && ctx.Err() == nil {
		// The engine takes no rows at all: a generated column makes more of each than it bears.
		schema, err = &Schema{ID: u.DB.ID, Problem: "no database of this schema can be filled: " + refused.Error()}, os.RemoveAll(folder)
	}
	if err != nil {
		return err
	}
	return c.put(work, i, *schema)
}

func (c *Config) put(work *outdir.Shards, i int, s Schema) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return work.Write("", i, data)
}

// expected returns the manifest of a suite of which nothing is assembled yet.
func (c *Config) expected() *Manifest {
	return &Manifest{Version: manifestVersion, Seed: c.Seed, Tried: c.Databases, Depth: c.Depth, Nulls: c.Nulls, Inputs: c.Inputs}
}

// assemble writes what is beside the databases of n schemas.
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
		c.tell(&s)
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

// tell reports what of a schema cannot be used.
func (c *Config) tell(s *Schema) {
	if s.Problem != "" {
		c.Report(fmt.Errorf("%s: %s", s.ID, s.Problem))
	}
	for _, g := range s.Golds {
		if g.Problem != "" {
			c.Report(fmt.Errorf("%s:%d: gold SQL cannot be used: %s", c.Examples, g.Examples[0]+1, g.Problem))
		}
		if g.Empty {
			c.Report(fmt.Errorf("%s:%d: is not judged: no database tried gives the gold SQL a determined answer with rows", c.Examples, g.Examples[0]+1))
		}
	}
}

// candidate is a database that told neighbours apart, or answered a gold, when it was tried.
type candidate struct {
	tried   int                 // 0: the schema's own content
	rows    [][][]sqldata.Value // nil where they are too many to be tried
	tells   int
	answers bool // it is the first to give a gold a determined answer with rows

	// apart says, of the schema's own content, which neighbours of each gold it tells apart.
	// It is tried first forward and backward, on all neighbours, and is the dearest to try.
	apart [][]bool
}

// verdicts returns where the verdicts of the own content on a gold's neighbours are kept;
// nil where the candidate is no such content.
func (k *candidate) verdicts(gold int) *[]bool {
	if k.apart == nil {
		return nil
	}
	return &k.apart[gold]
}

func (k *candidate) needed() bool { return k.tells > 0 || k.answers }

// schema distils the databases of one schema into a folder.
func (c *Config) schema(ctx context.Context, u *dataset.Unit, folder string) (*Schema, error) {
	result := &Schema{ID: u.DB.ID}
	s, err := readSchema(ctx, u.DB)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		result.Problem = err.Error()
		return result, nil
	}
	s.nulls = c.Nulls
	kept, err := c.forward(ctx, s, u, result)
	if err != nil {
		return nil, err
	}
	if kept, err = c.backward(ctx, s, u, kept, result); err != nil {
		return nil, err
	}
	for i, k := range kept {
		// The official evaluator opens the file that has the schema's own name.
		name := u.DB.ID + ".sqlite"
		if k.tried > 0 && (s.own || i > 0) {
			name = fmt.Sprintf("%s_t%04d.sqlite", u.DB.ID, k.tried)
		}
		result.Databases = append(result.Databases, Database{File: name, Tried: k.tried, Tells: k.tells})
		path := filepath.Join(folder, name)
		if k.tried == 0 {
			err = sqlite.Copy(ctx, u.DB.SQLite, path)
		} else {
			err = sqlite.CreateCompact(ctx, path, s.layout, k.rows)
		}
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// forward tries the schema's own content and then random databases, and returns
// those that tell a neighbour apart that none before did (algorithm 1), or answer a
// gold that none before did, for empty answers alone would let any empty one pass; the
// own content is always among them. Large content comes last, as what random databases
// told apart need not be asked on it.
func (c *Config) forward(ctx context.Context, s *schema, u *dataset.Unit, result *Schema) ([]candidate, error) {
	f, err := newFuzzer(ctx, s, readGolds(s, u, c.Seed), c.Depth, c.lanes)
	if err != nil {
		result.Problem = err.Error()
		return nil, ctx.Err()
	}
	defer f.close()
	var kept []candidate
	if s.own {
		kept = append(kept, candidate{rows: s.content})
	}
	if s.own && !s.large() {
		kept[0].apart = make([][]bool, len(f.golds))
		if err := f.tryOwn(ctx, &kept[0]); err != nil {
			return nil, err
		}
	}
	err = f.abreast(ctx, func(ctx context.Context, l *lane) error {
		for _, i := range l.golds {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := f.compile(f.golds[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, g := range f.golds {
		result.Neighbours += g.made
	}
	never, open := f.left()
	result.Curve = append(result.Curve, Point{0, never})
	var materials []*material
	for _, g := range f.golds {
		if g.problem == "" {
			materials = append(materials, g.material)
		}
	}
	sampler := newSampler(s, materials, c.Nulls)
	for tried := 1; tried <= c.Databases && open; tried++ {
		rng := keyed(c.Seed, u.DB.ID, tried)
		k := candidate{tried: tried, rows: sampler.rows(rng, f.focus(rng))}
		if err = f.try(ctx, &k, nil); err != nil {
			return nil, err
		}
		if k.needed() {
			kept = append(kept, k)
			before := never
			if never, open = f.left(); never < before {
				result.Curve = append(result.Curve, Point{tried, never})
			}
		}
	}
	if s.large() && open {
		if err := f.tryOwn(ctx, &kept[0]); err != nil {
			return nil, err
		}
		if left, _ := f.left(); left < never {
			result.lower(Point{c.Databases, left})
		}
	}
	f.describe(result)
	return kept, nil
}

// lower adds a point to the curve, which has one for each number of databases.
func (s *Schema) lower(p Point) {
	if last := len(s.Curve) - 1; s.Curve[last].Tried == p.Tried {
		s.Curve = s.Curve[:last]
	}
	s.Curve = append(s.Curve, p)
}

// tryOwn tries the schema's own content, unless one of its cells is too large.
func (f *fuzzer) tryOwn(ctx context.Context, own *candidate) error {
	err := f.try(ctx, own, nil)
	if _, refused := errors.AsType[*sqlite.Error](err); refused {
		own.rows, err = nil, nil
	}
	return err
}

// focus chooses the golds for whose sake a database is drawn: one or a few that
// have neighbours left, or no answer yet.
func (f *fuzzer) focus(rng *rand.Rand) []*material {
	var open []*material
	for _, g := range f.golds {
		if g.open() {
			open = append(open, g.material)
		}
	}
	chosen := make([]*material, pick(rng, 1, 1, 2, 3, 8))
	for i := range chosen {
		chosen[i] = open[rng.IntN(len(open))]
	}
	return chosen
}

// describe writes what became of the golds.
func (f *fuzzer) describe(result *Schema) {
	for _, g := range f.golds {
		gold := Gold{
			SQL: g.sql, Examples: g.examples, Problem: g.problem, Empty: g.problem == "" && !g.answered,
			Neighbours: g.made, Tells: []int{},
		}
		for _, n := range g.never() {
			gold.Left = append(gold.Left, n.SQL)
		}
		result.Golds = append(result.Golds, gold)
	}
}

// backward drops the databases that later ones make needless. The last that was
// kept told something apart that none before it did, so it is the first to stay;
// of those before it, only one that tells more stays. The result is in the order
// of what they tell.
func (c *Config) backward(ctx context.Context, s *schema, u *dataset.Unit, kept []candidate, result *Schema) ([]candidate, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	f, err := newFuzzer(ctx, s, readGolds(s, u, c.Seed), c.Depth, c.lanes)
	if err != nil {
		return nil, err
	}
	defer f.close()
	slices.Reverse(kept)
	tells := make([][]int, len(kept)) // of each database, how many neighbours of each gold
	own := len(kept) - 1
	if kept[own].tried == 0 && !s.large() {
		// The own content stays in any case, so it comes first where it is quick to ask.
		kept = append([]candidate{kept[own]}, kept[:own]...)
	}
	for i := range kept {
		tells[i] = make([]int, len(f.golds))
		if err = f.try(ctx, &kept[i], tells[i]); err != nil {
			return nil, err
		}
	}
	order := make([]int, 0, len(kept))
	for i, k := range kept {
		if k.needed() || k.tried == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(kept[j].tells, kept[i].tells) })
	var final []candidate
	for at, i := range order {
		final = append(final, kept[i])
		for g, n := range tells[i] {
			if n > 0 {
				result.Golds[g].Tells = append(result.Golds[g].Tells, at)
			}
		}
	}
	return final, f.undetermined(ctx, final, result)
}

// undetermined notes for each gold the databases on which it has no determined
// answer.
func (f *fuzzer) undetermined(ctx context.Context, kept []candidate, result *Schema) error {
	for at, k := range kept {
		if k.rows == nil {
			continue
		}
		f.bound(k)
		determined := make([]bool, len(f.golds))
		err := f.abreast(ctx, func(ctx context.Context, l *lane) error {
			if err := l.scratch.Load(k.rows); err != nil {
				return err
			}
			for _, i := range l.golds {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				determined[i] = f.golds[i].problem != "" || f.answer(f.golds[i]) != nil
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range f.golds {
			if !determined[i] {
				result.Golds[i].Undetermined = append(result.Golds[i].Undetermined, at)
			}
		}
	}
	return nil
}
