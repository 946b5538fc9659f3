package question

import (
	"slices"
	"strings"
)

// howExtreme: "What is the maximum age of dogs that …" becomes "How old is the
// oldest dog that …", where the gold SQL has that maximum.
func howExtreme(s *subject, d *drafts) {
	i, ok := s.opening()
	if !ok {
		return
	}
	x, ok := s.extremeAt(i)
	want := "min"
	if x.high {
		want = "max"
	}
	if ok && s.keyword(want, x.column) {
		if noun, rest, ok := s.ofEntity(x.end, false); ok {
			for k, how := range x.adj.how {
				d.add(asked(how + " is the " + x.words[min(k, len(x.words)-1)] + " " + noun + " " + rest))
			}
		}
		return
	}
	// "the minimum and maximum age of all dogs"
	first, second := s.skip(i, "the"), s.skip(i, "the")+2
	if !s.is(first+1, "and") || !(s.is(first, "minimum") && s.is(second, "maximum") || s.is(first, "maximum") && s.is(second, "minimum")) {
		return
	}
	adj, j, column := adjectivesAt(s.sentence, second+1, s.db, s.columns)
	if adj == nil || len(adj.how) == 0 || !s.keyword("min", column) || !s.keyword("max", column) {
		return
	}
	if noun, rest, ok := s.ofEntity(j, true); ok {
		a, b := adj.least[0], adj.most[0]
		if s.is(first, "maximum") {
			a, b = b, a
		}
		d.add(asked(adj.how[0] + " are the " + a + " and the " + b + " " + noun + " " + rest))
	}
}

// howAverage: "the average age of dogs" becomes "how old are dogs on average".
func howAverage(s *subject, d *drafts) {
	i, ok := s.opening()
	if !ok {
		return
	}
	i = s.skip(i, "the")
	if !s.is(i, "average", "mean") {
		return
	}
	adj, j, column := adjectivesAt(s.sentence, i+1, s.db, s.columns)
	if adj == nil || !s.keyword("avg", column) {
		return
	}
	if noun, rest, ok := s.ofEntity(j, true); ok {
		for _, how := range adj.how {
			if rest != "" {
				d.add(asked("on average, " + how + " are " + noun + " " + rest))
			} else {
				d.add(asked(how + " are " + noun + " on average"))
				d.add(asked(how + " is the average " + singular(noun)))
				d.add(asked("on average, " + how + " are " + noun))
			}
		}
	}
}

// howPlain: "What is the weight of the dog that …" becomes "How heavy is the dog
// that …".
func howPlain(s *subject, d *drafts) {
	i, ok := s.opening()
	if !ok {
		return
	}
	adj, j, _ := adjectivesAt(s.sentence, s.skip(i, "the", "all"), s.db, s.columns)
	if adj == nil || len(s.ex.Gold.Select.Columns) != 1 || !s.is(j, "of", "for") || len(s.ex.Gold.Select.GroupBy) > 0 {
		return
	}
	be := "is"
	k := s.skip(j+1, "all", "the", "every", "each")
	end := k
	for s.isContent(end) {
		end++
	}
	if end == k || !s.ends(end) || !s.isEntity(s.at(end-1)) {
		return
	}
	if isPlural(s.at(end - 1)) {
		be = "are"
	}
	for _, how := range adj.how {
		d.add(asked(how + " " + be + " " + s.span(j+1, s.last())))
	}
}

// opening returns where what the question asks for begins: after "What is",
// "Find", "Show me".
func (s *subject) opening() (int, bool) {
	i := s.skip(0, "please", "also")
	return s.firstOf(i, openings)
}

var openings = []string{
	"what is", "what are", "what's", "what was", "what were", "what",
	"give me", "give", "show me", "show", "tell me", "find me", "find out", "find", "list", "return", "display", "get",
}

// ofEntity reads "of all dogs that …" at i: the noun phrase, in the number
// asked for, and what follows, its verb in that number. False is for groups and
// for what cannot be inflected.
func (s *subject) ofEntity(i int, many bool) (noun, rest string, ok bool) {
	if !s.is(i, "of", "for", "among", "across") {
		return "", "", false
	}
	k := s.skip(i+1, "all", "the", "of", "any")
	end := k
	for s.isContent(end) {
		end++
	}
	if end == k || !s.ends(end) || !s.isEntity(s.at(end-1)) || s.grouped(end) {
		return "", "", false
	}
	noun, rest = singular(s.span(k, end)), s.span(end, s.last())
	if many {
		noun = plural(noun)
	}
	if s.is(end, "that", "who", "which") && isPlural(s.at(end-1)) != many {
		verb, ok := agree(s.at(end+1), many)
		if !ok {
			return "", "", false
		}
		rest = s.span(end, end+1) + " " + join(verb, s.span(end+2, s.last()))
		for i := end + 2; i < s.last(); i++ { // further verbs are not looked for
			if s.is(i, "is", "are", "was", "were", "has", "have", "does", "do") {
				return "", "", false
			}
		}
	}
	return noun, rest, true
}

// grouped tells whether the question asks for one value a group, or more than
// one thing, from i on.
func (s *subject) grouped(i int) bool {
	for ; i < len(s.low); i++ {
		if s.is(i, "each", "every", "per", "by", ",", "different", "and") || s.is(i, ".", "?") && i < s.last() {
			return true
		}
	}
	return len(s.ex.Gold.Select.GroupBy) > 0
}

// agree returns a verb in the number asked for.
func agree(verb string, many bool) (string, bool) {
	for _, p := range [][2]string{{"is", "are"}, {"was", "were"}, {"has", "have"}, {"does", "do"}, {"doesn't", "don't"}, {"isn't", "aren't"}} {
		if verb == p[0] || verb == p[1] {
			if many {
				return p[1], true
			}
			return p[0], true
		}
	}
	if strings.HasSuffix(verb, "ed") || slices.Contains([]string{"had", "did", "can", "could", "will", "won", "went", "got", "made", "took", "came"}, verb) {
		return verb, true
	}
	return "", false
}
