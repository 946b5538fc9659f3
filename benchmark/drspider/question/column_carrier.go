package question

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/lexicon"
)

// columnCarrierRules imply columns by how the question asks: "the names of the
// singers who" becomes "which singers", "the weight of the dog" "how much does the
// dog weigh" (Dr.Spider, table 1).
func columnCarrierRules() []rule {
	return []rule{
		columnRule("which entity", whichEntity),
		columnRule("list the entity", listEntity),
		columnRule("who", whoEntity),
		columnRule("name left out of the second sentence", impliedSecond),
		columnRule("question word", questionWords),
	}
}

// named returns a request for names, and the other columns asked for in words,
// with the pronoun of the entity: "their ages and countries". False is for
// requests that ask for more than columns of one table.
func (s *subject) named() (r request, others string, ok bool) {
	r, ok = s.request()
	out, plain := s.outputs()
	if !ok || !plain || len(out) != len(r.items) {
		return r, "", false
	}
	if !s.asksForName(r, r.items[0]) || !s.nameColumn(out[0], s.at(r.end-1)) {
		return r, "", false // what is left would not ask for an id
	}
	many := r.many || r.each
	var list []string
	for i, item := range r.items[1:] {
		if out[i+1].Table != out[0].Table {
			return r, "", false
		}
		from := item[0]
		for from < item[1]-1 && s.names(out[0].Table, s.at(from)) {
			from++
		}
		noun := s.span(from, item[1])
		if many {
			noun = plural(noun)
		}
		list = append(list, noun)
	}
	if len(list) > 0 {
		pronoun := "their "
		if !many && !isPerson(s.at(r.end-1)) {
			pronoun = "its "
		}
		others = pronoun + joinAnd(list)
	}
	return r, others, true
}

func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// whichEntity: "Which singers have a song?"
func whichEntity(s *subject, d *drafts) {
	r, others, ok := s.named()
	if !ok || s.sorts(r.rest) {
		return
	}
	end := ""
	if others != "" {
		be := " is "
		if strings.Contains(others, " and ") || isPlural(others) {
			be = " are "
		}
		end = ", and what" + be + others
		if person := isPerson(s.at(r.end - 1)); person && others == "their ages" {
			end = ", and how old are they"
		}
	}
	if r.rest >= s.last() {
		if r.many || r.each {
			d.add(asked("which " + s.noun(r) + " are there" + end))
			d.add(asked("what " + s.noun(r) + " are there" + end))
		}
		return
	}
	if p, ok := s.predicate(r); ok {
		d.add(asked("which " + s.noun(r) + " " + p + end))
		d.add(asked("what " + s.noun(r) + " " + p + end))
	}
}

// listEntity: "List all singers who have a song."
func listEntity(s *subject, d *drafts) {
	r, others, ok := s.named()
	if !ok || s.is(r.rest, "is", "are", "was", "were", "has", "have", "had", "do", "does", "did") {
		return
	}
	tail, sep := s.tail(r), " "
	switch {
	case others != "" && s.sorts(r.rest) && !s.ordered(r.rest):
		return
	case r.each && tail != "" && !s.ordered(r.rest):
		return // "each singer who has" in the plural is for predicate
	case others == "":
	case tail == "":
		others = " and " + others
	case s.ordered(r.rest):
		others, sep = " and "+others, ", "
	default:
		others = ", along with " + others
	}
	noun := s.noun(r)
	all, the := "all "+noun, "the "+noun
	if !r.many && !r.each {
		all = the
	}
	compose := func(verb, noun string) {
		switch {
		case s.ordered(r.rest) || tail == "":
			d.add(ordered(verb + " " + noun + others + sep + tail))
		default:
			d.add(ordered(verb + " " + noun + " " + tail + others))
		}
	}
	compose("list", all)
	compose("show me", the)
	compose("find", all)
	compose("give me", the)
}

// whoEntity: "Who are the singers that have a song?"
func whoEntity(s *subject, d *drafts) {
	r, others, ok := s.named()
	if !ok || others != "" || !isPerson(s.at(r.end-1)) || s.sorts(r.rest) || r.each && r.rest < s.last() || s.is(r.rest, "is", "are", "was", "were", "has", "have", "had", "do", "does", "did") {
		return
	}
	be := "is"
	if r.many || r.each {
		be = "are"
	}
	d.add(asked("who " + be + " the " + s.noun(r) + " " + s.tail(r)))
	if p, ok := s.predicate(r); ok && !r.many && !r.each && r.end-r.start == 1 {
		if verb, _, _ := strings.Cut(p, " "); verb == "has" || verb == "is" || verb == "was" || verb == "had" {
			d.add(asked("who is the " + s.noun(r) + " that " + p))
		}
	}
}

