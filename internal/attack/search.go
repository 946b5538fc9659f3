package attack

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Search is a way to search.
type Search struct {
	Name, Doc string
	run       func(*target, *rand.Rand)
}

// Searches lists them all.
func Searches() []Search {
	return []Search{
		{"random", "Moves at places drawn at random, as many as may be made at once: ADVETA's attack, repeated.", random},
		{"greedy", "First which single moves leave the victim least, then these together, one after the other.", func(t *target, _ *rand.Rand) { search(t, 1) }},
		{"beam", "As greedy, but extends the four choices that leave the victim least.", func(t *target, _ *rand.Rand) { search(t, beamWidth) }},
	}
}

const beamWidth = 4

// attempts is how often a draw is repeated that was asked before, or cannot be made.
const attempts = 32

// random draws moves at as many places as may be perturbed at once.
func random(t *target, rng *rand.Rand) {
	for misses := 0; !t.over() && misses < attempts; {
		c := t.none()
		places := rng.Perm(len(t.sites))
		for _, i := range places[:min(t.most, len(places))] {
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

// scored is a choice with its margin.
type scored struct {
	choice
	margin float64
}

func byMargin(a, b scored) int { return cmp.Compare(a.margin, b.margin) }

// search asks single moves first, and then extends the best choices by the moves that were
// best alone, for as long as there is something to ask. Single moves take at most so much of
// the budget that something is left to put them together.
func search(t *target, width int) {
	singles := t.singles()
	kept := append([]scored{{t.none(), t.margin}}, singles...)
	for !t.over() {
		slices.SortStableFunc(kept, byMargin)
		before := t.queries
		for _, k := range kept[:min(width, len(kept))] {
			kept = append(kept, t.extend(k, singles)...)
		}
		if t.queries == before { // the best lead nowhere
			if kept = kept[min(width, len(kept)):]; len(kept) == 0 {
				return
			}
		}
	}
}

// step is how many moves a choice is extended by before others are looked at.
const step = 4

// extend adds to a choice the moves that were best alone at places that are free, a few that
// were not asked yet.
func (t *target) extend(k scored, singles []scored) (more []scored) {
	before := t.queries
	for _, s := range singles {
		next := k.choice
		for i, m := range s.choice {
			if m >= 0 && k.choice[i] < 0 {
				next = k.with(i, m)
			}
		}
		if next.edits() == k.edits() {
			continue
		}
		asked := t.queries
		if margin, ok := t.ask(next); ok && t.queries > asked {
			more = append(more, scored{next, margin})
		}
		if t.over() || t.queries-before >= step {
			return more
		}
	}
	return more
}

// singles asks the single moves in turn, the first of each place, then the second, and
// returns them, the best first.
func (t *target) singles() (all []scored) {
	most := 0
	for _, s := range t.sites {
		most = max(most, len(s))
	}
	for m := range most {
		for i := range t.sites {
			if m >= len(t.sites[i]) || 4*t.queries >= 3*t.Budget && t.most > 1 {
				continue
			}
			if margin, ok := t.ask(t.none().with(i, m)); ok {
				all = append(all, scored{t.none().with(i, m), margin})
			}
		}
	}
	slices.SortStableFunc(all, byMargin)
	return all
}
