package perturb

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Style is how a table writes its column names: which separator stands between
// words and which letters are capitals.
type Style struct {
	Separator string // "_", " " or ""
	Case      Case
}

// Case says which letters of a name's words are capitals.
type Case int

// The cases that databases use: home_town, Home_Town, homeTown, HOME_TOWN.
const (
	Lower Case = iota
	Title
	Camel
	Upper
)

// StyleOf returns the style of most columns of a table of several words. A table
// whose names are all single words takes its separator from the rest of its
// database, and "_" where that has none either.
func StyleOf(db *dataset.Database, table int) Style {
	seps, cases := countStyles(db.Tables[table].Columns)
	if len(seps) == 0 {
		for _, t := range db.Tables {
			of, _ := countStyles(t.Columns)
			for sep, n := range of {
				seps[sep] += n
			}
		}
	}
	style := Style{Separator: mostOf(seps, "_", " ", "")}
	of := cases[style.Separator]
	if len(of) == 0 {
		of = cases[single]
	}
	style.Case = mostOf(of, Lower, Title, Camel, Upper)
	if style.Separator == "" && style.Case == Lower {
		style.Case = Camel
	}
	return style
}

// mostOf returns the most frequent of some, the first where there are several.
func mostOf[T comparable](counts map[T]int, some ...T) T {
	most := some[0]
	for _, one := range some {
		if counts[one] > counts[most] {
			most = one
		}
	}
	return most
}

// single stands for the separator of names of one word, which tell none.
const single = "single"

// countStyles counts the separators of names and, by separator, their cases.
// Which separator a name without "_" and blank votes for is known only where its
// natural name says that it holds several words.
func countStyles(columns []dataset.Column) (seps map[string]int, cases map[string]map[Case]int) {
	seps, cases = map[string]int{}, map[string]map[Case]int{}
	for _, c := range columns {
		sep := single
		switch {
		case strings.Contains(c.Original, "_"):
			sep = "_"
		case strings.Contains(c.Original, " "):
			sep = " "
		case len(strings.Fields(c.Name)) > 1:
			sep = ""
		}
		if sep != single {
			seps[sep]++
		}
		if letters := strings.IndexFunc(c.Original, unicode.IsLetter); letters >= 0 {
			if cases[sep] == nil {
				cases[sep] = map[Case]int{}
			}
			cases[sep][caseOf(c.Original[letters:])]++
		}
	}
	return seps, cases
}

// caseOf tells the case of a name that begins with a letter.
func caseOf(name string) Case {
	switch first, _ := utf8.DecodeRuneInString(name); {
	case strings.ToUpper(name) == name && len(name) > 3:
		return Upper
	case unicode.IsUpper(first):
		return Title
	case strings.ToLower(name) != name && !strings.ContainsAny(name, "_ "):
		return Camel
	}
	return Lower
}

// Identifier writes a natural name in the style, as a name that needs no more
// quoting in SQL than the style itself asks for: it begins with a letter, holds
// letters, digits and separators only, and is no keyword. It returns "" where
// nothing of the name is left, or where letters would be lost.
func (s Style) Identifier(natural string) string {
	var words []string
	for _, w := range lexicon.Words(natural) {
		w, ok := asciiWord(w)
		if !ok {
			return ""
		}
		if w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return ""
	}
	if words[0][0] <= '9' {
		words = slices.Insert(words, 0, "n")
	}
	for i, w := range words {
		switch {
		case s.Case == Upper:
			words[i] = strings.ToUpper(w)
		case s.Case == Title, s.Case == Camel && i > 0:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	name := strings.Join(words, s.Separator)
	if needsQuotes(name) {
		name += "_"
	}
	return name
}

// asciiWord keeps the ASCII letters and digits of a word, in lower case: the
// tokenizers of Spider's evaluators know no other letters in names. It returns
// false where the word has one.
func asciiWord(w string) (string, bool) {
	ascii := notASCII.ReplaceAllString(w, "")
	return strings.ToLower(ascii), ascii == notWord.ReplaceAllString(w, "")
}

// What is no letter or digit, of ASCII and at all.
var (
	notASCII = lazyregexp.New(`[^a-zA-Z0-9]+`)
	notWord  = lazyregexp.New(`[^\pL\p{Nd}]+`)
)

// needsQuotes tells whether SQLite reads a bare name as part of the grammar or as
// a row id, or Spider's official parser as an aggregate.
func needsQuotes(name string) bool {
	switch strings.ToLower(name) {
	case "none", "max", "min", "count", "sum", "avg", "rowid", "oid", "_rowid_":
		return true
	}
	return !strings.Contains(name, " ") && sqlast.NewIdent(name).Quote != 0
}
