package folder

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// namer makes natural names of the identifiers of a schema.
type namer struct {
	short   lexicon.Forms // abbreviations that stand for one word alone
	words   lexicon.Dictionary
	vectors *lexicon.Table
}

// noWords is a dictionary without entries.
type noWords struct{}

func (noWords) Synonyms(string) []string { return nil }

// newNamer returns a namer with the embedded dictionaries.
func newNamer() namer {
	return namer{
		short: lexicon.Forms{Dictionary: noWords{}, Abbreviations: lexicon.DefaultAbbreviations()},
		words: lexicon.DefaultThesaurus(), vectors: lexicon.Default(),
	}
}

// database gives all tables and columns of a schema their natural names.
func (n namer) database(db *dataset.Database) {
	originals := make([]string, len(db.Tables))
	for t := range db.Tables {
		originals[t] = db.Tables[t].Original
	}
	for t, name := range n.all(originals) {
		table := &db.Tables[t]
		table.Name = name
		columns := make([]string, len(table.Columns))
		for c := range table.Columns {
			columns[c] = table.Columns[c].Original
		}
		for c, name := range n.all(columns) {
			table.Columns[c].Name = name
		}
	}
}

// all returns the natural names of identifiers that stand side by side. Of those that
// would have the same name each keeps its own words ("cust_no", "cust_nbr").
func (n namer) all(identifiers []string) []string {
	names, count := make([]string, len(identifiers)), map[string]int{}
	for i, id := range identifiers {
		names[i] = n.name(id)
		count[names[i]]++
	}
	for i, id := range identifiers {
		if count[names[i]] > 1 {
			names[i] = plainName(id)
		}
	}
	return names
}

// name returns the words that an identifier of SQL is made of, in lower case:
// "cust_addr_nbr" is customer address number, "HTTPServer2" http server 2, "dormid"
// dorm id. Abbreviations that stand for one word alone are written out.
func (n namer) name(identifier string) string {
	var parts []string
	for _, w := range lexicon.Words(identifier) {
		parts = append(parts, n.split(w)...)
	}
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
		switch long := n.expand(parts[i]); {
		case isNumber(parts, i):
			out = append(out, "number")
		case long != "":
			out = append(out, long)
		default:
			out = append(out, parts[i])
		}
	}
	if len(out) == 0 {
		return plainName(identifier)
	}
	return strings.Join(out, " ")
}

// plainName returns the words of an identifier, or the identifier if it has none.
func plainName(identifier string) string {
	if words := lexicon.Words(identifier); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return strings.ToLower(strings.ToValidUTF8(identifier, ""))
}

// isNumber reports whether word i is "no" for number, as in flight_no and no_of_flights.
func isNumber(words []string, i int) bool {
	if words[i] != "no" {
		return false
	}
	if i+1 == len(words) {
		return i > 0
	}
	return words[i+1] == "of"
}

// expand returns the long form of an abbreviation of three or more letters; "" if it is uncertain,
// for acronyms of several words that people use (GDP, URL), and for words (max, rest).
func (n namer) expand(word string) string {
	if len(word) < 3 || slices.Contains(ordinary, word) {
		return ""
	}
	long := n.short.Synonyms(word)
	if len(long) != 1 {
		return ""
	}
	parts := strings.Fields(long[0])
	if last := parts[len(parts)-1]; len(parts) > 1 {
		if len(word) > len(last) && strings.HasSuffix(word, last) { // fname, bdate
			return long[0]
		}
		return ""
	}
	if known := n.words.Synonyms(word); len(known) > 0 && !slices.Equal(known, long) {
		return ""
	}
	return long[0]
}

// ordinary are listed abbreviations that are as often English words, names or
// units by themselves.
var ordinary = strings.Fields(`
	all amp api apps arch arm art bar bat bats ben book bro cal car cat chap char col com con cons cot dam del der dip
	dis dom ear end era exp far fan fed fig fin fit fog form fur gal gem gen hand his hit ice ill imp inn int its jam kit lab
	lap law lev lin lit log man mar mat max may men met mid min mod mop net nick norm not off one opt our own pan par
	para part pat pen per pet pic pin pit pop pro ram ran rand rap rat raw ray rec red rep res rest ret rib rod row sac sat saw sea
	see sen set sir son sou sub sum sun surf tab tan tax tea ten the thou tie tin ton top toy train use van var vet via vol volt
	war was web wed wet wit won yen zip long rad als ins own`)

// heads are words that end the names of columns and are often written together with
// the word before them.
var heads = []string{"id", "name", "date", "code", "number", "type", "year", "price", "grade", "count", "status", "address", "phone"}

// split splits an unknown word before one of the heads, if a known word or abbreviation is left:
// dormid → dorm id, custname, hiredate.
func (n namer) split(word string) []string {
	if n.known(word) || n.expand(word) != "" {
		return []string{word}
	}
	for _, head := range heads {
		rest, ok := strings.CutSuffix(word, head)
		if ok && len(rest) >= 3 && (n.known(rest) || n.expand(rest) != "") {
			return []string{rest, head}
		}
	}
	return []string{word}
}

// known reports whether a word, or its uninflected form, has a vector.
func (n namer) known(word string) bool {
	has := func(w string) bool { _, ok := n.vectors.Index(w); return ok }
	if has(word) {
		return true
	}
	return slices.ContainsFunc(english.Lemmas(word, has), has)
}
