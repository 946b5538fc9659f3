package database

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// SchemaAbbreviation is Dr.Spider's schema-abbreviation. The paper takes its
// abbreviations from a public website; here they come from a list of those that people
// write and read. Words that it lacks stay as they are: initials and dropped vowels
// are riddles.
var SchemaAbbreviation = renaming("schema-abbreviation",
	"Abbreviates a random half of the tables and columns whose names can be, for the questions whose gold SQL mentions one of them.",
	abbreviations)

// maxAbbreviations is how many short forms of a name are used: the first are the most
// usual.
const maxAbbreviations = 2

// isRiddle reports whether readers would misread the short form of a natural name: it repeats a word ("cust cust demo"), begins with
// "no", which may mean that there is none, or is a word of the dictionary with another meaning ("cats" for "categories").
func isRiddle(p *perturb.Pass, natural, short string) bool {
	words := lexicon.Words(short)
	if len(words) > 1 && words[0] == "no" || len(slices.Compact(slices.Clone(words))) < len(words) {
		return true
	}
	meanings := p.Synonyms(lexicon.Normal(short))
	return len(meanings) > 0 && !slices.Contains(meanings, lexicon.Normal(natural))
}

// lengthens reports whether a short form has a longer word in the place of one of the SQL name: "dur hours" for DurationHrs.
func lengthens(original, short string) bool {
	now, was := lexicon.Words(short), lexicon.Words(original)
	if len(now) != len(was) {
		return false
	}
	for i := range now {
		if len(now[i]) > len(was[i]) {
			return true
		}
	}
	return false
}

// abbreviations returns a function that proposes up to [maxAbbreviations] short forms of an entry's name, which readers would not misread.
// They have fewer letters than its natural name and its SQL name, which may be an abbreviation already.
func abbreviations(p *perturb.Pass) (func(entry) []dataset.Candidate, error) {
	if p.Abbreviations == nil {
		return nil, &perturb.Refusal{Reason: "no-abbreviations"}
	}
	return func(e entry) (out []dataset.Candidate) {
		natural, original := e.names(p.DB)
		for _, short := range p.Abbreviations.Abbreviate(natural) {
			if isRiddle(p, natural, short) || lengthens(original, short) {
				continue
			}
			if letters(short) < min(letters(natural), letters(original)) {
				out = append(out, perturb.Certain(short, "abbreviation", natural+" -> "+short))
			}
		}
		return out[:min(len(out), maxAbbreviations)]
	}, nil
}
