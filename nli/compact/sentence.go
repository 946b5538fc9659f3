package compact

import "strings"

// types are the column types that a sentence may end in, as "(type)".
var types = []string{"text", "number", "time", "boolean", "others", "real"}

// longName is the number of words that a column and its entity have at most: a
// pair with more is one of sentences, which lose also the words that both end
// with.
const longName = 8

// Columns takes the column names out of a pair of sentences
// "{entity} {column} ({type})" (ADVETA, section 4.4), and what they have in
// common before them. The type is cut where there is one. Where the entity ends
// cannot be told, so all words that both begin with are its context, but for a
// last word each: "breed name" against "breed code" reads "name" against "code"
// in the context "breed". Sentences that are equal are returned whole.
//
// With the last word of the context the names are wide: "political party" is a
// term, of which "party" is but a part.
func Columns(premise, hypothesis string) (p Parts) {
	premise, hypothesis = trimType(premise), trimType(hypothesis)
	p.A, p.B, p.WideA, p.WideB = premise, hypothesis, premise, hypothesis
	for {
		x, restA := cutFirst(p.A)
		y, restB := cutFirst(p.B)
		if restA == "" || restB == "" || !strings.EqualFold(x, y) {
			break
		}
		p.WideA, p.WideB = p.A, p.B
		p.A, p.B = restA, restB
	}
	if strings.EqualFold(p.A, p.B) {
		return Parts{A: premise, B: hypothesis, WideA: premise, WideB: hypothesis}
	}
	p.Context = strings.TrimSpace(premise[:len(premise)-len(p.A)])
	for sentences := long(premise) || long(hypothesis); sentences; {
		restA, x := cutLast(p.A)
		restB, y := cutLast(p.B)
		if restA == "" || restB == "" || !strings.EqualFold(x, y) {
			break
		}
		p.A, p.B = restA, restB
	}
	return p
}

// Parts are the parts of a pair of sentences; without a context the wide names
// are the names.
type Parts struct{ Context, A, B, WideA, WideB string }

// long tells whether s has more than longName words.
func long(s string) bool {
	for range longName {
		if _, s = cutFirst(s); s == "" {
			return false
		}
	}
	return true
}

// cutFirst splits off the first word.
func cutFirst(s string) (word, rest string) {
	at := strings.IndexAny(s, " \t\n\r")
	if at < 0 {
		return s, ""
	}
	return s[:at], strings.TrimSpace(s[at:])
}

// cutLast splits off the last word.
func cutLast(s string) (rest, word string) {
	at := strings.LastIndexAny(s, " \t\n\r")
	if at < 0 {
		return "", s
	}
	return strings.TrimSpace(s[:at]), s[at+1:]
}

// trimType cuts a column type in parentheses at the end.
func trimType(s string) string {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutSuffix(s, ")")
	if !ok {
		return s
	}
	at := strings.LastIndexByte(rest, '(')
	if at < 0 {
		return s
	}
	for _, t := range types {
		if strings.EqualFold(rest[at+1:], t) {
			return strings.TrimSpace(rest[:at])
		}
	}
	return s
}
