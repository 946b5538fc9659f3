package names

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

// Numbers of pairs of two headers. Half of those of one table are nearest
// neighbours by cosine, which are hard to tell from synonyms.
const (
	tablePairs  = 12000
	sharedPairs = 4000
	randomPairs = 12000
	// A third of the random pairs belongs to a group, so that calibration can keep
	// them out.
	randomGroups = 50
)

// betweenHeaders makes the pairs of two headers that mean different things: of one table, every second time the most similar
// ones; with a common word; and at random. A third of the random ones gets groups, for the cross-validation.
func (m *maker) betweenHeaders(ctx context.Context) error {
	for i := range tablePairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := m.tables[m.rng.IntN(len(m.tables))]
		if len(t.names) < 2 {
			continue
		}
		a := m.rng.IntN(len(t.names))
		b := m.rng.IntN(len(t.names) - 1)
		if b >= a {
			b++
		}
		if i%2 == 0 {
			b = m.nearest(t.names, a)
		}
		m.negative(kindTable, t.names[a], t.names[b])
	}
	byWord := map[string][]string{}
	for _, h := range m.headers {
		for _, w := range strings.Fields(h) {
			if !namepair.Stop(w) {
				byWord[w] = append(byWord[w], h)
			}
		}
	}
	for range sharedPairs {
		a := m.pick(m.headers)
		words := strings.Fields(a)
		if group := byWord[m.pick(words)]; len(group) > 1 {
			m.negative(kindShared, a, m.pick(group))
		}
	}
	for i := range randomPairs {
		if p := m.negative(kindRandom, m.anyHeader(), m.anyHeader()); p != nil && i%3 == 0 {
			p.group = fmt.Sprintf("random %02d", i%randomGroups)
		}
	}
	return nil
}

// anyHeader draws a header of any table, frequent or not.
func (m *maker) anyHeader() string {
	return m.pick(m.tables[m.rng.IntN(len(m.tables))].names)
}

// negative adds a pair of two headers unless they are one name in two forms.
func (m *maker) negative(k kind, a, b string) *pair {
	x, y := m.extractor.Name(a), m.extractor.Name(b)
	if !namepair.SameLemmas(x, y) && !m.synonymous(a, b) {
		return m.add(k, a, b, 1)
	}
	return nil
}

// synonymous reports whether the dictionary calls two names synonyms.
func (m *maker) synonymous(a, b string) bool {
	return slices.Contains(m.extractor.Dictionary.Synonyms(a), b) || slices.Contains(m.extractor.Dictionary.Synonyms(b), a)
}

// nearest returns the index of the name that is most similar to names[at], by the cosine of their vectors.
func (m *maker) nearest(names []string, at int) int {
	best, most := -1, float32(-2)
	target := m.extractor.Name(names[at])
	for i, n := range names {
		if i != at {
			if c := namepair.Cosine(target, m.extractor.Name(n)); c > most {
				best, most = i, c
			}
		}
	}
	return best
}

// pick draws a text of a list.
func (m *maker) pick(s []string) string { return s[m.rng.IntN(len(s))] }
