package lexicon

import (
	"math/rand/v2"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// The parameters of ADVETA's word-level replacement (section 4.3).
const (
	DefaultKeep    = 0.25
	DefaultLimit   = 20
	DefaultRepeats = 5
)

// Replacer proposes names for a column by replacing the words of its name with
// synonyms (ADVETA, section 4.3). It departs from the paper in three points.
// The paper replaces word by word; here the longest phrase of the name that the
// dictionary has is replaced as one, as "date of birth" has synonyms that its
// words do not. The paper samples synonyms uniformly; here, of n synonyms, the
// one at rank i (from 0) has probability (2(n-i)-1)/n², as dictionaries give the
// best first. And a replacement that repeats a word ("title title") is no
// candidate.
type Replacer struct {
	Dictionary
	Keep    float64 // probability with which a word stays, 0..1
	Limit   int     // candidates wanted
	Repeats int     // consecutive samples without a new candidate that end the search
}

// NewReplacer returns a Replacer with the paper's parameters. Wrapped in [Forms],
// the dictionary also serves plurals and abbreviations.
func NewReplacer(d Dictionary) Replacer {
	return Replacer{Dictionary: d, Keep: DefaultKeep, Limit: DefaultLimit, Repeats: DefaultRepeats}
}

// Replacement is a proposed name, lower case with single blanks, and the
// replacements that made it ("home -> host; team -> side").
type Replacement struct{ Name, Evidence string }

// Names samples distinct names for a column until there are r.Limit, or until r.Repeats
// consecutive samples gave no new one. The name itself is no candidate, and
// sampling it again counts as a repeat. The result depends on the dictionary,
// the name and the state of rng alone.
func (r Replacer) Names(rng *rand.Rand, name string) []Replacement {
	words := Words(name)
	parts := segments(words, r.Synonyms)
	if mostOptions(parts) == 0 {
		return nil
	}
	var out []Replacement
	seen := map[string]bool{strings.Join(words, " "): true}
	for repeats := 0; len(out) < r.Limit && repeats < r.Repeats; {
		c := r.sample(rng, parts)
		if seen[c.Name] || stutters(c.Name) {
			repeats++
			continue
		}
		seen[c.Name] = true
		repeats = 0
		out = append(out, c)
	}
	return out
}

// ReplaceOne returns the names in which one word or phrase of a name is replaced by a
// synonym, the first synonyms of each before the second. The paper replaces several at
// once (section 4.3); people accept few of such names.
func ReplaceOne(d Dictionary, name string) []Replacement {
	parts := segments(Words(name), d.Synonyms)
	var out []Replacement
	for rank := range mostOptions(parts) {
		for i, p := range parts {
			if rank >= len(p.options) {
				continue
			}
			words := lists.Map(parts, func(part segment) string { return part.text })
			words[i] = p.options[rank]
			if name := strings.Join(words, " "); !stutters(name) {
				out = append(out, Replacement{name, p.text + " -> " + p.options[rank]})
			}
		}
	}
	return out
}

// sample draws one name: each part that has synonyms keeps its text with probability r.Keep, else takes a synonym. The smaller of
// two uniform ranks is drawn, which prefers the first.
func (r Replacer) sample(rng *rand.Rand, parts []segment) Replacement {
	var name, evidence []string
	for _, p := range parts {
		n := len(p.options)
		if n == 0 || rng.Float64() < r.Keep {
			name = append(name, p.text)
			continue
		}
		choice := p.options[min(rng.IntN(n), rng.IntN(n))]
		name = append(name, choice)
		evidence = append(evidence, p.text+" -> "+choice)
	}
	return Replacement{strings.Join(name, " "), strings.Join(evidence, "; ")}
}

// stutters reports whether a word of the name follows itself: "title title".
func stutters(name string) bool {
	previous := ""
	for w := range strings.FieldsSeq(name) {
		if w == previous {
			return true
		}
		previous = w
	}
	return false
}

// segment is a word or phrase of a name, with the terms that may replace it.
type segment struct {
	text    string
	options []string // best first; none if nothing may replace it
}

// mostOptions returns the largest number of options that a part has.
func mostOptions(parts []segment) (most int) {
	for _, p := range parts {
		most = max(most, len(p.options))
	}
	return most
}

// segments cuts a name into the longest phrases that have options, from the
// left, and into single words if none has.
func segments(words []string, options func(term string) []string) []segment {
	var out []segment
	for i := 0; i < len(words); {
		var s segment
		n := min(maxHeadWords, len(words)-i)
		for ; n > 0; n-- {
			s = segment{text: strings.Join(words[i:i+n], " ")}
			if n == 1 && isConnective(s.text) {
				continue
			}
			if s.options = options(s.text); len(s.options) > 0 {
				break
			}
		}
		out = append(out, s)
		i += max(n, 1)
	}
	return out
}

// isConnective reports whether a word connects others: within a name it has no synonyms, although a dictionary may list some
// for the word alone ("or": operating room).
func isConnective(word string) bool {
	return isFunctionWord(word) || word == "if" || word == "not"
}
