package perturb

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
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

// StyleOf returns the style of most columns of a table. A table whose names
// are all single words takes its separator from the rest of its database, and
// snake_case where that has none either.
func StyleOf(db *dataset.Database, table int) Style {
	votes := map[string]int{}
	cases := map[Case]int{}
	for _, c := range db.Tables[table].Columns {
		countStyle(c, votes, cases)
	}
	if len(votes) == 0 {
		for _, t := range db.Tables {
			for _, c := range t.Columns {
				countStyle(c, votes, map[Case]int{})
			}
		}
	}
	style := Style{Separator: "_"}
	best := 0
	for _, sep := range []string{"_", " ", ""} {
		if votes[sep] > best {
			style.Separator, best = sep, votes[sep]
		}
	}
	best = 0
	for _, c := range []Case{Lower, Title, Camel, Upper} {
		if cases[c] > best {
			style.Case, best = c, cases[c]
		}
	}
	if style.Separator == "" && style.Case == Lower {
		style.Case = Camel
	}
	return style
}

// countStyle adds one column's vote. Which separator it votes for is known only
// where its natural name says that it holds several words.
func countStyle(c dataset.Column, votes map[string]int, cases map[Case]int) {
	name := c.Original
	switch {
	case strings.Contains(name, "_"):
		votes["_"]++
	case strings.Contains(name, " "):
		votes[" "]++
	case len(strings.Fields(c.Name)) > 1:
		votes[""]++
	}
	letters := strings.IndexFunc(name, unicode.IsLetter)
	if letters < 0 {
		return
	}
	switch first, _ := utf8.DecodeRuneInString(name[letters:]); {
	case strings.ToUpper(name) == name && len(name) > 3:
		cases[Upper]++
	case unicode.IsUpper(first):
		cases[Title]++
	case strings.ToLower(name) != name && !strings.ContainsAny(name, "_ "):
		cases[Camel]++
	default:
		cases[Lower]++
	}
}

// Identifier writes a natural name in the style, as a name that needs no more
// quoting in SQL than the style itself asks for: it begins with a letter, holds
// letters, digits and separators only, and is no keyword. It returns ""
// where nothing of the name is left.
func (s Style) Identifier(natural string) string {
	var words []string
	for _, w := range lexicon.Words(natural) {
		if w = asciiWord(w); w != "" {
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
		case s.Case == Title || s.Case == Camel && i > 0:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	name := strings.Join(words, s.Separator)
	if needsQuotes(name) {
		name += "_"
	}
	return name
}

// asciiWord keeps the ASCII letters and digits of a word: the tokenizers of
// Spider's evaluators know no other letters in names.
func asciiWord(w string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, w)
}

// needsQuotes tells whether SQLite reads a bare name as part of the grammar, or
// Spider's official parser as an aggregate.
func needsQuotes(name string) bool {
	switch strings.ToLower(name) {
	case "none", "max", "min", "count", "sum", "avg":
		return true
	}
	return !strings.Contains(name, " ") && sqlast.NewIdent(name).Quote != 0
}
