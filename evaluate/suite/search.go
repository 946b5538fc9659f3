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
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// noRows is the number of the database without rows. It shows that max(x) differs from
// ORDER BY x DESC LIMIT 1. No neighbour is tried on it: one that adds or drops an aggregate would differ
// from its gold there alone.
const noRows = -1

// candidate is a database that may become part of the suite.
type candidate struct {
	tried         int                 // number of the random database, from 1; 0: the schema's own content; noRows
	rows          [][][]sqldata.Value // by table; nil if they are too many to be tried
	distinguished int                 // neighbours that it distinguishes from their gold
	firstAnswer   bool                // it is the first to give a gold a determined answer with rows

	// verdictCache holds, for the schema's own content, which neighbours of each gold it
	// distinguishes: this is the slowest database, and it is tried twice on all neighbours.
	verdictCache [][]bool
}

// cacheOf returns the cached verdicts on the neighbours of a gold, given by position; nil if the
// candidate has no cache.
func (k *candidate) cacheOf(gold int) *[]bool {
	if k.verdictCache == nil {
		return nil
	}
	return &k.verdictCache[gold]
}

// needed reports whether the candidate distinguishes or answers anything that those before
// it did not.
func (k *candidate) needed() bool { return k.distinguished > 0 || k.firstAnswer }

