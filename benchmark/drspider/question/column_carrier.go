package question

import (
	_ "embed" // column_questions.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// columnCarrierRules imply columns by how the question asks: "the names of the
// singers who" becomes "which singers", "the weight of the dog" "how much does the
// dog weigh" (Dr.Spider, table 1).
func columnCarrierRules() []rule {
	return []rule{
		requestRule("which entity", whichEntity),
		requestRule("list the entity", listEntity),
		requestRule("who", whoEntity),
		columnRule("name left out of the second sentence", impliedSecond),
		columnRule("question word", questionWords),
	}
}

// requestRule makes a rule of a function over a request for names.
func requestRule(name string, apply func(request, *drafts)) rule {
	return columnRule(name, func(s *subject, d *drafts) {
		if r, ok := s.request(); ok && r.readOthers() {
			apply(r, d)
		}
	})
}

// readOthers reads the other columns asked for beside the name of the entity. False
// is for requests that do not ask for the name first, or for columns of several
// tables.
func (r *request) readOthers() bool {
	columns := r.outputs()
	if len(columns) != len(r.items) || !r.asksForName(r.items[0]) || !r.nameColumn(columns[0], r.Word(r.entity.End-1)) {
		return false // what is left would not ask for an id
	}
	var list []string
	for i, item := range r.items[1:] {
		table := columns[0].Table
		if columns[i+1].Table != table {
			return false
		}
		for item.Start < item.End-1 && r.names(table, r.Word(item.Start)) {
			item.Start++
		}
		noun := r.words(item)
		if r.several() {
			noun = english.Plural(noun)
		}
		list = append(list, noun)
	}
	if len(list) > 0 {
		pronoun := "its "
		if r.several() || r.ofPerson() {
			pronoun = "their "
		}
		r.others = pronoun + joinAnd(list)
	}
	return true
}

func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// whichEntity: "Which singers have a song?"
func whichEntity(r request, d *drafts) {
	predicate, ok := r.predicate()
	if r.rest >= r.last() {
		predicate, ok = "are there", r.several()
	}
	if !ok || r.sorts() {
		return
	}
	for _, wh := range []string{"which ", "what "} {
		d.add(asked(wh + r.noun() + " " + predicate + r.whatOthers()))
	}
}

// whatOthers asks for the other columns in a clause of its own.
func (r request) whatOthers() string {
	switch {
	case r.others == "":
		return ""
	case r.others == "their ages" && r.ofPerson():
		return ", and how old are they"
	case english.IsPlural(r.others), strings.Contains(r.others, " and "):
		return ", and what are " + r.others
	}
	return ", and what is " + r.others
}

// listEntity: "List all singers who have a song."
func listEntity(r request, d *drafts) {
	tail, sorted := r.tail(), r.orders()
	switch {
	case r.continues():
		return
	case sorted, tail == "":
	case r.others != "" && r.sorts(), r.each:
		return // "each singer who has" in the plural is for predicate
	}
	rest := " " + tail
	switch {
	case r.others == "":
	case tail == "":
		rest = " and " + r.others
	case sorted:
		rest = " and " + r.others + ", " + tail
	default:
		rest = " " + tail + ", along with " + r.others
	}
	all := "all "
	if !r.several() {
		all = "the "
	}
	for _, request := range []string{"list " + all, "show me the ", "find " + all, "give me the "} {
		d.add(ordered(request + r.noun() + rest))
	}
}

var ofMany = grammar.Must("RELATIVE have|are|were|do")

// whoEntity: "Who are the singers that have a song?"
func whoEntity(r request, d *drafts) {
	switch {
	case r.others != "", !r.ofPerson(), r.sorts(), r.continues():
		return
	case r.each && r.rest < r.last():
		return
	}
	if r.several() {
		d.add(asked("who are the " + r.noun() + " " + r.tail()))
		return
	}
	if ofMany.Fits(r, r.rest) {
		return // "the name of artist who have": of several, as it seems
	}
	d.add(asked("who is the " + r.noun() + " " + r.tail()))
	predicate, ok := r.predicate()
	verb, _, _ := strings.Cut(predicate, " ")
	if oneWord := r.entity.End-r.entity.Start == 1; ok && oneWord && slices.Contains([]string{"has", "is", "was", "had"}, verb) {
		d.add(asked("who is the " + r.noun() + " that " + predicate))
	}
}

var secondForName = grammar.Must("[?] OPENING the|their|its|his|her* (NAME $ / owner=CONTENT NAME $)")

// impliedSecond: "Which shop has the most employees? Give me the shop name." ends
// with the first sentence.
func impliedSecond(s *subject, d *drafts) {
	m, ok := secondForName.At(s, slices.Index(s.Words, "?"))
	columns := s.outputs()
	if !ok || len(columns) != 1 || !s.Is(0, "which", "what", "who") {
		return
	}
	entity, owner := english.SingularPhrase(s.Word(1)), s.words(m.Get("owner"))
	own := owner == "" || s.isEntity(owner) || strings.EqualFold(english.SingularPhrase(owner), entity)
	if own && s.nameColumn(columns[0], entity) {
		d.add(s.Span(0, m.Part.End))
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
	for _, row := range wordfile.Rows(questionsText, 3) {
		out = append(out, asking{splitList(row[0], ","), row[1], row[2]})
	}
	return out
})

var columnAsked = grammar.Must("^ OPENING the|all* (mean=average|mean amount|of* / total=total amount|of*)?")

// questionWords: "What is the weight of the dog" becomes "How much does the dog
// weigh".
func questionWords(s *subject, d *drafts) {
	m, ok := columnAsked.At(s, 0)
	if !ok || !s.asksForOneColumn() {
		return
	}
	aggregate := ""
	switch {
	case m.Has("mean"):
		aggregate = " on average"
	case m.Has("total"):
		aggregate = " in total"
	}
	for end := min(m.End+4, len(s.Words)-1); end > m.End; end-- {
		if !s.Is(end, "of", "for") {
			continue
		}
		for _, a := range askings() {
			if s.asksAt(m.End, end, a) {
				d.add(s.asking(end+1, a, aggregate))
			}
		}
	}
}

// asksAt tells whether the tokens are a column of the set that the gold SQL uses.
func (s *subject) asksAt(start, end int, a asking) bool {
	if !slices.Contains(a.columns, english.SingularPhrase(strings.Join(s.Words[start:end], " "))) {
		return false
	}
	return slices.ContainsFunc(s.columns, func(c dataset.ColumnRef) bool {
		return slices.ContainsFunc(a.columns, func(name string) bool { return s.ofColumn(c, name) })
	})
}

var (
	askedOf = grammar.Must("all|the|of|each|every* [CONTENT+]")
	further = grammar.Must("?|.|,|and|each|every|ordered|sorted|order")
)

// asking puts the entity that begins at i, with what follows, into the question.
func (s *subject) asking(i int, a asking, aggregate string) string {
	const longest = 10 // words between "does" and its verb
	m, ok := askedOf.At(s, i)
	if !ok || s.last()-m.Part.Start > longest || further.Within(s, m.Part.Start, s.last()) {
		return s.Text
	}
	start := i
	if s.Is(i, "all") {
		start = m.Part.Start
	}
	form := a.one
	if head := s.Word(m.Part.End - 1); english.IsPlural(head) && s.isEntity(head) {
		form = a.many
	}
	return asked(strings.Replace(form, "{}", s.Span(start, s.last()), 1) + aggregate)
}
