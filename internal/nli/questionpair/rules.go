package questionpair

import (
	_ "embed" // rules.txt, places.txt
	"fmt"
	"strings"
)

//go:embed rules.txt
var rulesText string

//go:embed places.txt
var placesText string

// Rules is the text of all rules, by which versions of them are told apart.
func Rules() string { return rulesText + placesText + kindsText }

// maxPhrase bounds the words of a rule's phrase.
const maxPhrase = 8

// rule says what a phrase stands for.
type rule struct {
	phrase []string // "%" for a number
	start  bool     // only at the start of a sentence
	output []string
}

// rules are by the first word of their phrase, the longest first.
type rules map[string][]rule

// newRules reads the embedded files, which a test keeps well-formed.
func newRules() rules {
	r := make(rules)
	for line := range contentLines(rulesText) {
		output, phrases, ok := strings.Cut(line, ":")
		if !ok {
			panic(fmt.Sprintf("rules.txt: %q: expected \"output: phrase | phrase\"", line))
		}
		for phrase := range strings.SplitSeq(phrases, "|") {
			r.add(strings.TrimSpace(phrase), outputs(output))
		}
	}
	for line := range contentLines(placesText) {
		place, forms, _ := strings.Cut(line, ":")
		for form := range strings.SplitSeq(place+","+forms, ",") {
			if form = strings.TrimSpace(form); form != "us" { // "give us"
				r.add(form, []string{placeMark + place})
			}
		}
	}
	return r
}

// outputs splits what a rule writes: operators, implied words and numbers by
// blanks, while words that follow each other are one term.
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

func contentLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

func (r rules) add(phrase string, output []string) {
	phrase, start := strings.CutPrefix(phrase, "^")
	words := strings.Fields(phrase)
	if len(words) == 0 || len(words) > maxPhrase {
		panic(fmt.Sprintf("rules: phrase %q: expected 1 to %d words", phrase, maxPhrase))
	}
	key := words[0]
	list := r[key]
	at := len(list)
	for at > 0 && len(list[at-1].phrase) < len(words) {
		at--
	}
	list = append(list, rule{})
	copy(list[at+1:], list[at:])
	list[at] = rule{words, start, output}
	r[key] = list
}

// match returns the longest rule that fits the front of words, and the value of
// its number where its phrase has one.
func (r rules) match(words []word) (found *rule, number string) {
	consider := func(list []rule) {
		for i := range list {
			if found != nil && len(list[i].phrase) <= len(found.phrase) {
				return
			}
			if n, ok := list[i].fits(words); ok {
				found, number = &list[i], n
				return
			}
		}
	}
	consider(r[words[0].text])
	if _, ok := readNumber(words); ok {
		consider(r["%"])
	}
	return found, number
}

// fits tells whether the rule's phrase stands at the front of words. A rule that
// drops a word leaves a name of that spelling alone ("May").
func (r *rule) fits(words []word) (number string, ok bool) {
	if r.start && !words[0].start {
		return "", false
	}
	at := 0
	for i, p := range r.phrase {
		if at >= len(words) || words[at].quoted || i > 0 && words[at].start {
			return "", false
		}
		if p == "%" {
			n, ok := readNumber(words[at:])
			if !ok {
				return "", false
			}
			number = n.text
			at += n.words
			continue
		}
		if words[at].text != p || len(r.output) == 0 && words[at].proper {
			return "", false
		}
		at++
	}
	return number, true
}

// width is the number of words that the rule takes from words, which it fits.
func (r *rule) width(words []word) int {
	at := 0
	for _, p := range r.phrase {
		if p == "%" {
			n, _ := readNumber(words[at:])
			at += n.words
			continue
		}
		at++
	}
	return at
}
