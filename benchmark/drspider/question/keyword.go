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
	for _, name := range []string{
		"another comparison", "another word of counting", "another aggregate", "another superlative", "another order",
		"another word of difference",
	} {
		list := swapLists()[name]
		all = append(all, list)
		rules = append(rules, rule{name, func(s *source) []string { return s.singles(list.changes(s)) }})
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

// conditions are the functions that data/swaps.txt names. They report whether the words from start to end can be replaced.
var conditions = map[string]func(s *source, start, end int) bool{
	"always":           func(*source, int, int) bool { return true },
	"counted":          func(s *source, start, end int) bool { return !afterColumn(s, start, end) }, // not "ages of more than 20 years"
	"notAfterOf":       func(s *source, start, _ int) bool { return !s.follows(start, " of") },
	"afterThe":         afterThe,
	"notAfterThe":      func(s *source, start, end int) bool { return !afterThe(s, start, end) },
	"afterColumn":      afterColumn,
	"afterSingular":    afterSingular,
	"rightAfterColumn": func(s *source, start, _ int) bool { return s.before(start).isNumber() },
	"afterSize": func(s *source, start, end int) bool {
		return afterColumn(s, start, end) && s.compared(start).isOf("size")
	},
	"isCount": isCount,
	"isCountNoun": func(s *source, start, end int) bool {
		return isCount(s, start, end) && !countVerb.MatchString(s.question)
	},
	"isCountOrder":      isCountOrder,
	"isSum":             isSum,
	"isSumOfName":       func(s *source, start, end int) bool { return isSum(s, start, end) && s.after(end).words != "" },
	"meanCanStand":      meanCanStand,
	"aloneBeforeColumn": aloneBeforeColumn,
	"beforeHeight":      beforeHeight,
	"beforeAmount":      beforeAmount,
	"beforeSize": func(s *source, start, end int) bool {
		return aloneBeforeColumn(s, start, end) && s.after(end).isOf("size")
	},
	"mostThings":   mostThings,
	"sortsNumbers": sortsNumbers,
}

// afterThe reports whether the word before a span is "the".
func afterThe(s *source, start, _ int) bool { return s.follows(start, " the") }

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

// afterColumn reports whether the question names a column of numbers before a comparison.
func afterColumn(s *source, start, _ int) bool {
	c := s.compared(start)
	return c.isNumber() && !c.has("age") // no age is high
}

// afterSingular reports whether the span follows a column in the singular, as the new verb is.
func afterSingular(s *source, start, end int) bool {
	return afterColumn(s, start, end) && s.before(start).isSingular()
}

func isCount(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "count" }

func isCountOrder(s *source, start, end int) bool { return s.keyword(start, end).Op == "count" }

func isSum(s *source, start, end int) bool { return s.keyword(start, end).Keyword == "sum" }

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
