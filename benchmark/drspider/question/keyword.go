package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// keywordSynonymRules replace words for SQL keywords: "more than 3 concerts" becomes "over 3 concerts" (Dr.Spider, table 1).
func keywordSynonymRules() []rule {
	var rules []rule
	var all []swaps
	for _, g := range []struct {
		name  string
		swaps []swap
	}{
		{"another comparison", slices.Concat(quantities, amounts, times)},
		{"another word of counting", countings},
		{"another aggregate", aggregates},
		{"another superlative", superlatives},
		{"another order", sortings},
		{"another word of difference", differences},
	} {
		list := compile(g.swaps)
		all = append(all, list)
		rules = append(rules, rule{g.name, func(s *source) []string { return s.singles(list.changes(s)) }})
	}
	return append(rules,
		rule{"several keywords", func(s *source) []string {
			var changes []change
			for _, list := range all {
				changes = append(changes, list.changes(s)...)
			}
			return s.pairs(changes, 4)
		}},
		rule{"a number for how many", numberForHowMany})
}

// quantities are comparisons of a count of things: "more than 3 concerts".
var quantities = []swap{
	{`\b(?P<x>more than) N (?:[a-z-]+ ){0,2}[a-z]+s\b`, "over", counted},
	{`\b(?:has|have|had) (?P<x>more than) N (?:[a-z-]+ ){0,2}[a-z]+s\b`, "in excess of", counted},
	{`\b(?P<x>over) N (?:[a-z-]+ ){0,2}[a-z]+s\b`, "more than", counted},
	{`\b(?P<x>less than|fewer than) N (?:[a-z-]+ ){0,2}[a-z]+s\b`, "fewer than | under", counted},
	{`\b(?P<x>at least) N\b`, "no less than", afterColumn}, // things are "fewer"
	{`\b(?P<x>at least) N\b`, "a minimum of", notAfterOf},
	{`\b(?P<x>at least) N (?:[a-z-]+ ){0,2}[a-z]+s\b`, "no fewer than", counted},
	{`\b(?P<x>at least (?P<n>N)) (?:[a-z-]+ )?[a-z]+s\b`, "${n} or more", counted},
	{`\b(?P<x>(?P<n>N) or more) [a-z]+`, "at least ${n} | no fewer than ${n}", nil},
	{`\b(?P<x>at most) N\b`, "no more than", nil},
	{`\b(?P<x>at most) N\b`, "a maximum of", notAfterOf},
	{`\b(?P<x>at most (?P<n>N)) (?:[a-z-]+ )?[a-z]+s\b`, "${n} or fewer", counted},
	{`\b(?P<x>(?P<n>N) or (?:fewer|less)) [a-z]+`, "at most ${n} | no more than ${n}", nil},
	{`\b(?P<x>between (?P<a>N) and (?P<b>N))\b`, "from ${a} to ${b}", nil},
	{`\b(?P<x>between (?P<a>N) and (?P<b>N))\b`, "in the range of ${a} to ${b}", rightAfterColumn},
}

// amounts are comparisons of a column: "horsepower greater than 150".
var amounts = []swap{
	{`\b(?P<x>more than|greater than|higher than|larger than|bigger than|above|over) (?:N\b|the |that |average)`, "greater than | higher than | above", afterColumn},
	{`\b(?P<x>more than|greater than|higher than|larger than|bigger than|above|over) N\b`, "over | in excess of | exceeding", rightAfterColumn},
	{`\b(?P<x>more than|greater than|higher than|larger than|bigger than|above) (?:N\b|the |that |average)`, "larger than", afterSize},
	{`\b(?P<x>is (?:more than|greater than|higher than|larger than|bigger than|above|over)) (?:N\b|the |that )`, "exceeds", afterSingular},
	{`\b(?P<x>less than|lower than|smaller than|below|under) (?:N\b|the |that |average)`, "less than | lower than | below", afterColumn},
	{`\b(?P<x>less than|lower than|smaller than|below) N\b`, "under", rightAfterColumn},
	{`\b(?P<x>less than|lower than|below) (?:N\b|the |that |average)`, "smaller than", afterSize},
	{`\b(?P<x>is (?:less than|lower than|smaller than|below|under)) (?:N\b|the |that )`, "falls below", afterSingular},
	{`\b(?P<x>older than) N\b`, "over | above", nil},
	{`\b(?P<x>younger than) N\b`, "under | below", nil},
}

