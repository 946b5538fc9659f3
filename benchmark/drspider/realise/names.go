package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// withNames returns a copy of a schema with natural names that people use: the words of
// a column's description for an abbreviation or a code, "paper id" for "paperid" if there are papers, and "country language" for a table
// "countrylanguage".
func withNames(db *dataset.Database) *dataset.Database {
	full := *db
	full.Tables = slices.Clone(db.Tables)
	stems := map[string]string{} // "paper id" by "paperid"
	for _, t := range db.Tables {
		noun := english.SingularPhrase(strings.ToLower(lexicon.Bare(t.Name)))
		for _, last := range []string{"id", "name", "code"} {
			stems[strings.ReplaceAll(noun, " ", "")+last] = noun + " " + last
		}
	}
	words := nameWords(db)
	for i := range full.Tables {
		t := &full.Tables[i]
		t.Name = splitName(t.Name, words)
		t.Columns = slices.Clone(t.Columns)
		for j := range t.Columns {
			c := &t.Columns[j]
			name := strings.TrimPrefix(strings.ToLower(c.Name), "link to ")
			if split := stems[name]; split != "" {
				name = split
			}
			if stem, ok := strings.CutSuffix(name, "id"); ok && isGlued(name) && !isUnknown(stem) { // an English word and "id"
				name = stem + " id"
			}
			if counted := countedName(c); counted != "" {
				name = counted
			}
			if described := describedName(c); described != "" && !isKeyColumn(db, dataset.ColumnRef{Table: i, Column: j}) {
				name = described
			}
			if name != strings.ToLower(c.Name) {
				c.Name = name
			}
		}
	}
	return &full
}

// countedName returns the phrase for a count from the description of a column called "number" and one more word: "number of citations"
// for a "citation number", "number of students enrolled" for a "number enrolled". For other columns it returns "".
func countedName(c *dataset.Column) string {
	m := countPhrase.FindStringSubmatch(strings.ToLower(c.Description))
	words := strings.Fields(strings.ToLower(c.Name))
	i := slices.Index(words, "number")
	if m == nil || len(words) != 2 || i < 0 {
		return ""
	}
	switch counted := words[1-i]; counted { // the other word
	case m[1], english.Singular(m[1]): // the noun of the count
		return "number of " + m[1]
	case m[2]: // the word after it
		return m[0]
	}
	return ""
}

// countPhrase matches a count with its noun and the word after it.
var countPhrase = lazyregexp.New(`number of ([a-z]+)(?: ([a-z]+))?`)

// nameWords returns the names of the tables of a schema, in the singular, and the words in the names of its columns.
func nameWords(db *dataset.Database) map[string]bool {
	words := map[string]bool{}
	for _, t := range db.Tables {
		words[english.SingularPhrase(strings.ToLower(t.Name))] = true
		for _, c := range t.Columns {
			for _, word := range strings.Fields(strings.ToLower(c.Name)) {
				words[word] = true
			}
		}
	}
	return words
}

// splitName returns the name of a table as two words if it is made of two words of the schema of at least [minPart] letters each: "country
// language" for "countrylanguage". It returns other names as they are.
func splitName(name string, words map[string]bool) string {
	for i := minPart; i <= len(name)-minPart; i++ {
		first, rest := strings.ToLower(name[:i]), strings.ToLower(name[i:])
		if words[first] && (words[rest] || words[english.SingularPhrase(rest)]) {
			return first + " " + rest
		}
	}
	return name
}

// minPart is how many letters the words of a name have that is split.
const minPart = 4

// isKeyColumn reports whether a column is part of a primary key or a foreign key.
func isKeyColumn(db *dataset.Database, c dataset.ColumnRef) bool {
	return slices.Contains(db.PrimaryKeys, c) || slices.ContainsFunc(db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column == c })
}

// describedName returns the first noun phrase in a column's description that the column's name abbreviates or, if the name is a code such as
// "a11", the first noun phrase at all. It returns "" if there is none.
func describedName(c *dataset.Column) string {
	text := strings.NewReplacer("no. of ", "number of ", "_", " ", "’", "'").Replace(strings.ToLower(c.Description))
	isKnown := len(c.Name) > 3 && heading.Default().Has(c.Name) // the lexicon of headings has the name itself, so it needs no description
	for phrase := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";:,.()", r) }) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(phrase), "the "))
		phrase = strings.Join(words, " ")
		clausal := func(word string) bool { return english.IsFunction(word) && !slices.Contains(nounTies, word) }
		switch {
		case len(words) == 0, len(words) > maxNameWords, !describing.MatchString(phrase), slices.ContainsFunc(words, clausal): // no noun phrase
		case slices.ContainsFunc(words, func(word string) bool { return listed("describes", word) }): // "unique identifier of the row"
		case isNounPhrase(words) && (isCode(c.Name) || abbreviates(c.Name, phrase) && !isKnown):
			return phrase
		}
	}
	return ""
}

var (
	describing = lazyregexp.New(`^[a-z][-a-z' ]*(?: (?:1[89]|20)[0-9]{2})?$`)
	codeName   = lazyregexp.New(`^[a-z]{1,2} ?[0-9]+$`)
)

// nounTies are the function words within a noun phrase.
var nounTies = []string{"of", "in", "per", "and", "or", "for"}

// isCode reports whether a column's name is a letter and a number: "a11".
func isCode(name string) bool { return codeName.MatchString(strings.ToLower(name)) }

// abbreviates reports whether a name abbreviates a phrase: "avg scr read" abbreviates "average scores in reading", "wbc" "white blood cell".
// Its letters are in the phrase in the same order, the first as the first, they are at most three quarters as many, and one of its words
// is not in the phrase.
func abbreviates(name, phrase string) bool {
	words := strings.Fields(phrase)
	letters := strings.ReplaceAll(strings.ToLower(name), " ", "")
	if letters == "" || letters[0] != phrase[0] || len(letters)*4 > len(phrase)*3 {
		return false
	}
	hasShort := slices.ContainsFunc(strings.Fields(strings.ToLower(name)), func(w string) bool { return !slices.Contains(words, w) })
	at := 0 // letters of the name found so far
	for i := 0; i < len(phrase) && at < len(letters); i++ {
		if phrase[i] == letters[at] {
			at++
		}
	}
	return hasShort && at == len(letters)
}
