package lexicon

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Replacement is a proposed name, lower case with single blanks, and the
// replacement that made it ("home -> host").
type Replacement struct{ Name, Evidence string }

// ReplaceOne returns the names in which a synonym replaces one word or phrase of a name. Names with the first synonym of a part
// come before those with the second. It departs from ADVETA (section 4.3):
//
//   - the paper replaces several words at once, and people accept few of such names;
//   - it replaces word by word, but "date of birth" has synonyms that its words do not: the longest phrase of the name
//     that the dictionary has is replaced as one.
//
// It drops names that repeat a word ("title title").
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
			if n == 1 && isConnective(s.text) { // a single word is tried last, so this ends the loop
				continue
			}
			if s.options = options(s.text); len(s.options) > 0 {
				break
			}
		}
		out = append(out, s)
		i += max(n, 1) // n is 0 if s is a single word without options
	}
	return out
}

// isConnective reports whether a word connects others: within a name it has no synonyms, although a dictionary may list some
// for the word alone ("or": operating room).
func isConnective(word string) bool {
	return isFunctionWord(word) || word == "if" || word == "not"
}
