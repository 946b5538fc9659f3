package question

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

// request is a question that asks for columns of an entity: "What are the names
// and ages of the singers that …".
type request struct {
	items      [][2]int // tokens of each column, without articles
	start, end int      // tokens of the entity, without articles
	each       bool     // "of each singer"
	many       bool     // the entity is in the plural
	rest       int      // where what follows the entity begins
}

// request reads the question as one, or returns false.
func (s *subject) request() (request, bool) {
	var r request
	i, ok := s.opening()
	if !ok {
		return r, false
	}
	for {
		i = s.skip(i, "the", "all", "different", "distinct", "unique", "of", "a", "each", "every")
		from := i
		for s.isContent(i) && i-from < 5 {
			i++
		}
		if i == from || !s.ends(i) {
			return r, false
		}
		r.items = append(r.items, [2]int{from, i})
		next := s.skip(i, ",")
		next = s.skip(next, "and")
		if end, ok := s.firstOf(next, []string{"as well as", "along with", "together with"}); ok {
			next = end
		}
		if next == i || len(r.items) > 6 {
			break
		}
		i = next
	}
	if !s.is(i, "of", "for") {
		return r, len(r.items) == 1 && s.compound(&r)
	}
	return r, s.entity(&r, i+1)
}

// entity reads the entity at i, after "of".
func (s *subject) entity(r *request, i int) bool {
	all := false
	for s.is(i, "all", "the", "of", "each", "every", "any", "those") {
		r.each = r.each || s.is(i, "each", "every")
		all = all || s.is(i, "all")
		i++
	}
	r.start, r.end = i, i
	for k := i; s.isContent(k); k++ {
		if s.isEntity(s.at(k)) {
			r.end = k + 1
		}
	}
	if r.end == r.start || slices.ContainsFunc(s.low[r.start:r.end], func(w string) bool { return strings.ContainsAny(w, "'’") }) {
		return false
	}
	r.rest, r.many = r.end, isPlural(s.at(r.end-1))
	r.each = r.each || all && !r.many
	if slices.ContainsFunc(s.low[:s.last()], func(w string) bool { return w == "." || w == "?" || w == ";" }) {
		return false // more than one sentence
	}
	if s.isContent(r.rest) && !participles[s.at(r.rest)] && !strings.HasSuffix(s.at(r.rest), "er") {
		return false
	}
	return !s.is(r.rest, "and", "or", ",", "'", "\"", "’", "'s", "of") || s.is(r.rest, ",") && s.ordered(r.rest)
}

// compound splits "stadium names" into the entity and its column.
func (s *subject) compound(r *request) bool {
	from, to := r.items[0][0], r.items[0][1]
	if to-from < 2 || !s.isEntity(s.at(to-2)) || s.is(to, "and", "or", "by", ",") && !s.ordered(to) {
		return false
	}
	r.start, r.end, r.rest = from, to-1, to
	r.many = isPlural(s.at(to - 1))
	r.items[0][0] = to - 1
	return true
}

// noun is the entity, in the plural where each one is asked for.
func (s *subject) noun(r request) string {
	noun := s.span(r.start, r.end)
	if r.each || r.many {
		return plural(noun)
	}
	return noun
}

// contains tells whether a word stands anywhere from i on.
func (s sentence) contains(i int, word string) bool {
	return i < len(s.low) && slices.Contains(s.low[i:], word)
}

// tail is what follows the entity.
func (s *subject) tail(r request) string {
	i := r.rest
	if s.ordered(i) {
		i = s.skip(i, ",", "and", "that", "are")
	}
	return s.span(i, s.last())
}

// ordered tells whether what begins at i only sorts.
func (s *subject) ordered(i int) bool {
	i = s.skip(i, ",", "and", "that", "are")
	return s.is(i, "ordered", "sorted", "arranged", "listed", "sort", "order", "ranked") ||
		s.is(i, "in") && (s.is(i+1, "ascending", "descending", "alphabetical", "alphabetic", "order", "reverse", "reversed", "lexicographical", "increasing", "decreasing") ||
			s.is(i+1, "the") && s.is(i+2, "order"))
}

