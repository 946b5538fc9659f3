package questionpair

import (
	"cmp"
	_ "embed" // rules.txt, places.txt
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed rules.txt
var rulesText string

//go:embed places.txt
var placesText string

// Rules is the text of all rules, which identifies their version.
func Rules() string { return rulesText + placesText + kindsText }

// maxPhrase bounds the words of a rule's phrase.
const maxPhrase = 8

// rule is the sense of a phrase.
type rule struct {
	phrase []string // "%" for a number
	start  bool     // only at the start of a sentence
	output []string // "@NAME" an operator, "%" the number, "*NAME" a place, "NAME?" an implied word; else a word
}

// rules are by the first word of their phrase, the longest first.
type rules map[string][]rule

// newRules reads the embedded files, which a test keeps well-formed.
func newRules() rules {
	r := make(rules)
	for line := range wordfile.Lines(rulesText) {
		output, phrases, ok := strings.Cut(line, ":")
		if !ok {
			panic(fmt.Sprintf("rules.txt: %q: expected \"output: phrase | phrase\"", line))
		}
		for phrase := range strings.SplitSeq(phrases, "|") {
			r.add(strings.TrimSpace(phrase), outputs(output))
		}
	}
	for line := range wordfile.Lines(placesText) {
		place, forms, _ := strings.Cut(line, ":")
		for form := range strings.SplitSeq(place+","+forms, ",") {
			if form = strings.TrimSpace(form); form != "us" { // "give us"
				r.add(form, []string{placeMark + place})
			}
		}
	}
	for _, list := range r { // the longest phrase that fits counts
		slices.SortStableFunc(list, func(a, b rule) int { return cmp.Compare(len(b.phrase), len(a.phrase)) })
	}
	return r
}

// outputs splits the output of a rule at blanks, but joins plain words that follow each other to one
// term: "@COUNT phone number" is "@COUNT" and "phone number". Marks ("@COUNT"), the number "%" and implied words
// ("year?") are no plain words. "-" is no output.
func outputs(text string) []string {
	var out []string
	term := false
	for w := range strings.FieldsSeq(strings.TrimPrefix(text, "-")) {
		plain := w[0] != '@' && w != "%" && !strings.HasSuffix(w, "?")
		if plain && term {
			out[len(out)-1] += " " + w
		} else {
			out = append(out, w)
		}
		term = plain
	}
	return out
}

// placeMark opens the output of a place.
const placeMark = "*"

// add adds the rule of a phrase. "^" before the phrase restricts it to the start of a sentence.
func (r rules) add(phrase string, output []string) {
	phrase, start := strings.CutPrefix(phrase, "^")
	words := strings.Fields(phrase)
	if len(words) == 0 || len(words) > maxPhrase {
		panic(fmt.Sprintf("rules: phrase %q: expected 1 to %d words", phrase, maxPhrase))
	}
	r[words[0]] = append(r[words[0]], rule{words, start, output})
}

// match returns the longest rule that fits the front of words, the value of its
// number if its phrase has one, and how many words it takes; nil if no rule fits.
func (r rules) match(words []word) (found *rule, number string, width int) {
	consider := func(list []rule) { // list has longer phrases first
		for i := range list {
			if found != nil && len(list[i].phrase) <= len(found.phrase) {
				return
			}
			if n, taken := list[i].fits(words); taken > 0 {
				found, number, width = &list[i], n, taken
				return
			}
		}
	}
	consider(r[words[0].text])
	if _, ok := readNumber(words); ok { // phrases that begin with a number
		consider(r["%"])
	}
	return found, number, width
}

// fits matches the rule's phrase with the first words. It returns the number that "%" in the phrase matched, and how
// many words the phrase takes, 0 for no match. A rule without output, which drops words, does not match a name of that
// spelling ("May").
func (r *rule) fits(words []word) (number string, width int) {
	if r.start && !words[0].start {
		return "", 0
	}
	at := 0
	for i, p := range r.phrase {
		if at >= len(words) || words[at].quoted || i > 0 && words[at].start { // no phrase goes on in the next sentence
			return "", 0
		}
		if p == "%" {
			n, ok := readNumber(words[at:])
			if !ok {
				return "", 0
			}
			number = n.text
			at += n.words
			continue
		}
		if words[at].text != p || len(r.output) == 0 && words[at].proper {
			return "", 0
		}
		at++
	}
	return number, at
}
