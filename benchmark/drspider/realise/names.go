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

// withNames returns a schema whose natural names of columns are those that people use, where it shows them: the words of
// its description for an abbreviation or a code, and "paper id" for "paperid" where there are papers.
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
			if stem, ok := strings.CutSuffix(name, "id"); ok && isGlued(name) && !isUnknown(stem) {
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

// countedName returns what the description of a number counts: "number of citations" for a "citation number", "number of
// students enrolled" for a "number enrolled"; else "".
func countedName(c *dataset.Column) string {
	m := countPhrase.FindStringSubmatch(strings.ToLower(c.Description))
	words := strings.Fields(strings.ToLower(c.Name))
	i := slices.Index(words, "number")
	if m == nil || len(words) != 2 || i < 0 {
		return ""
	}
	switch counted := words[1-i]; counted {
	case m[1], english.Singular(m[1]):
		return "number of " + m[1]
	case m[2]:
		return m[0]
	}
	return ""
}

// countPhrase matches a count with its noun and the word after it.
var countPhrase = lazyregexp.New(`number of ([a-z]+)(?: ([a-z]+))?`)

// nameWords returns the words of the names of a schema.
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

// splitName returns the name of a table as two words where it is one that is made of two of the schema: "country language" for
// "countrylanguage".
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

// isKeyColumn reports whether a column is a key of its rows or of others.
func isKeyColumn(db *dataset.Database, c dataset.ColumnRef) bool {
	return slices.Contains(db.PrimaryKeys, c) || slices.ContainsFunc(db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column == c })
}

// describedName returns the noun phrase in a column's description that its name abbreviates, or that stands for a code;
// "" where there is none.
func describedName(c *dataset.Column) string {
	text := strings.NewReplacer("no. of ", "number of ", "_", " ", "’", "'").Replace(strings.ToLower(c.Description))
	for phrase := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";:,.()", r) }) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(phrase), "the "))
		phrase = strings.Join(words, " ")
		clausal := func(word string) bool { return english.IsFunction(word) && !slices.Contains(nounTies, word) }
		switch {
		case len(words) == 0, len(words) > maxNameWords, !describing.MatchString(phrase), slices.ContainsFunc(words, clausal):
		case slices.ContainsFunc(words, func(word string) bool { return listed("describes", word) }):
		case isNounPhrase(words) && (isCode(c.Name) || abbreviates(c.Name, phrase) && (len(c.Name) <= 3 || !heading.Default().Has(c.Name))):
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

// abbreviates reports whether a name has letters of a phrase, in their order, and a word that the phrase has not: "avg
// scr read" abbreviates "average scores in reading", "wbc" "white blood cell".
func abbreviates(name, phrase string) bool {
	words := strings.Fields(phrase)
	letters := strings.ReplaceAll(strings.ToLower(name), " ", "")
	if letters == "" || letters[0] != phrase[0] || len(letters)*4 > len(phrase)*3 {
		return false
	}
	short := slices.ContainsFunc(strings.Fields(strings.ToLower(name)), func(w string) bool { return !slices.Contains(words, w) })
	at := 0
	for i := 0; i < len(phrase) && at < len(letters); i++ {
		if phrase[i] == letters[at] {
			at++
		}
	}
	return short && at == len(letters)
}