// sorts tells whether the question says anywhere from i on how to sort.
func (s *subject) sorts(i int) bool {
	for ; i < len(s.low); i++ {
		if s.is(i, "ordered", "sorted", "arranged", "sort", "order") {
			return true
		}
	}
	return false
}

// relatesTwice tells whether a second relative clause is joined to what stands from
// i on: "that are in Asia and for which".
func (s *subject) relatesTwice(i int) bool {
	for ; i < len(s.low); i++ {
		if s.is(i, "and", "or", "but") && s.is(s.skip(i+1, "for", "in", "of", "to", "with", "on", "by", "from", "at"), "which", "whom", "whose", "who", "that", "where") {
			return true
		}
	}
	return false
}

// predicate turns what follows the entity into what can stand behind "which
// singers": "who have a song" into "have a song", "with a song" into "have a
// song", "in France" into "are in France".
func (s *subject) predicate(r request) (string, bool) {
	i, many := r.rest, r.many || r.each
	have, be := "has", "is"
	if s.relatesTwice(i) {
		return "", false
	}
	if many {
		have, be = "have", "are"
	}
	switch {
	case s.is(i, "that", "who", "which"):
		verb := s.at(i + 1)
		if s.is(i+1, "the", "a", "an", "most", "some", "each", "they", "he", "she", "it", "people", "only", "any", "all", "ever", "not", "were", "had", "did") && !s.is(i+1, "were", "had", "did") || s.isEntity(verb) || verb == "" {
			return "", false
		}
		v, ok := agree(verb, many)
		if !ok && (!r.each || r.many) {
			v, ok = verb, true // in the number that the question has it
		}
		if r.each && !r.many && (s.contains(i+2, "has") || s.contains(i+2, "does") || s.contains(i+2, "is")) {
			return "", false
		}
		return join(v, s.span(i+2, s.last())), ok
	case s.is(i, "is", "are", "was", "were", "has", "have", "had", "do", "does", "did"): // "that" is missing
		v, ok := agree(s.at(i), many)
		return join(v, s.span(i+1, s.last())), ok
	case s.is(i, "with", "having"):
		return join(have, s.span(i+1, s.last())), s.is(i, "having") || !s.is(i+1, "the") || !s.is(i+2, "name")
	case s.is(i, "without"):
		return have + " no " + s.span(s.skip(i+1, "any", "a", "an", "single"), s.last()), true
	case s.is(i, "not") && participles[s.at(i+1)], participles[s.at(i)], strings.HasSuffix(s.at(i), "er") && s.is(i+1, "than"):
		return be + " " + s.tail(r), true
	case s.is(i, "in", "from", "at", "on", "by") && !s.ordered(i) && !s.has(i, "in the") || s.has(i, "in the") && !s.ordered(i):
		return be + " " + s.tail(r), true
	}
	return "", false
}

// participles say what was done to an entity, or what it is doing: forms of verbs
// that can follow "are".
var participles = wordSet(`used aged located owned directed written founded held made born built produced hired created offered
	taught shared spoken named called published released opened served situated based enrolled registered employed associated
	treated manufactured affiliated considered
	living working playing departing arriving leaving landing teaching running`)

// nameColumn tells whether a column holds the names by which people know the
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
		return last == lexicon.Normal(entity) || last == lexicon.Singular(strings.ToLower(entity))
	}
}

// asksForName tells whether an item of a request is the name of its entity: "name"
// alone, or with the entity's own words before it.
func (s *subject) asksForName(r request, item [2]int) bool {
	if !s.is(item[1]-1, "name", "names", "title", "titles") {
		return false
	}
	for i := item[0]; i < item[1]-1; i++ {
		own := slices.ContainsFunc(s.low[r.start:r.end], func(w string) bool { return singular(w) == singular(s.at(i)) })
		if !own {
			return false
		}
	}
	return true
}
