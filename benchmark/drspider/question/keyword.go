package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/sqlast"
)

// keywordSynonymRules returns the rules that replace words for SQL keywords: "more than 3 concerts" becomes "over 3 concerts" (Dr.Spider,
// table 1). All but the last use the lists of data/swaps.txt.
func keywordSynonymRules() []rule {
	var rules []rule
	for _, name := range []string{
		"another comparison", "another word of counting", "another aggregate", "another superlative", "another order",
		"another word of difference",
	} {
		list := swapLists()[name]
		rules = append(rules, rule{name, func(s *source) []string { return s.singles(list.changes(s)) }})
	}
	return append(rules, rule{"a number for how many", numberForHowMany})
}

// conditions are the conditions that data/swaps.txt names, on the words from start to end.
var conditions = map[string]func(s *source, start, end int) bool{
	"always":           func(*source, int, int) bool { return true },
	"afterColumn":      afterColumn,
	"rightAfterColumn": func(s *source, start, _ int) bool { return s.before(start).isNumber() },
	"afterSingular":    func(s *source, start, _ int) bool { return s.before(start).isSingular() },
	"afterSize":        func(s *source, start, _ int) bool { return s.compared(start).hasWordOf("size") },
	"afterOf":          func(s *source, start, _ int) bool { return s.follows(start, " of") },
	"afterWith":        func(s *source, start, _ int) bool { return s.follows(start, " with") },
	"afterVerb":        func(s *source, start, _ int) bool { return verbBefore.MatchString(s.question[:start]) },
	"afterThe":         func(s *source, start, _ int) bool { return s.follows(start, " the") },
	"onAverage":        func(s *source, start, _ int) bool { return onAverage.MatchString(s.question[:start]) },
	"afterCount":       func(s *source, _, _ int) bool { return countVerb.MatchString(s.question) },

	"isCount":      func(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "count" },
	"isSum":        func(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "sum" },
	"isOneRow":     func(s *source, _, _ int) bool { return !limitsToSeveral(s.ex.Gold) },
	"isCountOrder": func(s *source, start, end int) bool { return s.keyword(start, end).Op == "count" },
	"sortsNumbers": sortsNumbers,

	"aloneBeforeColumn": aloneBeforeColumn,
	"beforeColumn":      func(s *source, _, end int) bool { return s.after(end).words != "" },
	"beforeSingular":    func(s *source, _, end int) bool { return s.after(end).isSingular() },
	"beforeSize":        func(s *source, _, end int) bool { return s.after(end).hasWordOf("size") },
	"beforeExtent":      func(s *source, _, end int) bool { return s.after(end).hasWordOf("extent") },
	"beforeTable":       beforeTable,
	"beforeThings":      beforeThings,
	"beforeList":        func(s *source, _, end int) bool { return listNext.MatchString(s.question[end:]) },
}

// follows reports whether the words right before a byte of the question are the given ones.
func (s *source) follows(start int, words string) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimRight(s.question[:start], " ")), words)
}

// copula matches the verb before a comparison: " is", " that is".
var copula = lazyregexp.New(`(?i) (?:is|are|was|were|that is|which is|to be|be)$`)

// compared returns the column that the question names before a comparison at byte start, whether or not a form of "be" is between: "age" of
// "age is above".
func (s *source) compared(start int) namedColumn {
	text := strings.TrimRight(s.question[:start], " ")
	return s.before(len(copula.ReplaceAllString(text, "")))
}

// afterColumn reports whether the question names a column of numbers, but not ages, before a comparison at byte start.
func afterColumn(s *source, start, _ int) bool {
	c := s.compared(start)
	return c.isNumber() && !c.has("age") // nobody calls an age high
}

// verbBefore matches a verb before a comparison: "that cost".
var verbBefore = lazyregexp.New(`(?i)\b(?:that|which|who) \w+ $`)

// onAverage matches what stands before an average that is no mean of numbers: "above ", "how long is the ".
var onAverage = lazyregexp.New(`(?i)(?:^|\s)(?:on|above|below|than|over|under|than the|how \w+ (?:is|are|was|were) the)\s+$`)

// listNext matches a noun for several things, and "of".
var listNext = lazyregexp.New(`(?i)^ (?:list|set|number|count|combination)s? of `)

// beforeTable reports whether a name of a table follows the span.
func beforeTable(s *source, _, end int) bool {
	return slices.ContainsFunc(s.alignment.Of(indicator.Table), func(m indicator.Mention) bool { return m.Start == end+1 })
}

// aloneBeforeColumn reports whether a column of numbers, but not years, follows the span, no ordinal precedes it ("7th highest"), and the
// question has at most one minimum or maximum: "the minimum and maximum" stay a pair.
func aloneBeforeColumn(s *source, start, end int) bool {
	extremes := slices.DeleteFunc(s.alignment.Of(indicator.Keyword), func(m indicator.Mention) bool {
		return !slices.Contains([]string{"max", "min"}, m.Keyword)
	})
	c := s.after(end)
	return !ranked.MatchString(s.question[:start]) && len(extremes) <= 1 && c.isNumber() && !c.has("year")
}

// ranked matches an ordinal before a superlative: "the 7th highest".
var ranked = lazyregexp.New(`(?i)\b(?:[0-9]+(?:st|nd|rd|th)|second|third|fourth|fifth)[ -]$`)

// limitsToSeveral reports whether a gold SQL has a LIMIT other than 1. Of the five highest odometer readings none is "the maximum".
func limitsToSeveral(gold *sqlast.Query) bool {
	if gold.Limit == nil {
		return false
	}
	n, isNumber := gold.Limit.Count.(*sqlast.Literal)
	return !isNumber || sqlast.Format(n) != "1"
}

// beforeThings reports whether one of the next two words after the span is a plural, "songs" after "most", before any word such as "common".
func beforeThings(s *source, _, end int) bool {
	next := strings.Fields(strings.TrimRight(s.question[end:], " ?.!"))
	for _, w := range next[:min(len(next), 2)] {
		switch w = strings.Trim(w, ",.?"); {
		case slices.Contains(words.Words("nothing"), w): // "the most common"
			return false
		case english.IsPlural(w):
			return true
		}
	}
	return false
}

// sortsNumbers reports whether the keyword in the span sorts by numbers that people call "high" and "low": by an aggregate, or by a column
// of numbers other than years and ages.
func sortsNumbers(s *source, start, end int) bool {
	m := s.keyword(start, end)
	if m.Op != "" { // an aggregate
		return true
	}
	c := s.column(m)
	return c.isNumber() && !c.has("year", "age")
}
