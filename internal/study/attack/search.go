package attack

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
)

// Search is a way to search.
type Search struct {
	Name, Doc string
	run       func(*target, *rand.Rand)
}

// Searches lists them all.
func Searches() []Search {
	return []Search{
		{"random", "Moves at places drawn at random, as many as may be made at once: ADVETA's attack, repeated; then fewer.", random},
		{"greedy", "All moves, several at once, the most promising first; then better ones for the weakest; drops idle ones.", func(t *target, _ *rand.Rand) { search(t, 1) }},
		{"beam", "As greedy, but goes on with the four choices that leave the victim least.", func(t *target, _ *rand.Rand) { search(t, beamWidth) }},
	}
}

const beamWidth = 4

// attempts is how often a draw is repeated that was asked before, or cannot be made.
const attempts = 32

// random draws moves at as many places as may be perturbed at once, and at fewer when it finds
// no more of those.
func random(t *target, rng *rand.Rand) {
	for size := min(t.most, len(t.sites)); size > 0; size-- {
		for misses := 0; !t.finished() && misses < attempts; {
			c := t.none()
			for _, i := range t.draw(rng, size) {
				c[i] = rng.IntN(len(t.sites[i]))
			}
			before := t.queries
			if t.ask(c); t.queries == before {
				misses++
			} else {
				misses = 0
			}
		}
	}
}

// draw returns so many sites. Where names may replace and be added, it draws which of the two
// first: names that can be added are many, and most mislead nobody.
func (t *target) draw(rng *rand.Rand, size int) (drawn []int) {
	var kinds [2][]int
	for _, i := range rng.Perm(len(t.sites)) {
		kind := 0
		if _, adds := t.sites[i][0].(perturb.AddColumn); adds {
			kind = 1
		}
		kinds[kind] = append(kinds[kind], i)
	}
	for range size {
		kind := 0
		switch {
		case len(kinds[0]) == 0:
			kind = 1
		case len(kinds[1]) > 0:
			kind = rng.IntN(2)
		}
		drawn, kinds[kind] = append(drawn, kinds[kind][0]), kinds[kind][1:]
	}
	return drawn
}

// move is a move at a site, with what is known of it.
type move struct {
	site, at int
	promise  float64 // before anything is asked: how well it may mislead
	margins  float64 // sum, of the choices with it
	times    int
}

// effect is what choices with the move left the victim.
func (m *move) effect() float64 {
	if m.times == 0 {
		return math.Inf(1)
	}
	return m.margins / float64(m.times)
}

// scored is a choice with its margin.
type scored struct {
	choice
	margin float64
}

// climber searches by what it learns of moves.
type climber struct {
	*target
	moves []*move
	kept  []scored
}

// search asks about all moves first, in groups of as many as may be made at once, and then
// improves the best group, or some. What was found is cut down to what it needs.
func search(t *target, width int) {
	c := &climber{target: t, moves: t.promising()}
	c.screen()
	for !t.finished() && c.climb(width) {
	}
	t.cut()
}

