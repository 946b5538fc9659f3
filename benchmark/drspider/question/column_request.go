package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
)

// request is a question that asks for columns of an entity: "What are the names
// and ages of the singers that …".
type request struct {
	*subject
	items  []phrase.Span // the columns, without articles
	entity phrase.Span   // without articles
	each   bool          // "of each singer"
	many   bool          // the entity is in the plural
	rest   int           // where what follows the entity begins
	others string        // beside the name of the entity: "their ages and countries"
}

var (
	requested  = grammar.Must("^ OPENING ITEM (JOIN ITEM)*")
	ofEntities = grammar.Must(`of|for det=all|the|of|each|every|any|those* [(CONTENT&!ENTITY* ENTITY)+]
		!CONTENT&!PARTICIPLE&!COMPARATIVE !and|or|'|"|’|'s|of !(, !ORDERS)`)
)

// request reads the question as one, or returns false.
func (s *subject) request() (request, bool) {
	r := request{subject: s}
	m, ok := requested.At(s, 0)
	if !ok {
		return r, false
	}
	r.items = m.Each("item")
	if !s.Is(m.End, "of", "for") {
		return r, len(r.items) == 1 && r.readCompound()
	}
	return r, r.readEntity(m.End)
}

// readEntity reads the entity from the token i on, "of".
func (r *request) readEntity(i int) bool {
	m, ok := ofEntities.At(r, i)
	several := slices.ContainsFunc(r.Words[:r.last()], func(w string) bool { return strings.Contains(".?;", w) })
	if !ok || several || strings.ContainsAny(r.words(m.Part), "'’") {
		return false
	}
	determiners := r.Words[m.Get("det").Start:m.Get("det").End]
	has := func(w string) bool { return slices.Contains(determiners, w) }
	r.entity, r.rest, r.many = m.Part, m.Part.End, english.IsPlural(r.Word(m.Part.End-1))
	r.each = has("each") || has("every") || has("all") && !r.many
	return true
}

// readCompound splits "stadium names" into the entity and its column.
func (r *request) readCompound() bool {
	item := r.items[0]
	r.entity, r.rest = phrase.Span{Start: item.Start, End: item.End - 1}, item.End
	r.many = english.IsPlural(r.Word(item.End - 1))
	r.items[0].Start = item.End - 1
	return !r.entity.Empty() && r.isEntity(r.Word(item.End-2)) && !r.Is(r.rest, "and", "or", "by", ",")
}

// several reports whether more than one row is asked for.
func (r request) several() bool { return r.each || r.many }

func (r request) ofPerson() bool { return isPerson(r.Word(r.entity.End - 1)) }

// noun is the entity, in the plural where several are asked for.
func (r request) noun() string {
	if r.several() {
		return english.Plural(r.words(r.entity))
	}
	return r.words(r.entity)
}

var (
	onlySorts  = grammar.Must("ORDERS")
	sortsAt    = grammar.Must("ordered|sorted|arranged|sort|order")
	verbNext   = grammar.Must("BE|HAVE|do|does|did")
	twoClauses = grammar.Must("and|or|but for|in|of|to|with|on|by|from|at* which|whom|whose|who|that|where")
)

// orders reports whether what follows the entity only sorts.
func (r request) orders() bool { return onlySorts.Fits(r, r.rest) }

// sorts reports whether the question says anywhere behind the entity how to sort.
func (r request) sorts() bool { return sortsAt.Within(r, r.rest, len(r.Words)) }

// continues reports whether a verb follows the entity, so that "that" is missing.
func (r request) continues() bool { return verbNext.Fits(r, r.rest) }

// tail is what follows the entity.
func (r request) tail() string {
	i := r.rest
	if r.orders() {
		i = r.Skip(i, ",", "and", "that", "are")
	}
	return r.Span(i, r.last())
}

// predicates are what can follow an entity, with the verb that it takes behind
// "which singers": the rest begins with the part.
var predicates = []struct {
	*phrase.Pattern
	one, many string
}{
	{grammar.Must("having []"), "has", "have"},
	{grammar.Must("with !(the name) []"), "has", "have"},
	{grammar.Must("without any|a|an|single* []"), "has no", "have no"},
	{grammar.Must("[(not PARTICIPLE / PARTICIPLE / COMPARATIVE than / in|from|at|on|by)]"), "is", "are"},
}

// predicate turns what follows the entity into what can stand behind "which
// singers": "who have a song" into "have a song", "with a song" into "have a
// song", "in France" into "are in France".
func (r request) predicate() (string, bool) {
	switch {
	case twoClauses.Within(r, r.rest, len(r.Words)):
		return "", false // "that are in Asia and for which"
	case r.Is(r.rest, "that", "who", "which"):
		return r.relativeClause()
	case r.continues():
		verb, ok := agree(r.Word(r.rest), r.several())
		return join(verb, r.Span(r.rest+1, r.last())), ok
	case r.orders():
		return "", false
	}
	for _, p := range predicates {
		if m, ok := p.At(r, r.rest); ok {
			rest := r.Span(m.Part.Start, r.last())
			if r.several() {
				return join(p.many, rest), true
			}
			return join(p.one, rest), true
		}
	}
	return "", false
}

// The relative word is no subject: "that the singers have".
var objectClause = grammar.Must(`RELATIVE the|a|an|most|some|each|they|he|she|it|people|only|any|all|ever|not|ENTITY`)

// relativeClause turns "who have a song" behind the entity into "have a song".
func (r request) relativeClause() (string, bool) {
	verb, rest := r.Word(r.rest+1), r.Span(r.rest+2, r.last())
	if verb == "" || objectClause.Fits(r, r.rest) {
		return "", false
	}
	inflected, ok := agree(verb, r.several())
	if !r.each || r.many { // in the number that the question has it
		if !ok {
			inflected = verb
		}
		return join(inflected, rest), true
	}
	further := slices.ContainsFunc(r.Words[min(r.rest+2, len(r.Words)):], func(w string) bool { return slices.Contains([]string{"has", "does", "is"}, w) })
	return join(inflected, rest), ok && !further
}

// participles say what was done to an entity, or what it is doing: forms of verbs
// that can follow "are".
var participles = wordfile.Set(words.Words("participle"))

// nameColumn reports whether a column holds the names by which people know the
// rows: "name", "title", "song name", "airline".
func (s *subject) nameColumn(ref dataset.ColumnRef, entity string) bool {
	words := lexicon.Words(lexicon.Normal(s.db.Column(ref).Name))
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"first", "last", "middle", "given", "family", "nick"}, w)
	}) {
		return false
	}
	switch last := words[len(words)-1]; last {
	case "name", "title":
		return true
	default:
		return last == lexicon.Normal(entity) || last == english.Singular(strings.ToLower(entity))
	}
}

// asksForName reports whether an item of a request is the name of its entity: "name"
// alone, or with the entity's own words before it.
func (r request) asksForName(item phrase.Span) bool {
	name := item.End - 1
	return r.Is(name, "name", "names", "title", "titles") && !slices.ContainsFunc(r.Words[item.Start:name], func(w string) bool {
		return !slices.ContainsFunc(r.Words[r.entity.Start:r.entity.End], func(own string) bool { return english.SingularPhrase(own) == english.SingularPhrase(w) })
	})
}
