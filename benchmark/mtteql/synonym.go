package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SynonymSubstitution puts other words of table 3 in the place of those that stand
// for an aggregate of the gold SQL. One word may stand for two aggregates ("the
// amount of"): the type of the column decides, count for things, sum for numbers.
var SynonymSubstitution = &perturb.Perturbation{
	Name:     "mtteql/synonym-substitution",
	Doc:      "Puts synonyms in the place of the words that stand for an aggregate of the gold SQL (\"maximum\", \"the number of\").",
	Paper:    "MT-TEQL, section 3.1 and table 3",
	Version:  1,
	Samples:  inputs,
	Relation: perturb.Invariant,
	Run:      relation{substituteSynonyms, 0.85}.run,
}

const noIndicator = "no-aggregate-word"

// Words of table 3 that stand before a noun.
var (
	minima   = []string{"minimal", "minimum", "lowest", "smallest"}
	maxima   = []string{"maximal", "maximum", "highest", "largest"}
	averages = []string{"mean", "average"}
)

// slot is words of a question that stand for an aggregate, and what else may.
type slot struct {
	from, to int // tokens
	others   []string
}

func substituteSynonyms(db *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	s.stop = len(s.Tokens) // all sentences
	a := newAggregates(db, ex)
	own := columnWords(db, ex)
	var slots []slot
	for i := 0; i < s.stop; i++ {
		if own[s.Words[i]] {
			continue // part of a column's name
		}
		if one, ok := s.slot(i, a); ok && (len(slots) == 0 || one.from >= slots[len(slots)-1].to) {
			slots = append(slots, one)
		}
	}
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

// slot returns the indicator that token i is or belongs to.
func (s *sentence) slot(i int, a *aggregates) (slot, bool) {
	w := s.Words[i]
	switch {
	case slices.Contains(minima, w) && a.calls["min"] && s.attribute(i):
		return slot{i, i + 1, without(minima, w)}, true
	case slices.Contains(maxima, w) && a.calls["max"] && s.attribute(i):
		return slot{i, i + 1, without(maxima, w)}, true
	case w == "average" && a.calls["avg"] && s.at(i-1) != "on" && s.at(i-1) != "an" && s.at(i-1) != "a",
		w == "mean" && a.calls["avg"] && (s.at(i-1) == "the" || s.at(i-1) == "and"):
		return slot{i, i + 1, without(averages, w)}, true
	case w == "number" || w == "count" || w == "amount" || w == "sum":
		return s.counting(i, a)
	}
	return slot{}, false
}

// attribute tells whether the word stands before a noun, or before another of its
// kind with "and" between.
func (s *sentence) attribute(i int) bool {
	next := s.at(i + 1)
	if next == "and" || next == "or" || next == "," {
		return slices.ContainsFunc([][]string{minima, maxima, averages}, func(list []string) bool { return slices.Contains(list, s.at(i+2)) })
	}
	return next != "" && next != "of" && next != "among" && next != "is" && next != "in" && next != "for" && next != "value" && !isMark(next) &&
		s.at(i-1) != "a" && s.at(i-1) != "an" && s.at(i-1) != "at"
}

// leads are the words that "number of" may follow where it means how many; with
// "flight" or "phone" before it, it is a name. After an extreme none of them takes
// "total".
var (
	leads    = set(`the and or , with is are find return show list give me get what`)
	extremes = set(`largest highest smallest lowest greatest most least fewest same corresponding maximum minimum maximal minimal`)
)

// counting returns the slot of "(total) {number, count, amount, sum} of".
func (s *sentence) counting(i int, a *aggregates) (slot, bool) {
	if s.at(i+1) != "of" {
		return slot{}, false
	}
	from := i
	total := s.at(i-1) == "total"
	if total {
		from--
	}
	lead := s.at(from - 1)
	extreme := extremes[lead] && !total
	if from > 0 && !leads[lead] && !extreme && !(from == 1 && lead == "count") {
		return slot{}, false
	}
	words := a.read(s.Words[i], total, s.noun(i+2))
	if lead == "count" || lead == "the" && s.at(from-2) == "count" {
		words = without(words, "count")
	}
	var others []string
	for _, w := range words {
		if w != s.Words[i] {
			others = append(others, w)
		}
		if !extreme && from > 0 {
			others = append(others, "total "+w)
		}
	}
	was := s.Words[i]
	if total {
		was = "total " + was
		others = append(others, words...)
	}
	slices.Sort(others)
	others = without(slices.Compact(others), was)
	return slot{from, i + 1, others}, len(others) > 0
}

// noun returns the word at i behind those that only select: "all the different".
func (s *sentence) noun(i int) string {
	for slices.Contains([]string{"the", "all", "different", "distinct", "unique", "available"}, s.at(i)) {
		i++
	}
	return english.Singular(s.at(i))
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
				upper := one.from == 0 && s.upper()
				combined = append(combined, append(slices.Clone(edits), s.replace(one.from, one.to, capital(w, upper))))
			}
		}
	}
	return combined[1:]
}
