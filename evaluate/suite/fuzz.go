package suite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/sqlast"
)

// The budgets of a query on a random database, and on the data set's own content. They are counted in
// steps of the engine, so that a suite does not depend on the speed of the machine.
var (
	randomBudget   = sqlite.Budget{Steps: 200_000, Rows: 20_000}
	originalBudget = sqlite.Budget{Steps: 5_000_000, Rows: 200_000}
)

// gold is one distinct gold query of a schema with its neighbours.
type gold struct {
	lane           *lane
	sql            string
	examples       []int // positions in the split
	ordered        bool  // the order of the answer counts
	hints          *hints
	run            *sqlite.Prepared   // the compiled query; nil before compile
	probeSQL       []string           // queries with the same answer if it is determined
	probes         []*sqlite.Prepared // probeSQL, compiled
	neighbourCount int                // neighbours that compile
	remaining      []*neighbour       // neighbours that fewer than depth databases distinguished
	pending        []Neighbour        // neighbours not compiled yet
	answered       bool               // its answer was determined and had rows on some database
	problem        string             // why it cannot be used
}

// neighbour is a compiled neighbour of a gold.
type neighbour struct {
	Neighbour
	run             *sqlite.Prepared
	distinguishedBy int // databases that distinguished it from the gold
}

// fuzzer runs the golds of one schema and their neighbours on databases, to find neighbours
// whose answers differ.
type fuzzer struct {
	*schema
	lanes     []*lane
	golds     []*gold
	depth     int
	budget    sqlite.Budget
	freeLanes *semaphore.Weighted // counts the lanes of all schemas
}

// lane runs a part of the golds on a scratch database of its own, concurrently with other lanes. The
// result for a gold does not depend on its lane.
type lane struct {
	scratch *sqlite.Scratch
	golds   []int // positions in fuzzer.golds
}

// laneGolds is the number of golds from which a further lane is faster, although it loads all rows too.
const laneGolds = 48

// newFuzzer returns a fuzzer with as many lanes as are free and useful, and waits for at least
// one. free counts the lanes of all schemas.
func newFuzzer(ctx context.Context, s *schema, golds []*gold, depth int, free *semaphore.Weighted) (*fuzzer, error) {
	f := &fuzzer{schema: s, golds: golds, depth: depth, budget: randomBudget, freeLanes: free}
	if err := free.Acquire(ctx, 1); err != nil { // for the first lane
		return nil, err
	}
	for len(f.lanes) == 0 || len(f.lanes) < len(golds)/laneGolds && free.TryAcquire(1) {
		scratch, err := sqlite.NewScratch(s.layout)
		if err != nil {
			free.Release(1)
			f.close()
			return nil, err
		}
		f.lanes = append(f.lanes, &lane{scratch: scratch})
	}
	for i, g := range golds { // the lanes take turns
		g.lane = f.lanes[i%len(f.lanes)]
		g.lane.golds = append(g.lane.golds, i)
	}
	return f, nil
}

// close releases the queries, the databases and the lanes.
func (f *fuzzer) close() {
	for _, g := range f.golds {
		g.close()
	}
	for _, l := range f.lanes {
		l.scratch.Close()
	}
	f.freeLanes.Release(int64(len(f.lanes)))
}

