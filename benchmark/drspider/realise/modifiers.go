package realise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// isJoined reports whether any of the modifiers is about other rows, joined to those that it follows.
func isJoined(mods []modifier) bool {
	return slices.ContainsFunc(mods, func(m modifier) bool { return m.aboutOthers })
}

// indefiniteRow returns a noun phrase for any of the rows with the modifiers: "a singer from France", or "at least one singer" without
// modifiers.
func (w *writer) indefiniteRow(noun string, mods []modifier) string {
	if len(mods) == 0 {
		return w.draw(english.Article(noun)+" "+noun, "at least one "+noun)
	}
	return english.Article(noun) + " " + w.withModifiers(noun, mods, singular)
}

// joinModifiers draws a form of each modifier and joins them to a text that follows the noun: short phrases first, then those with
// "with", then clauses, as in "from France with an age above 20 and who take a course". Short phrases with "of" go before others, and a year
// and a month become one: "in May 1990". Too many modifiers are unsupported.
func (w *writer) joinModifiers(noun string, mods []modifier, n number) string {
	if len(mods) > 1 && slices.ContainsFunc(mods, func(m modifier) bool { return m.either != nil }) {
		return w.unsupported("alternatives beside other conditions")
	}
	var parts, with, clauses []string
	if len(mods) == 1 {
		mods = []modifier{mods[0]} // a copy
		mods[0].after = cmp.Or(mods[0].after, mods[0].afterAlone)
	}
	shared := false // whether the last clause begins with "whose"
	for i, m := range w.inOneForm(mods) {
		if m.aboutOthers && i > 0 && m.clause != "" && (!m.afterNames || m.after == "") {
			m = modifier{clause: m.clause} // drops the other forms, as clauses are last: words after them could seem to be about the joined rows
		}
		text := w.postmodifier(m, n, noun)
		if w.err != nil {
			return ""
		}
		switch first, rest, _ := strings.Cut(text, " "); first {
		case "whose", "who", "that":
			if first == "whose" && shared && !m.aboutOthers { // "whose age is 20 and country is France"
				text = rest
			}
			shared = first == "whose" && !m.aboutOthers
			clauses = append(clauses, text)
		case "with":
			with = append(with, rest)
		default:
			parts = append(parts, text)
		}
	}
	joinedClauses := lists.Count(mods, func(m modifier) bool { return m.aboutOthers && !m.afterNames && m.clause != "" })
	if joinedClauses > 1 || len(clauses)+len(with)+len(parts) > maxModifiers || len(parts) > maxShort {
		return w.unsupported("too many conditions for one sentence")
	}
	slices.SortStableFunc(parts, func(x, y string) int { return cmp.Compare(tieRank(x), tieRank(y)) })
	if len(with) > 0 {
		parts = append(parts, "with "+english.Enumerate(with, "and"))
	}
	if len(clauses) > 0 {
		joined := english.Enumerate(clauses, "and")
		if len(with) > 0 {
			joined = "and " + joined
		}
		parts = append(parts, joined)
	}
	return monthOfOne.ReplaceAllString(strings.Join(parts, " "), "in $2 $1")
}

// monthOfOne matches a year and a month in two phrases: "in 1990 in May".
var monthOfOne = lazyregexp.New(`in ([12][0-9]{3}) in ([A-Z][a-z]+)$`)

// tieRank returns 0 for a phrase that begins with "of" and 1 for others, which follow it: "of the singer Ann in the race Grand Prix".
func tieRank(phrase string) int {
	if strings.HasPrefix(phrase, "of ") {
		return 0
	}
	return 1
}

// inOneForm restricts several modifiers to one kind of form, if all have it: to phrases with "with", at random, or else to clauses and short
// phrases. "Whose age is above 20 and whose country is France" reads better than a clause after "with an age above 20".
func (w *writer) inOneForm(mods []modifier) []modifier {
	isClause := func(m modifier) bool { return m.whose != "" || m.clause != "" || m.either != nil }
	clauses := lists.Filter(mods, isClause)
	if len(mods) == 1 || len(clauses) < len(mods) {
		return mods
	}
	lacksWith := func(m modifier) bool { return m.with == "" }
	if !slices.ContainsFunc(mods, lacksWith) && w.chance(.5) {
		return lists.Map(mods, func(m modifier) modifier {
			if m.datePhrase != "" { // such a date stays in its short form
				return modifier{after: m.after}
			}
			return modifier{with: m.with}
		})
	}
	return lists.Map(clauses, func(m modifier) modifier {
		m.with = ""
		if strings.HasPrefix(m.after, "with ") {
			m.after = ""
		}
		return m
	})
}

// maxModifiers is how many modifiers rows have at most.
const maxModifiers = 3

// maxShort is how many short modifiers rows have at most: "from France", "older than 20".
const maxShort = 2