// distilSchema distils the databases of one schema into a folder. A schema that cannot be read is
// no error; the result has a Problem.
func (c *Config) distilSchema(ctx context.Context, u *dataset.Unit, folder string) (*Schema, error) {
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
	kept, err := c.forwardPass(ctx, s, u, result)
	if err != nil {
		return nil, err
	}
	if kept, err = c.backwardPass(ctx, s, u, kept, result); err != nil {
		return nil, err
	}
	for i, k := range kept {
		// The official evaluator opens the file that has the schema's own name: its content, or else the first random database.
		name := u.DB.ID + ".sqlite"
		switch {
		case k.tried == noRows:
			name = u.DB.ID + "_empty.sqlite"
		case k.tried > 0 && (s.hasContent || i > 0):
			name = fmt.Sprintf("%s_t%04d.sqlite", u.DB.ID, k.tried)
		}
		result.Databases = append(result.Databases, Database{File: name, Tried: k.tried, Tells: k.distinguished})
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

// forwardPass tries the schema's own content and then random databases (algorithm 1). It
// returns those that distinguish a neighbour that fewer than Depth before them did, or are
// the first to answer a gold with rows: without rows, every empty answer would be right.
// The own content is always among them. If it is large it is tried last, only on the
// neighbours that are left.
func (c *Config) forwardPass(ctx context.Context, s *schema, u *dataset.Unit, result *Schema) ([]candidate, error) {
	f, err := newFuzzer(ctx, s, readGolds(s, u, c.Seed), c.Depth, c.lanes)
	if err != nil {
		result.Problem = err.Error()
		return nil, ctx.Err()
	}
	defer f.close()
	var kept []candidate
	if s.hasContent {
		kept = append(kept, candidate{rows: s.content})
	}
	if s.hasContent && !s.isLarge() {
		kept[0].verdictCache = make([][]bool, len(f.golds))
		if err := f.tryOwnContent(ctx, &kept[0]); err != nil {
			return nil, err
		}
	}
	// Golds that the own content has not compiled are compiled now, so that all neighbours are counted.
	if err := f.eachGold(ctx, nil, func(_ int, g *gold) error { return f.compileGold(g) }); err != nil {
		return nil, err
	}
	for _, g := range f.golds {
		result.Neighbours += g.neighbourCount
	}
	left, more := f.progress()
	result.Curve = append(result.Curve, Point{0, left})
	usable := lists.Filter(f.golds, func(g *gold) bool { return g.problem == "" })
	sampler := newSampler(s, lists.Map(usable, func(g *gold) *hints { return g.hints }), c.Nulls)
	for tried := 1; tried <= c.Databases && more; tried++ {
		rng := seededRand(c.Seed, u.DB.ID, tried)
		k := candidate{tried: tried, rows: sampler.drawRows(rng, f.drawFocus(rng))}
		if _, err = f.tryDatabase(ctx, &k); err != nil {
			return nil, err
		}
		if k.needed() {
			kept = append(kept, k)
			before := left
			if left, more = f.progress(); left < before {
				result.Curve = append(result.Curve, Point{tried, left})
			}
		}
	}
	if s.isLarge() && more {
		if err := f.tryOwnContent(ctx, &kept[0]); err != nil {
			return nil, err
		}
		before := left
		if left, _ = f.progress(); left < before {
			result.setLastPoint(Point{c.Databases, left})
		}
	}
	f.addGolds(result)
	return kept, nil
}

// setLastPoint adds a point to the curve. It replaces the last one if that is at the same number of
// databases.
func (s *Schema) setLastPoint(p Point) {
	if last := len(s.Curve) - 1; s.Curve[last].Tried == p.Tried {
		s.Curve = s.Curve[:last]
	}
	s.Curve = append(s.Curve, p)
}

// tryOwnContent tries the schema's own content. If the engine refuses it, because a cell is too
// large, its rows are dropped.
func (f *fuzzer) tryOwnContent(ctx context.Context, own *candidate) error {
	_, err := f.tryDatabase(ctx, own)
	if _, refused := errors.AsType[*sqldata.Error](err); refused {
		own.rows, err = nil, nil
	}
	return err
}

// drawFocus draws the golds whose constants the next database contains: one to eight of those that have
// neighbours left, or no answer yet. It returns their hints; a gold may be drawn several times.
func (f *fuzzer) drawFocus(rng *rand.Rand) []*hints {
	open := lists.Filter(f.golds, (*gold).needsDatabases)
	focus := make([]*hints, pick(rng, 1, 1, 2, 3, 8))
	for i := range focus {
		focus[i] = pick(rng, open...).hints
	}
	return focus
}

// addGolds adds the golds to the result, each with the neighbours that no database distinguishes.
func (f *fuzzer) addGolds(result *Schema) {
	for _, g := range f.golds {
		gold := Gold{
			SQL: g.sql, Examples: g.examples, Problem: g.problem, Empty: g.problem == "" && !g.answered,
			Neighbours: g.neighbourCount, Tells: []int{}, // backwardPass fills Tells
		}
		gold.Left = lists.Map(g.undistinguished(), func(n *neighbour) string { return n.SQL })
		result.Golds = append(result.Golds, gold)
	}
}

// backwardPass drops databases that others make needless. It tries them in reverse order, because each
// distinguished something that none before it did, and keeps those that distinguish something new. It
// returns them sorted by the number of neighbours that they distinguish, and then one without rows.
func (c *Config) backwardPass(ctx context.Context, s *schema, u *dataset.Unit, kept []candidate, result *Schema) ([]candidate, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	f, err := newFuzzer(ctx, s, readGolds(s, u, c.Seed), c.Depth, c.lanes)
	if err != nil {
		return nil, err
	}
	defer f.close()
	slices.Reverse(kept)
	counts := make([][]int, len(kept)) // neighbours that each database distinguishes, by gold
	own := len(kept) - 1               // the own content, if there is any, was the first
	if kept[own].tried == 0 && !s.isLarge() {
		// The own content is always kept, so it comes first unless it is slow.
		kept = append([]candidate{kept[own]}, kept[:own]...)
	}
	for i := range kept {
		if counts[i], err = f.tryDatabase(ctx, &kept[i]); err != nil {
			return nil, err
		}
	}
	order := make([]int, 0, len(kept))
	for i, k := range kept {
		if k.needed() || k.tried == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(kept[j].distinguished, kept[i].distinguished) })
	var final []candidate
	for position, i := range order {
		final = append(final, kept[i])
		for g, n := range counts[i] {
			if n > 0 {
				result.Golds[g].Tells = append(result.Golds[g].Tells, position)
			}
		}
	}
	final = append(final, candidate{tried: noRows, rows: make([][][]sqldata.Value, len(s.tables))})
	return final, f.addUndetermined(ctx, final, result)
}

// addUndetermined runs each gold of result on the databases, and adds to it the positions of those on which its answer is
// not determined. It skips databases that are too large to be tried.
func (f *fuzzer) addUndetermined(ctx context.Context, databases []candidate, result *Schema) error {
	for position, db := range databases {
		if db.rows == nil {
			continue
		}
		f.setBudget(db)
		determined := make([]bool, len(f.golds)) // true too for a gold with a problem
		err := f.eachGold(ctx, db.rows, func(i int, g *gold) error {
			determined[i] = g.problem != "" || f.answer(g) != nil
			return nil
		})
		if err != nil {
			return err
		}
		for i := range f.golds {
			if !determined[i] {
				result.Golds[i].Undetermined = append(result.Golds[i].Undetermined, position)
			}
		}
	}
	return nil
}
