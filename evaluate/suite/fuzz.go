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
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/sqlast"
)

// The budgets of a query on a random database, and on the data set's own content.
var (
	randomBudget   = sqlite.Budget{Steps: 200_000, Rows: 20_000}
	originalBudget = sqlite.Budget{Steps: 5_000_000, Rows: 200_000}
)

// gold is one gold query of a schema with its neighbours.
type gold struct {
	lane     *lane
	sql      string
	examples []int // positions in the split
	ordered  bool  // the order of the answer counts
	material *material
	run      *sqlite.Prepared   // the compiled query; nil before compile
	checks   []string           // queries with the same answer if it is determined
	probes   []*sqlite.Prepared // the compiled checks
	made     int                // neighbours that compile
	left     []*neighbour       // neighbours that fewer than depth databases distinguished
	pending  []Neighbour        // neighbours not compiled yet
	answered bool               // its answer was determined and had rows on some database
	problem  string             // why it cannot be used
}

// neighbour is a compiled neighbour of a gold.
type neighbour struct {
	Neighbour
	run  *sqlite.Prepared
	told int // databases that distinguished it from the gold
}

// fuzzer runs the golds of one schema and their neighbours on databases, to find neighbours
// whose answers differ.
type fuzzer struct {
	*schema
	lanes  []*lane
	golds  []*gold
	depth  int
	budget sqlite.Budget
	taken  *semaphore.Weighted // counts the lanes of all schemas
}

// lane runs a part of the golds on a database of its own, concurrently with other lanes. The
// result for a gold does not depend on its lane.
type lane struct {
	scratch *sqlite.Scratch
	golds   []int // positions in fuzzer.golds
}

// laneGolds is the number of golds for which a lane pays, although it loads all rows again.
const laneGolds = 48

