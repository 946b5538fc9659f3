package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixSubstitution puts another common prefix in the place of the one that a
// question begins with. Requests change for any request that takes what follows;
// a question becomes a request where it asks for a noun phrase and nothing else;
// a request becomes a question where, besides, the number of "is" or "are" is known.
var PrefixSubstitution = metamorphic("prefix-substitution", "section 3.1",
	"Puts another common prefix in the place of the one that a question begins with.", relation{substitutePrefix, 0.88}.run)

const noOther = "no-other-prefix"

// substitutePrefix returns the edits that replace the common prefix of a question by each other one that fits.
func substitutePrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	o, ok := s.opening()
	if !ok {
		return nil, noCommon
	}
	o.words = strings.ReplaceAll(o.words, "'s", " is") // "what's" is no other prefix than "what is"
	body := s.body(o)
	for _, p := range prefixes {
		isTwice := p.isPolite() && s.isPolite()
		// "show me" is no other prefix than "show", see plainly.
		if slices.Contains(p.follows, body) && plainly(p.words) != plainly(o.words) && !isTwice {
			options = append(options, s.replaceOpening(o, p.words, p.mark))
		}
	}
	for _, words := range s.interrogatives(o) {
		options = append(options, s.replaceOpening(o, words, "?"))
	}
	return options, noOther
}

// plainly returns the words of a prefix without "me" or "us" at the end: "show me" is hardly another prefix than "show".
func plainly(prefix string) string {
	return strings.TrimSuffix(strings.TrimSuffix(prefix, " me"), " us")
}

// body returns the kind of what follows the opening, as in [prefix.follows]: "question", "noun" for a noun phrase, or "" for
// neither.
func (s *sentence) body(o opening) string {
	switch {
	case o.clause:
		return "question"
	case s.isOneNounPhrase(o.body), o.verb == "" && object.Fits(s, o.body):
		return "noun"
	}
	return ""
}

// replaceOpening returns the edits that put another prefix in the place of the opening.
func (s *sentence) replaceOpening(o opening, words, mark string) []perturb.Edit {
	edits := []perturb.Edit{s.replace(0, o.body, capital(words, s.beginsUpper()))}
	return append(edits, s.endWith(mark)...)
}

// interrogatives returns the interrogative prefixes that may replace the opening, such as "what are", with
// the verb of the opening or the one that fits the noun phrase after it. People are asked for by "who", and
// "which" only asks for things that are several.
func (s *sentence) interrogatives(o opening) []string {
	if o.clause || !s.isOneNounPhrase(o.body) {
		return nil
	}
	verb := o.verb
	if verb == "" {
		var ok bool
		if verb, ok = s.verbFor(o.body); !ok {
			return nil
		}
	}
	if people.Fits(s, o.body) {
		return without([]string{"who " + verb}, o.words)
	}
	out := []string{"what " + verb}
	if severalThings.Fits(s, o.body) {
		out = append(out, "which "+verb)
	}
	return without(out, o.words)
}