// eachGold loads a database, unless rows is nil, and calls work for every gold with its position in
// f.golds. The lanes run concurrently.
func (f *fuzzer) eachGold(ctx context.Context, rows [][][]sqldata.Value, work func(i int, g *gold) error) error {
	return outdir.Run(ctx, len(f.lanes), f.lanes, func(ctx context.Context, _ int, l *lane) error {
		if rows != nil {
			if err := l.scratch.Load(rows); err != nil {
				return err
			}
		}
		for _, i := range l.golds {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(i, f.golds[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// close releases the compiled queries.
func (g *gold) close() {
	for _, p := range g.probes {
		p.Close()
	}
	if g.run != nil {
		g.run.Close()
	}
	for _, n := range g.remaining {
		n.run.Close()
	}
	g.run, g.probes, g.remaining = nil, nil, nil
}

// seededRand returns a stream of random numbers that depends on the seed and the keys only.
func seededRand(seed uint64, keys ...any) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d\x00%q", seed, keys))))
}

// readGolds returns the distinct golds of a unit with their neighbours, in the
// order of their first examples.
func readGolds(s *schema, u *dataset.Unit, seed uint64) []*gold {
	var golds []*gold
	index := map[string]*gold{}
	for _, ex := range u.Examples {
		g := index[ex.Query]
		if g == nil {
			g = newGold(s, u.DB.ID, ex.Query, seed)
			index[ex.Query] = g
			golds = append(golds, g)
		}
		g.examples = append(g.examples, ex.Index)
	}
	return golds
}

// newGold parses a gold of the database id and makes its neighbours. The gold has a problem if its SQL
// cannot be used.
func newGold(s *schema, id, sql string, seed uint64) *gold {
	g := &gold{sql: sql}
	if err := g.parse(s, seededRand(seed, id, sql)); err != nil {
		g.problem = err.Error()
	}
	return g
}

// parse parses the gold and makes its neighbours, with random values of rng.
func (g *gold) parse(s *schema, rng *rand.Rand) error {
	q, b, err := sqlast.ParseResolved(g.sql, s)
	if err != nil {
		return err
	}
	g.ordered = len(q.OrderBy) > 0
	g.hints = newHints(s, q, b)
	if low, high, ok := probes(q, b); ok {
		g.probeSQL = []string{low.String(), high.String()}
	}
	g.pending, err = Neighbours(q, s, rng)
	return err
}

// compileGold compiles a gold and its neighbours, unless that is done already. It drops neighbours that
// do not compile.
func (f *fuzzer) compileGold(g *gold) error {
	if g.run != nil || g.problem != "" {
		return nil
	}
	var err error
	if g.run, err = g.lane.scratch.Prepare(g.sql); err != nil {
		g.problem = err.Error()
		return nil
	}
	for _, sql := range g.probeSQL {
		// A probe that does not compile is left out.
		if probe, err := g.lane.scratch.Prepare(sql); err == nil {
			g.probes = append(g.probes, probe)
		}
	}
	for _, n := range g.pending {
		run, err := g.lane.scratch.Prepare(n.SQL)
		var e *sqldata.Error
		switch {
		case errors.As(err, &e), errors.Is(err, sqldata.ErrRefused):
			continue
		case err != nil:
			return err
		}
		g.remaining = append(g.remaining, &neighbour{Neighbour: n, run: run})
	}
	g.neighbourCount = len(g.remaining)
	g.pending = nil
	return nil
}

// undistinguished returns the neighbours of a gold that no database has distinguished yet.
func (g *gold) undistinguished() []*neighbour {
	return lists.Filter(g.remaining, func(n *neighbour) bool { return n.distinguishedBy == 0 })
}

// needsDatabases reports whether a further database may be useful for the gold.
func (g *gold) needsDatabases() bool { return g.problem == "" && (len(g.remaining) > 0 || !g.answered) }

// progress returns the number of neighbours that no database has distinguished yet, and whether further
// databases may be useful for any gold.
func (f *fuzzer) progress() (undistinguished int, more bool) {
	for _, g := range f.golds {
		undistinguished += len(g.undistinguished())
		more = more || g.needsDatabases()
	}
	return undistinguished, more
}

// setBudget sets the budget of queries on a candidate.
func (f *fuzzer) setBudget(c candidate) {
	f.budget = randomBudget
	if c.tried == 0 {
		f.budget = originalBudget
	}
}

// tryDatabase runs all golds on a candidate and sets its fields distinguished and firstAnswer. It also
// returns the number of neighbours that the candidate distinguishes, for each gold.
func (f *fuzzer) tryDatabase(ctx context.Context, c *candidate) ([]int, error) {
	counts, isFirst := make([]int, len(f.golds)), make([]bool, len(f.golds))
	if c.rows == nil {
		return counts, nil
	}
	f.setBudget(*c)
	err := f.eachGold(ctx, c.rows, func(i int, g *gold) error {
		if err := f.compileGold(g); err != nil {
			return err
		}
		if g.needsDatabases() {
			before := g.answered
			counts[i] = f.tryNeighbours(g, c.cacheOf(i)) // only the own content has a cache
			isFirst[i] = g.answered && !before
		}
		return nil
	})
	c.distinguished, c.firstAnswer = 0, slices.Contains(isFirst, true)
	for _, n := range counts {
		c.distinguished += n
	}
	return counts, err
}

// tryNeighbours returns the number of a gold's neighbours that the loaded rows distinguish from it, and
// drops those that depth databases have distinguished. cache, if not nil, holds whether each neighbour
// differs: the first call fills it, and later calls use it.
func (f *fuzzer) tryNeighbours(g *gold, cache *[]bool) int {
	answer := f.answer(g)
	if answer == nil {
		return 0
	}
	if cache == nil {
		cache = new([]bool)
	}
	if *cache == nil {
		*cache = lists.Map(g.remaining, func(n *neighbour) bool { return f.differs(g, answer, n) })
	}
	count := 0
	var remaining []*neighbour
	for i, n := range g.remaining {
		if (*cache)[i] {
			count++
			n.distinguishedBy++
		}
		if n.distinguishedBy < f.depth {
			remaining = append(remaining, n)
		} else {
			n.run.Close()
		}
	}
	g.remaining = remaining
	return count
}

// answer returns the gold's answer on the loaded rows; nil if it fails, exceeds the budget or
// is not determined, so that a probe answers differently. It sets g.answered if the answer has rows.
func (f *fuzzer) answer(g *gold) *sqldata.Result {
	answer, err := g.run.Run(f.budget, nil)
	if err != nil {
		return nil
	}
	for _, probe := range g.probes {
		other, err := probe.Run(f.budget, answer)
		if err != nil || !execution.Equal(answer, other, g.ordered) {
			return nil
		}
	}
	g.answered = g.answered || len(answer.Rows) > 0
	return answer
}

// differs reports whether a neighbour's answer differs from the gold's. A neighbour that fails differs.
// For one that exceeds the budget of steps that is not known, so it does not differ.
func (f *fuzzer) differs(g *gold, answer *sqldata.Result, n *neighbour) bool {
	// A neighbour with more rows than the gold exceeds the budget of rows, which is an error: it differs.
	got, err := n.run.Run(sqlite.Budget{Steps: f.budget.Steps, Rows: len(answer.Rows)}, answer)
	switch {
	case errors.Is(err, sqldata.ErrSteps):
		return false
	case err != nil:
		return true
	}
	return !execution.Equal(answer, got, g.ordered)
}
