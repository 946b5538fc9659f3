package namepair

import (
	"cmp"
	"strings"
)

// Parts are the names of two columns, cut into what they share and what distinguishes them
// apart.
type Parts struct {
	Entity string // what the table is about
	Shared string // the words that both names begin with
	A, B   string
}

// longName is the number of words that a column and its entity have at most: a
// pair with more is one of sentences, which lose also the words that both end
// with.
const longName = 8

// Cut finds what distinguishes two columns of a table about entity. The words that
// both names begin with are cut, but for a last word each: "breed name" against
// "breed code" reads "name" against "code". Equal names are read as a whole, with
// the entity before them.
func Cut(entity, a, b string) Parts {
	entity, a, b = strings.TrimSpace(entity), strings.TrimSpace(a), strings.TrimSpace(b)
	p := Parts{Entity: entity, A: a, B: b}
	for {
		x, restA := cutFirst(p.A)
		y, restB := cutFirst(p.B)
		if restA == "" || restB == "" || !strings.EqualFold(x, y) {
			break
		}
		p.A, p.B = restA, restB
	}
	if strings.EqualFold(p.A, p.B) {
		return Parts{A: join(entity, a), B: join(entity, b)}
	}
	p.Shared = strings.TrimSpace(a[:len(a)-len(p.A)])
	if countWords(entity)+max(countWords(a), countWords(b)) <= longName {
		return p
	}
	// Long names also lose the words that both end with.
	for {
		restA, x := cutLast(p.A)
		restB, y := cutLast(p.B)
		if restA == "" || restB == "" || !strings.EqualFold(x, y) {
			return p
		}
		p.A, p.B = restA, restB
	}
}

// before returns the word that precedes both names: the last shared one, else that of the entity.
func (p Parts) before() string {
	_, word := cutLast(cmp.Or(p.Shared, p.Entity))
	return word
}

// join puts a blank between two texts that are not empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// countWords returns the number of words of s, without allocating them.
func countWords(s string) (n int) {
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// blanks separate words.
const blanks = " \t\n\r"

// cutFirst splits off the first word.
func cutFirst(s string) (word, rest string) {
	at := strings.IndexAny(s, blanks)
	if at < 0 {
		return s, ""
	}
	return s[:at], strings.TrimSpace(s[at:])
}

// cutLast splits off the last word.
func cutLast(s string) (rest, word string) {
	at := strings.LastIndexAny(s, blanks)
	if at < 0 {
		return "", s
	}
	return strings.TrimSpace(s[:at]), s[at+1:]
}
