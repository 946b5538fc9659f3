package question

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

var commonest = lazyregexp.New(`(?i)^(?:what is|what are|find|show|list|give|return|tell me|please show)(?: me)? the (most|least) (common|frequent|popular|prevalent) (.+)$`)

// severalParts matches words of several sentences or things.
var severalParts = lazyregexp.New(` and |[,.?!]`)

// moreCommon replaces "the most common": "What is the most common hometown of teachers?" becomes "Which hometown of teachers
// is more common than any other?"
func moreCommon(s *source) []string {
	text := trimEnd(s.question)
	at := commonest.FindStringSubmatchIndex(text)
	if at == nil || !s.isKeyword(at[2], at[5]) || s.top() {
		return nil
	}
	rest := text[at[6]:]
	noun, _, _ := strings.Cut(rest, " ")
	if severalParts.MatchString(rest) {
		return nil
	}
	more := comparatives[strings.ToLower(text[at[2]:at[3]])]
	rest = strings.Replace(rest, noun, english.SingularPhrase(noun), 1)
	out := []string{asked("Which " + rest + " is " + more + " " + text[at[4]:at[5]] + " than any other")}
	if more == "more" && !strings.Contains(rest, " that ") {
		out = append(out, asked("Which "+rest+" occurs more often than any other"))
	}
	return out
}

var repeated = lazyregexp.New(`(?i)^((?:show|list|find|give|return|tell|please show|what are|what is)(?: me)?(?: all)?(?: of)?(?: the)?) (?:different|distinct|unique) (.+)$`)

// noList matches a question for numbers, of several sentences, or for "different combinations".
var noList = lazyregexp.New(`(?i)[.?!]|how many|number of|(?:different|distinct|unique) combinations`)

// withoutRepetition puts "different" at the end: "Show the different countries of singers." becomes "Show the countries of
// singers, without repetitions."
func withoutRepetition(s *source) []string {
	text := trimEnd(s.question)
	at := repeated.FindStringSubmatchIndex(text)
	if at == nil || !s.isKeyword(at[3], at[4]) || noList.MatchString(text) {
		return nil
	}
	ending := s.question[len(text):]
	var out []string
	for _, w := range []string{"without repetitions", "without duplicates", "excluding duplicates"} {
		out = append(out, tidy(text[:at[3]]+" "+text[at[4]:]+", "+w+ending))
	}
	return out
}

var severalOf = compile([]swap{
	{`\b(?P<x>more than (?:1|one)) (?:[a-z-]+ ){0,2}[a-z]+`, "multiple", nil},
	{`\b(?P<x>(?:at least (?:2|two)|(?:2|two) or more)) (?:[a-z-]+ ){0,2}[a-z]+s\b`, "multiple", nil},
})

// multiple replaces "more than one" and "at least two": "with more than one song" becomes "with multiple songs".
func multiple(s *source) []string {
	var out []string
	for _, c := range severalOf.changes(s) {
		end, ok := s.noun(c.end)
		if !ok {
			continue
		}
		c.with += " " + english.Plural(strings.TrimSpace(s.question[c.end:end]))
		c.end = end
		out = append(out, s.apply(c))
	}
	return out
}

var shortNoun = grammar.Must("CONTENT|NUMERIC{1,2} ENDED")

// noun returns the end of the noun phrase of one or two words that begins after start. Ok is false if there is none.
func (s *source) noun(start int) (end int, ok bool) {
	q := newSentence(s.question)
	m, ok := shortNoun.At(q, q.from(start))
	if !ok {
		return start, false
	}
	return q.Tokens[m.End-1].End, true
}
