package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SynonymSubstitution puts other words of table 3 in the place of those that stand
// for an aggregate of the gold SQL. One word may stand for two aggregates ("the
// amount of"): the type of the column decides, count for things, sum for numbers.
var SynonymSubstitution = metamorphic("synonym-substitution", "section 3.1 and table 3",
	"Puts synonyms in the place of the words that stand for an aggregate of the gold SQL (\"maximum\", \"the number of\").", relation{substituteSynonyms, 0.85}.run)

// noIndicator is the reason why a question without such words is rejected.
const noIndicator = "no-aggregate-word"

// indicator is words of a question that may express an aggregate.
type indicator struct {
	call    string          // the aggregate, "" of words for a count or a sum
	class   string          // list of data/words.txt with the words that may replace it
	pattern *phrase.Pattern // brackets hold the words
}

// Words for an extreme stand before a noun, or before another of their kind. Those that
// are common for things as well ("the largest country") stand before what is measured.
var indicators = []indicator{
	{"min", "MINIMUM", grammar.Must("[MINIMUM] and|or|, MINIMUM|MAXIMUM|AVERAGE")},
	{"min", "MINIMUM", grammar.Must("!a|an|at [MINIMUM] !and|or|of|among|is|in|for|value|MARK WORD")},
	{"max", "MAXIMUM", grammar.Must("[MAXIMUM] and|or|, MINIMUM|MAXIMUM|AVERAGE")},
	{"max", "MAXIMUM", grammar.Must("!a|an|at [MAXIMUM] !and|or|of|among|is|in|for|value|MARK WORD")},
	// Nothing is "heavier than the mean cat".
	{"avg", "AVERAGE", grammar.Must("!on|an|a|the|than|above|below|over|under [average] !MARK WORD")},
	{"avg", "AVERAGE", grammar.Must("!than|above|below|over|under the [average] !MARK WORD")},
	{"avg", "AVERAGE", grammar.Must("the [average] MARK|of|$")},
	{"avg", "AVERAGE", grammar.Must("the|and [mean]")},
	{"", "COUNT", grammar.Must("LEAD [total? COUNT] of")},
	{"", "COUNT", grammar.Must("EXTREME [COUNT] of")},
	{"", "COUNT", grammar.Must("^ [total? COUNT] of")},
	{"", "COUNT", grammar.Must("^ count [total? COUNT] of")},
}

// averageThing matches a question for the size of an average thing, up to the word "average": "how long is the average" novel.
var averageThing = grammar.Must("how WORD (, (!, WORD)+ ,)? is|are|was|were the average")

// slot is words of a question that express an aggregate, with their alternatives.
type slot struct {
	phrase.Span
	others []string
}

// substituteSynonyms returns the ways to replace the words for aggregates in a question. Words for extremes (minimum, maximum)
// change together, and all others on their own. The reason is always noIndicator: the caller uses it only if there are no options.
func substituteSynonyms(db *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newQuestion(ex.Question)
	gold := newAggregates(db, ex)
	nameWords := columnWords(db, ex)
	var slots, extremes []slot
	for _, in := range indicators {
		for m := range in.pattern.All(s, len(s.Words)) {
			if nameWords[s.Words[m.Part.End-1]] {
				continue // part of a column's name
			}
			switch {
			case in.call == "": // words for a count or a sum
				slots = append(slots, slot{m.Part, s.countSynonyms(m, gold)})
			case !gold.calls[in.call]: // the gold SQL has no such aggregate
			case in.call == "avg" && averageThing.Within(s, 0, m.Part.End): // "how long is the average novel": "the mean novel" would be odd
			case in.call == "avg":
				slots = append(slots, slot{m.Part, words.Words(in.class)})
			default:
				extremes = append(extremes, slot{m.Part, s.extremeSynonyms(words.Words(in.class), m.Part.End, nameWords)})
			}
		}
	}
	choices := lists.Map(slots, s.choices)
	return combine(append(choices, s.pairChoices(extremes))), noIndicator // all extremes count as one place, with a choice for each pair
}

// columnWords returns the words of the names of the columns that the gold SQL
// mentions: a column may be called "average" or "number of songs".
func columnWords(db *dataset.Database, ex *perturb.Example) map[string]bool {
	out := map[string]bool{}
	for _, ref := range ex.Own {
		col := db.Column(ref)
		for _, name := range []string{col.Name, col.Original} {
			for _, w := range lexicon.Words(name) {
				out[w] = true
			}
		}
	}
	return out
}

// The pairs of words for extremes, as positions in MINIMUM and MAXIMUM. "Minimal" and
// "maximal" of table 3 are read, and put nowhere: they are said of other things.
const (
	minimum, lowest, smallest = 0, 1, 2
	pairs                     = 3
)

// measured is the number of words after one for an extreme that may name the measured thing.
const measured = 5

