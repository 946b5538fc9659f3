package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// keywordCarrierRules returns the rules that imply SQL keywords by a phrase: "the number of singers" becomes "how many singers" (Dr.Spider,
// table 1).
func keywordCarrierRules() []rule {
	return []rule{
		{"how many for the number", howManyForNumber},
		{"how many in a list", howManyInList},
		{"a comparative for a superlative", moreThanAnyOther},
		{"more common than any other", moreCommon},
		{"the first of an order", startingWith},
		{"no repetitions", withoutRepetition},
	}
}

// comparatives pairs superlatives of amounts with their comparatives.
var comparatives = map[string]string{
	"highest": "higher", "largest": "larger", "biggest": "bigger", "greatest": "greater", "maximum": "higher", "most": "more",
	"lowest": "lower", "smallest": "smaller", "least": "less", "minimum": "lower", "fewest": "fewer",
	"longest": "longer", "shortest": "shorter",
}

// superlativeOf matches the word before a superlative, the superlative and "number of".
var superlativeOf = lazyregexp.New(`(?i)\b([a-z]+) (?:the )?(highest|largest|biggest|greatest|maximum|most|lowest|smallest|least|minimum|fewest|longest|shortest) ((?:number|amount) of )?`)

// moreThanAnyOther replaces a superlative by a comparative: "the singer with the most concerts" becomes "the singer that has
// more concerts than any other". The question must end with its only such superlative, which picks a row, and must not ask for a number
// of rows ("the top 3").
func moreThanAnyOther(s *source) []string {
	if s.asksForTopN() {
		return nil
	}
	var out []string
	superlatives := superlativeOf.FindAllStringSubmatchIndex(s.question, -1)
	if len(superlatives) > 1 {
		return nil // "the gap between the lowest and the highest salary"
	}
	for _, at := range superlatives { // bounds of the match, the word before, the superlative and "number of"
		m := s.keyword(at[4], at[5])
		if !strings.HasSuffix(m.Keyword, "limit") { // MAX or MIN asks for the value, not for its row
			continue
		}
		x := superlative{
			verb: strings.ToLower(s.question[at[2]:at[3]]), word: strings.ToLower(s.question[at[4]:at[5]]),
			counted: at[6] >= 0 || m.Op == "count", most: m.Keyword == "desc limit",
		}
		noun := trimEnd(marks.Compiled().Split(s.question[at[1]:], 2)[0])
		comparative := x.comparative(noun)
		if comparative == "" {
			continue
		}
		clause := s.question[at[2]:at[3]]
		if slices.Contains([]string{"with", "having"}, x.verb) {
			clause = s.relative(at[0]) + " has"
		}
		front := strings.TrimRight(s.question[:at[0]], " ") + " " + clause + " " + comparative + " " + noun
		for _, other := range []string{" than any other", " than all the others"} {
			out = append(out, fitArticles(english.Tidy(front+other+s.question[at[1]+len(noun):])))
		}
	}
	return out
}

// marks matches the end of a sentence.
var marks = lazyregexp.New(`[.?!]`)

// superlative is a superlative before a noun: "has the most".
type superlative struct {
	verb, word string // the word before it, and itself
	counted    bool   // it compares a number of things
	most       bool   // it selects the last of an ascending order
}

// precedesComparative reports whether "more … than any other" can follow the word before the superlative: always after "has" and "with",
// after another verb or its preposition only if the superlative compares a number of things.
func (x superlative) precedesComparative() bool {
	switch x.verb {
	case "has", "have", "had", "with", "having":
		return true
	case "for", "by", "to", "at", "on", "through":
		return x.counted
	}
	return x.counted && !functionWords[x.verb]
}

// plainNoun is a noun phrase of up to four words, with a place or a time in up to three more: "concerts in May".
var plainNoun = grammar.Must("noun=(CONTENT|NUMERIC (of? CONTENT|NUMERIC){0,3}) when=(in|on|at|after|before ANY{0,2})? !ANY")

