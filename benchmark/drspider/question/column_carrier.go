package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// columnCarrierRules returns the rules that imply a column by the way of asking: "What are the names of the singers who" becomes "Which
// singers" (Dr.Spider, table 1).
func columnCarrierRules() []rule {
	return []rule{
		requestRule("which entity", whichEntity),
		requestRule("list the entity", listEntity),
		requestRule("who", whoEntity),
	}
}

// requestRule returns a rule that calls a function which adds drafts of a request for names. Other questions get no drafts.
func requestRule(name string, apply func(request, *drafts)) rule {
	return columnRule(name, func(s *subject, d *drafts) {
		if r, ok := s.request(); ok && r.readOthers() {
			apply(r, d)
		}
	})
}

// readOthers stores in r.others what a request asks for after the name of the entity: "their ages", or "" if nothing. It returns
// false if the request does not ask for the name first, or asks for columns of several tables.
func (r *request) readOthers() bool {
	columns := r.outputs()
	if len(columns) != len(r.items) || !r.asksForName(r.items[0]) {
		return false
	}
	if !r.isNameColumn(columns[0], r.Word(r.entity.End-1)) {
		return false // the words left would not ask for an id
	}
	table := columns[0].Table
	if slices.ContainsFunc(columns, func(c dataset.ColumnRef) bool { return c.Table != table }) {
		return false
	}
	var list []string
	for _, item := range r.items[1:] {
		for item.Start < item.End-1 && r.namesRows(table, r.Word(item.Start)) { // "singer ages" are "ages"
			item.Start++
		}
		noun := r.words(item)
		if r.asksForSeveral() {
			noun = english.Plural(noun)
		}
		list = append(list, noun)
	}
	switch {
	case len(list) == 0: // only the name
	case r.asksForSeveral(), r.isOfPerson():
		r.others = "their " + english.Enumerate(list, "and")
	default:
		r.others = "its " + english.Enumerate(list, "and")
	}
	return true
}

// whichEntity asks for the entity by "which": "What are the names of the singers who have a song?" becomes "Which singers have a song?"
func whichEntity(r request, d *drafts) {
	predicate, ok := r.predicate()
	if r.afterEntity >= r.last() { // nothing follows the entity
		predicate, ok = "are there", r.asksForSeveral()
	}
	if r.hasOrder() || !ok || cutClause.MatchString(predicate) {
		return
	}
	if english.IsPlural(r.noun()) { // "every work with Concerto in its title"
		predicate = itsWord.ReplaceAllString(predicate, "their")
	}
	for _, wh := range []string{"which ", "what "} {
		d.add(asQuestion(wh + r.noun() + " " + predicate + r.questionForOthers()))
	}
}

// itsWord matches the pronoun "its".
var itsWord = lazyregexp.New(`\bits\b`)

// cutClause matches predicates that are a phrase of the entity with a clause about it: "are in Rome that have".
var cutClause = lazyregexp.New(`^(?:is|are|was|were) (?:in|at|on|of|from|for|with|by) (?:.* )?(?:that|which|who|whose) `)

// questionForOthers returns a clause that asks for r.others: ", and what are their ages". It returns "" if there are none.
func (r request) questionForOthers() string {
	switch {
	case r.others == "":
		return ""
	case r.others == "their ages" && r.isOfPerson():
		return ", and how old are they"
	case english.IsPlural(r.others), strings.Contains(r.others, " and "):
		return ", and what are " + r.others
	}
	return ", and what is " + r.others
}

// listEntity requests a list of the entity: "What are the names of the singers who have a song?" becomes "List all singers who have a
// song."
func listEntity(r request, d *drafts) {
	rest, ok := r.listTail()
	if !ok {
		return
	}
	all := "all "
	if !r.asksForSeveral() {
		all = "the "
	}
	for _, request := range []string{"list " + all, "show me the ", "find " + all, "give me the "} {
		d.add(asRequest(request + r.noun() + rest))
	}
}

// listTail returns the words that follow "list all singers" in a draft, with the other columns: " who have a song, along with their
// ages". Ok is false if the words after the entity do not fit into a request for a list.
func (r request) listTail() (rest string, ok bool) {
	tail := r.tail()
	switch {
	case r.lacksPronoun(): // "singers have a song"
		return "", false
	case tail == "" && r.others == "":
		return " ", true
	case tail == "":
		return " and " + r.others, true
	case r.tailOnlySorts() && r.others == "":
		return " " + tail, true
	case r.tailOnlySorts():
		return " and " + r.others + ", " + tail, true
	case r.ofEach: // "each singer who has" would change its number
		return "", false
	case r.others == "":
		return " " + tail, true
	}
	return " " + tail + ", along with " + r.others, !r.hasOrder()
}

// ofMany matches a relative clause of several things.
var ofMany = grammar.Must("RELATIVE have|are|were|do")

// whoEntity adds drafts that ask for the persons themselves: "What are the names of the singers that have a song?" becomes "Who are the
// singers that have a song?" The question must ask for nothing but the names of persons, sort nothing, and have "who" or "that" before a
// verb that follows the entity.
func whoEntity(r request, d *drafts) {
	switch {
	case r.others != "", !r.isOfPerson(), r.hasOrder(), r.lacksPronoun():
		return
	case r.ofEach && r.afterEntity < r.last(): // "each singer who has" would change its number
		return
	}
	if r.asksForSeveral() {
		d.add(asQuestion("who are the " + r.noun() + " " + r.tail()))
		return
	}
	if ofMany.Fits(r, r.afterEntity) {
		return // "the name of artist who have" seems to ask for several
	}
	d.add(asQuestion("who is the " + r.noun() + " " + r.tail()))
	if predicate, ok := r.predicate(); ok && oneWord.MatchString(r.noun()) && singularVerb.MatchString(predicate) {
		d.add(asQuestion("who is the " + r.noun() + " that " + predicate))
	}
}

var (
	// oneWord matches a single word.
	oneWord = lazyregexp.New(`^\S+$`)
	// singularVerb matches predicates that begin with a verb in the singular.
	singularVerb = lazyregexp.New(`^(has|is|was|had)( |$)`)
)
