package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// candidate is a database that may become part of the suite.
type candidate struct {
	tried   int                 // number of the random database, from 1; 0: the schema's own content
	rows    [][][]sqldata.Value // by table; nil if they are too many to be tried
	tells   int                 // neighbours that it distinguishes from their gold
	answers bool                // it is the first to give a gold a determined answer with rows

	// apart caches, for the schema's own content, which neighbours of each gold it
	// distinguishes: this is the slowest database, and it is tried twice on all neighbours.
	apart [][]bool
}

// verdicts returns the cache for a gold's neighbours; nil if the candidate has none.
func (k *candidate) verdicts(gold int) *[]bool {
	if k.apart == nil {
		return nil
	}
	return &k.apart[gold]
}

// needed reports whether the candidate distinguishes or answers anything that those before
// it did not.
func (k *candidate) needed() bool { return k.tells > 0 || k.answers }

// schema distils the databases of one schema into a folder. A schema that cannot be read is
// no error; the result has a Problem.
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

// forward tries the schema's own content and then random databases (algorithm 1). It
// returns those that distinguish a neighbour that fewer than Depth before them did, or are
// the first to answer a gold with rows: without rows, every empty answer would be right.
// The own content is always among them. If it is large it is tried last, only on the
// neighbours that are left.
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
	if err := f.eachGold(ctx, nil, func(_ int, g *gold) error { return f.compile(g) }); err != nil {
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

// lower adds a point to the curve, in the place of an earlier one at the same number of
// databases.
func (s *Schema) lower(p Point) {
	if last := len(s.Curve) - 1; s.Curve[last].Tried == p.Tried {
		s.Curve = s.Curve[:last]
	}
	s.Curve = append(s.Curve, p)
}

// tryOwn tries the schema's own content. If the engine refuses it, because a cell is too
// large, its rows are dropped.
func (f *fuzzer) tryOwn(ctx context.Context, own *candidate) error {
	err := f.try(ctx, own, nil)
	if _, refused := errors.AsType[*sqlite.Error](err); refused {
		own.rows, err = nil, nil
	}
	return err
}

// focus draws the golds whose constants the next database contains: one to eight of those
// that have neighbours left, or no answer yet.
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

// describe adds the golds to the result, each with the neighbours that are left.
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

// backward drops databases that others make needless. It tries them in reverse order,
// because each distinguished something that none before it did, and keeps those that
// distinguish something new. The result is sorted by the number of neighbours they
// distinguish.
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
	tells := make([][]int, len(kept)) // neighbours that each database distinguishes, by gold
	own := len(kept) - 1
	if kept[own].tried == 0 && !s.large() {
		// The own content is always kept, so it comes first unless it is slow.
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

// undetermined adds to each gold the databases on which its answer is not determined.
func (f *fuzzer) undetermined(ctx context.Context, kept []candidate, result *Schema) error {
	for at, k := range kept {
		if k.rows == nil {
			continue
		}
		f.bound(k)
		determined := make([]bool, len(f.golds))
		err := f.eachGold(ctx, k.rows, func(i int, g *gold) error {
			determined[i] = g.problem != "" || f.answer(g) != nil
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
