package indicator

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/keywords.txt
var keywordText string

// sense is a keyword that a phrase may mention.
type sense struct {
	keyword string
	carrier bool // the phrase implies the keyword by carrying it (section 3.2)
}

// phrases maps a phrase, words joined by blanks with # for a number, to its
// senses, the foremost first.
type phrases struct {
	senses  map[string][]sense
	longest int // words of the longest phrase
}

// keywordPhrases is the list of data/keywords.txt, whose lines are "KEYWORD, …: PHRASE; …".
var keywordPhrases = sync.OnceValue(func() *phrases {
	p := &phrases{senses: map[string][]sense{}}
	for line := range wordfile.Lines(keywordText) {
		head, list, _ := strings.Cut(line, ": ")
		head, carrier := strings.CutSuffix(head, "!")
		for pattern := range strings.SplitSeq(list, ";") {
			for _, phrase := range expand(strings.Fields(pattern)) {
				for keyword := range strings.SplitSeq(head, ",") {
					p.add(phrase, sense{strings.TrimSpace(keyword), carrier})
				}
			}
		}
	}
	return p
})

// add appends a sense to those of a phrase, given by its words, unless the phrase has the sense's keyword already.
func (p *phrases) add(words []string, s sense) {
	key := strings.Join(words, " ")
	if !slices.ContainsFunc(p.senses[key], func(t sense) bool { return t.keyword == s.keyword }) {
		p.senses[key] = append(p.senses[key], s)
	}
	p.longest = max(p.longest, len(words))
}

// expand returns the phrases of a pattern, each as its words. In a pattern a|b are alternatives, and (a) may be left
// out: "no less|fewer (than)" has four phrases.
func expand(pattern []string) [][]string {
	out := [][]string{nil}
	for _, w := range pattern {
		inner, optional := strings.CutPrefix(w, "(")
		var next [][]string
		for _, done := range out {
			if optional {
				next = append(next, done)
			}
			for alternative := range strings.SplitSeq(strings.TrimSuffix(inner, ")"), "|") {
				next = append(next, append(slices.Clone(done), alternative))
			}
		}
		out = next
	}
	return out
}

// occurrence is a phrase of the lexicon in a question.
type occurrence struct {
	start, end int // tokens, without numbers at its ends; equal if the phrase is only a number
	key        string
	senses     []sense
	taken      bool
}

// rank returns the position of a keyword among the senses of the phrase, or -1.
func (o *occurrence) rank(keyword string) int {
	return slices.IndexFunc(o.senses, func(s sense) bool { return s.keyword == keyword })
}

// find returns the phrases that a question has, from the left to the right and at each place the longest. Masked words, those of
// names and values, are part of no phrase, except numbers.
func (p *phrases) find(words []word) []*occurrence {
	var out []*occurrence
	for i := 0; i < len(words); {
		n := 0 // words of the longest phrase at i
		var key string
		for l := min(p.longest, len(words)-i); l > 0; l-- {
			if key = phraseKey(words[i : i+l]); key != "" && p.senses[key] != nil {
				n = l
				break
			}
		}
		if n == 0 {
			i++
			continue
		}
		o := &occurrence{start: i, end: i + n, key: key, senses: p.senses[key]}
		for o.start < o.end && words[o.start].number {
			o.start++
		}
		for o.start < o.end && words[o.end-1].number {
			o.end--
		}
		out = append(out, o)
		i += n
		if words[i-1].number {
			i-- // the number may be part of the next phrase
		}
	}
	return out
}

// phraseKey returns the words as a key of [phrases.senses], with # for a number: "# or more". It returns "" if a word other than a number is
// masked.
func phraseKey(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.number:
			b.WriteByte('#')
		case w.masked, w.text == "":
			return ""
		default:
			b.WriteString(w.text)
		}
	}
	return b.String()
}
