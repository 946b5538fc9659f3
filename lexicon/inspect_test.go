package lexicon

import (
	"maps"
	"slices"
)

// Collision is an abbreviation of several words.
type Collision struct {
	Abbreviation string
	Words        []string
}

// Collisions returns the listed abbreviations of several words, sorted.
func (a *Abbreviations) Collisions() []Collision {
	var out []Collision
	for _, s := range slices.Sorted(maps.Keys(a.long)) {
		if words := a.long[s]; len(words) > 1 {
			out = append(out, Collision{s, slices.Clone(words)})
		}
	}
	return out
}

// Len counts the listed pairs of a word and an abbreviation.
func (a *Abbreviations) Len() int {
	n := 0
	for _, s := range a.long {
		n += len(s)
	}
	return n
}

// Heads returns every term that has synonyms in some domain, sorted.
func (t *Thesaurus) Heads() []string { return slices.Sorted(maps.Keys(t.entries)) }

// Len counts the pairs of a term and a synonym.
func (t *Thesaurus) Len() int {
	n := 0
	for _, s := range t.entries {
		n += len(s)
	}
	return n
}

// Len counts the sets and the distinct terms.
func (c *Contrasts) Len() (sets, terms int) { return c.sets, len(c.terms) }

// Entities returns the first name of every entity, sorted.
func (t *Attributes) Entities() []string {
	names := make([]string, len(t.file.entities))
	for i, e := range t.file.entities {
		names[i] = e.names[0]
	}
	slices.Sort(names)
	return names
}
