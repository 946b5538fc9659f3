package wtq

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// symbolWords are the words of symbols that headers have in the place of words.
var symbolWords = strings.NewReplacer("#", " number ", "№", " number ", "%", " percent ", "&", " and ", "$", " dollars ", "€", " euros ",
	"£", " pounds ", "+/-", " plus minus ", "+/−", " plus minus ", "±", " plus minus ", "Δ", " delta ", "∅", " average ", "Ø", " average ")

// asciiLetters are letters that Unicode does not decompose.
var asciiLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i", "þ", "th", "ð", "d")

// NaturalName returns the natural name of a header: in lower case, on one line, with
// blanks for hyphens, slashes and underscores, as ADVETA's headers of these tables
// are. Other marks stay ("# of accidents") where there is a letter or digit; a header
// of marks only is spelled out. Position, from 1, names a column without a header.
func NaturalName(header string, position int) string {
	name := strings.ToLower(strings.Join(strings.FieldsFunc(header, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("-_/", r)
	}), " "))
	if strings.ContainsFunc(name, isAlphanumeric) {
		return name
	}
	if words := strings.Fields(symbolWords.Replace(header)); strings.ContainsFunc(strings.Join(words, ""), isAlphanumeric) {
		return strings.Join(words, " ")
	}
	return placeholder(position)
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// placeholder is the natural name of a column without a header, and only theirs: the
// columns that have such a header keep it in [dataset.Column.Header].
func placeholder(position int) string { return "column " + strconv.Itoa(position) }

var isPlaceholder = regexp.MustCompile(`^column [0-9]+$`)

// HeaderOf returns the [dataset.Column.Header] of a column of a natural name, from
// which [Header] gets the source's spelling back.
func HeaderOf(header, name string) string {
	if header == name && !isPlaceholder.MatchString(name) {
		return ""
	}
	return header
}

// Header returns how a table's source, or a table made of the schema, spells the
// header of a column.
func Header(c *dataset.Column) string {
	switch {
	case c.Header != "":
		return c.Header
	case isPlaceholder.MatchString(c.Name):
		return ""
	}
	return c.Name
}

// Identifiers returns an SQL name for each of some natural names, in lower case with
// underscores: letters without accents, digits and underscores, no keyword, and
// unique with all that is derived from them: suffixes[i] lists what is put behind
// name i, after an underscore, to name other columns of the table. Taken names
// are free to none; suffixes may be nil.
func Identifiers(names []string, suffixes [][]string, taken ...string) []string {
	used := map[string]bool{}
	for _, t := range taken {
		used[t] = true
	}
	all := make([]string, len(names))
	for i, name := range names {
		base := identifier(name)
		if base == "" {
			base = identifier(placeholder(i + 1))
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

func identifier(name string) string {
	var b strings.Builder
	blank := false
	for _, r := range norm.NFKD.String(asciiLetters.Replace(strings.ToLower(symbolWords.Replace(name)))) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
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

// quoted tells whether SQLite reads a bare name as part of its grammar or as a row
// id, or Spider's official parser as a part of its own.
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