// extremeSynonyms returns the words of a class that may replace the extreme before the token after: "minimum", "lowest" and "smallest" of
// class MINIMUM. A word is "" if it does not fit the measured thing: no length is "the lowest", and the lowest rank is no minimum. own
// holds the words of the columns that the gold SQL mentions.
func (s *sentence) extremeSynonyms(class []string, after int, own map[string]bool) []string {
	thing := s.measuredWords(after)
	isSized, isQuantity := anyOf("SIZED", thing), slices.ContainsFunc(thing, func(w string) bool { return own[w] })
	none := make([]string, pairs)
	switch {
	case anyOf("RANKED", thing):
		return none
	case slices.Contains(class[lowest:pairs], s.Words[after-1]) && !isSized && !isQuantity: // of a thing: "the largest country"
		return none
	}
	out := slices.Clone(class[:pairs])
	if anyOf("LONG", thing) {
		out[lowest] = ""
	}
	if !isSized {
		out[smallest] = ""
	}
	return out
}

// measuredWords returns the words that name the thing which the extreme before the token i measures, each also in the singular.
func (s *sentence) measuredWords(i int) (out []string) {
	for end := i + measured; i < end && !slices.Contains(words.Words("MEASUREND"), s.Word(i)); i++ {
		out = append(out, s.Word(i), english.Singular(s.Word(i)))
	}
	return out
}

// anyOf reports whether one of the words is on a list of data/words.txt.
func anyOf(list string, some []string) bool {
	return slices.ContainsFunc(some, func(w string) bool { return slices.Contains(words.Words(list), w) })
}

// pairChoices returns, for each pair of words that fits all extremes, the edits that replace all of them by words of that
// pair: "minimum and highest" would mix two pairs. A pair that changes nothing is left out.
func (s *sentence) pairChoices(extremes []slot) (choices [][]perturb.Edit) {
	for pair := range pairs {
		if slices.ContainsFunc(extremes, func(one slot) bool { return one.others[pair] == "" }) {
			continue
		}
		var edits []perturb.Edit
		for _, one := range extremes {
			if s.Words[one.Start] != one.others[pair] {
				edits = append(edits, s.replaceSpan(one.Span, one.others[pair]))
			}
		}
		if len(edits) > 0 {
			choices = append(choices, edits)
		}
	}
	return choices
}

// choices returns an edit for each of the other words of a slot.
func (s *sentence) choices(one slot) [][]perturb.Edit {
	was := strings.Join(s.Words[one.Start:one.End], " ")
	return lists.Map(without(one.others, was), func(w string) []perturb.Edit { return []perturb.Edit{s.replaceSpan(one.Span, w)} })
}

// replaceSpan returns the edit that replaces a span by words, with a capital at the beginning of the question.
func (s *sentence) replaceSpan(at phrase.Span, words string) perturb.Edit {
	return s.replace(at.Start, at.End, capital(words, at.Start == 0 && s.beginsUpper()))
}

// afterCount is what "count" follows no more: "count the number of singers".
var afterCount = grammar.Must("count the?")

// countSynonyms returns the words that may replace the matched ones in "(total) {number, count, amount, sum} of", see
// [aggregates.synonyms]. It drops those that would read badly where the match is: "count" after the verb "count" or after an extreme, and
// "total" at the beginning or after an extreme.
func (s *sentence) countSynonyms(m phrase.Match, a *aggregates) []string {
	noun := s.Word(s.Skip(m.End, words.Words("SELECTING")...))
	all := a.synonyms(s.Words[m.Part.End-1], noun)
	drop := func(isBad func(string) bool) { all = slices.DeleteFunc(all, isBad) }
	if _, ok := afterCount.Before(s, m.Part.Start); ok || m.Has("EXTREME") {
		drop(func(w string) bool { return strings.HasSuffix(w, "count") }) // "the greatest count" is awkward
	}
	if m.Part.Start == 0 || m.Has("EXTREME") {
		drop(func(w string) bool { return strings.HasPrefix(w, "total ") })
	}
	return all
}

// without returns a list of words less one of them.
func without(list []string, word string) []string {
	return lists.Filter(list, func(w string) bool { return w != word })
}

// maxCombined bounds the combinations that are made of one question.
const maxCombined = 1024

// combine returns the edits of all combinations of choices: at each place one of its choices or none, at one place at least
// one. It stops at maxCombined.
func combine(places [][][]perturb.Edit) [][]perturb.Edit {
	combined := [][]perturb.Edit{nil} // the one without a choice, which is left out at the end
	for _, choices := range places {
		for _, edits := range slices.Clone(combined) {
			for _, choice := range choices {
				if len(combined) > maxCombined {
					return combined[1:]
				}
				combined = append(combined, slices.SortedFunc(slices.Values(slices.Concat(edits, choice)), inOrder))
			}
		}
	}
	return combined[1:]
}

// inOrder compares two edits by where they begin in the question.
func inOrder(a, b perturb.Edit) int {
	return a.(perturb.ReplaceSpan).Start - b.(perturb.ReplaceSpan).Start
}
