package sqlast

import (
	"slices"
	"strings"
)

// class is where a dialect accepts a word as a name.
type class uint8

const (
	notKeyword class = iota // no keyword
	reserved                // never a name
	joinWord                // a name, but not an alias without AS
	fallback                // a name wherever the keyword itself makes no sense
	plain                   // a name like any other but where the grammar asks for the word
)

// maxKeyword is the length of the longest keyword.
const maxKeyword = len("CURRENT_TIMESTAMP")

// keyword is a keyword in upper case with its class.
type keyword struct {
	text  string
	class class
}

// lookupKeyword returns the keyword that a word spells, in upper case, and its class; "" and
// notKeyword for any other word.
func (d *Dialect) lookupKeyword(word string) (string, class) {
	var buf [maxKeyword]byte // the word in upper case, without an allocation
	if len(word) > len(buf) {
		return "", notKeyword
	}
	for i := range len(word) {
		buf[i] = byteInfo[word[i]].upper
	}
	k := d.keywords[string(buf[:len(word)])]
	return k.text, k.class
}

// Ident is a name: of a table, a column, an alias, a function.
type Ident struct {
	Name  string
	Quote byte // as written: '"', '`', '[' or '\''; 0 without quotes
}

// NewIdent returns name as an identifier of SQLite; see [Dialect.NewIdent].
func NewIdent(name string) Ident { return SQLite.NewIdent(name) }

// NewIdent returns name as an identifier, in double quotes where the engine or a reader could take the bare word for
// something else.
func (d *Dialect) NewIdent(name string) Ident {
	_, class := d.lookupKeyword(name)
	switch { // a keyword, no bare word, TRUE or FALSE, or a name that would lose its capitals
	case class != notKeyword && class != plain, !isWord(name), isConstant(name), d.foldsNames && fold(name) != name:
		return Ident{name, '"'}
	}
	return Ident{Name: name}
}

// Is reports whether the identifier has the given name, ignoring ASCII case as
// SQLite does.
func (id Ident) Is(name string) bool { return equalFold(id.Name, name) }

// IsZero reports whether there is no identifier here.
func (id Ident) IsZero() bool { return id == Ident{} }

// String returns the identifier as SQL of SQLite: in its own quotes, else bare where the
// bare word can be a name, else in double quotes.
func (id Ident) String() string { return SQLite.ident(id) }

// ident returns the identifier as SQL: in its own quotes if the dialect has them, bare if it has none and the bare word can be a
// name, else in double quotes.
func (d *Dialect) ident(id Ident) string {
	switch id.Quote {
	case '[':
		if !strings.Contains(id.Name, "]") && strings.IndexByte(d.quotes, '[') >= 0 {
			return "[" + id.Name + "]"
		}
	case '`', '\'':
		if strings.IndexByte(d.quotes, id.Quote) >= 0 {
			return quote(id.Name, string(id.Quote))
		}
	case 0:
		if _, class := d.lookupKeyword(id.Name); class != reserved && isWord(id.Name) && !isConstant(id.Name) {
			return id.Name
		}
	}
	return quote(d.NameOf(id), `"`)
}

// NameOf returns the name that an identifier means: a bare one is folded where the dialect does so.
func (d *Dialect) NameOf(id Ident) string {
	if d.foldsNames && id.Quote == 0 {
		return fold(id.Name)
	}
	return id.Name
}

// sameName reports whether two names are one in the dialect, after [Dialect.NameOf].
func (d *Dialect) sameName(a, b string) bool {
	if d.foldsNames {
		return a == b
	}
	return equalFold(a, b)
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

// fold maps ASCII letters to lower case: SQLite's notion of equal names. A name without capitals is returned as it is, without a copy.
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
