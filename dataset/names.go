package dataset

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/sqlast"
)

// symbolNames spells the symbols of headers as words.
var symbolNames = strings.NewReplacer("#", " number ", "№", " number ", "%", " percent ", "&", " and ", "$", " dollars ", "€", " euros ",
	"£", " pounds ", "+/-", " plus minus ", "+/−", " plus minus ", "±", " plus minus ", "Δ", " delta ", "∅", " average ", "Ø", " average ")

// asciiLetters spells letters that Unicode does not decompose.
var asciiLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "þ", "th", "ð", "d")

// SpellSymbols returns a header with words for symbols such as # and %.
func SpellSymbols(header string) string { return symbolNames.Replace(header) }

// Identifiers returns an SQL name for each header or natural name: lower-case letters without
// accents, digits and underscores. No name is a keyword, one of taken, or a repetition.
//
// suffixes[i] lists the columns that will be derived from column i: their names are name i, an
// underscore and the suffix, and are kept unique too. suffixes may be nil.
func Identifiers(names []string, suffixes [][]string, taken ...string) []string {
	used := wordfile.Set(taken)
	all := make([]string, len(names))
	for i, name := range names {
		base := identifierOf(name)
		if base == "" {
			base = identifierOf(fmt.Sprintf("column %d", i+1))
		}
		var derived []string // suffixes of the columns derived from i
		if suffixes != nil {
			derived = suffixes[i]
		}
		free := func(id string) bool {
			for _, s := range derived {
				if used[id+"_"+s] {
					return false
				}
			}
			return !used[id]
		}
		id := base
		for n := 2; !free(id); n++ {
			id = fmt.Sprintf("%s_%d", base, n)
		}
		all[i], used[id] = id, true
		for _, s := range derived {
			used[id+"_"+s] = true
		}
	}
	return all
}

// maxIdentifier bounds the SQL name of a header: some headers are sentences.
const maxIdentifier = 60

// identifierOf returns a name as an identifier in lower case, with underscores between its
// words: "Home Town (2)" becomes home_town_2. It is "" for a name without letters and digits. An identifier
// that would begin with a digit gets n_ before it, and a keyword gets _ behind it, so that none needs quotes.
func identifierOf(name string) string {
	var b strings.Builder
	blank := false // a separator was read since the last letter or digit
	for _, r := range norm.NFKD.String(asciiLetters.Replace(strings.ToLower(symbolNames.Replace(name)))) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if blank && b.Len() > 0 {
				b.WriteByte('_')
			}
			blank = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’': // accents and apostrophes separate nothing: user's becomes users
			blank = true
		}
	}
	id := b.String()
	if len(id) > maxIdentifier {
		id = strings.TrimRight(id[:maxIdentifier], "_")
	}
	switch {
	case id == "":
		return ""
	case id[0] <= '9': // a digit
		id = "n_" + id
	}
	if needsQuotes(id) {
		id += "_"
	}
	return id
}

// needsQuotes reports whether a name cannot be used without quotes: SQLite reads it as a keyword
// or a row id, Spider's official parser as part of its grammar, or gold SQL as w, the only table of WikiTableQuestions.
func needsQuotes(id string) bool {
	switch id {
	case "none", "max", "min", "count", "sum", "avg", "rowid", "oid", "_rowid_", "w":
		return true
	}
	// An alias of Spider's parser is t1, t2, …
	if len(id) > 1 && id[0] == 't' && strings.Trim(id[1:], "0123456789") == "" {
		return true
	}
	return sqlast.NewIdent(id).Quote != 0
}
