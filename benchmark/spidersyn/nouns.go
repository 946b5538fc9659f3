package spidersyn

import (
	_ "embed" // data/nouns.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/nouns.txt
var nounText string

// noun is a sense of a noun, a line of data/nouns.txt.
type noun struct {
	cues     []string // words of databases in which the noun has the sense; none for any
	synonyms []string
}

// nouns returns the senses of nouns, by their normal form.
var nouns = sync.OnceValue(func() map[string][]noun {
	all := map[string][]noun{}
	for _, row := range wordfile.Rows(nounText, 3) { // nouns, cues and synonyms; "-" for none
		n := noun{}
		if row[2] != "-" {
			n.synonyms = split(row[2], ";")
		}
		if row[1] != "-" {
			n.cues = strings.Fields(row[1])
		}
		for _, name := range split(row[0], ",") {
			key := lexicon.Normal(name)
			all[key] = append(all[key], n)
		}
	}
	return all
})

// split returns the parts of a text between separators, without blanks around them.
func split(text, separator string) (parts []string) {
	for part := range strings.SplitSeq(text, separator) {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts
}

// spokenAs returns the synonyms that data/nouns.txt has for a name, in normal form, in a database with the given words, by the first
// sense that fits. They are nil for a noun that has to stay; ok is false if the file has no such sense.
func spokenAs(name string, words map[string]bool) (synonyms []string, ok bool) {
	for _, n := range nouns()[name] {
		// A sense without cues fits any database.
		if n.cues == nil || slices.ContainsFunc(n.cues, func(cue string) bool { return words[cue] }) {
			return n.synonyms, true
		}
	}
	return nil, false
}

// wordsOf returns the words of the id of a database and of the names of its tables and columns, in normal form.
func wordsOf(db *dataset.Database) map[string]bool {
	words := map[string]bool{}
	add := func(name string) {
		for _, w := range strings.Fields(lexicon.Normal(name)) {
			words[w] = true
		}
	}
	add(db.ID)
	for _, t := range db.Tables {
		add(t.Name)
		for _, c := range t.Columns {
			add(c.Name)
		}
	}
	return words
}
