package heading

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Asked holds the wordings in which people ask for a column. In a wording {} is the rows, {v} a value, and {be}, {was}, {do} and
// {have} the form of the verb.
type Asked struct {
	How         []string // questions for the column: "how old {be} {}"
	Is          []string // after the rows, for a value of the column: "aged {v}"
	More, Less  []string // after the rows, for values above and below: "older than {v}"
	Most, Least []string // before the rows, for the extremes: "oldest"
	Up, Down    []string // orders: "from youngest to oldest"
	Say         []string // noun phrases for the column, if its name reads badly
	Flag, Not   []string // after the rows, for yes and no: "that are open"

	rows []string // nouns or classes of the rows that the wordings fit; none for any
}

// Phrases holds the wordings of headings, by the heading in the form of [lexicon.Normal].
type Phrases map[string][]*Asked

// Of returns the wordings for a column, or nil if it has none. rows are nouns for a row of its table, and classes of it in braces.
// The result is the first entry of the column that is for any rows or for one of these.
func (p Phrases) Of(column string, rows ...string) *Asked {
	for _, a := range p[lexicon.Normal(column)] {
		if len(a.rows) == 0 || slices.ContainsFunc(a.rows, func(r string) bool { return slices.Contains(rows, r) }) {
			return a
		}
	}
	return nil
}

// DefaultPhrases returns the embedded phrases, written for this project.
var DefaultPhrases = sync.OnceValue(func() Phrases {
	p, err := ReadPhrases(embeddedFile("data/asked.txt"), "data/asked.txt", func(err error) { panic(err) })
	if err != nil {
		panic(err)
	}
	return p
})

// ReadPhrases reads phrases from plain text: a line of headings, then indented lines of
// "field: wording; wording"; name is the file's name in messages. The field rows lists what the wordings fit, nouns or classes,
// between commas: "rows: {person}, dog". It skips and reports ill-formed lines, and returns an error only if reading fails.
func ReadPhrases(r io.Reader, name string, report func(error)) (Phrases, error) {
	p := Phrases{}
	var entry *Asked
	err := lexicon.ReadLines(name, r, report, func(_ int, text string) error {
		field, list, ok := strings.Cut(text, ":")
		if !ok { // headings, which begin an entry
			entry = &Asked{}
			for h := range strings.SplitSeq(text, ",") {
				key := lexicon.Normal(strings.TrimSpace(h))
				p[key] = append(p[key], entry)
			}
			return nil
		}
		field = strings.TrimSpace(field)
		wordings := entry.field(field)
		if wordings == nil {
			return fmt.Errorf("%q: expected headings, or one of their fields (rows, how, is, more, …)", text)
		}
		areRows, separator := field == "rows", ";" // a wording may have a comma
		if areRows {
			separator = ","
		}
		for w := range strings.SplitSeq(list, separator) {
			if w = strings.TrimSpace(w); w == "" {
				return fmt.Errorf("%q: expected wordings with %q between them", text, separator)
			}
			if areRows && w[0] != '{' { // a noun, no class
				w = lexicon.Normal(w)
			}
			*wordings = append(*wordings, w)
		}
		return nil
	})
	return p, err
}

// field returns a pointer to the field with a name of the file, or nil for an unknown name. A nil receiver, before the first
// heading of a file, has no fields.
func (a *Asked) field(name string) *[]string {
	if a == nil {
		return nil
	}
	return map[string]*[]string{
		"how": &a.How, "is": &a.Is, "more": &a.More, "less": &a.Less, "most": &a.Most, "least": &a.Least,
		"up": &a.Up, "down": &a.Down, "say": &a.Say, "flag": &a.Flag, "not": &a.Not, "rows": &a.rows,
	}[name]
}

// Classes returns the classes of terms.
func (t *Thesaurus) Classes() *Classes { return t.classes }

// Of returns the sorted classes of a term, singular or plural, in the form of cues: "{person}".
func (c *Classes) Of(term string) []string {
	key := lexicon.Normal(term)
	var out []string
	for class, terms := range c.terms {
		if terms[key] {
			out = append(out, "{"+class+"}")
		}
	}
	slices.Sort(out)
	return out
}
