package numeral

import (
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// units are the cardinals below 20, ordinals the words for their places.
var (
	units = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	ordinals = strings.Fields("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth " +
		"thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
	tens = strings.Fields("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
)

// number is a word for a number below 100.
type number struct {
	value   float64
	ordinal bool
}

// below100Words maps the words for numbers below 100, except for compounds such as "twenty-one".
var below100Words = sync.OnceValue(func() map[string]number {
	m := map[string]number{}
	for v := 1; v < 100; v++ {
		if v < 20 || v%10 == 0 {
			m[Words(v)], m[OrdinalWords(v)] = number{float64(v), false}, number{float64(v), true}
		}
	}
	m[units[0]] = number{}
	return m
})

// scale is a word that multiplies the number before it.
type scale struct {
	name  string
	value float64
}

var scales = []scale{{"billion", 1e9}, {"million", 1e6}, {"thousand", 1e3}, {"hundred", 100}}

// scaleOf returns the scale that a lower-case word names.
func scaleOf(word string) (scale, bool) {
	for _, s := range scales {
		if s.name == word {
			return s, true
		}
	}
	return scale{}, false
}

// text returns the word of the scale after a blank, in a letter case.
func (s scale) text(c english.LetterCase) string { return " " + c.Apply(s.name) }

// The largest numbers that are written in words.
const (
	maxWords   = 999_999_999_999
	maxOrdinal = 999
)

// Words returns the cardinal of v in lower case ("twenty-five", "one hundred
// two"), or "" if v is below 0 or above 999,999,999,999.
func Words(v int) string {
	switch {
	case v < 0, v > maxWords:
		return ""
	case v < len(units):
		return units[v]
	case v < 100:
		if v%10 == 0 {
			return tens[v/10]
		}
		return tens[v/10] + "-" + units[v%10]
	}
	for _, s := range scales {
		by := int(s.value)
		if v < by {
			continue
		}
		text := Words(v/by) + " " + s.name
		if v%by > 0 {
			text += " " + Words(v%by)
		}
		return text
	}
	return ""
}

// OrdinalWords returns the ordinal of v in lower case ("twenty-fifth"), or ""
// where v is below 1 or above 999.
func OrdinalWords(v int) string {
	if v < 1 || v > maxOrdinal {
		return ""
	}
	text := Words(v)
	at := strings.LastIndexAny(text, " -") + 1
	last := text[at:]
	switch i := slices.Index(units, last); {
	case i >= 0:
		last = ordinals[i]
	case strings.HasSuffix(last, "y"): // "twentieth"
		last = last[:len(last)-1] + "ieth"
	default: // "hundredth"
		last += "th"
	}
	return text[:at] + last
}

// reader reads a number in words.
type reader struct {
	words   []word
	ordinal bool   // the number that was read is an ordinal
	joiner  string // what it has between tens and units
}

// wordsAt reads a numeral in words that begins with word i of the text s, and returns it with the index of
// the word after it.
func wordsAt(s string, words []word, i int) (n Numeral, next int, ok bool) {
	r := &reader{words: words}
	v, next, ok := r.number(i)
	if !ok || !alone(words, i, next) || r.ordinal && v > maxOrdinal {
		return n, 0, false
	}
	n = Numeral{Start: words[i].start, End: words[next-1].end, Value: v, Style: Word, joiner: r.joiner}
	if r.ordinal {
		n.Style = OrdinalWord
	}
	n.letters = english.CaseOf(s[n.Start:n.End])
	n.Doubtful = doubtful(words, i, next, v, n.Style)
	return n, next, true
}

// number reads a number that begins with word i, in groups of descending scale: "two million five thousand
// ten". next is the index of the word after it.
func (r *reader) number(i int) (v float64, next int, ok bool) {
	limit := 1e12 // the scale of the next group must be smaller: at first, all up to billions are
	for next = i; ; {
		group, j, read := r.below1000(next, i)
		if !read || next > i && (group == 0 || group >= limit) { // a later group must be smaller than the scale before it
			break
		}
		by, k := r.scaleAt(j)
		if by >= limit {
			break // "three thousand four million" is two numbers
		}
		if by < 1000 || r.ordinal { // no scale, or a word after an ordinal
			by, k = 1, j
		}
		v, next, ok = v+group*by, k, true
		if r.ordinal || by == 1 || !r.words[next].joined() {
			break
		}
		limit = by
	}
	return v, next, ok
}

// below1000 reads a number such as "two hundred and five" from word i on. It is a part of a number that begins with
// the word first. "A" counts as one before a scale.
func (r *reader) below1000(i, first int) (v float64, next int, ok bool) {
	v, next, ok = r.below100(i)
	if !ok && i == first && r.words[i].lower == "a" {
		by, _ := r.scaleAt(i + 1)
		v, next, ok = 1, i+1, by > 0
	}
	if !ok || r.ordinal || v == 0 || !r.words[next].joined() { // no "hundred" can follow
		return v, next, ok
	}
	switch r.words[next].lower {
	case "hundredth":
		r.ordinal = true
		return v * 100, next + 1, true
	case "hundred":
		rest, j := r.rest(next+1, first)
		return v*100 + rest, j, true
	}
	return v, next, ok
}

// rest reads what follows "hundred": a number below 100, with or without "and". In "between one hundred and
// two hundred" a new number follows the "and", so it returns 0.
func (r *reader) rest(i, first int) (v float64, next int) {
	at := i
	if r.words[at].lower == "and" && r.words[at].joined() {
		if r.words[first-1].lower == "between" {
			return 0, i
		}
		at++
	}
	if !r.words[at].joined() {
		return 0, i
	}
	trial := *r
	v, next, ok := trial.below100(at)
	if !ok || v == 0 {
		return 0, i
	}
	if by, _ := trial.scaleAt(next); by > 0 && at > i {
		return 0, i // in "one hundred and two thousand" a new number follows the "and"
	}
	*r = trial
	return v, next
}

// below100 reads "five", "twenty", "twenty-five", "fifth" or "twenty-fifth" from word i on. It sets r.ordinal for an ordinal.
func (r *reader) below100(i int) (v float64, next int, ok bool) {
	n, ok := below100Words()[r.words[i].lower]
	if !ok {
		return 0, 0, false
	}
	r.ordinal = r.ordinal || n.ordinal
	if n.ordinal || n.value < 20 {
		return n.value, i + 1, true
	}
	if v, ok := r.unit(i + 1); ok {
		return n.value + v, i + 2, true
	}
	return n.value, i + 1, true
}

// unit reads the unit after tens, word i; false if it is none. An ordinal needs a hyphen before it:
// "twenty first graders" are twenty.
func (r *reader) unit(i int) (v float64, ok bool) {
	n := below100Words()[r.words[i].lower]
	switch {
	case n.value == 0, n.value > 9, !r.words[i].joined():
		return 0, false
	case !n.ordinal:
		r.joiner = r.words[i].gap
		return n.value, true
	case r.words[i].gap != "-":
		return 0, false
	}
	r.ordinal = true
	return n.value, true
}

// scaleAt returns the value of the scale that word i names, or 0, and the index of the word after it.
func (r *reader) scaleAt(i int) (by float64, next int) {
	if s, ok := scaleOf(r.words[i].lower); ok && r.words[i].joined() {
		return s.value, i + 1
	}
	return 0, i
}
