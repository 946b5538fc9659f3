package questionpair

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word     Kind = iota // of content
	Number               // in digits
	Operator             // what rules.txt writes with "@"
)

// Token is a part of a question that bears meaning.
type Token struct {
	Kind    Kind
	Text    string // base form; several words where they are one term
	Stem    string // of a Word
	Value   bool   // quoted, or a name by its capital
	Implied bool   // not written itself: the age in "oldest"
	Role    Role   // by the preposition before it
	Verb    bool   // by its ending: "located", "playing"
	Place   bool   // a country or the like
	Listed  bool   // next to a comma or "and": one of several things
}

// isWord reports whether a token is a word of content.
func (t Token) isWord() bool { return t.Kind == Word }

// isPlain reports whether a token is neither implied nor a value.
func (t Token) isPlain() bool { return !t.Implied && !t.Value }

// Role is the part that a value plays by the preposition before it.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	From
	To
)

// Question is a question made ready to be compared.
type Question struct {
	Text   string // words in lower case, for the test on identity
	Tokens []Token
}

// Read makes a question ready.
func (e *Extractor) Read(question string) Question {
	words := split(question)
	r := reader{e: e, words: words}
	for r.at < len(words) {
		r.next()
	}
	e.imply(r.tokens)
	text := strings.Join(lists.Map(words, func(w word) string { return w.text }), " ")
	return Question{Text: text, Tokens: r.tokens}
}

// reader turns the words of a question into tokens.
type reader struct {
	e      *Extractor
	words  []word
	at     int // position of the next word
	tokens []Token
	role   Role // by the last preposition, for the value after it
	list   bool // a comma or "and" came since the last token
}

// next reads the next words: a quoted one, the phrase of a rule, a number, or one word.
func (r *reader) next() {
	words := r.words[r.at:]
	w := words[0]
	r.list = r.list || w.listed
	if w.quoted {
		r.quoted(words)
		return
	}
	if !r.isNumber(words) {
		if rule, number, width := r.e.rules.match(words); rule != nil && !r.partOfName(rule) {
			r.apply(rule, number)
			r.setRole(words[width-1].text)
			r.list = r.list || joins(rule.phrase)
			r.at += width
			return
		}
	}
	if n, ok := readNumber(words); ok {
		r.put(Token{Kind: Number, Text: n.text})
		r.at += n.words
		return
	}
	r.at++
	r.word(w.text, w.proper || unicode.IsDigit(rune(w.text[0]))) // names and codes are values
}

// isNumber reports whether the first of words is "one" as a number, not as a
// pronoun: the number follows a comparison.
func (r *reader) isNumber(words []word) bool {
	return r.at > 0 && words[0].text == "one" && slices.Contains(comparisons, r.words[r.at-1].text)
}

var comparisons = strings.Fields("only exactly just than least over above below under")

// partOfName reports whether the next words, the phrase of a rule that begins like a
// count, are part of a column's name instead: "number of" in "phone number of".
func (r *reader) partOfName(rule *rule) bool {
	switch first := rule.phrase[0]; {
	case r.at == 0 || !slices.Contains(counts, first):
		return false
	case slices.Equal(rule.phrase, []string{"order"}):
		return true // a purchase: where "order" means to sort, the phrase of the rule goes on with "by"
	case len(r.tokens) == 0 || first == "total":
		return false
	}
	last := r.last() // a word of content, directly before the phrase, makes it part of a name
	return last.isWord() && last.isPlain() && !r.e.drops(r.words[r.at-1].text)
}

// counts are words that a count begins with, but a column's name ends with.
var counts = []string{"number", "numbers", "order", "total"}

// drops reports whether a rule drops a word: alone it has no meaning.
func (e *Extractor) drops(text string) bool {
	return slices.ContainsFunc(e.rules[text], func(rule rule) bool { return len(rule.phrase) == 1 && len(rule.output) == 0 })
}

// quoted reads the first of words, which is in a quotation: as a number, a place or another value, never as an operator.
func (r *reader) quoted(words []word) {
	r.at++
	if n, ok := readNumber(words[:1]); ok {
		r.put(Token{Kind: Number, Text: n.text})
		return
	}
	if r.e.drops(words[0].text) && len(words[0].text) > 1 {
		return // a single letter may be a value
	}
	for _, rule := range r.e.rules[words[0].text] {
		if len(rule.phrase) == 1 && len(rule.output) > 0 && strings.HasPrefix(rule.output[0], placeMark) {
			r.place(rule.output[0][len(placeMark):])
			return
		}
	}
	r.word(words[0].text, true)
}