// promising returns all moves, the most promising first: names that are added by how well
// they fit the question, those that replace a column by how much less than it they do.
func (t *target) promising() (all []*move) {
	for i, s := range t.sites {
		for k, e := range s {
			m := &move{site: i, at: k}
			_, name := named(e)
			m.promise = t.fits(name)
			if e, replaces := e.(perturb.RenameColumn); replaces {
				ref, _ := t.DB.Lookup(e.Table, e.Column)
				m.promise = t.fits(t.DB.Column(ref).Name) - m.promise
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b *move) int { return cmp.Compare(b.promise, a.promise) })
	return all
}

// fits is how well the words of a name fit the question: the mean, over them, of the best.
func (t *target) fits(name string) float64 {
	words := strings.Fields(name)
	if t.Likeness == nil || len(words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range words {
		best := 0.0
		for _, q := range dataset.QuestionTokens(t.example.Question) {
			if q = strings.ToLower(q); !english.IsFunction(q) {
				best = max(best, t.Likeness(q, w))
			}
		}
		sum += best
	}
	return sum / float64(len(words))
}

// screen asks about the moves in groups, each of the most promising that are left, with two
// thirds of the budget at most.
func (c *climber) screen() {
	left := slices.Clone(c.moves)
	for len(left) > 0 && !c.finished() && 3*c.queries <= 2*c.Budget {
		var group, rest []*move
		taken := map[int]bool{}
		for _, m := range left {
			if len(group) < c.most && !taken[m.site] {
				group, taken[m.site] = append(group, m), true
			} else {
				rest = append(rest, m)
			}
		}
		left = rest
		c.group(group)
	}
}

// group asks about moves together, or by halves where they cannot be made together.
func (c *climber) group(moves []*move) {
	next := c.none()
	for _, m := range moves {
		next[m.site] = m.at
	}
	if !c.try(next) && len(moves) > 1 {
		c.group(moves[:len(moves)/2])
		c.group(moves[len(moves)/2:])
	}
}

// try asks about a choice and stores the margin as an effect of its moves. It returns false where
// the choice could not be asked.
func (c *climber) try(next choice) bool {
	before := c.queries
	margin, ok := c.ask(next)
	if !ok || c.queries == before {
		return ok
	}
	c.kept = append(c.kept, scored{next, margin})
	for _, m := range c.moves {
		if next[m.site] == m.at {
			m.margins, m.times = m.margins+margin, m.times+1
		}
	}
	return true
}

// step is how many exchanges are asked before it is seen anew which choice is best.
const step = 4

// climb asks about neighbours of the best choices. It is false where all are known.
func (c *climber) climb(width int) bool {
	slices.SortStableFunc(c.kept, func(a, b scored) int { return cmp.Compare(a.margin, b.margin) })
	slices.SortStableFunc(c.moves, func(a, b *move) int { return cmp.Compare(a.effect(), b.effect()) })
	before := c.queries
	for i := 0; i < len(c.kept) && (i < width || c.queries == before) && !c.finished(); i++ {
		c.neighbours(c.kept[i].choice)
	}
	return c.queries > before
}

// neighbours asks some neighbours of a choice that are not known yet: with another move in
// the place of its weakest, then in that of the next; and at last without one of its moves.
func (c *climber) neighbours(from choice) {
	before := c.queries
	for _, out := range c.places(from) {
		for _, m := range c.moves {
			next := from
			switch {
			case from[m.site] == m.at:
				continue
			case from[m.site] >= 0 && m.site != out:
				continue // its site is taken
			case out >= 0:
				next = next.with(out, -1)
			}
			c.try(next.with(m.site, m.at))
			if c.finished() || c.queries-before >= step {
				return
			}
		}
	}
	for _, out := range c.places(from) {
		if out >= 0 && from.edits() > 1 && !c.finished() && c.queries-before < step {
			c.try(from.with(out, -1))
		}
	}
}

// places are the sites of a choice's moves, the weakest first; before them -1 where one more
// move may be made.
func (c *climber) places(from choice) (sites []int) {
	if from.edits() < c.most {
		sites = append(sites, -1)
	}
	for _, m := range slices.Backward(c.moves) {
		if from[m.site] == m.at {
			sites = append(sites, m.site)
		}
	}
	return sites
}

// cut drops the moves without which the victim still falls, as far as the budget and its answers go.
func (t *target) cut() {
	best, found, at := t.fell, t.found, t.at
	for i := range best {
		if best[i] < 0 || best.edits() == 1 {
			continue
		}
		t.found = nil
		if t.ask(best.with(i, -1)); t.found != nil {
			best, found = t.fell, t.found
		}
	}
	t.fell, t.found, t.at = best, found, at
	if _, none := errors.AsType[*NoAnswer](t.err); none && found != nil {
		t.err = nil // it fell all the same
	}
}
