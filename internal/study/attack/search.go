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

// Searches returns all ways to search.
func Searches() []Search {
	return []Search{
		{"random", "Moves at places drawn at random, as many as may be made at once: ADVETA's attack, repeated; then fewer.", random},
		{"greedy", "All moves, several at once, the most promising first; then better ones for the weakest; drops idle ones.", func(t *target, _ *rand.Rand) { search(t, 1) }},
		{"beam", "As greedy, but goes on with the four choices that leave the victim least.", func(t *target, _ *rand.Rand) { search(t, beamWidth) }},
	}
}

// beamWidth is the number of best choices whose neighbours the search "beam" asks about.
const beamWidth = 4

// attempts is the number of draws in a row without a query, as they were asked before or cannot be made, after which
// no more of their size are drawn.
const attempts = 32

// random asks about random moves at as many sites as may be perturbed at once. When [attempts] draws bring
// nothing new, it goes on with one site less.
func random(t *target, rng *rand.Rand) {
	for size := min(t.maxEdits, len(t.sites)); size > 0; size-- {
		for misses := 0; !t.finished() && misses < attempts; {
			c := t.none()
			for _, i := range t.draw(rng, size) {
				c[i] = rng.IntN(len(t.sites[i]))
			}
			before := t.queries
			t.ask(c)
			misses++
			if t.queries > before { // a new choice
				misses = 0
			}
		}
	}
}

// draw returns size distinct sites at random. For each it first draws whether that adds a column or not: sites that
// add one are many, and most mislead nobody.
func (t *target) draw(rng *rand.Rand, size int) (drawn []int) {
	var kinds [2][]int // the sites by [target.kind]
	for _, i := range rng.Perm(len(t.sites)) {
		kinds[t.kind(i)] = append(kinds[t.kind(i)], i)
	}
	for range size {
		kind := 0
		switch {
		case len(kinds[0]) == 0:
			kind = 1
		case len(kinds[1]) > 0: // both are left
			kind = rng.IntN(2)
		}
		drawn, kinds[kind] = append(drawn, kinds[kind][0]), kinds[kind][1:]
	}
	return drawn
}

// kind returns 1 for a site whose moves add a column, else 0. All moves of a site are of one kind.
func (t *target) kind(site int) int {
	if _, adds := t.sites[site][0][0].(perturb.AddColumn); adds {
		return 1
	}
	return 0
}

// move is a move at a site, with what the search has learned of it.
type move struct {
	site, index int     // positions of the site, and of the move among its moves
	promise     float64 // estimate, before anything is asked, of how well it misleads the victim
	marginSum   float64 // of the choices with it
	asked       int     // number of those choices
}

// effect returns the mean margin of the choices with the move, +Inf before any was asked.
func (m *move) effect() float64 {
	if m.asked == 0 {
		return math.Inf(1)
	}
	return m.marginSum / float64(m.asked)
}

// scored is a choice that was asked, with the margin of the answer.
type scored struct {
	choice
	margin float64
}

// climber is a search that ranks moves by the margins of the choices with them.
type climber struct {
	*target
	moves []*move
	tried []scored // the choices that were asked, with their margins
}

// search asks about all moves first, in groups of as many as may be made at once. Then it improves the best
// choices, as many as width, and at last drops the moves that a choice which fools the victim does not need.
func search(t *target, width int) {
	c := &climber{target: t, moves: t.promising()}
	c.screen()
	for !t.finished() && c.climb(width) {
	}
	t.cut()
}