// times are comparisons of years and dates.
var times = []swap{
	{`\b(?P<x>after) (?:the year |year )?(?:1\d|20)\d\d\b`, "later than | subsequent to", nil},
	{`\b(?P<x>before) (?:the year |year )?(?:1\d|20)\d\d\b`, "earlier than | prior to", nil},
	{`\b(?:1\d|20)\d\d (?P<x>or after)\b`, "or later", nil},
	{`\b(?:1\d|20)\d\d (?P<x>or later)\b`, "or after", nil},
	{`\b(?:1\d|20)\d\d (?P<x>or before)\b`, "or earlier", nil},
}

var countings = []swap{
	{`^(?P<x>(?:count|find|compute|calculate) the number of) `, "Give me the count of | Work out the count of", isCount},
	{`^(?P<x>count) the [a-z]+s\b`, "Find the number of | Give me the total number of | Determine the number of", isCount},
	{`\bthe (?P<x>(?:total )?number of) `, "count of | total count of | tally of", isCountNoun},
	{`\b(?:their|its|corresponding) (?P<x>number of) `, "total number of | count of", isCount},
	{`\bthe (?P<x>(?:total )?amount of) [a-z]+s\b`, "number of | total number of", isCount},
	{`\bthe (?P<x>count of) `, "number of | total number of", isCount},
}

var aggregates = []swap{
	{`\b(?P<x>average)\b`, "mean", meanCanStand},
	{`\b(?P<x>mean)\b`, "average", nil},
	{`\b(?P<x>total) (?:number|amount) of `, "overall", nil},
	{`\b(?P<x>total) (?:number|amount) of `, "combined", isSum},
	{`\b(?P<x>total) [a-z]+`, "combined | overall", isSumOfName},
	{`\b(?P<x>(?:maximum|max|highest|largest) and (?:minimum|min|lowest|smallest))\b`, "highest and lowest | largest and smallest | maximum and minimum | greatest and smallest", afterThe},
	{`\b(?P<x>(?:minimum|min|lowest|smallest) and (?:maximum|max|highest|largest))\b`, "lowest and highest | smallest and largest | minimum and maximum", afterThe},
	{`\b(?P<x>maximum|max|highest|greatest) `, "maximum | highest | greatest", aloneBeforeColumn},
	{`\b(?P<x>minimum|min|lowest) `, "minimum | lowest", aloneBeforeColumn},
}

var superlatives = []swap{
	{`\b(?P<x>largest|biggest|highest|greatest|maximum|most) (?:number|amount) of [a-z]`, "largest | greatest | highest", afterThe},
	{`\b(?P<x>(?:most|largest|highest|greatest) (?:number|amount) of) [a-z]`, "the largest number of | the highest number of | the greatest number of", notAfterThe},
	{`\b(?P<x>(?:largest|biggest|highest|greatest|maximum|most) (?:number|amount) of) [a-z]+s\b`, "most", afterThe},
	{`\b(?P<x>most) (?:[a-z-]+ )?[a-z]+s\b`, "largest number of | highest number of | greatest number of", mostThings},
	{`\b(?P<x>smallest|lowest|least|fewest|minimum) (?:number|amount) of [a-z]`, "smallest | lowest", afterThe},
	{`\b(?P<x>(?:smallest|lowest|least|fewest|minimum) (?:number|amount) of) [a-z]+s\b`, "fewest", afterThe},
	{`\b(?P<x>fewest|least) (?:[a-z-]+ )?[a-z]+s\b`, "smallest number of | lowest number of | least number of", mostThings},
	{`\b(?P<x>largest|biggest|highest|greatest|maximum) `, "greatest | maximum", aloneBeforeColumn},
	{`\b(?P<x>largest|biggest|greatest|maximum) `, "highest", beforeHeight},
	{`\b(?P<x>most) `, "highest | greatest", beforeAmount},
	{`\b(?P<x>highest|greatest|biggest|maximum) `, "largest", beforeSize},
	{`\b(?P<x>smallest|lowest|minimum) `, "minimum", aloneBeforeColumn},
	{`\b(?P<x>smallest|minimum) `, "lowest", beforeHeight},
	{`\b(?P<x>least) `, "lowest", beforeAmount},
	{`\b(?P<x>lowest|minimum) `, "smallest", beforeSize},
	{`\b(?P<x>most common|most commmon|most frequent|most prevalent)\b`, "most common | most frequent | most widespread | most frequently occurring", nil},
	{`\b(?P<x>least common|least frequent)\b`, "rarest | least frequent | least common", nil},
	{`\b(?P<x>rarest)\b`, "least common | least frequent", nil},
	{`\b(?P<x>most popular)\b`, "most common | most widespread", isCountOrder},
	{`\b(?P<x>most recent)\b`, "latest | newest", nil},
	{`\b(?P<x>latest)\b`, "most recent", nil},
}

