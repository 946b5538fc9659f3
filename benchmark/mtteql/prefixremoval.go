package mtteql

import (
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixRemoval leaves out a common prefix where what follows stands by itself: a
// noun phrase and nothing else. The mark at the end stays.
var PrefixRemoval = metamorphic("prefix-removal", "section 3.1",
	"Leaves out the common prefix of a question (\"what is\", \"list\").", relation{removePrefix, 0.92}.run)

// Reasons of rejection.
const (
	noCommon = "no-common-prefix"
	noBody   = "incomplete-without-prefix"
)

// removePrefix returns the edit that leaves out the common prefix of a question.
func removePrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	o, ok := s.opening()
	switch {
	case !ok, o.clause: // a clause stays: "tell me how many"
		return nil, noCommon
	case !s.isOneSentence(), !s.isOneNounPhrase(o.body), !definite.Fits(s, o.body):
		return nil, noBody
	}
	return [][]perturb.Edit{{s.replace(0, o.body+1, capital(s.Span(o.body, o.body+1), s.beginsUpper()))}}, ""
}