// comparative returns the comparative that replaces the superlative before a noun phrase: "more" for "the most concerts", "a higher" for
// "the highest price". It returns "" if the noun phrase takes none; only a number of things can have a place or a time ("concerts in May").
func (x superlative) comparative(noun string) string {
	s := newSentence(noun)
	m, ok := plainNoun.At(s, 0)
	switch {
	case !ok, !x.precedesComparative(), m.Has("when") && !x.counted, strings.ContainsAny(noun, ",;\"'"):
		return ""
	}
	switch {
	case english.IsPlural(s.Span(0, m.Get("noun").End)):
		return x.ofMany()
	case x.counted, x.word == "fewest": // which need a plural
		return ""
	case x.word == "most", x.word == "least":
		return comparatives[x.word]
	}
	return english.Article(comparatives[x.word]) + " " + comparatives[x.word]
}

// ofMany returns the comparative before a plural, "more" or "fewer". It returns "" if the superlative does not compare a number of things, as
// in "the highest prices".
func (x superlative) ofMany() string {
	if !x.counted && !slices.Contains([]string{"most", "fewest"}, x.word) {
		return ""
	}
	if x.most {
		return "more"
	}
	return "fewer"
}

// asksForTopN reports whether the question asks for a number of rows: "the top 3".
func (s *source) asksForTopN() bool {
	return slices.ContainsFunc(s.alignment.Of(indicator.Value), func(m indicator.Mention) bool { return m.Op == "limit" })
}

// relative returns the relative pronoun for the noun right before a byte of the question: "who" after "singers", else "that".
func (s *source) relative(start int) string {
	words := strings.Fields(s.question[:start])
	if len(words) > 0 && isPerson(strings.Trim(words[len(words)-1], ",")) {
		return "who"
	}
	return "that"
}

var orderOf = []struct {
	pattern *lazyregexp.Regexp
	column  int // the group of the column
}{
	{lazyregexp.New(`(?i)(?:,? *(?:and )?(?:sorted|ordered|ranked|listed|arranged|sort(?: them)?|order(?: them)?))? in (ascending|descending|increasing|decreasing) order of (?:the |their |its )?(.+)$`), 2},
	{lazyregexp.New(`(?i),? *(?:and )?(?:sorted|ordered|ranked|arranged|sort|order|sort them|order them) by (?:the |their |its )?(.+?),? (?:in )?(ascending|descending|increasing|decreasing)(?: order)?$`), 1},
	{lazyregexp.New(`(?i),? *(?:and )?(?:sorted|ordered|ranked|arranged|sort|order|sort them|order them) by (ascending|descending|increasing|decreasing) (.+)$`), 2},
}

// startingWith names the first of an order: "List the singers in ascending order of age." becomes "List the singers,
// starting with the lowest age."
func startingWith(s *source) []string {
	text := trimEnd(s.question)
	for _, o := range orderOf {
		at := o.pattern.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		other := 3 - o.column // the group of the direction
		column, direction := text[at[2*o.column]:at[2*o.column+1]], text[at[2*other]:at[2*other+1]]
		first := s.firstOfOrder(s.keyword(at[0], at[1]), column, rises.MatchString(direction))
		if first == "" {
			continue
		}
		head, ending := trimEnd(text[:at[0]]), strings.TrimSpace(s.question[len(text):])
		return []string{
			english.Tidy(head + ", starting with the " + first + ending), english.Tidy(head + ", with the " + first + " first" + ending),
			english.Tidy(head + ", beginning with the " + first + ending),
		}
	}
	return nil
}

// rises matches the words for ascending order.
var rises = lazyregexp.New(`(?i)^(?:ascending|increasing)`)

// sortedColumn matches the words for a column, up to five.
var sortedColumn = grammar.Must("CONTENT|NUMERIC (of? CONTENT|NUMERIC){0,3} !ANY")