var sortings = []swap{
	{`\bin (?P<x>ascending order)\b`, "increasing order", nil},
	{`\bin (?P<x>descending order)\b`, "decreasing order", nil},
	{`\bin (?P<x>increasing order)\b`, "ascending order", nil},
	{`\bin (?P<x>decreasing order)\b`, "descending order", nil},
	{`\b(?P<x>in (?:ascending|increasing) order)(?: *[.?,]| *$)`, "from lowest to highest | from low to high | from smallest to largest", sortsNumbers},
	{`\b(?P<x>in (?:descending|decreasing) order)(?: *[.?,]| *$)`, "from highest to lowest | from high to low | from largest to smallest", sortsNumbers},
	{`\b(?P<x>(?:from (?:the )?high(?:est)? to (?:the )?low(?:est)?|from large(?:st)? to small(?:est)?))\b`, "in descending order | in decreasing order", nil},
	{`\b(?P<x>(?:from (?:the )?low(?:est)? to (?:the )?high(?:est)?|from small(?:est)? to large(?:st)?))\b`, "in ascending order | in increasing order", nil},
	{`\bby (?:the )?(?P<x>ascending) [a-z]`, "increasing | rising", nil},
	{`\bby (?:the )?(?P<x>descending) [a-z]`, "decreasing | falling", nil},
	{`\b(?P<x>in (?:ascending )?(?:alphabetical|lexicographical|lexicographic|alphabetic) order)(?: *[.?,]| *$| by\b)`, "alphabetically | from A to Z | in lexicographic order | in ascending alphabetical order", nil},
	{`\b(?P<x>in (?:ascending )?(?:alphabetical|lexicographical|lexicographic) order) of\b`, "in lexicographic order | in ascending alphabetical order", nil},
	{`\b(?P<x>in (?:reverse|reversed|descending) (?:alphabetical|lexicographical|lexicographic) order)\b`, "in descending alphabetical order | from Z to A", nil},
	{`\b(?P<x>alphabetically)\b`, "in alphabetical order | from A to Z", nil},
	{`\b(?P<x>from (?:the )?(?:old|oldest) to (?:the )?(?:young|youngest))\b`, "from oldest to youngest | from the eldest to the youngest", nil},
	{`\b(?P<x>from (?:the )?(?:young|youngest) to (?:the )?(?:old|oldest))\b`, "from youngest to oldest | from the youngest to the eldest", nil},
}

var differences = []swap{
	{`\b(?P<x>different|distinct|unique)\b`, "different | distinct | unique", nil},
}

// counted reports whether the question compares a number of things, not a column that it names right before: "more than 3
// concerts", but not "ages of more than 20 years".
func counted(s *source, start, end int) bool { return !afterColumn(s, start, end) }

// The functions below report whether a span from start to end comes after such words.

func notAfterOf(s *source, start, _ int) bool { return !s.follows(start, " of") }

func afterThe(s *source, start, _ int) bool { return s.follows(start, " the") }

func notAfterThe(s *source, start, end int) bool { return !afterThe(s, start, end) }

