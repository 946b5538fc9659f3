package question

import (
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

var (
	asksExtreme  = grammar.Must("^ OPENING [EXTREME] CLOSED")
	asksExtremes = grammar.Must("^ OPENING the* (minimum and high=maximum / low=maximum and minimum) [MEASURE]")
	asksAverage  = grammar.Must("^ OPENING the* average|mean [MEASURE]")
	asksMeasure  = grammar.Must("^ OPENING the|all* MEASURE of|for [all|the|every|each* CONTENT+] ENDED")
)

// howExtreme: "What is the maximum age of dogs that …" becomes "How old is the
// oldest dog that …", where the gold SQL has that maximum.
func howExtreme(s *subject, d *drafts) {
	if m, ok := asksExtreme.At(s, 0); ok {
		x := s.extreme(m)
		keyword := map[bool]string{true: "max", false: "min"}[x.high]
		if noun, rest, ok := s.ofEntity(m.Part.End, false); ok && s.keyword(keyword, x.column) {
			for k, how := range x.adj.how {
				d.add(asked(how + " is the " + x.words[min(k, len(x.words)-1)] + " " + noun + " " + rest))
			}
		}
		return
	}
	m, ok := asksExtremes.At(s, 0)
	if !ok {
		return
	}
	adj, end, column := adjectivesAt(s.sentence, m.Part.Start, s.db, s.columns)
	noun, rest, ok := s.ofEntity(end, true)
	if !ok || len(adj.how) == 0 || !s.keyword("min", column) || !s.keyword("max", column) {
		return
	}
	first, second := adj.least[0], adj.most[0]
	if m.Has("low") {
		first, second = second, first
	}
	d.add(asked(adj.how[0] + " are the " + first + " and the " + second + " " + noun + " " + rest))
}

// howAverage: "the average age of dogs" becomes "how old are dogs on average".
func howAverage(s *subject, d *drafts) {
	m, ok := asksAverage.At(s, 0)
	if !ok {
		return
	}
	adj, end, column := adjectivesAt(s.sentence, m.Part.Start, s.db, s.columns)
	noun, rest, ok := s.ofEntity(end, true)
	if !ok || !s.keyword("avg", column) {
		return
	}
	for _, how := range adj.how {
		if rest != "" {
			d.add(asked("on average, " + how + " are " + noun + " " + rest))
			continue
		}
		d.add(asked(how + " are " + noun + " on average"))
		d.add(asked(how + " is the average " + english.SingularPhrase(noun)))
		d.add(asked("on average, " + how + " are " + noun))
	}
}

// howPlain: "What is the weight of the dog that …" becomes "How heavy is the dog
// that …".
func howPlain(s *subject, d *drafts) {
	m, ok := asksMeasure.At(s, 0)
	if !ok || !s.asksForOneColumn() || !s.isEntity(s.Word(m.Part.End-1)) {
		return
	}
	be := " is "
	if english.IsPlural(s.Word(m.Part.End - 1)) {
		be = " are "
	}
	adj, _, _ := adjectivesAt(s.sentence, m.Get("MEASURE").Start, s.db, s.columns)
	for _, how := range adj.how {
		d.add(asked(how + be + s.Span(m.Part.Start, s.last())))
	}
}

// asksForOneColumn tells whether the gold SQL selects one column, and not one value
// a group.
func (s *subject) asksForOneColumn() bool {
	return len(s.ex.Gold.Select.Columns) == 1 && !s.source.grouped()
}

var ofAll = grammar.Must("OFALL [CONTENT+] ENDED")

// ofEntity reads "of all dogs that …" at i: the noun phrase, in the number
// asked for, and what follows, its verb in that number. False is for groups and
// for what cannot be inflected.
func (s *subject) ofEntity(i int, many bool) (noun, rest string, ok bool) {
	m, ok := ofAll.At(s, i)
	if !ok || !s.isEntity(s.Word(m.Part.End-1)) || s.grouped(m.Part.End) {
		return "", "", false
	}
	noun = english.SingularPhrase(s.words(m.Part))
	if many {
		noun = english.Plural(noun)
	}
	end, last := m.Part.End, s.last()
	if !s.Is(end, "that", "who", "which") || english.IsPlural(s.Word(end-1)) == many {
		return noun, s.Span(end, last), true
	}
	verb, ok := agree(s.Word(end+1), many)
	further := s.Words[min(end+2, last):last]
	if !ok || slices.ContainsFunc(further, inflected.MatchString) { // further verbs are not made to agree
		return "", "", false
	}
	return noun, s.Span(end, end+1) + " " + join(verb, s.Span(end+2, last)), true
}

var inflected = lazyregexp.New(`^(is|are|was|were|has|have|does|do)$`)

// grouped tells whether the question asks for one value a group, or more than
// one thing, from i on.
func (s *subject) grouped(i int) bool {
	for ; i < len(s.Words); i++ {
		if s.Is(i, "each", "every", "per", "by", ",", "different", "and") || s.Is(i, ".", "?") && i < s.last() {
			return true
		}
	}
	return len(s.ex.Gold.Select.GroupBy) > 0
}

// agree returns a verb in the number asked for.
func agree(verb string, many bool) (string, bool) {
	for _, p := range [][2]string{{"is", "are"}, {"was", "were"}, {"has", "have"}, {"does", "do"}, {"doesn't", "don't"}, {"isn't", "aren't"}} {
		if slices.Contains(p[:], verb) {
			return map[bool]string{false: p[0], true: p[1]}[many], true
		}
	}
	if uninflected.MatchString(verb) {
		return verb, true
	}
	return "", false
}

// uninflected matches verbs of one form for one and for many.
var uninflected = lazyregexp.New(`(ed|^(had|did|can|could|will|won|went|got|made|took|came))$`)
