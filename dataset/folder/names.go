package folder

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// nameMaker makes natural names from the SQL names of a schema.
type nameMaker struct {
	abbreviations lexicon.Forms // abbreviations with their long forms
	words         lexicon.Dictionary
	vectors       *lexicon.Table
	entities      []string // last words of the names of the schema's tables, singular: what their rows are
	rowEntity     string   // that of the table whose columns are named
	firstWords    []string // first words of the names of its columns
}

// emptyDictionary is a dictionary without entries.
type emptyDictionary struct{}

// Synonyms returns nil: the dictionary has no entries.
func (emptyDictionary) Synonyms(string) []string { return nil }

// newNameMaker returns a nameMaker with the embedded dictionaries.
func newNameMaker() nameMaker {
	return nameMaker{
		abbreviations: lexicon.Forms{Dictionary: emptyDictionary{}, Abbreviations: lexicon.DefaultAbbreviations()},
		words:         lexicon.DefaultThesaurus(), vectors: lexicon.Default(),
	}
}

// database sets the natural names of all tables and columns of a schema. The names of the tables come first, because they
// expand abbreviations in the names of columns, for which [nameMaker.entity] uses n.entities, n.rowEntity and n.firstWords.
func (n nameMaker) database(db *dataset.Database) {
	originals := make([]string, len(db.Tables))
	for t := range db.Tables {
		originals[t] = db.Tables[t].Original
	}
	names := n.natural(originals)
	for _, name := range names {
		n.entities = append(n.entities, english.Singular(name[strings.LastIndex(name, " ")+1:]))
	}
	for t, name := range names {
		table := &db.Tables[t]
		table.Name, n.rowEntity = name, n.entities[t]
		columns := make([]string, len(table.Columns))
		n.firstWords = nil
		for c := range table.Columns {
			columns[c] = table.Columns[c].Original
			n.firstWords = append(n.firstWords, firstWord(columns[c]))
		}
		for c, name := range n.natural(columns) {
			table.Columns[c].Name = name
		}
	}
}

// firstWord returns the first word of an SQL name.
func firstWord(identifier string) string {
	first, _, _ := strings.Cut(identifierWords(identifier), " ")
	return first
}

// NaturalNames returns the natural names of the tables of a schema or of the columns of a table, in
// lower case: "cust_addr" becomes customer address.
func NaturalNames(identifiers []string) []string { return newNameMaker().natural(identifiers) }

// natural returns the natural names of the tables of a schema or of the columns of a table.
// Names that would be equal keep the words of their SQL names ("cust_no", "cust_nbr").
func (n nameMaker) natural(identifiers []string) []string {
	names, count := make([]string, len(identifiers)), map[string]int{}
	for i, id := range identifiers {
		names[i] = n.naturalName(id)
		count[names[i]]++
	}
	for i, id := range identifiers {
		if count[names[i]] > 1 {
			names[i] = identifierWords(id)
		}
	}
	return names
}

// naturalName returns the words of an SQL name in lower case, with abbreviations of one word
// written out: "cust_addr_nbr" becomes customer address number, "HTTPServer2" http server 2,
// "dormid" dorm id.
func (n nameMaker) naturalName(identifier string) string {
	parts := lists.FlatMap(lexicon.Words(identifier), n.splitHead)
	var out []string
	for i := 0; i < len(parts); i++ {
		if i+1 < len(parts) && len(parts[i]) == 1 {
			// LName is one abbreviation as lname is.
			if long := n.expand(parts[i] + parts[i+1]); long != "" {
				out = append(out, long)
				i++
				continue
			}
		}
		switch long := cmp.Or(n.entity(parts, i), n.expand(parts[i])); {
		case isNoForNumber(parts, i):
			out = append(out, "number")
		case long != "":
			out = append(out, long)
		default:
			out = append(out, parts[i])
		}
	}
	if len(out) == 0 {
		return identifierWords(identifier)
	}
	return strings.Join(out, " ")
}

// identifierWords returns the words of an SQL name, or the name itself if it has none.
func identifierWords(identifier string) string {
	if words := lexicon.Words(identifier); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return strings.ToLower(strings.ToValidUTF8(identifier, ""))
}

// isNoForNumber reports whether the word at index i is "no" for number, as in flight_no and
// no_of_flights: the last word, but not the only one, or before "of".
func isNoForNumber(words []string, i int) bool {
	if words[i] != "no" {
		return false
	}
	if i+1 == len(words) {
		return i > 0
	}
	return words[i+1] == "of"
}

