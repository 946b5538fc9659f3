package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixSubstitution puts another common prefix in the place of the one that a
// question begins with. Requests change for any request that takes what follows;
// a question becomes a request where it asks for a noun phrase and nothing else;
// a request becomes a question where, besides, the number of "is" or "are" is known.
var PrefixSubstitution = &perturb.Perturbation{
	Name:     "mtteql/prefix-substitution",
	Doc:      "Puts another common prefix in the place of the one that a question begins with.",
	Paper:    "MT-TEQL, section 3.1",
	Version:  1,
	Samples:  inputs,
	Relation: perturb.Invariant,
	Run:      relation{substitutePrefix, 0.88}.run,
}

const noOther = "no-other-prefix"

func substitutePrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	o, ok := s.opening()
	if !ok {
		return nil, noCommon
	}
	for _, p := range declaratives {
		fits := p.phrase && (!o.asks && s.object(o.body) || s.one(o.body))
		if o.clause {
			fits = p.clause
		}
		if fits && !p.rude && p.words != o.words {
			options = append(options, s.begin(o, p.words, p.ask))
		}
	}
	for _, words := range s.asking(o) {
		options = append(options, s.begin(o, words, true))
	}
	return options, noOther
}

// begin returns the edits that put another prefix in the place of the opening.
func (s *sentence) begin(o opening, words string, ask bool) []perturb.Edit {
	edits := []perturb.Edit{s.replace(0, o.body, capital(words, s.upper()))}
	return append(edits, s.close(mark(ask))...)
}

// asking returns the interrogative prefixes that may stand instead of the opening,
// in the number and tense of what they open.
func (s *sentence) asking(o opening) []string {
	if o.clause || !s.one(o.body) {
		return nil
	}
	be := ""
	switch o.words {
	case "what is", "which is", "what's":
		be = "is"
	case "what are", "which are":
		be = "are"
	case "what was", "which was":
		be = "was"
	case "what were", "which were":
		be = "were"
	default:
		var ok bool
		if be, ok = s.number(o.body); !ok {
			return nil
		}
	}
	var out []string
	for _, word := range []string{"what ", "which "} {
		if words := word + be; words != o.words && (word == "what " || s.choosable(o.body)) {
			out = append(out, words)
		}
	}
	return out
}

// choosable tells whether "which" may ask for the noun phrase: for things of which
// there are several, not for a figure.
func (s *sentence) choosable(body int) bool {
	figures := []string{"number", "total", "count", "sum", "average", "mean", "minimum", "maximum", "amount", "percentage", "overall"}
	return s.at(body) == "the" && !slices.Contains(figures, s.at(body+1))
}

// mark returns what ends a sentence.
func mark(asks bool) string {
	if asks {
		return "?"
	}
	return "."
}
