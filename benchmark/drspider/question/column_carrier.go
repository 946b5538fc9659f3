package question

import (
	_ "embed" // column_questions.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// columnCarrierRules imply columns by how the question asks: "the names of the
// singers who" becomes "which singers who" (Dr.Spider, table 1).
func columnCarrierRules() []rule {
	return []rule{
		requestRule("which entity", whichEntity),
		requestRule("list the entity", listEntity),
		requestRule("who", whoEntity),
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