// newFuzzer returns a fuzzer with as many lanes as are free and useful, and waits for at least
// one. free counts the lanes of all schemas.
func newFuzzer(ctx context.Context, s *schema, golds []*gold, depth int, free *semaphore.Weighted) (*fuzzer, error) {
	f := &fuzzer{schema: s, golds: golds, depth: depth, budget: randomBudget, taken: free}
	if err := free.Acquire(ctx, 1); err != nil {
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
	for i, g := range golds {
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
	f.taken.Release(int64(len(f.lanes)))
}

// eachGold loads a database, unless rows is nil, and works on every gold, the lanes concurrently.
// Work gets the position of the gold in f.golds too.
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
	for _, n := range g.left {
		n.run.Close()
	}
	g.run, g.probes, g.left = nil, nil, nil
}

// keyed returns the stream of random numbers of a seed and some keys.
func keyed(seed uint64, keys ...any) *rand.Rand {
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

// newGold parses a gold and makes its neighbours. SQL that cannot be used has a problem.
func newGold(s *schema, id, sql string, seed uint64) *gold {
	g := &gold{sql: sql}
	if err := g.read(s, keyed(seed, id, sql)); err != nil {
		g.problem = err.Error()
	}
	return g
}

// read parses the gold and makes its neighbours, with random values of rng.
func (g *gold) read(s *schema, rng *rand.Rand) error {
	q, err := sqlast.Parse(g.sql)
	if err != nil {
		return err
	}
	b, err := sqlast.Resolve(q, s)
	if err != nil {
		return err
	}
	g.ordered = len(q.OrderBy) > 0
	g.material = newMaterial(s, q, b)
	if low, high, ok := probes(q, b); ok {
		g.checks = []string{low.String(), high.String()}
	}
	g.pending, err = Neighbours(q, s, rng)
	return err
}

// compile compiles a gold and its neighbours, unless that is done. Neighbours that do not
// compile are dropped.
func (f *fuzzer) compile(g *gold) error {
	if g.run != nil || g.problem != "" {
		return nil
	}
	var err error
	if g.run, err = g.lane.scratch.Prepare(g.sql); err != nil {
		g.problem = err.Error()
		return nil
	}
	for _, sql := range g.checks {
		// A probe that does not compile is left out.
		if probe, err := g.lane.scratch.Prepare(sql); err == nil {
			g.probes = append(g.probes, probe)
		}
	}
	for _, n := range g.pending {
		run, err := g.lane.scratch.Prepare(n.SQL)
		var e *sqlite.Error
		if errors.As(err, &e) || errors.Is(err, sqlite.ErrRefused) {
			continue
		}
		if err != nil {
			return err
		}
		g.left = append(g.left, &neighbour{Neighbour: n, run: run})
	}
	g.made = len(g.left)
	g.pending = nil
	return nil
}

// never returns the neighbours of a gold that no database has distinguished yet.
func (g *gold) never() []*neighbour {
	var list []*neighbour
	for _, n := range g.left {
		if n.told == 0 {
			list = append(list, n)
		}
	}
	return list
}

// open reports whether a further database may be useful for the gold.
func (g *gold) open() bool { return g.problem == "" && (len(g.left) > 0 || !g.answered) }

// left returns the number of neighbours that no database has distinguished yet, and whether
// any gold is open.
func (f *fuzzer) left() (never int, open bool) {
	for _, g := range f.golds {
		never += len(g.never())
		open = open || g.open()
	}
	return never, open
}

// bound sets the budget of queries on a database.
func (f *fuzzer) bound(c candidate) {
	f.budget = randomBudget
	if c.tried == 0 {
		f.budget = originalBudget
	}
}

// try runs all golds on a database and sets c.tells and c.answers. If by is not nil, it also
// stores there the number of neighbours that the database distinguishes, for each gold.
func (f *fuzzer) try(ctx context.Context, c *candidate, by []int) error {
	if c.rows == nil {
		return nil
	}
	f.bound(*c)
	told, first := make([]int, len(f.golds)), make([]bool, len(f.golds))
	err := f.eachGold(ctx, c.rows, func(i int, g *gold) error {
		if err := f.compile(g); err != nil {
			return err
		}
		if g.open() {
			before := g.answered
			told[i] = f.distinguish(g, c.verdicts(i))
			first[i] = g.answered && !before
		}
		return nil
	})
	c.tells, c.answers = 0, slices.Contains(first, true)
	for _, n := range told {
		c.tells += n
	}
	copy(by, told)
	return err
}

// distinguish returns the number of a gold's neighbours that the loaded rows distinguish from
// it, and drops those that depth databases have distinguished. verdicts is a cache of the
// result for each neighbour: it is used if filled, and filled if empty; nil for none.
func (f *fuzzer) distinguish(g *gold, verdicts *[]bool) int {
	answer := f.answer(g)
	if answer == nil {
		return 0
	}
	apart := []bool{}
	if verdicts != nil && *verdicts != nil {
		apart = *verdicts
	} else {
		for _, n := range g.left {
			apart = append(apart, f.differs(g, answer, n))
		}
	}
	if verdicts != nil {
		*verdicts = apart
	}
	told := 0
	var left []*neighbour
	for i, n := range g.left {
		if apart[i] {
			told++
			n.told++
		}
		if n.told < f.depth {
			left = append(left, n)
		} else {
			n.run.Close()
		}
	}
	g.left = left
	return told
}

// answer returns the gold's answer on the loaded rows; nil if it fails, exceeds the budget or
// is not determined.
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

// differs reports whether a neighbour's answer differs from the gold's. A neighbour that fails
// differs; one that exceeds the budget of steps is unknown and does not.
func (f *fuzzer) differs(g *gold, answer *sqldata.Result, n *neighbour) bool {
	got, err := n.run.Run(sqlite.Budget{Steps: f.budget.Steps, Rows: len(answer.Rows)}, answer)
	switch {
	case errors.Is(err, sqlite.ErrSteps):
		return false
	case err != nil:
		return true
	}
	return !execution.Equal(answer, got, g.ordered)
}