// expand returns the long form of an abbreviation of at least three letters. It is "" if the
// abbreviation is ambiguous, if it is a word (max, rest), and for acronyms of several words that
// people use as they are (GDP, URL).
func (n nameMaker) expand(word string) string {
	if len(word) < 3 || slices.Contains(ambiguousWords, word) {
		return ""
	}
	long := n.abbreviations.Synonyms(word)
	if len(long) != 1 {
		return ""
	}
	parts := strings.Fields(long[0])
	if last := parts[len(parts)-1]; len(parts) > 1 {
		if len(word) > len(last) && strings.HasSuffix(word, last) { // fname and bdate are no acronyms
			return long[0]
		}
		return ""
	}
	if synonyms := n.words.Synonyms(word); len(synonyms) > 0 && !slices.Equal(synonyms, long) {
		return "" // a word of the dictionary with other meanings
	}
	return long[0]
}

// entity returns the entity that the word at index i, the first of a column's name, abbreviates by its beginning: "referral" for
// ref_date in the table referrals. It may be the entity of the table itself or, before a head noun alone, that of the only
// table of the schema that fits. It is "" for any other word, and for a word of the vocabulary, unless several
// columns of the table begin with it.
func (n nameMaker) entity(parts []string, i int) string {
	short := parts[0]
	abbreviates := func(entity string) bool { // by three letters or more, and with two letters or more left out
		return len(short) > 2 && len(entity) > len(short)+1 && strings.HasPrefix(entity, short)
	}
	if i > 0 || len(parts) < 2 || slices.Contains(n.entities, short) {
		return ""
	}
	hasHead := len(parts) == 2 && slices.Contains(headNouns, parts[1])
	// Several columns begin with it, as mat_code, mat_desc and mat_price of materials.
	isShared := abbreviates(n.rowEntity) && lists.Count(n.firstWords, func(w string) bool { return w == short }) > 1
	isAmbiguous := hasHead && slices.Contains(ambiguousWords, short) // before a head noun it is the abbreviation
	isWord := n.inVocabulary(short) && n.expand(short) == "" && !isAmbiguous
	found := slices.Compact(slices.Sorted(slices.Values(lists.Filter(n.entities, abbreviates))))
	switch {
	case isWord && !isShared: // it abbreviates nothing
	case abbreviates(n.rowEntity):
		return n.rowEntity
	case hasHead && len(found) == 1:
		return found[0]
	}
	return ""
}

// ambiguousWords are abbreviations that are as often English words, names or units.
var ambiguousWords = strings.Fields(`
	all amp api apps arch arm art bar bat bats ben book bro cal car cat chap char col com con cons cot dam del der dip
	dis dom ear end era exp far fan fed fig fin fit fog form fur gal gem gen hand his hit ice ill imp inn int its jam kit lab
	lap law lev lin lit log man mar mat max may men met mid min mod mop net nick norm not off one opt our own pan par
	para part pat pen per pet pic pin pit pop pro ram ran rand rap rat raw ray rec red rep res rest ret rib rod row sac sat saw sea
	see sen set sir son sou sub sum sun surf tab tan tax tea ten the thou tie tin ton top toy train use van var vet via vol volt
	war was web wed wet wit won yen zip long rad als ins own`)

// headNouns are words that end names of columns and are often written together with the word
// before.
var headNouns = []string{"id", "name", "date", "code", "number", "type", "year", "price", "grade", "count", "status", "address", "phone"}

// splitHead splits an unknown word before a head noun if the rest is a known word or
// abbreviation: dormid becomes dorm and id.
func (n nameMaker) splitHead(word string) []string {
	isKnown := func(w string) bool { return n.inVocabulary(w) || n.expand(w) != "" }
	if isKnown(word) {
		return []string{word}
	}
	for _, head := range headNouns {
		if rest, ok := strings.CutSuffix(word, head); ok && len(rest) >= 3 && isKnown(rest) {
			return []string{rest, head}
		}
	}
	return []string{word}
}

// inVocabulary reports whether a word, or its uninflected form, has a vector.
func (n nameMaker) inVocabulary(word string) bool {
	has := func(w string) bool { _, ok := n.vectors.Index(w); return ok }
	if has(word) {
		return true
	}
	return slices.ContainsFunc(english.Lemmas(word, has), has)
}
