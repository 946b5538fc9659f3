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

// isRiddle reports whether the short form of a name repeats a word ("cust cust demo") or is a word of another meaning ("cats").
func isRiddle(p *perturb.Pass, natural, short string) bool {
	meant := p.Synonyms(lexicon.Normal(short))
	return len(slices.Compact(lexicon.Words(short))) < len(lexicon.Words(short)) || len(meant) > 0 && !slices.Contains(meant, lexicon.Normal(natural))
}

// lengthens reports whether a short form writes out what an SQL name abbreviates, as "dur hours" of DurationHrs does, or begins with
// "no", which may say that there is none.
func lengthens(original, short string) bool {
	now, was := lexicon.Words(short), lexicon.Words(original)
	if len(now) > 1 && now[0] == "no" {
		return true
	}
	for i := range now {
		if len(now) == len(was) && len(now[i]) > len(was[i]) {
			return true
		}
	}
	return false
}

// abbreviations returns a function that proposes short forms of an entry's name. They are
// shorter than its SQL name too, which may be an abbreviation already.
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
