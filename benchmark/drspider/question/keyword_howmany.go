package question

import (
	"cmp"
	_ "embed" // continuations.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

// howManyQuestion matches the beginning of a question for a number of things.
var howManyQuestion = lazyregexp.New(`(?i)^how many `)

// countRequest matches a request for a number of things up to the things.
var countRequest = lazyregexp.New(`(?i)^(?:what (?:is|are|was|were)|find|count|return|give(?: me)?|show(?: me)?|tell me|compute|calculate|report|get|list|please show) (?:the )?(?:total |exact |overall )?(?:number|amount|count)s? of (?:the |all )?`)

// countVerb matches a request to count.
var countVerb = lazyregexp.New(`(?i)^count (?:the |all )?`)

// countedThings matches a noun phrase whose last words are plurals.
var countedThings = grammar.Must("CONTENT&!PLURAL|NUMERIC&!PLURAL{0,3} CONTENT&PLURAL|NUMERIC&PLURAL{1,4}")

// countedThings returns the end of the words for the counted things, which begin at start; both are bytes of the question. The words are up
// to seven, and the last of them are plurals. Ok is false if there are none.
func (s *source) countedThings(start int) (end int, ok bool) {
	end, _ = s.phraseEnd(countedThings, start) // start where there is none
	return end, end-start > 3                  // shorter words are abbreviations
}

// phraseEnd returns the end of the phrase that matches a pattern at the first token from start on; start and end are bytes of the
// question. If the pattern does not match there, it returns start and false.
func (s *source) phraseEnd(pattern *phrase.Pattern, start int) (end int, ok bool) {
	q := newSentence(s.question)
	m, ok := pattern.At(q, q.From(start))
	if !ok {
		return start, false
	}
	return q.Tokens[m.End-1].End, true
}

// returnsCount reports whether the gold SQL returns one count or sum and nothing else.
func (s *source) returnsCount() bool {
	if len(s.ex.Gold.Select.Columns) != 1 || len(s.ex.Gold.Compound) > 0 {
		return false
	}
	return slices.ContainsFunc(s.alignment.Of(indicator.Keyword), func(m indicator.Mention) bool {
		return m.Has(indicator.Select) && slices.Contains([]string{"count", "sum"}, m.Keyword)
	})
}

// scope matches the scope before a request: "For each grade, ".
var scope = lazyregexp.New(`(?i)^(?:for|in|of|among|from|within) [^,.?]+, `)

// howManyForNumber asks for a number by "how many": "Count the singers." becomes "How many singers are there?"
func howManyForNumber(s *source) []string {
	front := len(scope.FindString(s.question))
	request := s.question[front:]
	opening := cmp.Or(countRequest.FindString(request), countVerb.FindString(request))
	if opening == "" {
		return nil
	}
	if strings.Contains(strings.ToLower(request), " and ") && !s.returnsCount() { // it asks for more than the number
		return nil
	}
	start := front + len(opening)
	end, ok := s.countedThings(start)
	if !ok || !s.isKeyword(front, start) {
		return nil
	}
	var out []string
	for _, q := range s.howMany(s.question[start:end], trimEnd(strings.TrimSpace(s.question[end:]))) {
		if front > 0 { // "For each grade, how many"
			q = s.question[:front] + "h" + q[1:]
		}
		out = append(out, asQuestion(q))
	}
	return out
}

// continuation is words that may follow a noun in a question, with those that follow it in a draft.
type continuation struct {
	*phrase.Pattern
	drafts []string
}

//go:embed data/continuations.txt
var continuationsText string

// continuations are the lists of data/continuations.txt by name.
var continuations = sync.OnceValue(func() map[string][]continuation {
	byName := map[string][]continuation{}
	for line := range wordfile.Lines(continuationsText) {
		name, row, _ := strings.Cut(line, ":")
		pattern, drafts, _ := strings.Cut(row, "=>")
		byName[name] = append(byName[name], continuation{grammar.Must(pattern), splitList(drafts, "|")})
	}
	return byName
})

// draftsFor returns the words that replace rest, the text after a noun, by the first continuation of the named list that fits it. In the
// continuation ALL is rest, and PART the bracketed part of the pattern with what follows it. It returns nil if none fits.
func draftsFor(list, rest string) []string {
	s := newSentence(rest)
	for _, c := range continuations()[list] {
		if m, ok := c.At(s, 0); ok {
			variables := strings.NewReplacer("ALL", rest, "PART", s.Span(m.Part.Start, len(s.Tokens)))
			return lists.Map(c.drafts, variables.Replace)
		}
	}
	return nil
}

// howMany returns questions for the number of things, "How many singers are there", given the words after them in the question. It returns
// none if rest has several clauses.
func (s *source) howMany(things, rest string) []string {
	if strings.Contains(rest, ", ") || strings.ContainsAny(rest, ".?!") {
		return nil
	}
	out := draftsFor("number", rest)
	if rest == "" && s.grouped() { // only "are there" can be asked of each group
		out = out[:1]
	}
	for i, words := range out {
		out[i] = "How many " + things + " " + words
	}
	return out
}

// participle reports whether a word after a noun is a participle by its form: "flights landing in Rome", "cars made
// in Italy".
func participle(word string) bool { return participleForm.MatchString(word) }

// participleForm matches words with the form of a participle.
var participleForm = lazyregexp.New(`^(...+ing|.*ed|taught|written|made|spoken|built|held|sold|kept)$`)

// grouped reports whether the gold SQL returns a row for each group.
func (s *source) grouped() bool { return len(s.ex.Gold.Select.GroupBy) > 0 }

// embedded matches a number of things that is one of several things asked for.
var embedded = lazyregexp.New(`(?i)(, | and | along with | as well as )(?:and )?((?:(?:the|their|its) )?(?:corresponding )?(?:total )?numbers? of )`)

// howManyInList asks by "how many" within a list: "the name and the number of singers in each concert" becomes "the name and
// how many singers are in each concert".
func howManyInList(s *source) []string {
	var out []string
	for _, at := range embedded.FindAllStringSubmatchIndex(s.question, -1) {
		start, from := at[4], at[5] // of "the number of" and of the things
		end, ok := s.countedThings(from)
		if !ok || !s.isKeyword(start, from) {
			continue
		}
		things, tail := s.question[from:end], strings.TrimSpace(s.question[end:])
		body := trimEnd(tail)
		if strings.ContainsAny(body, ".?!") || strings.Contains(body, " and ") {
			continue
		}
		with := draftsFor("listed", body)
		if body == "" && s.grouped() {
			with = []string{"there are for each"}
			switch {
			case s.ex.Gold.Limit != nil: // not for each group
				with = nil
			case eachFirst.MatchString(s.question): // "for each" is in the question already
				with = []string{"there are"}
			}
		}
		if body == "" && owned.MatchString(s.question[start:]) {
			with = []string{"they have"}
		}
		for _, words := range with {
			out = append(out, english.Tidy(s.question[:start]+"how many "+things+" "+words+strings.TrimSpace(tail[len(body):])))
		}
	}
	return out
}

// eachFirst matches a question that begins with what each number is of.
var eachFirst = lazyregexp.New(`(?i)^for (?:each|every) `)

// owned matches a possessive pronoun at the beginning.
var owned = lazyregexp.New(`(?i)^(?:their|its)`)

// numberForHowMany asks for a number in the place of "how many": "How many singers are there?" becomes "What is the number
// of singers?"
func numberForHowMany(s *source) []string {
	start := len(howManyQuestion.FindString(s.question))
	end, ok := s.countedThings(start)
	if start == 0 || !ok || !s.returnsCount() || notOneNumber.MatchString(trimEnd(s.question)) {
		return nil
	}
	things, rest := s.question[start:end], trimEnd(strings.TrimSpace(s.question[end:]))
	rest, ok = afterNumberOf(things, rest)
	if !ok {
		return nil
	}
	phrase := things + " " + rest
	return []string{
		asQuestion("What is the number of " + phrase),
		asQuestion("What is the total number of " + phrase),
		asRequest("Find the number of " + phrase),
		asRequest("Give me the total number of " + phrase),
		asRequest("Count the " + phrase),
	}
}

// notOneNumber matches a question of several sentences, or of a total.
var notOneNumber = lazyregexp.New(`(?i)[.?!]|total`)

// nothingMore are ends of "How many singers" without a condition.
var nothingMore = grammar.Must("^ (are there|listed / exist)? !ANY")

// doesHave matches the owner of the things.
var doesHave = lazyregexp.New(`(?i)^does (.+) have$`)

// inverted matches the verb of a question before its subject: "have we completed".
var inverted = lazyregexp.New(`(?i)^(have|has|had) (we|you|they|he|she|it|i)\b`)

// afterNumberOf turns rest, the words after "How many singers", into the words after "the number of singers": "are there in France" into
// "in France". It returns false if it knows no such words.
func afterNumberOf(things, rest string) (string, bool) {
	if nothingMore.Fits(newSentence(rest), 0) {
		return "", true
	}
	if m := doesHave.FindStringSubmatch(rest); m != nil {
		return "that " + m[1] + " has", true
	}
	forms := draftsFor("how many", rest)
	if len(forms) == 0 {
		return "", false
	}
	form, isClause := strings.CutPrefix(forms[0], "THAT ") // the list marks a relative clause by THAT
	switch {
	case !isClause:
		return form, true
	case strings.Contains(strings.ToLower(rest), " each"):
		return "", false
	case inverted.MatchString(form):
		return "that " + inverted.ReplaceAllString(form, "$2 $1"), true
	case isPerson(things):
		return "who " + form, true
	}
	return "that " + form, true
}
