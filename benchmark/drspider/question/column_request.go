package question

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/lexicon"
)

// request is a question that asks for columns of an entity: "What are the names
// and ages of the singers that …".
type request struct {
	*subject
	items       []phrase.Span // the columns, without articles
	entity      phrase.Span   // without articles
	ofEach      bool          // "of each singer"
	isPlural    bool          // of the entity
	afterEntity int           // the first token after the entity
	others      string        // what the request asks for after the name: "their ages and countries"
}

var (
	// requested matches a request for columns: "What are the names and ages".
	requested = grammar.Must("^ OPENING ITEM (JOIN ITEM)*")
	// ofEntities matches the entity of a request: "of all singers".
	ofEntities = grammar.Must(`of|for det=all|the|of|each|every|any|those* [(CONTENT&!ENTITY* ENTITY)+]
		!CONTENT&!PARTICIPLE&!COMPARATIVE !and|or|'|"|’|'s|of !(, !ORDERS)`)
)

// request reads the question as a request for columns of an entity. It returns false for other questions.
func (s *subject) request() (request, bool) {
	r := request{subject: s}
	m, ok := requested.At(s, 0)
	if !ok {
		return r, false
	}
	r.items = m.Each("item")
	if !s.Is(m.End, "of", "for") { // "What are the stadium names?"
		return r, len(r.items) == 1 && r.readCompound()
	}
	return r, r.readEntity(m.End)
}

// sentenceMark is a mark within a question of several sentences.
var sentenceMark = grammar.Must(".|?|;")

// readEntity reads the entity after the token i, which is "of" or "for". It returns false if no entity follows, the entity has an
// apostrophe, or the question has several sentences.
func (r *request) readEntity(i int) bool {
	m, ok := ofEntities.At(r, i)
	if !ok || sentenceMark.Within(r, 0, r.last()) || strings.ContainsAny(r.words(m.Part), "'’") {
		return false
	}
	det := m.Get("det")
	r.entity, r.afterEntity, r.isPlural = m.Part, m.Part.End, english.IsPlural(r.Word(m.Part.End-1))
	r.ofEach = eachOne.Within(r, det.Start, det.End)
	if allOf.Within(r, det.Start, det.End) && !r.isPlural { // "all singer" asks for several rows too
		r.ofEach = true
	}
	return true
}

var (
	// eachOne matches a determiner of single rows.
	eachOne = grammar.Must("each|every")
	// allOf matches "all".
	allOf = grammar.Must("all")
)

// readCompound splits the only item of a request, "stadium names", into the entity "stadium" and its column "names". It returns false
// if the first part is no entity.
func (r *request) readCompound() bool {
	item := r.items[0]
	r.entity, r.afterEntity = phrase.Span{Start: item.Start, End: item.End - 1}, item.End
	r.isPlural = english.IsPlural(r.Word(item.End - 1))
	r.items[0].Start = item.End - 1
	if r.entity.Empty() || r.Is(r.afterEntity, "and", "or", "by", ",") {
		return false
	}
	return r.isEntity(r.Word(item.End - 2))
}

// asksForSeveral reports whether the request asks for more than one row.
func (r request) asksForSeveral() bool { return r.ofEach || r.isPlural }

// isOfPerson reports whether the entity is a person.
func (r request) isOfPerson() bool { return isPerson(r.Word(r.entity.End - 1)) }

// noun returns the words for the entity, in the plural if the request asks for several rows.
func (r request) noun() string {
	if r.asksForSeveral() {
		return english.Plural(r.words(r.entity))
	}
	return r.words(r.entity)
}

var (
	// onlySorts matches words that sort and say nothing else.
	onlySorts = grammar.Must("ORDERS")
	// sortsAt matches a verb of sorting.
	sortsAt = grammar.Must("ordered|sorted|arranged|sort|order")
	// verbNext matches an auxiliary verb.
	verbNext = grammar.Must("BE|HAVE|do|does|did")
	// twoClauses matches a second relative clause: "and who".
	twoClauses = grammar.Must("and|or|but for|in|of|to|with|on|by|from|at* which|whom|whose|who|that|where")
)

// tailOnlySorts reports whether what follows the entity only sorts.
func (r request) tailOnlySorts() bool { return onlySorts.Fits(r, r.afterEntity) }

// hasOrder reports whether the question names an order anywhere after the entity.
func (r request) hasOrder() bool { return sortsAt.Within(r, r.afterEntity, len(r.Words)) }

// lacksPronoun reports whether a verb follows the entity, so that "that" is missing.
func (r request) lacksPronoun() bool { return verbNext.Fits(r, r.afterEntity) }

// tail returns the words after the entity, up to the closing mark. If they only sort, it leaves out their opening, such as
// ", and that are".
func (r request) tail() string {
	i := r.afterEntity
	if r.tailOnlySorts() {
		i = r.Skip(i, ",", "and", "that", "are")
	}
	return r.Span(i, r.last())
}

