package mtteql

import (
	_ "embed" // data/words.txt, data/prefixes.txt
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
)

var (
	//go:embed data/words.txt
	wordText string
	//go:embed data/prefixes.txt
	prefixText string
)

// words are the classes of words of data/words.txt.
var words = wordfile.ReadLists(wordText)

// grammar is of the patterns of this package: see [sentence.Class].
var grammar = phrase.MustGrammar("NOUN: !BOUNDARY|REDUCED WORD", nil,
	append(slices.Sorted(maps.Keys(words)), "ANY", "WORD", "QUOTED", "PLURAL", "REDUCED"))

// Patterns of what follows a prefix.
var (
	// question matches the beginning of a question.
	question = grammar.Must("QUESTION")
	// object matches what can be the object of a request.
	object = grammar.Must("(!NOOBJECT|QUESTION|MARK ANY)")
	// definite matches the beginning of a noun phrase that stands alone.
	definite = grammar.Must("DETERMINER|PLURAL")
	// anotherRequest matches a further request: "and list".
	anotherRequest = grammar.Must("and|,|or|also|then REQUEST")
	// stranded matches a preposition without its object.
	stranded = grammar.Must("STRANDED")
	// severalThings matches "the" before what is no figure.
	severalThings = grammar.Must("the !FIGURE")
	// people matches rows that are people: "the active tenants who".
	people = grammar.Must("all? the? NOUN NOUN? who")
	// nounPhrase matches a noun phrase with "the" or "all".
	nounPhrase = grammar.Must("(all the? / the) NOUN+ !QUOTED")
)

// prefix is a common prefix of table 2: the beginning of a question before the thing that it asks for.
type prefix struct {
	words   string
	follows []string // of a request: "noun" phrase and "question", as far as they may follow
	ahead   bool     // it can precede any question, whose words and mark stay
	verb    string   // of a question
	mark    string   // that ends the sentence
}

// isPolite reports whether a prefix has the word "please".
func (p prefix) isPolite() bool { return strings.Contains(p.words, "please") }

// isPolite reports whether the question has the word "please", so that a prefix with it would repeat the word.
func (s *sentence) isPolite() bool {
	return slices.ContainsFunc(english.Tokens(s.Text), func(t english.Token) bool { return strings.EqualFold(t.Of(s.Text), "please") })
}

var prefixes = readPrefixes()

// readPrefixes reads data/prefixes.txt. A row has the kind, the words, what may follow them (for a question its verb), and the mark that
// ends the sentence: "request | tell me | noun question | ." Kind "ahead" takes any question as it is.
func readPrefixes() []prefix {
	var out []prefix
	for _, row := range wordfile.Rows(prefixText, 4) {
		p := prefix{words: row[1], mark: row[3], ahead: row[0] == "ahead"}
		if row[0] == "question" {
			p.verb = row[2]
		} else {
			p.follows = strings.Fields(row[2])
		}
		out = append(out, p)
	}
	return out
}

// opening is the common prefix that a question begins with.
type opening struct {
	prefix
	body int // the token after it
	// clause is true if the body is a question of its own: "tell me how many".
	clause bool
}

// opening returns the longest common prefix that the sentence begins with. ok is false if there is none, or nothing follows it.
func (s *sentence) opening() (o opening, ok bool) {
	for _, p := range prefixes {
		if end, is := s.Has(0, p.words); is && end > o.body {
			o = opening{prefix: p, body: end, clause: p.verb == "" && question.Fits(s, end)}
		}
	}
	return o, o.body > 0 && o.body < len(s.Tokens)
}

// isOneNounPhrase reports whether the sentence from the token at body on seems to be one noun phrase: it begins as one, no other
// request follows, and no preposition at its end lacks its object ("the students whom the teacher talks to").
func (s *sentence) isOneNounPhrase(body int) bool {
	end := len(s.Tokens)
	return object.Fits(s, body) && !stranded.Fits(s, end-1) && !anotherRequest.Within(s, body+1, end)
}

// plainWord matches a word of letters alone.
var plainWord = lazyregexp.New(`^[a-z]+$`)

// verbFor returns the verb for the noun phrase at the token body: "is" for "the name", "are" for "the names" and for "the name
// and age". ok is false if the number of the phrase is not certain: it must begin with "the" or "all", and a singular one must
// begin with "the" and end in a word of letters that is no participle.
func (s *sentence) verbFor(body int) (verb string, ok bool) {
	m, ok := nounPhrase.At(s, body)
	if !ok {
		return "", false
	}
	head := s.Words[m.End-1]
	if english.IsPlural(head) || s.Is(m.End, ",", "and") {
		return "are", true
	}
	return "is", s.Word(body) == "the" && plainWord.MatchString(head) && !strings.HasSuffix(head, "ed")
}
