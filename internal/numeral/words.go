package numeral

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
)

// units are the cardinals below 20, ordinals the words for their places.
var (
	units = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	ordinals = strings.Fields("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth " +
		"thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
	tens = strings.Fields("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
)

// scale is a word that multiplies what stands before it.
type scale struct {
	name  string
	value float64
}

var scales = []scale{{"billion", 1e9}, {"million", 1e6}, {"thousand", 1e3}, {"hundred", 100}}

func scaleOf(word string) (scale, bool) {
	for _, s := range scales {
		if s.name == word {
			return s, true
		}
	}
	return scale{}, false
}

func (s scale) text(c english.LetterCase) string { return " " + c.Apply(s.name) }

// The largest numbers that are written in words.
const (
	maxWords   = 999_999_999_999
	maxOrdinal = 999
)

// Words returns the cardinal of v in lower case ("twenty-five", "one hundred
// two"), or "" where v is below 0 or above 999,999,999,999.
func Words(v int) string {
	if v < 0 || v > maxWords {
		return ""
	}
	if v < len(units) {
		return units[v]
	}
	if v < 100 {
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
	case strings.HasSuffix(last, "y"):
		last = last[:len(last)-1] + "ieth"
	default:
		last += "th"
	}
	return text[:at] + last
}

// reader reads a number in words.
type reader struct {
	s     string
	words []word
	// What was read.
	ordinal bool
	joiner  string // between tens and units
}

// wordsAt reads a numeral in words that begins with the word i, and returns it
// with the index of the word behind it.
func wordsAt(s string, words []word, i int) (n Numeral, next int, ok bool) {
	r := &reader{s: s, words: words}
	v, next, ok := r.number(i)
	if !ok || !alone(s, words, i, next) || r.ordinal && v > maxOrdinal {
		return n, 0, false
	}
	n = Numeral{Start: words[i].start, End: words[next-1].end, Value: v, Style: Word, joiner: r.joiner}
	if r.ordinal {
		n.Style = OrdinalWord
	}
	n.letters = english.CaseOf(s[n.Start:n.End])
	n.Doubtful = doubtful(s, words, i, next, v, n.Style)
	return n, next, true
}

// number reads groups of descending scale: "two million five thousand ten".
func (r *reader) number(i int) (v float64, next int, ok bool) {
	limit := 1e12
	for next = i; ; {
		group, j, read := r.below1000(next, i)
		if !read || next > i && (group == 0 || group >= limit) {
			break
		}
		by, k := r.scaleAt(j)
		if by >= limit {
			break // "three thousand four million" is two numbers
		}
		if by < 1000 || r.ordinal {
			by, k = 1, j
		}
		v, next, ok = v+group*by, k, true
		if r.ordinal || by == 1 || !r.joined(next) {
			break
		}
		limit = by
	}
	return v, next, ok
}

// below1000 reads "two hundred and five"; the number began with the word first.
func (r *reader) below1000(i, first int) (v float64, next int, ok bool) {
	v, next, ok = r.below100(i)
	if !ok && i == first && i+1 < len(r.words) && r.words[i].lower == "a" && r.joined(i+1) {
		if by, _ := r.scaleAt(i + 1); by > 0 {
			v, next, ok = 1, i+1, true
		}
	}
	if !ok || r.ordinal {
		return v, next, ok
	}
	if v > 0 && next < len(r.words) && r.joined(next) {
		switch r.words[next].lower {
		case "hundredth":
			r.ordinal = true
			return v * 100, next + 1, true
		case "hundred":
			rest, j := r.rest(next+1, first)
			return v*100 + rest, j, true
		}
	}
	return v, next, ok
}

// rest reads what may follow "hundred". In "between one hundred and two hundred"
// a new number follows.
func (r *reader) rest(i, first int) (v float64, next int) {
	at := i
	if at < len(r.words) && r.words[at].lower == "and" && r.joined(at) {
		if first > 0 && r.words[first-1].lower == "between" {
			return 0, i
		}
		at++
	}
	if at >= len(r.words) || !r.joined(at) {
		return 0, i
	}
	trial := *r
	v, next, ok := trial.below100(at)
	if !ok || v == 0 {
		return 0, i
	}
	if by, _ := trial.scaleAt(next); by > 0 && at > i {
		return 0, i
	}
	*r = trial
	return v, next
}

// below100 reads "five", "twenty", "twenty-five", "fifth" or "twenty-fifth".
func (r *reader) below100(i int) (v float64, next int, ok bool) {
	if i >= len(r.words) {
		return 0, 0, false
	}
	w := r.words[i].lower
	if u := slices.Index(units, w); u >= 0 {
		return float64(u), i + 1, true
	}
	if u := slices.Index(ordinals, w); u > 0 {
		r.ordinal = true
		return float64(u), i + 1, true
	}
	if base, found := strings.CutSuffix(w, "ieth"); found {
		t := slices.Index(tens, base+"y")
		r.ordinal = t > 0
		return float64(10 * t), i + 1, t > 0
	}
	t := slices.Index(tens, w)
	if t < 2 {
		return 0, 0, false
	}
	if v, ok := r.unit(i + 1); ok {
		return float64(10*t) + v, i + 2, true
	}
	return float64(10 * t), i + 1, true
}

// unit reads the unit that follows tens. An ordinal wants a hyphen: "twenty
// first graders" are twenty.
func (r *reader) unit(i int) (v float64, ok bool) {
	if i >= len(r.words) || !r.joined(i) {
		return 0, false
	}
	between := r.s[r.words[i-1].end:r.words[i].start]
	if u := slices.Index(units, r.words[i].lower); u > 0 && u < 10 {
		r.joiner = between
		return float64(u), true
	}
	if u := slices.Index(ordinals, r.words[i].lower); u > 0 && u < 10 && between == "-" {
		r.ordinal = true
		return float64(u), true
	}
	return 0, false
}

// scaleAt returns the scale that the word i names, or 0, and the index behind.
func (r *reader) scaleAt(i int) (by float64, next int) {
	if i >= len(r.words) || !r.joined(i) {
		return 0, i
	}
	if s, ok := scaleOf(r.words[i].lower); ok {
		return s.value, i + 1
	}
	return 0, i
}

// joined tells whether only a blank or a hyphen is between the word i and the one
// before.
func (r *reader) joined(i int) bool {
	if i == 0 || i >= len(r.words) {
		return false
	}
	between := r.s[r.words[i-1].end:r.words[i].start]
	return between == " " || between == "-"
}