// promising returns all moves, the most promising first. An added name promises more the more relevant it is to the question, a
// replacing name the less relevant it is than the name of the column, and a new word of the question the less it is like the old one.
// Added names come last: they are many, and a name that replaces another misleads more often than an added one.
func (t *target) promising() (all []*move) {
	for i, s := range t.sites {
		for k, c := range s {
			m := &move{site: i, index: k}
			_, name := c.named()
			switch e := c[len(c)-1].(type) {
			case perturb.RenameColumn:
				ref, _ := t.DB.Lookup(e.Table, e.Column)
				m.promise = t.relevance(t.DB.Column(ref).Name) - t.relevance(name)
			case perturb.ReplaceSpan:
				m.promise = 1 - t.meanLikeness(name, strings.Fields(strings.ToLower(e.Was)))
			default: // an added column
				m.promise = t.relevance(name)
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b *move) int {
		return cmp.Or(cmp.Compare(t.kind(a.site), t.kind(b.site)), cmp.Compare(b.promise, a.promise))
	})
	return all
}

// relevance returns the mean likeness of a name to the content words of the question, 0 to 1.
func (t *target) relevance(name string) float64 {
	var words []string
	for _, q := range dataset.QuestionTokens(t.example.Question) {
		if q = strings.ToLower(q); !english.IsFunction(q) {
			words = append(words, q)
		}
	}
	return t.meanLikeness(name, words)
}

// meanLikeness returns the mean, over the words of a name, of the highest [Config.Likeness] of each to one of words; 0 if that is nil.
func (t *target) meanLikeness(name string, words []string) float64 {
	own := strings.Fields(name)
	if t.Likeness == nil || len(own) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range own {
		best := 0.0
		for _, q := range words {
			best = max(best, t.Likeness(q, w))
		}
		sum += best
	}
	return sum / float64(len(own))
}

// screen asks about all moves in groups, the most promising first. A group has as many moves as may be
// made at once, one a site. No group begins after two thirds of the budget: the rest is for [climber.climb].
func (c *climber) screen() {
	left := slices.Clone(c.moves)
	for len(left) > 0 && !c.finished() && 3*c.queries <= 2*c.Budget {
		var group, rest []*move
		taken := map[int]bool{}
		for _, m := range left {
			if len(group) < c.maxEdits && !taken[m.site] {
				group, taken[m.site] = append(group, m), true
			} else {
				rest = append(rest, m)
			}
		}
		left = rest
		c.tryTogether(group)
	}
}

// tryTogether asks about moves together or, if they cannot be made together, about each half of them.
func (c *climber) tryTogether(moves []*move) {
	next := c.none()
	for _, m := range moves {
		next[m.site] = m.index
	}
	if !c.try(next) && len(moves) > 1 {
		c.tryTogether(moves[:len(moves)/2])
		c.tryTogether(moves[len(moves)/2:])
	}
}

// try asks about a choice and counts the margin of the answer for each of its moves. It returns false if
// the choice could not be asked. A choice has, by site, the index of the move that is made there.
func (c *climber) try(next choice) bool {
	before := c.queries
	margin, ok := c.ask(next)
	if !ok || c.queries == before { // without a query the margin was counted before
		return ok
	}
	c.tried = append(c.tried, scored{next, margin})
	for _, m := range c.moves {
		if next[m.site] == m.index {
			m.marginSum, m.asked = m.marginSum+margin, m.asked+1
		}
	}
	return true
}

// step is the number of neighbours of a choice that are asked before the choices are ranked again.
const step = 4

// climb asks about neighbours of the width choices of least margin, and of further choices until a neighbour is new. It returns
// false if all neighbours were asked before.
func (c *climber) climb(width int) bool {
	slices.SortStableFunc(c.tried, func(a, b scored) int { return cmp.Compare(a.margin, b.margin) })
	slices.SortStableFunc(c.moves, func(a, b *move) int { return cmp.Compare(a.effect(), b.effect()) }) // the strongest first
	before := c.queries
	for i := 0; i < len(c.tried) && (i < width || c.queries == before) && !c.finished(); i++ {
		c.tryNeighbours(c.tried[i].choice)
	}
	return c.queries > before
}

// tryNeighbours asks about the next neighbours of a choice, [step] at most, that were not asked before: first with one more
// move if there is room, then with another move in place of its weakest one, then of the next, and at last without one of
// its moves. Stronger moves are put in first.
func (c *climber) tryNeighbours(from choice) {
	before := c.queries
	done := func() bool { return c.finished() || c.queries-before >= step }
	for _, removed := range c.removable(from) {
		next := from
		if removed != noSite {
			next = from.with(removed, noMove)
		}
		for _, m := range c.moves {
			isTaken := next[m.site] != noMove
			if isTaken || from[m.site] == m.index {
				continue
			}
			if c.try(next.with(m.site, m.index)); done() {
				return
			}
		}
	}
	for _, removed := range c.removable(from) {
		if removed != noSite && from.edits() > 1 && !done() {
			c.try(from.with(removed, noMove))
		}
	}
}

// noSite means, among the sites whose move is removed, that none is.
const noSite = -1

// removable returns the sites of a choice whose moves may make room for another one, those of the weakest moves first. noSite comes
// before them if the choice has room as it is.
func (c *climber) removable(from choice) (sites []int) {
	if from.edits() < c.maxEdits {
		sites = append(sites, noSite)
	}
	for _, m := range slices.Backward(c.moves) { // climb sorts the strongest first
		if from[m.site] == m.index {
			sites = append(sites, m.site)
		}
	}
	return sites
}

// cut removes from the choice that fooled the victim the moves without which it is still fooled, as far as the budget
// lasts. t.foolingQuery stays the query that fooled it first.
func (t *target) cut() {
	best, found, at := t.foolingChoice, t.foolingEdits, t.foolingQuery
	for i := range best {
		if best[i] < 0 || best.edits() == 1 { // no move, or the last one
			continue
		}
		t.foolingEdits = nil // else the search is finished and asks nothing
		if t.ask(best.with(i, noMove)); t.foolingEdits != nil {
			best, found = t.foolingChoice, t.foolingEdits
		}
	}
	t.foolingChoice, t.foolingEdits, t.foolingQuery = best, found, at
	if _, none := errors.AsType[*NoAnswer](t.err); none && found != nil {
		t.err = nil // it was fooled before
	}
}
