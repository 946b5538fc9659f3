package perturb

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Style is how a table writes its column names: the separator between words, and the letters that
// are capitals.
type Style struct {
	Separator string // "_", " " or ""
	Case      Case
	UpperID   bool // singerID, not singerId
}

// Case is which letters of a name's words are capitals.
type Case int

// The cases that databases use: home_town, Home_Town, homeTown, HOME_TOWN.
const (
	Lower Case = iota
	Title
	Camel
	Upper
)

// StyleOf returns the style of most column names of several words in a table. If all names are
// single words, the separator is that of the rest of the database, or "_" if that has none
// either.
func StyleOf(db *dataset.Database, table int) Style {
	seps, cases := countStyles(db.Tables[table].Columns)
	if len(seps) == 0 {
		for _, t := range db.Tables {
			others, _ := countStyles(t.Columns)
			for sep, n := range others {
				seps[sep] += n
			}
		}
	}
	style := Style{Separator: mostOf(seps, "_", " ", "")}
	counts := cases[style.Separator]
	if len(counts) == 0 { // the separator comes from other tables
		counts = cases[single]
	}
	style.Case = mostOf(counts, Lower, Title, Camel, Upper)
	if style.Separator == "" && style.Case == Lower { // without either, words would run together
		style.Case = Camel
	}
	style.UpperID = (style.Case == Title || style.Case == Camel) && writesUpperID(db)
	return style
}

// writesUpperID reports whether more columns of a database end in "ID" than in "Id".
func writesUpperID(db *dataset.Database) bool {
	upper, title := 0, 0
	for ref := range db.AllColumns() {
		switch name := db.Column(ref).Original; {
		case strings.ToUpper(name) == name: // in capitals throughout, ID has to be
		case strings.HasSuffix(name, "ID"):
			upper++
		case strings.HasSuffix(name, "Id"):
			title++
		}
	}
	return upper > title
}

// mostOf returns the value with the highest count, the first of equal ones.
func mostOf[T comparable](counts map[T]int, values ...T) T {
	return slices.MaxFunc(values, func(a, b T) int { return cmp.Compare(counts[a], counts[b]) })
}

// single is counted as the separator of names of one word, which have none.
const single = "single"

// countStyles counts the separators of names and, by separator, their cases. A name without "_"
// and blank votes for no separator only if its natural name has several words.
func countStyles(columns []dataset.Column) (seps map[string]int, cases map[string]map[Case]int) {
	seps, cases = map[string]int{}, map[string]map[Case]int{}
	for _, c := range columns {
		sep := single // no separator to see: the name is one word
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

// caseOf returns the case of a name that begins with a letter: NAME is Upper, Name and NameOf are Title, nameOf is Camel, and
// all others are Lower. Up to three capitals are Title, as they may be an abbreviation ("ID") in any style. A name with a
// separator is not Camel, as each of its parts may have a case of its own.
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

// Identifier returns a natural name in the style: "home town" as "Home_Town". It begins with a
// letter, has letters, digits and separators only and is no keyword, so it needs no more quotes
// in SQL than the separator does. It returns "" if nothing of the name is left, or if letters
// would be lost.
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
	if words[0][0] <= '9' { // a digit: a name must begin with a letter
		words = slices.Insert(words, 0, "n")
	}
	for i, w := range words {
		isTitled := s.Case == Title || s.Case == Camel && i > 0
		switch {
		case s.Case == Upper:
			words[i] = strings.ToUpper(w)
		case isTitled && w == "id" && s.UpperID:
			words[i] = "ID"
		case isTitled:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	name := strings.Join(words, s.Separator)
	if needsQuotes(name) {
		name += "_"
	}
	return name
}

// asciiWord returns the ASCII letters and digits of a word, in lower case, and false if other
// letters would be lost: the tokenizers of Spider's evaluators know no other letters in names.
func asciiWord(w string) (string, bool) {
	ascii := notASCII.ReplaceAllString(w, "")
	return strings.ToLower(ascii), ascii == notWord.ReplaceAllString(w, "")
}

// What is no letter or digit, of ASCII and at all.
var (
	notASCII = lazyregexp.New(`[^a-zA-Z0-9]+`)
	notWord  = lazyregexp.New(`[^\pL\p{Nd}]+`)
)

// IsPlainName reports whether SQLite and Spider's official parser read a name without quotes.
func IsPlainName(name string) bool { return plainName.MatchString(name) && !needsQuotes(name) }

var plainName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// needsQuotes reports whether SQLite or Spider's parser could read a bare name as something else: a keyword, an aggregate or the number
// of a row. Spider's parser counts "none" among the aggregates. A name with a blank is never bare, so the result is false.
func needsQuotes(name string) bool {
	if slices.Contains([]string{"none", "max", "min", "count", "sum", "avg", "rowid", "oid", "_rowid_"}, strings.ToLower(name)) {
		return true
	}
	return !strings.Contains(name, " ") && sqlast.NewIdent(name).Quote != 0
}
