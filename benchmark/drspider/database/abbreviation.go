package database

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SchemaAbbreviation is Dr.Spider's schema-abbreviation. The paper takes its
// abbreviations from a public website; here they come from a list of those that
// databases use, and where that has none from the rules by which people make
// them: the first syllable of a word or its consonants, and the initials of
// three or more.
var SchemaAbbreviation = renaming("schema-abbreviation",
	"Abbreviates a random half of the tables and columns whose names can be, for the questions whose gold SQL mentions one of them.",
	source{"no-abbreviations", func(p *perturb.Pass) bool { return p.Abbreviations == nil }, abbreviations})

// keptAbbreviations is how many short forms of a name are used, of which the
// first are the most usual.
const keptAbbreviations = 3

// abbreviations returns short forms of an entry's name, shorter than its SQL name
// as well: that may be an abbreviation already.
func abbreviations(p *perturb.Pass, e entry) (out []dataset.Candidate) {
	natural, original := e.names(p.DB)
	words := lexicon.Words(natural)
	for _, short := range p.Abbreviations.Abbreviate(natural) {
		if letters(short) >= min(letters(natural), letters(original)) || !readable(p, words, short) {
			continue
		}
		out = append(out, perturb.Certain(short, "abbreviation", natural+" -> "+short))
	}
	return out[:min(len(out), keptAbbreviations)]
}

// readable tells whether people can read a short form of a name: it is no word
// of its own, no part of it is the abbreviation of something else, and nothing
// was cut down to a letter or lost its ending alone.
func readable(p *perturb.Pass, words []string, short string) bool {
	parts := strings.Fields(short)
	known := p.Abbreviations.Expand(short)
	contracted := len(parts) == 1 && len(words) > 1
	if contracted && !slices.Contains(known, strings.Join(words, " ")) {
		return len(known) == 0 && initials(words) && !isWord(p, short)
	}
	return !slices.ContainsFunc(parts, func(part string) bool { return !readablePart(p, words, part) })
}

func readablePart(p *perturb.Pass, words []string, part string) bool {
	switch {
	case slices.Contains(words, part):
		return true
	case len(part) < 2, strings.HasSuffix(part, "ss"): // "crss": courses, whose short form ends in s already
		return false
	case slices.ContainsFunc(words, func(w string) bool { return onlyEnding(w, part) }):
		return false
	}
	known := p.Abbreviations.Expand(part)
	if len(known) == 0 {
		return !isWord(p, part)
	}
	name := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(known, func(long string) bool { return strings.Contains(name, " "+long+" ") })
}

// initials tells whether a name may be abbreviated by its initials: two letters
// could mean anything.
func initials(words []string) bool {
	return len(words) >= 3 && !slices.ContainsFunc(words, func(w string) bool { return unicode.IsDigit([]rune(w)[0]) })
}

// endings are what a word loses that becomes another word without it.
var endings = strings.Fields("s es d ed r er ner or e en ee ing")

// onlyEnding tells whether a word lost no more than its ending, which makes
// another word of it: "own" of owner, "creat" of created.
func onlyEnding(word, short string) bool {
	rest, ok := strings.CutPrefix(english.Singular(word), english.Singular(short))
	return ok && slices.Contains(endings, rest)
}

// isWord tells whether s is a word that people know.
func isWord(p *perturb.Pass, s string) bool {
	return p.HasVector(s) || len(p.Synonyms(s)) > 0
}