// follows reports whether a position comes right after words.
func (s *source) follows(start int, words string) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimRight(s.question[:start], " ")), words)
}

var copula = lazyregexp.New(`(?i) (?:is|are|was|were|that is|which is|to be|be)$`)

// compared returns the column that the question names before a comparison, with or without a copula.
func (s *source) compared(start int) namedColumn {
	text := strings.TrimRight(s.question[:start], " ")
	return s.before(len(copula.ReplaceAllString(text, "")))
}

func afterColumn(s *source, start, _ int) bool {
	c := s.compared(start)
	return c.isNumber() && !c.has("age") // no age is high
}

// afterSingular reports whether the span follows a column in the singular, as the new verb is.
func afterSingular(s *source, start, end int) bool {
	return afterColumn(s, start, end) && s.before(start).isSingular()
}

// rightAfterColumn reports whether the span follows a column without a copula.
func rightAfterColumn(s *source, start, _ int) bool { return s.before(start).isNumber() }

func afterSize(s *source, start, end int) bool {
	return afterColumn(s, start, end) && s.compared(start).isOf("size")
}

func isCount(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "count" }

// isCountNoun reports whether the span is a count, in a question that does not begin with "Count".
func isCountNoun(s *source, start, end int) bool {
	return isCount(s, start, end) && !countVerb.MatchString(s.question)
}

func isCountOrder(s *source, start, end int) bool { return s.keyword(start, end).Op == "count" }

func isSum(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "sum" }

func isSumOfName(s *source, start, end int) bool {
	return isSum(s, start, end) && s.after(end).words != ""
}

var onAverage = lazyregexp.New(`(?i)(?:^|\s)(?:on|above|below|than|over|under)\s+$`)

// meanCanStand reports whether "mean" can replace "average". It cannot in "on average", "below average" and "the average
// book".
func meanCanStand(s *source, start, end int) bool {
	beforeTable := slices.ContainsFunc(s.alignment.Of(indicator.Table), func(m indicator.Mention) bool { return m.Start == end+1 })
	return !beforeTable && !onAverage.MatchString(s.question[:start])
}

// aloneBeforeColumn reports whether a column of numbers follows the span, and the question has at most one minimum or
// maximum: "the minimum and maximum" stay a pair.
func aloneBeforeColumn(s *source, _, end int) bool {
	extremes := slices.DeleteFunc(s.alignment.Of(indicator.Keyword), func(m indicator.Mention) bool {
		return !slices.Contains([]string{"max", "min"}, m.Keyword)
	})
	c := s.after(end)
	return len(extremes) <= 1 && c.isNumber() && !c.has("year")
}

// beforeHeight leaves out columns of extents: areas are large and not high.
func beforeHeight(s *source, start, end int) bool {
	return aloneBeforeColumn(s, start, end) && !s.after(end).isOf("extent")
}

// beforeAmount wants the column's name in the singular: "the most tours" are many
// and not high.
func beforeAmount(s *source, start, end int) bool {
	return aloneBeforeColumn(s, start, end) && s.after(end).isSingular()
}

func beforeSize(s *source, start, end int) bool {
	return aloneBeforeColumn(s, start, end) && s.after(end).isOf("size")
}

// notThings are words that can follow "most" and count nothing: "the most common".
var notThings = words.Words("nothing")

// mostThings reports whether a superlative is of a number of things: the gold SQL
// sorts by a count, and one of the next two words is a plural ("the most songs").
func mostThings(s *source, start, end int) bool {
	if !afterThe(s, start, end) || !isCountOrder(s, start, end) {
		return false
	}
	words := strings.Fields(strings.TrimRight(s.question[end:], " ?.!"))
	for _, w := range words[:min(len(words), 2)] {
		switch w = strings.Trim(w, ",.?"); {
		case slices.Contains(notThings, w):
			return false
		case english.IsPlural(w):
			return true
		}
	}
	return false
}

// sortsNumbers reports whether the order is one of numbers, which people call "high" and "low".
func sortsNumbers(s *source, start, end int) bool {
	m := s.keyword(start, end)
	if m.Op != "" {
		return true
	}
	c := s.column(m)
	return c.isNumber() && !c.has("year", "age")
}