// predicates are phrases that can follow an entity, with the verb that they take after "which singers": "with a song"
// becomes "have a song". The words from the pattern's part on stay.
var predicates = []struct {
	*phrase.Pattern
	one, many string
}{
	{grammar.Must("having []"), "has", "have"},
	{grammar.Must("with !(the name) []"), "has", "have"},
	{grammar.Must("without any|a|an|single* []"), "has no", "have no"},
	{grammar.Must("[PARTICIPLE before|after|since]"), "was", "were"}, // "hired before 2015"
	{grammar.Must("[(not PARTICIPLE / PARTICIPLE / COMPARATIVE than / in|from|at|on|by)]"), "is", "are"},
}

// predicate turns the words after the entity into words that can follow "which
// singers": "who have a song" into "have a song", "with a song" into "have a
// song", "in France" into "are in France". It returns false if it knows no such words.
func (r request) predicate() (string, bool) {
	switch {
	case twoClauses.Within(r, r.afterEntity, len(r.Words)):
		return "", false // "that are in Asia and for which"
	case r.Is(r.afterEntity, "that", "who", "which"):
		return r.relativeClause()
	case r.lacksPronoun():
		verb, ok := agree(r.Word(r.afterEntity), r.asksForSeveral())
		return join(verb, r.Span(r.afterEntity+1, r.last())), ok
	case r.tailOnlySorts():
		return "", false
	}
	for _, p := range predicates {
		if m, ok := p.At(r, r.afterEntity); ok {
			rest := r.Span(m.Part.Start, r.last())
			if r.asksForSeveral() {
				return join(p.many, rest), true
			}
			return join(p.one, rest), true
		}
	}
	return "", false
}

// objectClause is a relative clause with another subject: "that the singers have".
var objectClause = grammar.Must(`RELATIVE the|a|an|most|some|each|they|he|she|it|people|only|any|all|ever|not|ENTITY`)

// singularBe matches verbs whose form shows that one thing is meant.
var singularBe = grammar.Must("has|does|is")

// relativeClause turns "who have a song" after the entity into "have a song". It returns false if the pronoun is not the subject of the
// clause, or if a verb would have to change its number and cannot.
func (r request) relativeClause() (string, bool) {
	verb, rest := r.Word(r.afterEntity+1), r.Span(r.afterEntity+2, r.last())
	if verb == "" || objectClause.Fits(r, r.afterEntity) {
		return "", false
	}
	inflected, ok := agree(verb, r.asksForSeveral())
	if r.ofEach && !r.isPlural { // "each singer who has" becomes "which singers have"
		return join(inflected, rest), ok && !singularBe.Within(r, r.afterEntity+2, len(r.Words))
	}
	return join(cmp.Or(inflected, verb), rest), true // a verb of unknown forms agrees with the entity already
}

// participles say what was done to an entity, or what it is doing: forms of verbs
// that can follow "are".
var participles = wordfile.Set(words.Words("participle"))

// isNameColumn reports whether a column holds the names of the rows, which questions call entity: its own name ends in "name",
// "title" or the entity ("airline" for airlines), and is no part of a person's name.
func (s *subject) isNameColumn(ref dataset.ColumnRef, entity string) bool {
	name := lexicon.Words(lexicon.Normal(s.db.Column(ref).Name))
	if len(name) == 0 || slices.ContainsFunc(name, isPartOfName) {
		return false
	}
	last := name[len(name)-1]
	return slices.Contains([]string{"name", "title", lexicon.Normal(entity), english.Singular(strings.ToLower(entity))}, last)
}

// isPartOfName reports whether a word parts a person's name: "first" of "first name".
func isPartOfName(word string) bool { return slices.Contains(words.Words("part of a name"), word) }

// asksForName reports whether an item of a request asks for the name or title of its entity: "name"
// alone, or after words of the entity ("singer name").
func (r request) asksForName(item phrase.Span) bool {
	entity := r.singulars(r.entity)
	name := item.End - 1
	for _, w := range r.singulars(phrase.Span{Start: item.Start, End: name}) {
		if !slices.Contains(entity, w) {
			return false
		}
	}
	return r.Is(name, "name", "names", "title", "titles")
}

// singulars returns the words of a span, each in the singular.
func (r request) singulars(at phrase.Span) []string {
	return lists.Map(r.Words[at.Start:at.End], english.SingularPhrase)
}

// agree returns a verb in the plural if many is set, else in the singular: "have" for "has". It returns false if it does not know the
// verb's forms.
func agree(verb string, many bool) (string, bool) {
	for _, p := range [][2]string{{"is", "are"}, {"was", "were"}, {"has", "have"}, {"does", "do"}, {"doesn't", "don't"}, {"isn't", "aren't"}} {
		if slices.Contains(p[:], verb) {
			return map[bool]string{false: p[0], true: p[1]}[many], true
		}
	}
	if uninflected.MatchString(verb) {
		return verb, true // one form for both numbers
	}
	return "", false
}

// uninflected matches verbs of one form for one and for many.
var uninflected = lazyregexp.New(`(ed|^(had|did|can|could|will|won|went|got|made|took|came))$`)
