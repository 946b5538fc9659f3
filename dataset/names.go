package dataset

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/sqlast"
)

// symbolWords are the words of symbols that headers have in the place of words.
var symbolWords = strings.NewReplacer("#", " number ", "№", " number ", "%", " percent ", "&", " and ", "$", " dollars ", "€", " euros ",
	"£", " pounds ", "+/-", " plus minus ", "+/−", " plus minus ", "±", " plus minus ", "Δ", " delta ", "∅", " average ", "Ø", " average ")

// asciiLetters are letters that Unicode does not decompose.
var asciiLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "þ", "th", "ð", "d")

// SpellSymbols returns a header with words for symbols such as # and %.
func SpellSymbols(header string) string { return symbolWords.Replace(header) }

// Identifiers returns an SQL name for each header or natural name: lower-case letters without
// accents, digits and underscores, no keyword. The names are unique and differ from taken,
// together with all names derived from them: suffixes[i], which may be nil, lists what is appended
// to name i, after an underscore, to name other columns of the table.
func Identifiers(names []string, suffixes [][]string, taken ...string) []string {
	used := map[string]bool{}
	for _, t := range taken {
		used[t] = true
	}
	all := make([]string, len(names))
	for i, name := range names {
		base := identifier(name)
		if base == "" {
			base = identifier(fmt.Sprintf("column %d", i+1))
		}
		var more []string
		if suffixes != nil {
			more = suffixes[i]
		}
		free := func(id string) bool {
			for _, s := range more {
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
		for _, s := range more {
			used[id+"_"+s] = true
		}
	}
	return all
}

// maxIdentifier bounds the SQL name of a header: some headers are sentences.
const maxIdentifier = 60

// identifier returns a name in lower case with underscores between its words: "Home Town (2)" →
// "home_town_2".
func identifier(name string) string {
	var b strings.Builder
	blank := false
	for _, r := range norm.NFKD.String(asciiLetters.Replace(strings.ToLower(symbolWords.Replace(name)))) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if blank && b.Len() > 0 {
				b.WriteByte('_')
			}
			blank = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’':
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
	case id[0] <= '9':
		id = "n_" + id
	}
	if quoted(id) {
		id += "_"
	}
	return id
}

// quoted reports whether a name needs quotes: SQLite reads it as a keyword or a row id, or
// Spider's official parser as a part of its grammar.
func quoted(id string) bool {
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