// apply appends the tokens that a rule has for its phrase: an operator for "@NAME", the number in the phrase for "%", a
// place, an implied word for "NAME?", or a word. A bound that includes a whole number becomes a strict one: "at least 4"
// is "more than 3". "At least one" adds no bound.
func (r *reader) apply(rule *rule, number string) {
	some := number == "1" && rule.output[0] == "@GE" // "at least one"
	for _, out := range rule.output {
		name, operator := strings.CutPrefix(out, "@")
		place, isPlace := strings.CutPrefix(out, placeMark)
		implied, isImplied := strings.CutSuffix(out, "?")
		switch {
		case some && (operator || out == "%"): // no bound
		case operator:
			name, number = strict(name, number)
			r.put(Token{Kind: Operator, Text: name})
		case out == "%":
			r.put(Token{Kind: Number, Text: number})
		case isPlace:
			r.place(place)
		case isImplied:
			r.put(r.e.token(implied, false, true))
		default:
			r.word(out, false)
		}
	}
}

// strict turns an operator whose bound includes the number into one that excludes it, with the next
// number; others stay.
func strict(operator, number string) (string, string) {
	bound, isBound := strictBounds[operator]
	if next, ok := shift(number, bound.by); ok && isBound {
		return bound.operator, next
	}
	return operator, number
}

// strictBounds has, for an operator whose bound includes the number, the strict operator and what is added to
// the number: "at least 4" is "more than 3".
var strictBounds = map[string]struct {
	operator string
	by       float64
}{"GE": {"GT", -1}, "LE": {"LT", 1}}

// place appends the token of a place, by its name in places.txt.
func (r *reader) place(name string) {
	r.word(name, true)
	r.last().Place = true
}

// word appends the token of a word. After "gender" the letters f and m are spelled out.
func (r *reader) word(text string, value bool) {
	if r.last().Text == "gender" {
		text = cmp.Or(genders[text], text)
	}
	r.put(r.e.token(text, value, false))
}

// genders are the forms that cells have.
var genders = map[string]string{"f": "female", "m": "male"}

// last returns the last token, a blank one if there is none.
func (r *reader) last() *Token {
	if len(r.tokens) == 0 {
		return &Token{}
	}
	return &r.tokens[len(r.tokens)-1]
}

// put appends a token with its role, and marks it and the one before it as listed after a comma or "and".
func (r *reader) put(t Token) {
	if t.Kind != Operator {
		t.Role = r.role
	}
	if !t.Value { // the role holds for the values that follow the preposition
		r.role = NoRole
	}
	if t.Kind == Operator && r.last().sameAs(t) {
		return // "different unique", "sorted in order"
	}
	if t.Kind == Word && r.list {
		t.Listed, r.last().Listed = true, true
	}
	r.list = r.list && t.Kind != Word
	r.tokens = append(r.tokens, t)
}

// joins reports whether a phrase adds one thing to another.
func joins(phrase []string) bool {
	switch phrase[0] {
	case "and", "also", "along", "together", "plus":
		return true
	case "as":
		return len(phrase) > 1 // "as well as"
	}
	return false
}

// setRole stores the role that the word text gives to the value after it: that of a preposition such as "from", else NoRole. A word that
// may be between a preposition and its value, such as "the", changes nothing.
func (r *reader) setRole(text string) {
	if !slices.Contains(beforeValues, text) {
		r.role = prepositions[text]
	}
}

var (
	prepositions = map[string]Role{"from": From, "to": To, "into": To}
	beforeValues = []string{"the", "airport", "city", "a", "an"} // may be between a preposition and its value
)

// token makes a word's token. A term of several words is its own base form.
func (e *Extractor) token(text string, value, implied bool) Token {
	entry := e.entry(text)
	verb := entry.base != text && (strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ing"))
	return Token{Kind: Word, Text: entry.base, Stem: entry.stem, Value: value, Implied: implied, Verb: verb}
}

// operators are the names of all operators, in the order of their features.
var operators = []string{
	"COUNT", "SUM", "AVG", "HIGH", "LOW", "GT", "LT", "GE", "LE", "BETWEEN", "EQ", "LIKE", "NOT",
	"DISTINCT", "EACH", "OR", "AND", "SORT", "ASC", "DESC", "WHO", "WHEN", "WHERE",
}