// firstOfOrder returns words for the first value of an order, "lowest age", given the mention of its keyword and the words for its column.
// It returns "" if there are none.
func (s *source) firstOfOrder(m indicator.Mention, words string, rising bool) string {
	c := s.column(m)
	low, high := superlativesOf(c, m)
	if low == "" || !sortedColumn.Fits(newSentence(words), 0) {
		return ""
	}
	if !english.IsPlural(c.Name) {
		words = english.SingularPhrase(words)
	}
	first, _, _ := strings.Cut(words, " ")
	many := english.IsPlural(words)
	switch {
	case english.IsPlural(first) && c.has("year"):
		return "" // "years of work" are no time
	case many && low == "lowest" && !isEarning(words): // a number of things: "fewest stops"
		low, high = "fewest", "most"
	}
	if rising {
		return low + " " + words
	}
	return high + " " + words
}

// isEarning reports whether a plural is an amount of money, such as "earnings", and not a number of things.
func isEarning(noun string) bool {
	_, last := english.CutLast(strings.ToLower(noun))
	return slices.Contains(words.Words("earning"), last)
}

// superlativesOf returns the superlatives for both ends of an order by a column: "earliest" and "latest". They are "" for columns that are
// neither numbers nor times.
func superlativesOf(c namedColumn, m indicator.Mention) (low, high string) {
	switch {
	case c.Column == nil:
		return "", ""
	case m.Op != "": // an aggregate
		return "lowest", "highest"
	case c.has("year"), c.Type == dataset.Time:
		return "earliest", "latest"
	case c.isNumber():
		return "lowest", "highest"
	}
	return "", ""
}

// commonest matches a request for the most or least common of some things.
var commonest = lazyregexp.New(`(?i)^(?:what is|what are|find|show|list|give|return|tell me|please show)(?: me)? the (most|least) (common|frequent|popular|prevalent) (.+)$`)

// severalParts matches words of several sentences or things.
var severalParts = lazyregexp.New(` and |[,.?!]`)

// moreCommon replaces "the most common": "What is the most common hometown of teachers?" becomes "Which hometown of teachers
// is more common than any other?"
func moreCommon(s *source) []string {
	text := trimEnd(s.question)
	at := commonest.FindStringSubmatchIndex(text) // groups: "most", "common", and the things
	if at == nil || !s.isKeyword(at[2], at[5]) || s.asksForTopN() {
		return nil
	}
	rest := text[at[6]:] // "hometown of teachers"
	noun, _, _ := strings.Cut(rest, " ")
	if severalParts.MatchString(rest) {
		return nil
	}
	more := comparatives[strings.ToLower(text[at[2]:at[3]])]
	rest = strings.Replace(rest, noun, english.SingularPhrase(noun), 1)
	out := []string{asQuestion("Which " + rest + " is " + more + " " + text[at[4]:at[5]] + " than any other")}
	if more == "more" && !strings.Contains(rest, " that ") {
		out = append(out, asQuestion("Which "+rest+" occurs more often than any other"))
	}
	return out
}

// repeated matches a request for different things: its opening, and the things.
var repeated = lazyregexp.New(`(?i)^((?:show|list|find|give|return|tell|please show|what are|what is)(?: me)?(?: all)?(?: of)?(?: the)?) (?:different|distinct|unique) (.+)$`)

// noList matches a question for numbers, of several sentences, or for "different combinations".
var noList = lazyregexp.New(`(?i)[.?!]|how many|number of|(?:different|distinct|unique) combinations`)

// withoutRepetition replaces "different" by a phrase at the end: "Show the different countries of singers." becomes "Show the countries of
// singers, without repetitions."
func withoutRepetition(s *source) []string {
	text := trimEnd(s.question)
	at := repeated.FindStringSubmatchIndex(text) // groups: the words before "different", and the things
	if at == nil || !s.isKeyword(at[3], at[4]) || noList.MatchString(text) {
		return nil
	}
	ending := s.question[len(text):] // the closing mark
	return lists.Map([]string{"without repetitions", "without duplicates", "excluding duplicates"}, func(addition string) string {
		return english.Tidy(text[:at[3]] + " " + text[at[4]:] + ", " + addition + ending)
	})
}
