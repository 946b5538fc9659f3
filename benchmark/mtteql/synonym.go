package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/internal/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SynonymSubstitution puts other words of table 3 in the place of those that stand
// for an aggregate of the gold SQL. One word may stand for two aggregates ("the
// amount of"): the type of the column decides, count for things, sum for numbers.
var SynonymSubstitution = metamorphic("synonym-substitution", "section 3.1 and table 3",
	"Puts synonyms in the place of the words that stand for an aggregate of the gold SQL (\"maximum\", \"the number of\").", relation{substituteSynonyms, 0.85}.run)

const noIndicator = "no-aggregate-word"

// indicator is words of a question that may stand for an aggregate.
type indicator struct {
	call    string          // the aggregate, "" of words for a count or a sum
	class   string          // of the words that may stand instead
	pattern *phrase.Pattern // brackets hold the words
}

// Words for an extreme stand before a noun, or before another of their kind.
var indicators = []indicator{
	{"min", "MINIMUM", grammar.Must("[MINIMUM] and|or|, MINIMUM|MAXIMUM|AVERAGE")},
	{"min", "MINIMUM", grammar.Must("!a|an|at [MINIMUM] !and|or|of|among|is|in|for|value|MARK WORD")},
	{"max", "MAXIMUM", grammar.Must("[MAXIMUM] and|or|, MINIMUM|MAXIMUM|AVERAGE")},
	{"max", "MAXIMUM", grammar.Must("!a|an|at [MAXIMUM] !and|or|of|among|is|in|for|value|MARK WORD")},
	{"avg", "AVERAGE", grammar.Must("!on|an|a [average]")},
	{"avg", "AVERAGE", grammar.Must("the|and [mean]")},
	{"", "COUNT", grammar.Must("LEAD [total? COUNT] of")},
	{"", "COUNT", grammar.Must("EXTREME [COUNT] of")},
	{"", "COUNT", grammar.Must("^ [total? COUNT] of")},
	{"", "COUNT", grammar.Must("^ count [total? COUNT] of")},
}

// slot is words of a question that stand for an aggregate, and what else may.
type slot struct {
	phrase.Span
	others []string
}

func substituteSynonyms(db *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newQuestion(ex.Question)
	a := newAggregates(db, ex)
	own := columnWords(db, ex)
	var slots []slot
	for _, in := range indicators {
		for m := range in.pattern.All(s, len(s.Words)) {
			if own[s.Words[m.Part.End-1]] {
				continue // part of a column's name
			}
			if others := s.others(in, m, a); len(others) > 0 {
				slots = append(slots, slot{m.Part, others})
			}
		}
	}
	slices.SortFunc(slots, func(a, b slot) int { return a.Start - b.Start })
	return s.combine(slots), noIndicator
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

// others returns what else may stand for the aggregate of an indicator.
func (s *sentence) others(in indicator, m phrase.Match, a *aggregates) []string {
	was := strings.Join(s.Words[m.Part.Start:m.Part.End], " ")
	switch {
	case in.call == "":
		return without(s.counts(m, a), was)
	case a.calls[in.call]:
		return without(words.Words(in.class), was)
	}
	return nil
}

// afterCount is what "count" follows no more: "count the number of singers".
var afterCount = grammar.Must("count the?")

// counts returns the words that may stand for "(total) {number, count, amount, sum}
// of", in the order of the alphabet.
func (s *sentence) counts(m phrase.Match, a *aggregates) []string {
	noun := s.Skip(m.End, words.Words("SELECTING")...)
	all := a.read(s.Words[m.Part.End-1], s.Word(m.Part.Start) == "total", english.Singular(s.Word(noun)))
	if _, ok := afterCount.Before(s, m.Part.Start); ok {
		all = without(all, "count")
	}
	if m.Part.Start > 0 && !m.Has("EXTREME") {
		for _, w := range slices.Clone(all) {
			all = append(all, "total "+w)
		}
	}
	slices.Sort(all)
	return all
}

func without(list []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == word })
}

// maxCombined bounds the combinations that are made of one question.
const maxCombined = 1024

// combine returns the edits of all combinations of synonyms in which at least one
// slot changes.
func (s *sentence) combine(slots []slot) [][]perturb.Edit {
	combined := [][]perturb.Edit{nil}
	for _, one := range slots {
		for _, edits := range slices.Clone(combined) {
			for _, w := range one.others {
				if len(combined) > maxCombined {
					return combined[1:]
				}
				upper := one.Start == 0 && s.upper()
				combined = append(combined, append(slices.Clone(edits), s.replace(one.Start, one.End, capital(w, upper))))
			}
		}
	}
	return combined[1:]
}