// impliedSecond: "Which shop has the most employees? Give me the shop name." ends
// with the first sentence.
func impliedSecond(s *subject, d *drafts) {
	mark := slices.Index(s.low, "?")
	if mark < 0 || mark+1 >= s.last() || !s.is(0, "which", "what", "who") {
		return
	}
	rest := newSentence(s.span(mark+1, len(s.toks)))
	i, ok := rest.firstOf(0, openings)
	i = rest.skip(i, "the", "their", "its", "his", "her")
	out, plain := s.outputs()
	if !ok || !plain || len(out) != 1 || rest.last()-i > 2 || rest.last() <= i {
		return
	}
	entity := singular(s.at(1))
	own := rest.last()-i == 1 || s.isEntity(rest.at(i)) || singular(rest.at(i)) == entity
	if own && rest.is(rest.last()-1, "name", "names", "title", "titles") && s.nameColumn(out[0], entity) {
		d.add(s.span(0, mark+1))
	}
}

//go:embed data/column_questions.txt
var questionsText string

// asking is a line of data/column_questions.txt.
type asking struct {
	columns   []string
	one, many string // the question, {} where the entity stands
}

var askings = sync.OnceValue(func() []asking {
	var out []asking
	for line := range strings.Lines(questionsText) {
		if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 3 && line[0] != '#' {
			out = append(out, asking{splitList(f[0], ","), strings.TrimSpace(f[1]), strings.TrimSpace(f[2])})
		}
	}
	return out
})

// questionWords: "What is the weight of the dog" becomes "How much does the dog
// weigh".
func questionWords(s *subject, d *drafts) {
	i, ok := s.opening()
	if !ok || len(s.ex.Gold.Select.Columns) != 1 || len(s.ex.Gold.Select.GroupBy) > 0 {
		return
	}
	i = s.skip(i, "the", "all")
	aggregate := ""
	switch {
	case s.is(i, "average", "mean"):
		aggregate = " on average"
	case s.is(i, "total"):
		aggregate = " in total"
	}
	if aggregate != "" {
		i = s.skip(i+1, "amount", "of")
	}
	for n := 4; n > 0; n-- {
		for _, a := range askings() {
			if s.asksAt(i, n, a) {
				d.add(s.asking(i+n+1, a, aggregate))
			}
		}
	}
}

// asksAt tells whether the n tokens at i are a column of the set that the gold SQL
// uses, and "of" follows.
func (s *subject) asksAt(i, n int, a asking) bool {
	if i+n >= len(s.low) || !s.is(i+n, "of", "for") {
		return false
	}
	named := singular(strings.Join(s.low[i:i+n], " "))
	if !slices.Contains(a.columns, named) {
		return false
	}
	for _, c := range s.columns {
		name := " " + lexicon.Normal(s.db.Column(c).Name)
		if slices.ContainsFunc(a.columns, func(col string) bool { return strings.HasSuffix(name, " "+lexicon.Normal(col)) }) {
			return true
		}
	}
	return false
}

// asking puts the entity that begins at i, with what follows, into the question.
func (s *subject) asking(i int, a asking, aggregate string) string {
	const longest = 10 // words between "does" and its verb
	start, k := i, s.skip(i, "all", "the", "of", "each", "every")
	if s.is(i, "all") {
		start = k
	}
	end := k
	for s.isContent(end) {
		end++
	}
	if end == k || s.last()-k > longest || slices.ContainsFunc(s.low[k:s.last()], func(w string) bool {
		return slices.Contains([]string{",", "and", "each", "every", "ordered", "sorted", "order", ".", "?"}, w)
	}) {
		return s.text
	}
	form := a.one
	if isPlural(s.at(end-1)) && s.isEntity(s.at(end-1)) {
		form = a.many
	}
	return asked(strings.Replace(form, "{}", s.span(start, s.last()), 1) + aggregate)
}
