package sqlast

import (
	_ "embed" // keywords.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// class is where SQLite accepts a word as a name.
type class uint8

const (
	notKeyword class = iota // no keyword
	reserved                // never a name
	joinWord                // a name, but not an alias without AS
	fallback                // a name wherever the keyword itself makes no sense
)

// maxKeyword is the length of the longest keyword.
const maxKeyword = len("CURRENT_TIMESTAMP")

// keyword is a keyword in upper case with its class.
type keyword struct {
	text  string
	class class
}

//go:embed keywords.txt
var keywordText string

// keywords is SQLite's list of keywords, by upper-case text.
var keywords = func() map[string]keyword {
	m, lists := map[string]keyword{}, wordfile.ReadLists(keywordText)
	for name, class := range map[string]class{"reserved": reserved, "joinWord": joinWord, "fallback": fallback} {
		for _, w := range lists.Words(name) {
			m[w] = keyword{w, class}
		}
	}
	return m
}()

// lookupKeyword returns the keyword that a word spells, in upper case, and its class; "" and
// notKeyword for any other word.
func lookupKeyword(word string) (string, class) {
	var buf [maxKeyword]byte
	if len(word) > len(buf) {
		return "", notKeyword
	}
	for i := range len(word) {
		buf[i] = byteInfo[word[i]].upper
	}
	k := keywords[string(buf[:len(word)])]
	return k.text, k.class
}

// Ident is a name: of a table, a column, an alias, a function.
type Ident struct {
	Name  string
	Quote byte // as written: '"', '`', '[' or '\''; 0 without quotes
}

// NewIdent returns name as an identifier, in double quotes where SQLite or a
// reader could take the bare word for something else.
func NewIdent(name string) Ident {
	_, class := lookupKeyword(name)
	switch {
	case class != notKeyword, !isWord(name), isConstant(name):
		return Ident{name, '"'}
	}
	return Ident{Name: name}
}

// Is reports whether the identifier has the given name, ignoring ASCII case as
// SQLite does.
func (id Ident) Is(name string) bool { return equalFold(id.Name, name) }

// IsZero reports whether there is no identifier here.
func (id Ident) IsZero() bool { return id == Ident{} }

// String returns the identifier as SQL: in its own quotes, else bare where the
// bare word can be a name, else in double quotes.
func (id Ident) String() string {
	switch id.Quote {
	case '[':
		if !strings.Contains(id.Name, "]") {
			return "[" + id.Name + "]"
		}
	case '`', '\'':
		return quote(id.Name, string(id.Quote))
	case 0:
		_, class := lookupKeyword(id.Name)
		switch {
		case class == reserved, !isWord(id.Name), isConstant(id.Name):
		default:
			return id.Name
		}
	}
	return quote(id.Name, `"`)
}

// quote puts q around s and doubles each q in it.
func quote(s, q string) string { return q + strings.ReplaceAll(s, q, q+q) + q }

// isWord reports whether s reads as one bare word.
func isWord(s string) bool {
	for i := range len(s) {
		if !byteInfo[s[i]].inWord {
			return false
		}
	}
	return s != "" && byteInfo[s[0]].beginsWord
}

// isConstant reports whether the bare word s reads as a literal.
func isConstant(s string) bool { return slices.Contains([]string{"true", "false"}, fold(s)) }

// fold maps ASCII letters to lower case: SQLite's notion of equal names.
func fold(s string) string {
	for i := range len(s) {
		if byteInfo[s[i]].lower == s[i] {
			continue
		}
		b := []byte(s)
		for ; i < len(b); i++ {
			b[i] = byteInfo[b[i]].lower
		}
		return string(b)
	}
	return s
}

// equalFold reports whether two ASCII words are equal without case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if byteInfo[a[i]].lower != byteInfo[b[i]].lower {
			return false
		}
	}
	return true
}
