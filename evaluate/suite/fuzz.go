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

// gold is one gold query of a schema, with the neighbours that are not yet told
// apart from it.
type gold struct {
	lane     *lane
	sql      string
	examples []int
	ordered  bool
	material *material
	run      *sqlite.Prepared
	checks   []string           // queries that answer alike where the answer is determined
	probes   []*sqlite.Prepared // these, compiled
	made     int                // neighbours that compile
	left     []*neighbour       // those not told apart yet
	pending  []Neighbour        // those not compiled yet
	answered bool               // its answer was determined and had rows on some database
	problem  string             // why it cannot be used
}

type neighbour struct {
	Neighbour
	run  *sqlite.Prepared
	told int // databases that told it apart
}

// fuzzer tells the neighbours of the golds of one schema apart.
type fuzzer struct {
	*schema
	lanes  []*lane
	golds  []*gold
	depth  int
	budget sqlite.Budget
	taken  *semaphore.Weighted // that the lanes are of
}

// lane has a part of the golds, with a database of its own: lanes ask at the same time.
// What becomes of a gold does not depend on its lane.
type lane struct {
	scratch *sqlite.Scratch
	golds   []int // of the fuzzer
}

// laneGolds is how many golds are worth a lane: its rows are loaded once more.
const laneGolds = 48

// newFuzzer takes as many lanes as are free and of use, of those that all schemas share, and
// waits for one at least.
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

func (f *fuzzer) close() {
	for _, g := range f.golds {
		g.close()
	}
	for _, l := range f.lanes {
		l.scratch.Close()
	}
	f.taken.Release(int64(len(f.lanes)))
}

// abreast does the work of each lane, all at the same time.
func (f *fuzzer) abreast(ctx context.Context, work func(context.Context, *lane) error) error {
	return outdir.Run(ctx, len(f.lanes), f.lanes, func(ctx context.Context, _ int, l *lane) error { return work(ctx, l) })
}

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

// keyed returns a stream of random numbers that belongs to its keys.
func keyed(seed uint64, keys ...any) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d\x00%q", seed, keys))))
}

// readGolds returns the distinct golds of a unit with their neighbours, in the
// order in which they first come.
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

func newGold(s *schema, id, sql string, seed uint64) *gold {
	g := &gold{sql: sql}
	q, err := sqlast.Parse(sql)
	if err != nil {
		g.problem = err.Error()
		return g
	}
	b, err := sqlast.Resolve(q, s)
	if err != nil {
		g.problem = err.Error()
		return g
	}
	g.ordered = len(q.OrderBy) > 0
	g.material = newMaterial(s, q, b)
	if low, high, ok := probes(q, b); ok {
		g.checks = []string{low.String(), high.String()}
	}
	g.pending, err = Neighbours(q, s, keyed(seed, id, sql))
	if err != nil {
		g.problem = err.Error()
	}
	return g
}

// compile prepares a gold and its neighbours. Neighbours that do not compile are
// none.
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
		// What a probe cannot say of a query, nobody knows of it.
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

// never returns the neighbours of a gold that no database told apart yet.
func (g *gold) never() []*neighbour {
	var list []*neighbour
	for _, n := range g.left {
		if n.told == 0 {
			list = append(list, n)
		}
	}
	return list
}

// open tells whether a database may be kept for the gold's sake.
func (g *gold) open() bool { return g.problem == "" && (len(g.left) > 0 || !g.answered) }

// left returns how many neighbours no database told apart yet, and whether there
// are golds for which a database may be kept.
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

// try runs all golds on a database. It notes how many of their neighbours the database
// tells apart, of all golds and, where by is given, of each, and whether it is the first
// to give one of them an answer that is determined and has rows.
func (f *fuzzer) try(ctx context.Context, c *candidate, by []int) error {
	if c.rows == nil {
		return nil
	}
	f.bound(*c)
	told, first := make([]int, len(f.golds)), make([]bool, len(f.golds))
	err := f.abreast(ctx, func(ctx context.Context, l *lane) error {
		if err := l.scratch.Load(c.rows); err != nil {
			return err
		}
		for _, i := range l.golds {
			if err := ctx.Err(); err != nil {
				return err
			}
			g := f.golds[i]
			if err := f.compile(g); err != nil {
				return err
			}
			if !g.open() {
				continue
			}
			before := g.answered
			told[i] = f.tell(g, c.verdicts(i))
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

// tell returns how many of a gold's neighbours the loaded rows tell apart, and
// drops those told apart often enough. Where verdicts are given, those that are there
// are taken, and else the new ones are kept.
func (f *fuzzer) tell(g *gold, verdicts *[]bool) int {
	answer := f.answer(g)
	if answer == nil {
		return 0
	}
	told, known := 0, verdicts != nil && *verdicts != nil
	at := -1
	g.left = slices.DeleteFunc(g.left, func(n *neighbour) bool {
		at++
		apart := known && (*verdicts)[at] || !known && f.apart(g, answer, n)
		if verdicts != nil && !known {
			*verdicts = append(*verdicts, apart)
		}
		if !apart {
			return false
		}
		told++
		n.told++
		if n.told < f.depth {
			return false
		}
		n.run.Close()
		return true
	})
	return told
}

// answer returns the gold's answer on the loaded rows, nil where it fails, passes
// the budget or is not determined.
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

// apart tells whether a neighbour's answer differs from the gold's. One that fails
// differs, for the gold does not; of one that passes the budget of steps nothing
// is known.
func (f *fuzzer) apart(g *gold, answer *sqldata.Result, n *neighbour) bool {
	got, err := n.run.Run(sqlite.Budget{Steps: f.budget.Steps, Rows: len(answer.Rows)}, answer)
	switch {
	case errors.Is(err, sqlite.ErrSteps):
		return false
	case err != nil:
		return true
	}
	return !execution.Equal(answer, got, g.ordered)
}
